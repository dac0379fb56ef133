// Points of a curve y² = x³ - 3x + b over a field of 256 bits, of prime order: P-256 and the curve of SM2.
//
// Points in memory are coordinates in Montgomery form, and nothing else.
//
// SPDX-License-Identifier: Apache-2.0

/// A curve. It is a value and not a type, so that what both curves do is compiled once.
enum Curve: Int {
  case p256
  case sm2

  @inline(always) var field: AnyModulus { self == .p256 ? .fieldP256 : .fieldSM2 }

  /// The order n of the base point G. It is below the field's prime.
  @inline(always) var order: AnyModulus { self == .p256 ? .orderP256 : .orderSM2 }

  /// An element of the field.
  @inline(always) func element(_ montgomery: Limbs) -> AnyElement { AnyElement(montgomery: montgomery, field) }

  /// A number modulo the order, into Montgomery form.
  @inline(always) func scalar(_ number: Limbs) -> AnyElement { AnyElement(number, order) }

  /// b in Montgomery form. (SP 800-186 §3.2.1.3, GB/T 32918.5-2017)
  @inline(always) var b: AnyElement {
    element(
      self == .p256
        ? Limbs(0xd89c_df62_29c4_bddf, 0xacf0_05cd_7884_3090, 0xe5a2_20ab_f721_2ed6, 0xdc30_061d_0487_4834)
        : Limbs(0x90d2_3063_2bc0_dd42, 0x71cf_379a_e9b5_37ab, 0x5279_8150_5ea5_1c3c, 0x240f_e188_ba20_e2c8))
  }
}

struct AffinePoint {
  var x, y: Limbs

  @inline(always) init(x: Limbs, y: Limbs) {
    self.x = x
    self.y = y
  }

  /// Reads 65 bytes once: 04 ‖ x ‖ y, big-endian. Nil unless both are below the prime and the point is on the curve.
  /// (The point at infinity has no such form, and the order is prime: there is nothing more to check.)
  @_optimize(size) @inline(never) init?(_ point: UnsafeRawPointer, on curve: Curve) {
    let (numberX, numberY) = (Limbs(bigEndian: point + 1), Limbs(bigEndian: point + 33))
    let inRange = numberX.isBelow(curve.field.prime) & numberY.isBelow(curve.field.prime)
    let (x, y) = (AnyElement(numberX, curve.field), AnyElement(numberY, curve.field))
    let right = (x.squared - AnyElement.one(curve.field).tripled) * x + curve.b
    let difference = (y.squared - right).limbs.joined
    let prefix = UInt64(truncatingIfNeeded: point.load(as: UInt8.self) ^ 4)
    if (difference | prefix | ~inRange) != 0 { return nil }
    self.init(x: x.limbs, y: y.limbs)
  }
}

/// Jacobian coordinates: x = X/Z², y = Y/Z³. The formulas are the usual ones for a = -3, and have exceptions.
struct JacobianPoint {
  var x, y, z: Limbs

  @inline(always) init(x: Limbs, y: Limbs, z: Limbs) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Four multiplications, four squarings. No exception on a curve of odd order.
  @inline(never) mutating func double<F: Field>(in field: F) {
    @inline(always) func element(_ limbs: Limbs) -> Element<F> { Element(montgomery: limbs, field) }
    let (x, y, z) = (element(x), element(y), element(z))
    let twoY = y.plus(y)
    let zz = z.squared
    let fourYY = twoY.squared
    self.z = (twoY * z).limbs
    let product = x.plus(zz) * x.minus(zz)
    let m = product.plus(product).plus(product)
    let eightYYYY = fourYY.squared.halved
    let u = fourYY * x
    let newX = m.squared.minus(u.plus(u))
    self.x = newX.limbs
    self.y = (u.minus(newX) * m).minus(eightYYYY).limbs
  }

