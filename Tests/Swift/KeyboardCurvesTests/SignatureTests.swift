// ECDSA and SM2 signatures: RFC 6979, GB/T 32918.5, and cases made for the places where a check could be missing.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardCurves
import KeyboardTestSupport
import Testing

@Suite struct Signatures {
  static let signing = ["p256": (lines: 36, unusable: 1), "sm2": (lines: 37, unusable: 3)]
  static let verifying = ["p256": (lines: 89, right: 30), "sm2": (lines: 93, right: 24)]
  static let none = Bytes(repeating: 0, count: 64)

  static func signingVectors(_ curve: TestedCurve) throws -> [Vector] {
    try Vector.read("\(curve.name)-signing.txt", count: signing[curve.name]!.lines, fields: 4)
  }

  static func verifyingVectors(_ curve: TestedCurve) throws -> [Vector] {
    try Vector.read("\(curve.name)-verifying.txt", count: verifying[curve.name]!.lines, fields: 4)
  }

  static func wrongSignatures(_ curve: TestedCurve, _ vectors: [Vector]) -> [Int] {
    vectors.indices.filter { line in
      let vector = vectors[line]
      let (mask, signature) = curve.sign(vector[0], key: vector[1], nonce: vector[2])
      return signature != vector[3] || mask != (vector[3] == Self.none ? 0 : .max)
    }
  }

  static func wrongVerdicts(_ curve: TestedCurve, _ vectors: [Vector]) -> [Int] {
    vectors.indices.filter { line in
      let vector = vectors[line]
      return curve.verify(vector[2], vector[1], vector[0]) != vector.verdict
    }
  }

  @Test(arguments: TestedCurve.all) func signaturesAreTheVectors(curve: TestedCurve) throws {
    let vectors = try Self.signingVectors(curve)
    #expect(Self.wrongSignatures(curve, vectors) == [])
    #expect(vectors.filter { $0[3] == Self.none }.count == Self.signing[curve.name]!.unusable)
  }

  @Test(arguments: TestedCurve.all) func aWrongSignatureIsFound(curve: TestedCurve) throws {
    for byte in [31, 63] {
      let vectors = try Self.signingVectors(curve).map { vector in
        var signature = vector[3]
        signature[byte] ^= 1
        return Vector(fields: [vector[0], vector[1], vector[2], signature], verdict: false)
      }
      #expect(Self.wrongSignatures(curve, vectors) == Array(vectors.indices))
    }
  }

  @Test(arguments: TestedCurve.all) func verdictsAreTheVectors(curve: TestedCurve) throws {
    let vectors = try Self.verifyingVectors(curve)
    #expect(Self.wrongVerdicts(curve, vectors) == [])
    #expect(vectors.filter(\.verdict).count == Self.verifying[curve.name]!.right)
  }

  @Test(arguments: TestedCurve.all) func whatIsSignedVerifies(curve: TestedCurve) throws {
    for vector in try Self.signingVectors(curve) where vector[3] != Self.none {
      let key = curve.publicKey(vector[1])
      try #require(curve.verify(vector[3], vector[0], key), "\(String(vector[3]))")
    }
  }

  @Test(arguments: TestedCurve.all) func theSignatureMayOverlapTheInputs(curve: TestedCurve) throws {
    let vector = try #require(try Self.signingVectors(curve).last { $0[3] != Self.none })
    for place in 0..<3 {
      let memory = Guarded(64, offset: 1)
      memory.start.copyMemory(from: vector[place], byteCount: 32)
      let inputs = (0..<3).map { index in
        vector[index].withUnsafeBytes { bytes in
          let copy = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 1)
          copy.copyMemory(from: bytes.baseAddress!, byteCount: 32)
          return copy
        }
      }
      defer { for input in inputs { input.deallocate() } }
      let pointers = (0..<3).map { $0 == place ? memory.start : inputs[$0] }
      #expect(curve.signing(pointers[0], pointers[1], pointers[2], memory.start) == .max)
      #expect(memory.end() == vector[3])
    }
  }
}
