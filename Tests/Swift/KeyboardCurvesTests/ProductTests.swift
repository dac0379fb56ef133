// Points and products of P-256 and the curve of SM2, against Python's integers and OpenSSL.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardCurves
import KeyboardTestSupport
import Testing

@Suite struct Products {
  static let counts = ["p256": 106, "sm2": 109]
  static let zero = Bytes(repeating: 0, count: 32)

  static func vectors(_ curve: TestedCurve) throws -> [Vector] {
    try Vector.read("\(curve.name)-products.txt", count: counts[curve.name]!, fields: 3)
  }

  /// The numbers of the lines of which any function gives another result.
  static func wrong(_ curve: TestedCurve, _ vectors: [Vector]) -> [Int] {
    vectors.indices.filter { line in
      let (scalar, point, product) = (vectors[line][0], vectors[line][1], vectors[line][2])
      var isRight = curve.multiply(scalar, point) == (true, product)
      isRight = isRight && curve.agree(scalar, point) == (true, Bytes(product[..<32]))
      if point == curve.generator && scalar != Self.zero && scalar != curve.order {
        isRight = isRight && curve.publicKey(scalar) == [4] + product
      }
      return !isRight
    }
  }

  @Test(arguments: TestedCurve.all) func productsAreTheVectors(curve: TestedCurve) throws {
    let vectors = try Self.vectors(curve)
    #expect(Self.wrong(curve, vectors) == [])
    // The scalars that a formula with exceptions gets wrong are among them.
    for scalar in [Self.zero.adding(6), curve.order.adding(-6)] {
      #expect(vectors.filter { $0[0] == scalar }.count >= 8)
    }
  }

  @Test(arguments: TestedCurve.all) func aWrongVectorIsFound(curve: TestedCurve) throws {
    for byte in [0, 31] {
      let vectors = try Self.vectors(curve).map { vector in
        var product = vector[2]
        product[byte] ^= 0x10
        return Vector(fields: [vector[0], vector[1], product], verdict: false)
      }
      #expect(Self.wrong(curve, vectors) == Array(vectors.indices))
    }
  }

  @Test(arguments: TestedCurve.all) func bothWaysAgree(curve: TestedCurve) throws {
    var numbers = TestNumbers(seed: 256)
    // 2²⁵⁵ is below the order of both curves.
    var scalars: [Bytes] = (0..<256).map { Bytes.littleEndian(bit: $0).reversed() }
    scalars += (1...100).flatMap { [Self.zero.adding($0), curve.order.adding(-$0)] }
    scalars += (0..<200).map { _ in [0x7f] + numbers.bytes(31) }
    for scalar in scalars {
      let product = curve.multiply(scalar, curve.generator)
      try #require(product.isPoint && curve.publicKey(scalar) == [4] + product.product, "\(String(scalar))")
      try #require(curve.isPoint([4] + product.product), "\(String(scalar))")
    }
  }

  @Test(arguments: TestedCurve.all) func twoPartiesAgree(curve: TestedCurve) throws {
    var numbers = TestNumbers(seed: 12)
    for _ in 0..<50 {
      let (a, b) = ([0x12] + numbers.bytes(31), [0xe3] + numbers.bytes(31))
      let (first, second) = (curve.agree(a, curve.publicKey(b)), curve.agree(b, curve.publicKey(a)))
      try #require(first.isPoint && first == second, "\(String(a)) \(String(b))")
    }
  }

  @Test(arguments: TestedCurve.all) func outputsMayOverlapInputs(curve: TestedCurve) throws {
    let vector = try #require(try Self.vectors(curve).last)
    for offset in [0, 1, 7] {
      let scratch = Guarded(curve.scratchSize)
      // The scalar is where the output begins, the point one byte later.
      for isScalar in [true, false] {
        let memory = Guarded(65, offset: offset)
        memory.start.copyMemory(from: isScalar ? vector[0] : vector[1], byteCount: isScalar ? 32 : 65)
        let isPoint =
          isScalar
          ? curve.multiplication(memory.start, vector[1], memory.start, scratch.start)
          : curve.multiplication(vector[0], memory.start, memory.start, scratch.start)
        #expect(isPoint)
        #expect(Bytes(memory.end()[..<64]) == vector[2])
      }
      let memory = Guarded(65, offset: offset)
      memory.start.copyMemory(from: vector[0], byteCount: 32)
      curve.makePublicKey(memory.start, memory.start)
      #expect(memory.end() == curve.publicKey(vector[0]))
      _ = scratch.end()
    }
  }
}

