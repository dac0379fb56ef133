// Keys of RSA for tests, and DER to write them with.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardMemory
import KeyboardTestSupport
import Testing

@testable import KeyboardRSA

/// A line of rsa-keys.txt.
struct TestKey {
  let bits: Int
  /// PKCS#8 and SubjectPublicKeyInfo.
  let privateKey, publicKey: Bytes

  /// The part of a PKCS#8 that PKCS#1 describes: behind two headers of 4 bytes, the version and the algorithm.
  var pkcs1: Bytes { Bytes(privateKey.dropFirst(4 + 3 + 15 + 4)) }

  /// The numbers of PKCS#1: the modulus, both exponents, the primes, and three for the Chinese remainder theorem.
  var numbers: [Bytes] {
    var (numbers, rest) = ([Bytes](), pkcs1.dropFirst(4 + 3))
    while !rest.isEmpty {
      let (header, count): (Int, Int) =
        switch rest[rest.startIndex + 1] {
        case 0x82: (4, Int(rest[rest.startIndex + 2]) << 8 | Int(rest[rest.startIndex + 3]))
        case 0x81: (3, Int(rest[rest.startIndex + 2]))
        default: (2, Int(rest[rest.startIndex + 1]))
        }
      numbers.append(Bytes(rest.dropFirst(header).prefix(count).drop { $0 == 0 }))
      rest = rest.dropFirst(header + count)
    }
    return numbers
  }

  static func all() throws -> [TestKey] {
    try vectors("rsa-keys.txt", count: 7, fields: 4).map { fields in
      TestKey(bits: try #require(Int(fields[0])), privateKey: bytes(fields[2]), publicKey: bytes(fields[3]))
    }
  }
}

/// Writes DER.
enum DER {
  static let algorithm: Bytes = [0x30, 0x0d, 0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 5, 0]
  static let version: Bytes = [0x02, 1, 0]

  static func element(_ tag: UInt8, _ contents: Bytes...) -> Bytes {
    let contents = contents.flatMap { $0 }
    let count = contents.count
    let length: Bytes =
      count < 0x80
      ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xff)]
    return [tag] + length + contents
  }

  /// A positive number from its bytes, which begin with none of zero.
  static func number(_ bytes: Bytes) -> Bytes { element(0x02, bytes[0] < 0x80 ? bytes : [0] + bytes) }

  static func publicKey(_ modulus: Bytes, _ exponent: Bytes, algorithm: Bytes = algorithm) -> Bytes {
    element(0x30, algorithm, element(0x03, [0], element(0x30, number(modulus), number(exponent))))
  }

  static func pkcs1(_ numbers: [Bytes]) -> Bytes { element(0x30, version, numbers.flatMap(number)) }

  static func pkcs8(_ pkcs1: Bytes) -> Bytes { element(0x30, version, algorithm, element(0x04, pkcs1)) }
}

extension Workspace {
  /// All of it.
  var pieces: Pieces { Pieces(memory, byteCount: Size.batch.byteCount) }
}

/// What the functions answer for a key: nil if they take it.
func error(ofPublicKey key: Bytes) -> KeyboardError? {
  do {
    _ = try key.withUnsafeBytes { try RSA.length(ofPublicKey: $0) }
    return nil
  } catch { return error as? KeyboardError }
}

func error(ofPrivateKey key: Bytes) -> KeyboardError? {
  do {
    let workspace = try Workspace(.batch)
    _ = try key.withUnsafeBytes { try RSA.length(ofPrivateKey: $0, in: workspace.pieces) }
    return nil
  } catch { return error as? KeyboardError }
}
