// Multiples of points. Both ways make the scalar odd first (n - k, and the opposite point), because an odd number has
// digits that are never zero: the same additions are done for every scalar, and none meets infinity on the way.
//
// SPDX-License-Identifier: Apache-2.0

extension Curve {
  /// Bytes of memory that `multiply` uses: sixteen points, one more, and the scalar in five words.
  @inline(always) static var scratchSize: Int { 17 &* pointSize &+ 40 }
  @inline(always) private static var pointSize: Int { 96 }

  /// All ones for 1…limit - 1.
  @_optimize(size) @inline(never) static func isScalar(_ k: Limbs, below limit: Limbs) -> UInt64 {
    k.isBelow(limit) & ~maskIfZero(k.joined, opaqueOne())
  }

  /// k, or n - k where k is even; the mask says where.
  @inline(always) func odd(_ k: Limbs, _ one: UInt64) -> (Limbs, isNegative: UInt64) {
    let isEven = maskIfEven(k.w0, one)
    var borrow: Carry = 0
    let opposite = Limbs.difference(order.prime, k, &borrow)
    return (Limbs.choose(isEven, opposite, k), isEven)
  }

  @inline(always) private func double(_ point: inout JacobianPoint) {
    switch self {
    case .p256: point.double(in: FieldP256())
    case .sm2: point.double(in: FieldSM2())
    }
  }