@Suite struct Points {
  static func wrong(_ curve: TestedCurve, _ vectors: [Vector]) -> [Int] {
    vectors.indices.filter { curve.isPoint(vectors[$0][0]) != vectors[$0].verdict }
  }

  static func vectors(_ curve: TestedCurve) throws -> [Vector] {
    try Vector.read("\(curve.name)-points.txt", count: 41, fields: 2)
  }

  @Test(arguments: TestedCurve.all) func pointsAreToldFromOthers(curve: TestedCurve) throws {
    let vectors = try Self.vectors(curve)
    #expect(Self.wrong(curve, vectors) == [])
    #expect(vectors.filter(\.verdict).count == 11)
  }

  @Test(arguments: TestedCurve.all) func noProductWithoutAPoint(curve: TestedCurve) throws {
    let scalar = curve.order.adding(-7)
    for vector in try Self.vectors(curve) where !vector.verdict {
      let message: Comment = "\(String(vector[0]))"
      try #require(curve.multiply(scalar, vector[0]) == (false, Bytes(repeating: 0, count: 64)), message)
      try #require(curve.agree(scalar, vector[0]) == (false, Bytes(repeating: 0, count: 32)), message)
    }
  }
}

@Suite struct Scalars {
  static func mask(_ isRight: Bool) -> UInt64 { isRight ? .max : 0 }

  @Test(arguments: TestedCurve.all) func scalarsAreToldFromOthers(curve: TestedCurve) throws {
    let zero = Bytes(repeating: 0, count: 32)
    let greatest = Bytes(repeating: 0xff, count: 32)
    // The number, whether it is a nonce, and whether it is a key.
    var cases = [(zero, false, false), (greatest, false, false), (curve.order, false, false)]
    cases += (1...300).map { (zero.adding($0), true, true) }
    cases += (1...300).map { (curve.order.adding($0), false, false) }
    cases += (3...300).map { (curve.order.adding(-$0), true, true) }
    cases += [(curve.order.adding(-2), true, true), (curve.order.adding(-1), true, curve.name == "p256")]
    for (number, isScalar, isKey) in cases {
      try #require(curve.isScalar(number) == Self.mask(isScalar), "\(String(number))")
      try #require(curve.isPrivateKey(number) == Self.mask(isKey), "\(String(number))")
    }
    #expect(curve.isPrivateKey(curve.greatestKey) == .max)
    #expect(curve.isPrivateKey(curve.greatestKey.adding(1)) == 0)
  }

  /// A limb that alone decides: the order with one of its words less or more by one.
  @Test(arguments: TestedCurve.all) func everyWordCounts(curve: TestedCurve) throws {
    for word in 0..<4 {
      var less = curve.order
      less.replaceSubrange(8 * word..<8 * word + 8, with: Bytes(less[8 * word..<8 * word + 8]).adding(-1))
      #expect(curve.isScalar(less) == .max, "word \(word)")
      if word == 1 { continue }  // All ones: one more is zero.
      var more = curve.order
      more.replaceSubrange(8 * word..<8 * word + 8, with: Bytes(more[8 * word..<8 * word + 8]).adding(1))
      #expect(curve.isScalar(more) == 0, "word \(word)")
    }
    // One bit alone is a number too.
    for bit in 0..<255 {
      let number = Bytes(Bytes.littleEndian(bit: bit).reversed())
      try #require(curve.isScalar(number) == .max, "bit \(bit)")
    }
  }
}
