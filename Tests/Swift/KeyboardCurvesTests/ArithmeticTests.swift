// The fields, at the numbers where carries and final subtractions happen. Random numbers do not get there: a second
// carry has a chance of about 2⁻²⁵⁰.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardTestSupport
import Testing

@testable import KeyboardCurves

@Suite struct Arithmetic {
  static let patterns: [[UInt64]] = {
    let words: [UInt64] = [0, 1, .max]
    var patterns: [[UInt64]] = []
    for a in words { for b in words { for c in words { for d in words { patterns.append([a, b, c, d]) } } } }
    return patterns
  }()

  /// Numbers from 0 and up, and from `limit` and down.
  static func numbers(around limits: [Number], seed: UInt64) -> [Number] {
    var generator = TestNumbers(seed: seed)
    var numbers = limits.flatMap { limit in
      [0, 1, 2, 18, 19, 20, 37, 38, 39].flatMap { distance in
        [limit.subtracting(Number(distance)), limit.adding(Number(distance)).0]
      }
    }
    numbers += (0..<8).map { _ in Number((0..<4).map { _ in generator.next() }) }
    return numbers
  }

  @Test func productsOfWordsAreTheSchoolbooks() throws {
    for x in Self.patterns {
      for y in [x] + Self.patterns.filter({ $0[1] == 1 }) {
        var expected = [UInt64](repeating: 0, count: 8)
        for i in 0..<4 {
          var carry = UInt128(0)
          for j in 0..<4 {
            let sum = UInt128(x[i]) * UInt128(y[j]) + UInt128(expected[i + j]) + carry
            expected[i + j] = UInt64(truncatingIfNeeded: sum)
            carry = sum >> 64
          }
          expected[i + 4] = UInt64(carry)
        }
        let product = Limbs.product(Number(x).limbs, Number(y).limbs)
        try #require(Number(product.low).words + Number(product.high).words == expected, "\(x) \(y)")
        if x == y {
          let square = Number(x).limbs.square
          try #require(Number(square.low).words + Number(square.high).words == expected, "\(x)")
        }
      }
    }
  }

  static let prime25519 = Number(Field25519.prime)

  @Test func field25519IsRightAtItsEdges() throws {
    let p = Self.prime25519
    let zero = Number.zero
    let twice = p.adding(p).0
    try #require(twice == Number([.max - 37, .max, .max, .max]))
    let numbers = Self.numbers(around: [zero, p, twice, Number([0, 0, 0, 1 << 63])], seed: 25519)
    func reduced(_ x: Number) -> Number { x.modulo(p) }
    for x in numbers {
      let element = Field25519(x.limbs)
      try #require(Number(element.canonical) == reduced(x), "\(x)")
      let square = Number.product(reduced(x), reduced(x), p)
      try #require(Number(element.squared.canonical) == square, "\(x)")
      try #require(Number(element.squared(1).canonical) == square, "\(x)")
      let inverse = Number(element.inverted().canonical)
      let one = Number.product(inverse, reduced(x), p)
      try #require(one == (reduced(x) == zero ? zero : Number.one), "\(x)")
      for y in numbers {
        let (a, b) = (reduced(x), reduced(y))
        let other = Field25519(y.limbs)
        try #require(Number((element + other).canonical) == Number.sum(a, b, p), "\(x) + \(y)")
        try #require(Number((element - other).canonical) == Number.difference(a, b, p), "\(x) - \(y)")
      }
    }
    for x in numbers.prefix(40) {
      for y in numbers.suffix(30) {
        let (a, b) = (reduced(x), reduced(y))
        let product = Number.product(a, b, p)
        try #require(Number((Field25519(x.limbs) * Field25519(y.limbs)).canonical) == product, "\(x) · \(y)")
        let scaled = Number.sum(Number.product(a, Number(121665), p), b, p)
        let fused = Field25519(x.limbs).times121665(plus: Field25519(y.limbs))
        try #require(Number(fused.canonical) == scaled, "121665·\(x) + \(y)")
      }
    }
  }

  @Test(arguments: [AnyModulus.fieldP256, .fieldSM2, .orderP256, .orderSM2])
  func aPrimeKnownAtRunTimeIsRightAtItsEdges(_ modulus: AnyModulus) throws {
    let p = Number(modulus.prime)
    let (zero, one) = (Number.zero, Number.one)
    // R modulo p is 2²⁵⁶ - p, because p is above 2²⁵⁵.
    let r = zero.subtracting(p)
    try #require(Number(modulus.r) == r)
    try #require(Number(modulus.rSquared) == Number.product(r, r, p))
    for x in Self.numbers(around: [zero, p, r, Number([0, 0, 0, 1 << 63])], seed: 256) {
      try #require(Number(AnyElement(x.limbs, modulus).limbs) == Number.product(x.modulo(p), r, p), "\(x)")
    }
    for x in try Self.elements(of: p) {
      let element = AnyElement(montgomery: x.limbs, modulus)
      try #require(Number.product(Number(element.number), r, p) == x, "\(x)")
      try #require(Number(element.negated(where: .max).limbs) == Number.difference(zero, x, p), "\(x)")
      try #require(Number(element.negated(where: 0).limbs) == x, "\(x)")
      let inverse = element.inverted()
      try #require(Number((inverse * element).number) == (x == zero ? zero : one), "\(x)")
    }
    try Self.check(modulus, p)
  }

  @Test func theFieldOfP256IsRightAtItsEdges() throws {
    try Self.check(FieldP256(), Number(AnyModulus.fieldP256.prime))
  }

  @Test func theFieldOfSM2IsRightAtItsEdges() throws {
    try Self.check(FieldSM2(), Number(AnyModulus.fieldSM2.prime))
  }

  /// Numbers below a prime.
  static func elements(of p: Number) throws -> [Number] {
    let limits = [Number.zero, p, Number.zero.subtracting(p), Number([0, 0, 0, 1 << 63])]
    let elements = numbers(around: limits, seed: 256).filter { $0.isLess(than: p) }
    try #require(elements.count >= 40)
    return elements
  }

  static func check<M: Modulus>(_ modulus: M, _ p: Number) throws {
    try #require(Number(modulus.prime) == p)
    let r = Number.zero.subtracting(p)
    let elements = try elements(of: p)
    for x in elements {
      let element = Element(montgomery: x.limbs, modulus)
      let square = element.squared
      try #require(Number.product(Number(square.limbs), r, p) == Number.product(x, x, p), "\(x)")
      try #require(Number(element.squared(3).limbs) == Number(square.squared.squared.limbs), "\(x)")
      try #require(Number((element + element).limbs) == Number.sum(x, x, p), "\(x)")
      try #require(Number((element.halved + element.halved).limbs) == x, "\(x)")
      for y in elements {
        let other = Element(montgomery: y.limbs, modulus)
        try #require(Number((element + other).limbs) == Number.sum(x, y, p), "\(x) + \(y)")
        try #require(Number((element - other).limbs) == Number.difference(x, y, p), "\(x) - \(y)")
      }
      for y in elements.suffix(20) {
        let product = (element * Element(montgomery: y.limbs, modulus)).limbs
        try #require(Number.product(Number(product), r, p) == Number.product(x, y, p), "\(x) · \(y)")
      }
    }
  }
}
