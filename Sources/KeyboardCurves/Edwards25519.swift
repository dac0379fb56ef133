// Multiples of the base point of Curve25519, by way of the twisted Edwards curve -x² + y² = 1 + d·x²·y² that is the
// same curve in other coordinates. (RFC 7748 §4.1)
//
// Extended coordinates (X : Y : Z : T), x = X/Z, y = Y/Z, T = XY/Z: H. Hisil, K. Wong, G. Carter, E. Dawson, "Twisted
// Edwards Curves Revisited", 2008. Their addition is complete on this curve, so there are no exceptions.
//
// SPDX-License-Identifier: Apache-2.0

/// A point of a table: y + x, y - x and 2·d·x·y.
struct EdwardsEntry {
  var sum, difference, product: Field25519
}

struct EdwardsPoint {
  var x, y, z, t: Field25519

  @inline(always) static var neutral: EdwardsPoint { EdwardsPoint(x: .zero, y: .one, z: .one, t: .zero) }

  /// Their formula for doubling, with f and h of the other sign. All four coordinates then have the other sign, and the
  /// point is the same.
  @inline(never) mutating func double() {
    let a = x.squared
    let b = y.squared
    let zz = z.squared
    let h = a.plus(b)
    let e = x.plus(y).squared.minus(h)
    let g = b.minus(a)
    let f = zz.plus(zz).minus(g)
    x = e * f
    y = g * h
    t = e * h
    z = f * g
  }

  @inline(never) mutating func add(_ entry: borrowing EdwardsEntry) {
    let a = y.minus(x) * entry.difference
    let b = y.plus(x) * entry.sum
    let c = t * entry.product
    let d = z.plus(z)
    let e = b.minus(a)
    let f = d.minus(c)
    let g = d.plus(c)
    let h = b.plus(a)
    x = e * f
    y = g * h
    t = e * h
    z = f * g
  }

  /// The signs that a scalar below 2²⁵⁵ is a sum with, modulo the odd order of the base point.
  ///
  /// An odd number below 2²⁵⁶ is a sum of all ±2^i, i = 0…255, and bit i + 1 of the number is the sign of 2^i (bit 256
  /// counts as 1). The order makes an even scalar odd.
  @inline(always) static func signs(of scalar: Limbs, _ one: UInt64) -> Limbs {
    var carry: Carry = 0
    return Limbs.sum(scalar, AnyModulus.order25519.prime & maskIfEven(scalar.w0, one), &carry).halved(top: 1)
  }

  /// Multiplies the base point by a scalar below 2²⁵⁵ with a signed comb: M. Hamburg, "Fast and compact elliptic-curve
  /// cryptography", eprint 2012/309.
  @_optimize(size) @inline(never) static func multiplyBase(_ scalar: Limbs) -> EdwardsPoint {
    let one = opaqueOne()
    let signs = signs(of: scalar, one)
    var result = neutral
    var entry = EdwardsEntry(sum: .zero, difference: .zero, product: .zero)
    for column in 0..<16 {
      if column > 0 { result.double() }
      for comb in 0..<4 {
        let digit = CombDigit(signs, comb: comb, column: 15 &- column, one)
        withUnsafeMutablePointer(to: &entry) {
          scan96(CombEdwards25519(), first: 96 &* comb, count: 8, digit.index, into: $0, one)
        }
        // The opposite point: exchange y + x and y - x, negate the product.
        Field25519.exchange(digit.isNegative, &entry.sum, &entry.difference)
        let opposite = Field25519.zero - entry.product
        entry.product = Field25519(Limbs.choose(digit.isNegative, opposite.limbs, entry.product.limbs))
        result.add(entry)
      }
    }
    return result
  }
}
