// Points of a curve y² = x³ - 3x + b over a field of 256 bits, of prime order: P-256 and the curve of SM2. Generic over
// the curve's constants.
//
// SPDX-License-Identifier: Apache-2.0

/// The constants of a curve.
protocol Curve {
  associatedtype Field: Modulus
  /// Arithmetic modulo n, the order of the base point G. n is below the field's prime.
  associatedtype Order: Modulus
  /// b in Montgomery form.
  static var b: Limbs { get }
  /// The comb of G: 64 affine points. (CombTables.swift)
  associatedtype Comb: WordTable
  static var comb: Comb { get }
}

struct AffinePoint<C: Curve> {
  typealias Element = FieldElement<C.Field>
  var x, y: Element

  @inline(always) init(x: Element, y: Element) {
    self.x = x
    self.y = y
  }

  /// Writes x and y, 32 bytes each, big-endian.
  @inline(always) func store(coordinates: UnsafeMutableRawPointer) {
    x.number.store(bigEndian: coordinates)
    y.number.store(bigEndian: coordinates + 32)
  }

  /// Reads 65 bytes once: 04 ‖ x ‖ y, big-endian. Nil unless both are below the prime and the point is on the curve.
  /// (The point at infinity has no such form, and the order is prime: there is nothing more to check.)
  @inline(never) init?(_ point: UnsafeRawPointer) {
    let (numberX, numberY) = (Limbs(bigEndian: point + 1), Limbs(bigEndian: point + 33))
    let inRange = numberX.isBelow(C.Field.prime) & numberY.isBelow(C.Field.prime)
    x = Element(numberX)
    y = Element(numberY)
    let right = (x.squared - Element.one.tripled) * x + Element(montgomery: C.b)
    let difference = (y.squared - right).limbs.joined
    let prefix = UInt64(truncatingIfNeeded: point.load(as: UInt8.self) ^ 4)
    if (difference | prefix | ~inRange) != 0 { return nil }
  }
}

/// Jacobian coordinates: x = X/Z², y = Y/Z³. The formulas are the usual ones for a = -3, and have exceptions.
struct JacobianPoint<C: Curve> {
  typealias Element = FieldElement<C.Field>
  var x, y, z: Element

  @inline(always) init(x: Element, y: Element, z: Element) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Four multiplications, four squarings. No exception on a curve of odd order.
  @inline(never) mutating func double() {
    let twoY = y.plus(y)
    let zz = z.squared
    let fourYY = twoY.squared
    z = twoY * z
    let product = x.plus(zz) * x.minus(zz)
    let m = product.plus(product).plus(product)
    let eightYYYY = fourYY.squared.halved
    let u = fourYY * x
    x = m.squared.minus(u.plus(u))
    y = (u.minus(x) * m).minus(eightYYYY)
  }

  /// Twelve multiplications, four squarings. Wrong where the points are equal, opposite or infinite: callers exclude
  /// that.
  @inline(never) mutating func add(_ other: UnsafePointer<JacobianPoint>) {
    let zz = z.squared
    let otherZZ = other.pointee.z.squared
    let u = x * otherZZ
    let s = y * (other.pointee.z * otherZZ)
    let h = other.pointee.x * zz - u
    let r = other.pointee.y * (z * zz) - s
    z = z * other.pointee.z * h
    finish(h, r, u, s)
  }

  /// The same for a point with Z = 1: eight multiplications, three squarings.
  @inline(never) mutating func add(_ other: UnsafePointer<AffinePoint<C>>) {
    let zz = z.squared
    let h = other.pointee.x * zz - x
    let r = other.pointee.y * (z * zz) - y
    z = z * h
    finish(h, r, x, y)
  }

  @inline(always) private mutating func finish(_ h: Element, _ r: Element, _ u: Element, _ s: Element) {
    let hh = h.squared
    let hhh = hh * h
    let v = u * hh
    x = r.squared - hhh - (v + v)
    y = r * (v - x) - s * hhh
  }
}

/// Homogeneous coordinates: x = X/Z, y = Y/Z; infinity is (0 : 1 : 0). The addition has no exceptions: J. Renes, C.
/// Costello, L. Batina, "Complete addition formulas for prime order elliptic curves", eprint 2015/1060, algorithm 4.
struct ProjectivePoint<C: Curve> {
  typealias Element = FieldElement<C.Field>
  var x, y, z: Element

  @inline(always) init(_ point: AffinePoint<C>) {
    x = point.x
    y = point.y
    z = .one
  }

  @inline(always) init(_ point: JacobianPoint<C>) {
    x = point.x * point.z
    y = point.y
    z = point.z.squared * point.z
  }

  @inline(never) mutating func add(_ other: borrowing ProjectivePoint) {
    let b = Element(montgomery: C.b)
    let t0 = x * other.x
    let t1 = y * other.y
    let t2 = z * other.z
    let t3 = (x + y) * (other.x + other.y) - (t0 + t1)
    let t4 = (y + z) * (other.y + other.z) - (t1 + t2)
    let m = (x + z) * (other.x + other.z) - (t0 + t2)
    let n = (m - b * t2).tripled
    let difference = t1 - n
    let sum = t1 + n
    let t2Tripled = t2.tripled
    let w = (b * m - t2Tripled - t0).tripled
    let a = t0.tripled - t2Tripled
    x = t3 * sum - t4 * w
    y = sum * difference + a * w
    z = t4 * difference + t3 * a
  }

  /// Infinity gives (0, 0).
  @inline(always) var affine: AffinePoint<C> {
    let inverse = C.Field.inverse(of: z)
    return AffinePoint(x: x * inverse, y: y * inverse)
  }

  @inline(always) mutating func negate(where mask: UInt64) { y = y.negated(where: mask) }
}
