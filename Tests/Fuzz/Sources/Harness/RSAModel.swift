// Keys of RSA in another way than the library's: all numbers are taken out, wherever they are, and written again. Only
// bytes that come out as they went in have the form of a key.
// SPDX-License-Identifier: Apache-2.0

/// The distinguished encoding rules of ASN.1, as far as keys of RSA need them.
///
/// - Source: ITU-T X.690 §8, §10.
enum DER {
  private static let rsaEncryption: [UInt8] = [0x30, 13, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 1, 5, 0]

  /// The numbers in some bytes, which may be DER or not.
  static func numbers(in bytes: [UInt8]) -> [LongNumber] {
    var (rest, found) = (bytes[...], [LongNumber]())
    while let tag = rest.popFirst(), var count = rest.popFirst().map({ Int($0) }) {
      if count > 0x80 {
        guard count <= 0x82 else { return [] }
        let places = rest.prefix(count - 0x80)
        count = places.reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(places.count)
      }
      switch tag {
      case 0x30, 0x04: break  // what is in it comes next
      case 0x03: rest = rest.dropFirst()
      case 0x02:
        found.append(LongNumber(rest.prefix(count)))
        rest = rest.dropFirst(count)
      default: rest = rest.dropFirst(count)
      }
    }
    return found
  }

  static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    let count = contents.count
    let length =
      count < 0x80 ? [count] : count < 0x100 ? [0x81, count] : [0x82, count >> 8, count & 0xff]
    return [tag] + length.map { UInt8($0) } + contents
  }

  static func integer(_ number: LongNumber) -> [UInt8] {
    element(0x02, number.bitWidth % 8 == 0 ? [0] + number.bytes : number.bytes)
  }

  /// SubjectPublicKeyInfo.
  static func publicKey(_ integers: [UInt8]) -> [UInt8] {
    element(0x30, rsaEncryption + element(0x03, [0] + element(0x30, integers)))
  }

  static func pkcs1(_ integers: [[UInt8]]) -> [UInt8] {
    element(0x30, integer(LongNumber(0)) + integers.flatMap { $0 })
  }

  static func pkcs8(_ pkcs1: [UInt8]) -> [UInt8] {
    element(0x30, integer(LongNumber(0)) + rsaEncryption + element(0x04, pkcs1))
  }
}

/// The modulus and the exponent.
struct RSAPublicKey: Equatable, Sendable {
  let modulus, exponent: LongNumber

  /// - Parameter bytes: nothing else than a SubjectPublicKeyInfo makes a key.
  init?(_ bytes: [UInt8]) {
    let numbers = DER.numbers(in: bytes)
    guard numbers.count == 2 else { return nil }
    self.init(numbers)
    guard isKey, der == bytes else { return nil }
  }

  init(_ numbers: [LongNumber]) { (modulus, exponent) = (numbers[0], numbers[1]) }

  /// Whether the numbers are in range. Nobody can see more of a public key.
  var isKey: Bool {
    modulus.isOdd && 2048...4096 ~= modulus.bitWidth && exponent.isOdd && 2...64 ~= exponent.bitWidth
  }

  var der: [UInt8] { DER.publicKey(DER.integer(modulus) + DER.integer(exponent)) }

  /// Bytes in the modulus, and so in texts and signatures.
  var length: Int { (modulus.bitWidth + 7) / 8 }
}

/// The eight numbers of PKCS#1: n, e, d, p, q, d mod p − 1, d mod q − 1, q⁻¹ mod p.
struct RSAPrivateKey: Equatable, Sendable {
  var numbers: [LongNumber]

  init(numbers: [LongNumber]) { self.numbers = numbers }

  /// - Parameter bytes: nothing else than PKCS#1 or PKCS#8 makes a key.
  init?(_ bytes: [UInt8]) {
    // Before the eight come one version or two.
    numbers = DER.numbers(in: bytes)
    let isPKCS8 = numbers.count == 10
    guard bytes.count <= Self.longest, isPKCS8 || numbers.count == 9 else { return nil }
    numbers.removeFirst(numbers.count - 8)
    guard publicKey.isKey, bytes == (isPKCS8 ? pkcs8 : pkcs1) else { return nil }
  }

  /// Bytes in the longest private key that the library takes.
  static let longest = 2383

  var pkcs1: [UInt8] { DER.pkcs1(numbers.map { DER.integer($0) }) }
  var pkcs8: [UInt8] { DER.pkcs8(pkcs1) }
  var publicKey: RSAPublicKey { RSAPublicKey(numbers) }

  /// Whether this is a key if p and q are primes, of half of n's bits.
  ///
  /// - Source: RFC 8017 §3.2.
  var belongTogether: Bool {
    let (n, e, d, one) = (numbers[0], numbers[1], numbers[2], LongNumber(1))
    let (p, q) = (numbers[3], numbers[4])
    let half = (n.bitWidth + 1) / 2
    guard p > one, q > one, p * q == n, p.bitWidth <= half, q.bitWidth <= half else { return false }
    guard d < n, numbers[7] < p else { return false }
    for (prime, exponent) in [(p, numbers[5]), (q, numbers[6])] {
      guard d % (prime - one) == exponent, exponent * e % (prime - one) == one else { return false }
    }
    return numbers[7] * q % p == one
  }
}
