// X25519 against RFC 7748 and OpenSSL's answers.
//
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardTestSupport
import Testing

@testable import KeyboardCurves

/// What this processor can run.
let curvePaths = CurvePath.allCases.filter { $0 <= .best }

@Suite struct X25519Functions {
  static let nine = [9] + Bytes(repeating: 0, count: 31)

  static func multiply(
    _ scalar: Bytes, _ u: Bytes, on path: CurvePath = .best
  ) -> (isZero: UInt64, output: Bytes) {
    let output = Guarded(32)
    let isZero = X25519.multiply(scalar, u, into: output.start, on: path)
    return (isZero, output.end())
  }

  static func publicKey(_ scalar: Bytes) -> Bytes {
    let output = Guarded(32)
    X25519.publicKey(of: scalar, into: output.start)
    return output.end()
  }

  /// A little-endian number: 2²⁵⁵ - 19 + `distance`.
  static func prime(plus distance: Int) -> Bytes {
    Bytes([0x7f] + Bytes(repeating: 0xff, count: 30) + [0xed]).adding(distance).reversed()
  }

  /// The numbers of the lines whose output differs.
  static func wrong(_ vectors: [Vector], on path: CurvePath) -> [Int] {
    vectors.indices.filter { line in
      let (isZero, output) = multiply(vectors[line][0], vectors[line][1], on: path)
      let zero = Bytes(repeating: 0, count: 32)
      return output != vectors[line][2] || isZero != (vectors[line][2] == zero ? .max : 0)
    }
  }

  @Test(arguments: curvePaths) func multiplyGivesTheVectors(path: CurvePath) throws {
    let vectors = try Vector.read("x25519.txt", count: 112, fields: 3)
    #expect(Self.wrong(vectors, on: path) == [])
  }

  @Test(arguments: curvePaths) func aWrongVectorIsFound(path: CurvePath) throws {
    let vectors = try Vector.read("x25519.txt", count: 112, fields: 3).map { vector in
      Vector(fields: [vector[0], vector[1], vector[2].adding(1)], verdict: false)
    }
    #expect(Self.wrong(vectors, on: path) == Array(vectors.indices))
  }

  @Test func publicKeyGivesTheVectors() throws {
    let vectors = try Vector.read("x25519.txt", count: 112, fields: 3).filter { $0[1] == Self.nine }
    try #require(vectors.count == 26)
    for vector in vectors { try #require(Self.publicKey(vector[0]) == vector[2], "\(String(vector[0]))") }
  }

  @Test func publicKeyIsTheProductWithNine() throws {
    var numbers = TestNumbers(seed: 25519)
    var scalars = (0..<256).map { Bytes.littleEndian(bit: $0) }
    scalars += scalars.map { scalar in scalar.map { ~$0 } }
    scalars += (0..<256).map { _ in numbers.bytes(32) }
    for scalar in scalars {
      try #require(Self.publicKey(scalar) == Self.multiply(scalar, Self.nine).output, "\(String(scalar))")
    }
  }

  /// Both at once, with points of low order among them, of which the shared secret is zero and the public key is not.
  @Test(arguments: curvePaths) func agreeingGivesTheProductAndThePublicKey(path: CurvePath) throws {
    var numbers = TestNumbers(seed: 7748)
    let scalars = (0..<16).map { Bytes.littleEndian(bit: 17 * $0 % 256) } + (0..<16).map { _ in numbers.bytes(32) }
    let points = X25519PublicKeys.ofLowOrder + [Self.nine] + (0..<16).map { _ in numbers.bytes(32) }
    for scalar in scalars {
      for point in points {
        let (shared, own) = (Guarded(32), Guarded(32))
        let isZero = X25519.agree(scalar, point, into: shared.start, publicKey: own.start, on: path)
        let (expectedZero, expected) = Self.multiply(scalar, point, on: .portable)
        let message: Comment = "\(String(scalar)), \(String(point))"
        try #require(isZero == expectedZero && shared.end() == expected, message)
        try #require(own.end() == Self.publicKey(scalar), message)
      }
    }
  }

  /// RFC 7748 §5.2: k and u are 9 at first; then k is the output, and u the k before.
  static func iterated(_ count: Int, on path: CurvePath) -> Bytes {
    let (k, u) = (Guarded(32), Guarded(32))
    let next = Guarded(32)
    for memory in [k, u] { nine.withUnsafeBytes { memory.start.copyMemory(from: $0.baseAddress!, byteCount: 32) } }
    for _ in 0..<count {
      _ = X25519.multiply(k.start, u.start, into: next.start, on: path)
      u.start.copyMemory(from: k.start, byteCount: 32)
      k.start.copyMemory(from: next.start, byteCount: 32)
    }
    _ = (u.end(), next.end())
    return k.end()
  }

  @Test(arguments: curvePaths) func iterationsGiveTheRFCsValues(path: CurvePath) {
    #expect(
      Self.iterated(1, on: path)
        == Bytes(hexadecimal: "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"))
    #expect(
      Self.iterated(1000, on: path)
        == Bytes(hexadecimal: "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"))
  }

  /// Takes half a minute: runs with `make test THOROUGH=1`.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["THOROUGH"] == "1"), arguments: curvePaths)
  func aMillionIterationsGiveTheRFCsValue(path: CurvePath) {
    let expected = Bytes(hexadecimal: "7c3911e0ab2586fd864497297e575e6f3bc601c0883c30df5f4dd2d24f665424")
    #expect(Self.iterated(1_000_000, on: path) == expected)
  }

  @Test(arguments: curvePaths) func theOutputMayBeAnInput(path: CurvePath) throws {
    let vector = try Vector.read("x25519.txt", count: 112, fields: 3)[0]
    for isScalar in [true, false] {
      let memory = Guarded(32, offset: 3)
      memory.start.copyMemory(from: vector[isScalar ? 0 : 1], byteCount: 32)
      let isZero =
        isScalar
        ? X25519.multiply(memory.start, vector[1], into: memory.start, on: path)
        : X25519.multiply(vector[0], memory.start, into: memory.start, on: path)
      #expect(isZero == 0)
      #expect(memory.end() == vector[2])
    }
    for isScalar in [true, false] {
      let (shared, own) = (Guarded(32), Guarded(32, offset: 3))
      own.start.copyMemory(from: vector[isScalar ? 0 : 1], byteCount: 32)
      _ =
        isScalar
        ? X25519.agree(own.start, vector[1], into: shared.start, publicKey: own.start, on: path)
        : X25519.agree(vector[0], own.start, into: shared.start, publicKey: own.start, on: path)
      #expect(shared.end() == vector[2])
      #expect(own.end() == Self.publicKey(vector[0]))
    }
    let memory = Guarded(32, offset: 5)
    memory.start.copyMemory(from: vector[0], byteCount: 32)
    X25519.publicKey(of: memory.start, into: memory.start)
    #expect(memory.end() == Self.publicKey(vector[0]))
  }
}