  @inline(always) private func add(_ other: UnsafePointer<JacobianPoint>, to point: inout JacobianPoint) {
    switch self {
    case .p256: point.add(other, in: FieldP256())
    case .sm2: point.add(other, in: FieldSM2())
    }
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
  @_optimize(size) @inline(never) func multiply(
    _ point: AffinePoint, by scalar: Limbs, scratch: UnsafeMutableRawPointer
  ) -> ProjectivePoint {
    let one = opaqueOne()
    let table = scratch.assumingMemoryBound(to: JacobianPoint.self)
    let entry = (scratch + 16 &* Self.pointSize).assumingMemoryBound(to: JacobianPoint.self)
    let words = (scratch + 17 &* Self.pointSize).assumingMemoryBound(to: UInt64.self)
    let (k, isNegative) = odd(scalar, one)
    words[0] = k.w0
    words[1] = k.w1
    words[2] = k.w2
    words[3] = k.w3
    words[4] = 0
    var sum = JacobianPoint(x: point.x, y: element(point.y).negated(where: isNegative).limbs, z: field.r)
    table[0] = sum
    double(&sum)
    entry[0] = sum
    for i in 1..<16 {
      table[i] = table[i &- 1]
      add(entry, to: &table[i])
    }
    sum = table[0]
    for i in 0..<50 {
      for _ in 0..<5 { double(&sum) }
      choose(digit: 50 &- i, of: words, from: table, into: entry, one)
      add(entry, to: &sum)
    }
    for _ in 0..<5 { double(&sum) }
    choose(digit: 0, of: words, from: table, into: entry, one)
    var result = ProjectivePoint(sum, on: self)
    result.add(ProjectivePoint(entry[0], on: self), on: self)
    return result
  }

  /// The point that digit `index` (0…50, public) adds. Digit i of k is the value of bits 5i + 1 … 5i + 5, doubled,
  /// minus 31.
  @inline(never) private func choose(
    digit index: Int, of words: UnsafePointer<UInt64>, from table: UnsafePointer<JacobianPoint>,
    into entry: UnsafeMutablePointer<JacobianPoint>, _ one: UInt64
  ) {
    let position = 5 &* index
    let (word, shift) = (position &>> 6, UInt64(truncatingIfNeeded: position & 63))
    let bits = (words[word] &>> shift) | ((words[word &+ 1] &<< 1) &<< (63 &- shift)) | one
    let isNegative = maskIfEven(bits &>> 5, one)
    scan96(TableInMemory(start: table), first: 0, count: 16, ((bits ^ isNegative) & 31) &>> 1, into: entry, one)
    entry.pointee.y = element(entry.pointee.y).negated(where: isNegative).limbs
  }

  /// k·G for k = 0…n, by a signed comb: M. Hamburg, "Fast and compact elliptic-curve cryptography", eprint 2012/309.
  ///
  /// An odd number below 2²⁵⁶ is a sum of all ±2^i, i = 0…255, and bit i + 1 of the number is the sign of 2^i (bit 256
  /// counts as 1). Four combs of four teeth, 64 additions, fifteen doublings.
  ///
  /// Before the last column a sum has digits of at most ±32767 in base 2¹⁶, and one of them is odd: it is not 0 modulo
  /// n. The four additions of the last column are complete.
  @_optimize(size) @inline(never) func multiplyBase(by scalar: Limbs) -> ProjectivePoint {
    let one = opaqueOne()
    let (k, isNegative) = odd(scalar, one)
    let signs = k.halved(top: 1)
    var entry = AffinePoint(x: .zero, y: .zero)
    choose(comb: 0, column: 15, signs, into: &entry, one)
    var sum = JacobianPoint(x: entry.x, y: entry.y, z: field.r)
    for position in 1..<60 {
      let (row, comb) = (position &>> 2, position & 3)
      if comb == 0 { double(&sum) }
      choose(comb: comb, column: 15 &- row, signs, into: &entry, one)
      switch self {
      case .p256: sum.add(&entry, in: FieldP256())
      case .sm2: sum.add(&entry, in: FieldSM2())
      }
    }
    double(&sum)
    var result = ProjectivePoint(sum, on: self)
    for comb in 0..<4 {
      choose(comb: comb, column: 0, signs, into: &entry, one)
      result.add(ProjectivePoint(entry, on: self), on: self)
    }
    result.y = element(result.y).negated(where: isNegative).limbs
    return result
  }

  @inline(never) private func choose(
    comb: Int, column: Int, _ signs: Limbs, into entry: inout AffinePoint, _ one: UInt64
  ) {
    let digit = CombDigit(signs, comb: comb, column: column, one)
    let first = 256 &* rawValue &+ 64 &* comb
    withUnsafeMutablePointer(to: &entry) {
      scan64(CombWeierstrass(), first: first, count: 8, digit.index, into: $0, one)
    }
    entry.y = element(entry.y).negated(where: digit.isNegative).limbs
  }

  /// u·G + v·P for public numbers 0…n: what verifying a signature needs.
  @_optimize(size) @inline(never) func combine(
    _ u: Limbs, _ v: Limbs, _ point: AffinePoint, scratch: UnsafeMutableRawPointer
  ) -> ProjectivePoint {
    var result = multiply(point, by: v, scratch: scratch)
    result.add(multiplyBase(by: u), on: self)
    return result
  }

  /// Whether the x-coordinate of a public point is `number` modulo n. x is below the field's prime, which lies between
  /// n and 2n, so x is `number` or `number` + n. Compares x = X/Z without a division. Infinity has no x-coordinate.
  @_optimize(size) @inline(never) func hasX(_ point: ProjectivePoint, moduloOrder number: Limbs) -> Bool {
    if point.z.joined == 0 { return false }
    func isX(_ number: Limbs) -> Bool {
      (AnyElement(number, field) * element(point.z) - element(point.x)).limbs.joined == 0
    }
    if isX(number) { return true }
    var carry: Carry = 0
    let other = Limbs.sum(number, order.prime, &carry)
    if (~mask(carry) & other.isBelow(field.prime)) == 0 { return false }
    return isX(other)
  }
}

// MARK: - On the caller's memory

extension Curve {
  /// See `P256.isScalar`.
  @inline(always) func isScalar(_ scalar: UnsafeRawPointer) -> UInt64 {
    Self.isScalar(Limbs(bigEndian: scalar), below: order.prime)
  }

  /// See `P256.publicKey`.
  @_optimize(size) @inline(never) func publicKey(of scalar: UnsafeRawPointer, into point: UnsafeMutableRawPointer) {
    let (x, y) = multiplyBase(by: Limbs(bigEndian: scalar)).coordinates(on: self)
    point.storeBytes(of: 4, as: UInt8.self)
    x.store(bigEndian: point + 1)
    y.store(bigEndian: point + 33)
  }

  /// See `P256.multiply`; with `size` 32 it writes x only.
  @_optimize(size) @inline(never) func multiply(
    _ scalar: UnsafeRawPointer, _ point: UnsafeRawPointer, into coordinates: UnsafeMutableRawPointer, size: Int,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    var (x, y) = (Limbs.zero, Limbs.zero)
    let affine = AffinePoint(point, on: self)
    if let affine {
      (x, y) = multiply(affine, by: Limbs(bigEndian: scalar), scratch: scratch).coordinates(on: self)
    }
    x.store(bigEndian: coordinates)
    if size == 64 { y.store(bigEndian: coordinates + 32) }
    return affine != nil
  }
}