  /// Twelve multiplications, four squarings. Wrong where the points are equal, opposite or infinite: callers exclude
  /// that.
  @inline(never) mutating func add<F: Field>(_ other: UnsafePointer<JacobianPoint>, in field: F) {
    @inline(always) func element(_ limbs: Limbs) -> Element<F> { Element(montgomery: limbs, field) }
    let (x, y, z) = (element(x), element(y), element(z))
    let otherZ = element(other.pointee.z)
    let zz = z.squared
    let otherZZ = otherZ.squared
    let u = x * otherZZ
    let s = y * (otherZ * otherZZ)
    let h = element(other.pointee.x) * zz - u
    let r = element(other.pointee.y) * (z * zz) - s
    self.z = (z * otherZ * h).limbs
    finish(h, r, u, s)
  }

  /// The same for a point with Z = 1: eight multiplications, three squarings.
  @inline(never) mutating func add<F: Field>(_ other: UnsafePointer<AffinePoint>, in field: F) {
    @inline(always) func element(_ limbs: Limbs) -> Element<F> { Element(montgomery: limbs, field) }
    let (x, y, z) = (element(x), element(y), element(z))
    let zz = z.squared
    let h = element(other.pointee.x) * zz - x
    let r = element(other.pointee.y) * (z * zz) - y
    self.z = (z * h).limbs
    finish(h, r, x, y)
  }

  @inline(always) private mutating func finish<F: Field>(
    _ h: Element<F>, _ r: Element<F>, _ u: Element<F>, _ s: Element<F>
  ) {
    let hh = h.squared
    let hhh = hh * h
    let v = u * hh
    let newX = r.squared - hhh - (v + v)
    x = newX.limbs
    y = (r * (v - newX) - s * hhh).limbs
  }
}

/// Homogeneous coordinates: x = X/Z, y = Y/Z; infinity is (0 : 1 : 0). The addition has no exceptions: J. Renes, C.
/// Costello, L. Batina, "Complete addition formulas for prime order elliptic curves", eprint 2015/1060, algorithm 4.
struct ProjectivePoint {
  var x, y, z: Limbs

  @inline(always) init(_ point: AffinePoint, on curve: Curve) {
    x = point.x
    y = point.y
    z = curve.field.r
  }

  @_optimize(size) @inline(never) init(_ point: JacobianPoint, on curve: Curve) {
    let z = curve.element(point.z)
    x = (curve.element(point.x) * z).limbs
    y = point.y
    self.z = (z.squared * z).limbs
  }

  @_optimize(size) @inline(never) mutating func add(_ other: borrowing ProjectivePoint, on curve: Curve) {
    let (x, y, z) = (curve.element(x), curve.element(y), curve.element(z))
    let (otherX, otherY, otherZ) = (curve.element(other.x), curve.element(other.y), curve.element(other.z))
    let b = curve.b
    let t0 = x * otherX
    let t1 = y * otherY
    let t2 = z * otherZ
    let t3 = (x + y) * (otherX + otherY) - (t0 + t1)
    let t4 = (y + z) * (otherY + otherZ) - (t1 + t2)
    let m = (x + z) * (otherX + otherZ) - (t0 + t2)
    let n = (m - b * t2).tripled
    let difference = t1 - n
    let sum = t1 + n
    let t2Tripled = t2.tripled
    let w = (b * m - t2Tripled - t0).tripled
    let a = t0.tripled - t2Tripled
    self.x = (t3 * sum - t4 * w).limbs
    self.y = (sum * difference + a * w).limbs
    self.z = (t4 * difference + t3 * a).limbs
  }

  /// x and y, not in Montgomery form. Infinity gives (0, 0).
  @_optimize(size) @inline(never) func coordinates(on curve: Curve) -> (x: Limbs, y: Limbs) {
    let inverse = curve.element(z).inverted()
    return ((curve.element(x) * inverse).number, (curve.element(y) * inverse).number)
  }
}