@Suite struct X25519PublicKeys {
  static let ofOrder8 = [
    Bytes(hexadecimal: "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    Bytes(hexadecimal: "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
  ]
  static let ofLowOrder = [number(0), number(1), X25519Functions.prime(plus: -1)] + ofOrder8

  static func number(_ value: UInt8) -> Bytes { [value] + Bytes(repeating: 0, count: 31) }

  @Test func pointsOfLowOrderAreRefused() throws {
    for u in Self.ofLowOrder {
      try #require(!X25519.isAcceptablePublicKey(u), "\(String(u))")
      try #require(X25519Functions.multiply(X25519Functions.nine, u).isZero == .max, "\(String(u))")
    }
  }

  @Test func numbersThatAreNotReducedAreRefused() throws {
    for distance in 0..<19 {
      try #require(!X25519.isAcceptablePublicKey(X25519Functions.prime(plus: distance)), "prime + \(distance)")
    }
  }

  @Test func bit255IsRefused() throws {
    var numbers = TestNumbers(seed: 255)
    for u in Self.ofLowOrder + [X25519Functions.nine] + (0..<100).map({ _ in numbers.bytes(32) }) {
      var u = u
      u[31] |= 0x80
      try #require(!X25519.isAcceptablePublicKey(u), "\(String(u))")
    }
  }

  @Test func otherNumbersAreAccepted() throws {
    var numbers = TestNumbers(seed: 7748)
    var accepted = (2...255).map { Self.number($0) } + (2...255).map { X25519Functions.prime(plus: -$0) }
    accepted += (0..<200).map { _ in numbers.bytes(31) + [numbers.next() % 2 == 0 ? 0x7e : 0x00] }
    // One bit away from each point of low order.
    for u in Self.ofLowOrder {
      for bit in 0..<255 {
        var other = u
        other[bit / 8] ^= 1 << UInt8(bit % 8)
        if !Self.ofLowOrder.contains(other) { accepted.append(other) }
      }
    }
    for u in accepted where u.reversed().lexicographicallyPrecedes(X25519Functions.prime(plus: 0).reversed()) {
      try #require(X25519.isAcceptablePublicKey(u), "\(String(u))")
      try #require(X25519Functions.multiply(X25519Functions.nine, u).isZero == 0, "\(String(u))")
    }
  }
}
