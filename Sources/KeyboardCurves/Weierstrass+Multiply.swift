// Multiples of points. Both ways make the scalar odd first (n - k, and the opposite point), because an odd number has
// digits that are never zero: the same additions are done for every scalar, and none meets infinity on the way.
//
// SPDX-License-Identifier: Apache-2.0

/// The operations on a curve that P-256 and SM2 share.
enum Weierstrass<C: Curve> {
  typealias Affine = AffinePoint<C>
  typealias Jacobian = JacobianPoint<C>
  typealias Projective = ProjectivePoint<C>
  typealias Scalar = FieldElement<C.Order>

  /// Bytes of memory that `multiply` uses: sixteen points, one more, and the scalar in five words.
  @inline(always) static var scratchSize: Int { 17 &* pointSize &+ 40 }
  @inline(always) static var pointSize: Int { 96 }

  /// All ones for 1…limit - 1.
  @inline(always) static func isScalar(_ k: Limbs, below limit: Limbs) -> UInt64 {
    k.isBelow(limit) & ~maskIfZero(k.joined, opaqueOne())
  }

  /// k, or n - k where k is even; the mask says where.
  @inline(always) private static func odd(_ k: Limbs, _ one: UInt64) -> (Limbs, isNegative: UInt64) {
    let isEven = maskIfEven(k.w0, one)
    var borrow: Carry = 0
    let opposite = Limbs.difference(C.Order.prime, k, &borrow)
    return (Limbs.choose(isEven, opposite, k), isEven)
  }

  /// k·P for a point on the curve and k = 0…n; 0 and n give infinity.
  ///
  /// Digits of five bits, ±1, ±3 … ±31, below a leading 1 at 2²⁵⁵: M. Joye, M. Tunstall, "Exponent recoding and regular
  /// exponentiation algorithms", 2009. Sixteen odd multiples, 255 doublings, 51 additions.
  ///
  /// Before an addition the sum is 32·j·P with an odd j, and 32·j ± d is not 0. Modulo n it can be 0 only where it
  /// reaches n: in the last addition (for SM2, with k = 6 and k = n - 6). That one is complete.
  ///
  /// - Parameter scratch: `scratchSize` bytes aligned to 8. They hold secrets afterwards, and the caller wipes them.
  @inline(never) static func multiply(
    _ point: Affine, by scalar: Limbs, scratch: UnsafeMutableRawPointer
  ) -> Projective {
    let one = opaqueOne()
    let table = scratch.assumingMemoryBound(to: Jacobian.self)
    let entry = (scratch + 16 &* pointSize).assumingMemoryBound(to: Jacobian.self)
    let words = (scratch + 17 &* pointSize).assumingMemoryBound(to: UInt64.self)
    let (k, isNegative) = odd(scalar, one)
    words[0] = k.w0
    words[1] = k.w1
    words[2] = k.w2
    words[3] = k.w3
    words[4] = 0
    var sum = Jacobian(x: point.x, y: point.y.negated(where: isNegative), z: .one)
    table[0] = sum
    sum.double()
    entry[0] = sum
    for i in 1..<16 {
      table[i] = table[i &- 1]
      table[i].add(entry)
    }
    sum = table[0]
    for i in 0..<50 {
      for _ in 0..<5 { sum.double() }
      choose(digit: 50 &- i, of: words, from: table, into: entry, one)
      sum.add(entry)
    }
    for _ in 0..<5 { sum.double() }
    choose(digit: 0, of: words, from: table, into: entry, one)
    var result = Projective(sum)
    result.add(Projective(entry[0]))
    return result
  }

  /// The point that digit `index` (0…50, public) adds. Digit i of k is the value of bits 5i + 1 … 5i + 5, doubled,
  /// minus 31.
  @inline(always) private static func choose(
    digit index: Int, of words: UnsafePointer<UInt64>, from table: UnsafePointer<Jacobian>,
    into entry: UnsafeMutablePointer<Jacobian>, _ one: UInt64
  ) {
    let position = 5 &* index
    let (word, shift) = (position &>> 6, UInt64(truncatingIfNeeded: position & 63))
    let bits = (words[word] &>> shift) | ((words[word &+ 1] &<< 1) &<< (63 &- shift)) | one
    let isNegative = maskIfEven(bits &>> 5, one)
    scan96(TableInMemory(start: table), first: 0, count: 16, ((bits ^ isNegative) & 31) &>> 1, into: entry, one)
    entry.pointee.y = entry.pointee.y.negated(where: isNegative)
  }

  /// k·G for k = 0…n, by a signed comb: M. Hamburg, "Fast and compact elliptic-curve cryptography", eprint 2012/309.
  ///
  /// An odd number below 2²⁵⁶ is a sum of all ±2^i, i = 0…255, and bit i + 1 of the number is the sign of 2^i (bit 256
  /// counts as 1). Eight combs of four teeth, 64 additions, seven doublings.
  ///
  /// Before the last column a sum has digits of at most ±127 in base 256, and one of them is odd: it is not 0 modulo n.
  /// The eight additions of the last column are complete.
  @inline(never) static func multiplyBase(by scalar: Limbs) -> Projective {
    let one = opaqueOne()
    let (k, isNegative) = odd(scalar, one)
    let signs = k.halved(top: 1)
    var entry = Affine(x: .zero, y: .zero)
    choose(comb: 0, column: 7, signs, into: &entry, one)
    var sum = Jacobian(x: entry.x, y: entry.y, z: .one)
    for position in 1..<56 {
      let (row, comb) = (position &>> 3, position & 7)
      if comb == 0 { sum.double() }
      choose(comb: comb, column: 7 &- row, signs, into: &entry, one)
      sum.add(&entry)
    }
    sum.double()
    var result = Projective(sum)
    for comb in 0..<8 {
      choose(comb: comb, column: 0, signs, into: &entry, one)
      result.add(Projective(entry))
    }
    result.negate(where: isNegative)
    return result
  }

  @inline(always) private static func choose(
    comb: Int, column: Int, _ signs: Limbs, into entry: inout Affine, _ one: UInt64
  ) {
    let digit = CombDigit(signs, comb: comb, column: column, one)
    withUnsafeMutablePointer(to: &entry) { scan64(C.comb, first: 64 &* comb, count: 8, digit.index, into: $0, one) }
    entry.y = entry.y.negated(where: digit.isNegative)
  }

  /// u·G + v·P for public numbers 0…n: what verifying a signature needs.
  @inline(never) static func combine(
    _ u: Limbs, _ v: Limbs, _ point: Affine, scratch: UnsafeMutableRawPointer
  ) -> Projective {
    var result = multiply(point, by: v, scratch: scratch)
    result.add(multiplyBase(by: u))
    return result
  }

  /// Whether the x-coordinate of a public point is `number` modulo n. x is below the field's prime, which lies between
  /// n and 2n, so x is `number` or `number` + n. Compares x = X/Z without a division. Infinity has no x-coordinate.
  @inline(never) static func hasX(_ point: Projective, moduloOrder number: Limbs) -> Bool {
    typealias Element = FieldElement<C.Field>
    if point.z.limbs.joined == 0 { return false }
    if (Element(number) * point.z - point.x).limbs.joined == 0 { return true }
    var carry: Carry = 0
    let other = Limbs.sum(number, C.Order.prime, &carry)
    if (~mask(carry) & other.isBelow(C.Field.prime)) == 0 { return false }
    return (Element(other) * point.z - point.x).limbs.joined == 0
  }
}
