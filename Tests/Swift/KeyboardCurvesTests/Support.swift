// Bytes, vector files, and the functions under test on arrays.
//
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardCurves
import KeyboardTestSupport
import Testing

extension Bytes {
  /// 32 bytes, little-endian, of which one bit is 1.
  static func littleEndian(bit: Int) -> Bytes {
    var bytes = Bytes(repeating: 0, count: 32)
    bytes[bit / 8] = 1 << UInt8(bit % 8)
    return bytes
  }

  /// A big-endian number with a small one added.
  func adding(_ value: Int) -> Bytes {
    var (result, carry) = (self, value)
    for i in indices.reversed() {
      carry += Int(result[i])
      result[i] = UInt8(carry & 255)
      carry >>= 8
    }
    return result
  }
}

extension String {
  init(_ bytes: Bytes) { self = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}

/// A line of a vector file: bytes in hexadecimal, and at the end of some a verdict, 0 or 1.
struct Vector {
  let fields: [Bytes]
  let verdict: Bool

  subscript(index: Int) -> Bytes { fields[index] }

  /// Reads Tests/Vectors/`name`, which must have `count` lines of `fields` fields.
  static func read(_ name: String, count: Int, fields: Int) throws -> [Vector] {
    let lines = try vectors(name, count: count, fields: fields)
    return lines.map { line in
      let isVerdict = line.last!.count == 1
      return Vector(
        fields: line.dropLast(isVerdict ? 1 : 0).map { Bytes(hexadecimal: $0) },
        verdict: isVerdict && line.last! == "1")
    }
  }
}

/// Memory for an output, with bytes on both sides that must stay as they are.
struct Guarded {
  private static let margin = 64
  let count: Int
  private let memory: UnsafeMutableRawPointer

  /// - Parameter offset: how far the output is from an address that is aligned to 8.
  init(_ count: Int, offset: Int = 0) {
    self.count = count
    memory = .allocate(byteCount: count + offset + 2 * Self.margin, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0xa5, count: count + offset + 2 * Self.margin)
    start = memory + Self.margin + offset
  }

  let start: UnsafeMutableRawPointer

  /// The output, after a look at the margins; frees the memory.
  func end(_ location: SourceLocation = #_sourceLocation) -> Bytes {
    let before = UnsafeRawBufferPointer(start: memory, count: start - memory)
    let after = UnsafeRawBufferPointer(start: start + count, count: Self.margin)
    #expect(before.allSatisfy { $0 == 0xa5 } && after.allSatisfy { $0 == 0xa5 }, sourceLocation: location)
    defer { memory.deallocate() }
    return Bytes(UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// The functions of P-256 and SM2, on arrays.
struct TestedCurve: Sendable, CustomTestStringConvertible {
  typealias Multiplication =
    @Sendable (
      UnsafeRawPointer, UnsafeRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer
    ) -> Bool

  let name: String
  let order: Bytes
  let generator: Bytes
  let greatestKey: Bytes
  let scratchSize: Int
  let isPoint: @Sendable (UnsafeRawPointer) -> Bool
  let isScalar: @Sendable (UnsafeRawPointer) -> UInt64
  let isPrivateKey: @Sendable (UnsafeRawPointer) -> UInt64
  let makePublicKey: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
  let multiplication: Multiplication
  let agreement: Multiplication
  let signing: @Sendable (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer, UnsafeMutableRawPointer) -> UInt64
  let verifying: @Sendable (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer, UnsafeMutableRawPointer) -> Bool

  var testDescription: String { name }

  func publicKey(_ scalar: Bytes) -> Bytes {
    let output = Guarded(65)
    makePublicKey(scalar, output.start)
    return output.end()
  }

  func multiply(_ scalar: Bytes, _ point: Bytes) -> (isPoint: Bool, product: Bytes) {
    let (output, scratch) = (Guarded(64), Guarded(scratchSize))
    let isPoint = multiplication(scalar, point, output.start, scratch.start)
    _ = scratch.end()
    return (isPoint, output.end())
  }

  func agree(_ scalar: Bytes, _ point: Bytes) -> (isPoint: Bool, x: Bytes) {
    let (output, scratch) = (Guarded(32), Guarded(scratchSize))
    let isPoint = agreement(scalar, point, output.start, scratch.start)
    _ = scratch.end()
    return (isPoint, output.end())
  }

  func sign(_ hash: Bytes, key: Bytes, nonce: Bytes) -> (mask: UInt64, signature: Bytes) {
    let output = Guarded(64)
    let mask = signing(hash, key, nonce, output.start)
    return (mask, output.end())
  }

  func verify(_ signature: Bytes, _ hash: Bytes, _ publicKey: Bytes) -> Bool {
    let scratch = Guarded(scratchSize)
    defer { _ = scratch.end() }
    return verifying(signature, hash, publicKey, scratch.start)
  }

  static let all = [p256, sm2]

  static let p256 = TestedCurve(
    name: "p256",
    order: Bytes(hexadecimal: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
    generator: Bytes(
      hexadecimal: "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
    greatestKey: Bytes(hexadecimal: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"),
    scratchSize: P256.scratchSize, isPoint: P256.isPoint, isScalar: P256.isScalar, isPrivateKey: P256.isPrivateKey,
    makePublicKey: P256.publicKey, multiplication: P256.multiply, agreement: P256.sharedX, signing: P256.sign,
    verifying: P256.verify)

  static let sm2 = TestedCurve(
    name: "sm2",
    order: Bytes(hexadecimal: "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123"),
    generator: Bytes(
      hexadecimal: "0432c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7"
        + "bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0"),
    greatestKey: Bytes(hexadecimal: "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54121"),
    scratchSize: SM2.scratchSize, isPoint: SM2.isPoint, isScalar: SM2.isScalar, isPrivateKey: SM2.isPrivateKey,
    makePublicKey: SM2.publicKey, multiplication: SM2.multiply, agreement: SM2.sharedX, signing: SM2.sign,
    verifying: SM2.verify)
}
