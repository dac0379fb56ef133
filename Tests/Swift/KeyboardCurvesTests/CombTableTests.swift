// The tables of the combs, computed again.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardTestSupport
import Testing

@testable import KeyboardCurves

@Suite struct CombTables {
  /// What entry `index` multiplies the base point by: 2^(64·comb) · (2⁴⁸ ± 2³² ± 2¹⁶ ± 1).
  static func multiplier(_ index: Int) -> Number {
    let sum = (0..<3).reduce(1 << 48) { $0 + (index >> $1 & 1 == 1 ? 1 : -1) << (16 * $1) }
    return Number((0..<4).map { $0 == index / 8 ? UInt64(sum) : 0 })
  }

  /// The multiplication of any point, which uses no table, gives each entry.
  static func check(_ curve: TestedCurve, prime: Limbs, _ words: [UInt64]) throws {
    let p = Number(prime)
    let r = Number.zero.subtracting(p)
    for index in 0..<32 {
      let product = curve.multiply(multiplier(index).bytes, curve.generator).product
      for (place, coordinate) in [product.prefix(32), product.suffix(32)].enumerated() {
        let expected = Number.product(Number(bigEndian: Bytes(coordinate)), r, p)
        let first = 8 * index + 4 * place
        try #require(Number(Array(words[first..<first + 4])) == expected, "entry \(index), coordinate \(place)")
      }
    }
  }

  @Test func theCombOfP256IsRight() throws {
    try Self.check(.p256, prime: FieldP256().prime, (0..<256).map { CombWeierstrass.words[$0] })
  }

  @Test func theCombOfSM2IsRight() throws {
    try Self.check(.sm2, prime: FieldSM2().prime, (256..<512).map { CombWeierstrass.words[$0] })
  }

  /// A point (x, y) of Edwards25519, added by the curve's own law, with divisions.
  struct Point {
    static let p = Arithmetic.prime25519
    /// -121665/121666
    static let d = Number(
      bigEndian: Bytes(hexadecimal: "52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3"))
    var x, y: Number

    static func + (p: Point, q: Point) -> Point {
      func times(_ x: Number, _ y: Number) -> Number { Number.product(x, y, Self.p) }
      func divided(_ x: Number, _ y: Number) -> Number { times(x, Number(Field25519(y.limbs).inverted().canonical)) }
      let one = Number.one
      let (xx, yy) = (times(p.x, q.x), times(p.y, q.y))
      let product = times(times(d, xx), yy)
      let numeratorX = Number.sum(times(p.x, q.y), times(p.y, q.x), Self.p)
      return Point(
        x: divided(numeratorX, Number.sum(one, product, Self.p)),
        y: divided(Number.sum(yy, xx, Self.p), Number.difference(one, product, Self.p)))
    }
  }

  @Test func theCombOfEdwards25519IsRight() throws {
    let p = Point.p
    let base = Point(
      x: Number(bigEndian: Bytes(hexadecimal: "216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51a")),
      y: Number(bigEndian: Bytes(hexadecimal: "6666666666666666666666666666666666666666666666666666666666666658")))
    var powers = [base]
    for _ in 0..<255 { powers.append(powers.last! + powers.last!) }
    let two = Number(2)
    for index in 0..<32 {
      let bit = 64 * (index / 8)
      var point = powers[bit + 48]
      for tooth in 0..<3 {
        var term = powers[bit + 16 * tooth]
        if index >> tooth & 1 == 0 { term.x = Number.difference(Number.zero, term.x, p) }
        point = point + term
      }
      let product = Number.product(Number.product(two, Point.d, p), Number.product(point.x, point.y, p), p)
      let expected = [Number.sum(point.y, point.x, p), Number.difference(point.y, point.x, p), product]
      for place in 0..<3 {
        let first = 12 * index + 4 * place
        let entry = Number((first..<first + 4).map { CombEdwards25519.words[$0] })
        try #require(entry == expected[place], "entry \(index), number \(place)")
      }
    }
  }
}
