// How elements of ristretto255 and points of the Edwards curve become each other. (RFC 9496 §4.3)
//
// SPDX-License-Identifier: Apache-2.0

extension Ristretto255 {
  /// d of the curve -x² + y² = 1 + d·x²·y²
  @inline(always) private static var d: Field25519 {
    Field25519(Limbs(0x75eb_4dca_1359_78a3, 0x0070_0a4d_4141_d8ab, 0x8cc7_4079_7779_e898, 0x5203_6cee_2b6f_fe73))
  }
  /// 1/√(-1 - d)
  @inline(always) private static var inverseRootOfAMinusD: Field25519 {
    Field25519(Limbs(0x99c8_fdaa_805d_40ea, 0x9d2f_1617_5a41_72be, 0x16c2_7b91_fe01_d840, 0x786c_8905_cfaf_fca2))
  }
  /// √(-d - 1)
  @inline(always) private static var rootOfADMinusOne: Field25519 {
    Field25519(Limbs(0x7e97_f6a0_497b_2e1b, 0xaf9d_8e0c_1b78_54bd, 0x0f3c_fcc9_31f5_d1fd, 0x3769_31bf_2b83_48ac))
  }
  /// 1 - d²
  @inline(always) private static var oneMinusDSquared: Field25519 {
    Field25519(Limbs(0xe27c_09c1_945f_c176, 0x2c81_a138_cd5e_350f, 0x9994_abdd_be70_dfe4, 0x0290_72a8_b2b3_e0d7))
  }
  /// (d - 1)²
  @inline(always) private static var dMinusOneSquared: Field25519 {
    Field25519(Limbs(0x31ad_5aaa_44ed_4d20, 0xd29e_4a2c_b01e_1999, 0x4cdc_d32f_529b_4eeb, 0x5968_b37a_f66c_2241))
  }

  /// A point of the element that 32 bytes encode, and all ones. If they are not the one encoding of an element, or are
  /// the identity's, some values that are of no use, and 0.
  ///
  /// - Source: RFC 9496 §4.3.1.
  @_optimize(size) @inline(never)
  static func decode(_ bytes: UnsafeRawPointer, _ one: UInt64) -> (point: EdwardsPoint, isElement: UInt64) {
    // All 256 bits are looked at: a number with bit 255 is not below the prime.
    let limbs = Limbs(littleEndian: bytes)
    let s = Field25519(limbs)
    var isElement = limbs.isBelow(Field25519.prime) & maskIfEven(limbs.w0, one) & ~maskIfZero(limbs.joined, one)
    let ss = s.squared
    let u1 = Field25519.one - ss
    let u2 = Field25519.one + ss
    let u2Squared = u2.squared
    let v = Field25519.zero - d * u1.squared - u2Squared
    let (isSquare, inverse) = Field25519.root(of: .one, over: v * u2Squared, one)
    let denominatorX = inverse * u2
    let denominatorY = inverse * denominatorX * v
    let x = ((s + s) * denominatorX).magnitude(one)
    let y = u1 * denominatorY
    let t = x * y
    isElement &= isSquare & ~t.isNegative(one) & ~y.isZero(one)
    return (EdwardsPoint(x: x, y: y, z: .one, t: t), isElement)
  }

  /// The number that encodes the element of a point.
  ///
  /// - Source: RFC 9496 §4.3.2.
  @_optimize(size) @inline(never)
  static func encode(_ point: EdwardsPoint, _ one: UInt64) -> Limbs {
    let u1 = (point.z + point.y) * (point.z - point.y)
    let u2 = point.x * point.y
    let (_, inverse) = Field25519.root(of: .one, over: u1 * u2.squared, one)
    let denominator1 = inverse * u1
    let denominator2 = inverse * u2
    let zInverse = denominator1 * denominator2 * point.t
    let isRotated = (point.t * zInverse).isNegative(one)
    let x = Field25519.choose(isRotated, point.y * .rootOfMinusOne, point.x)
    let rotatedY = Field25519.choose(isRotated, point.x * .rootOfMinusOne, point.y)
    let denominator = Field25519.choose(isRotated, denominator1 * inverseRootOfAMinusD, denominator2)
    let y = rotatedY.negated(where: (x * zInverse).isNegative(one))
    return (denominator * (point.z - y)).magnitude(one).canonical
  }

  /// A point of the element that a number maps to; half of all elements are reached.
  ///
  /// - Source: RFC 9496 §4.3.4, MAP.
  @_optimize(size) @inline(never)
  static func map(_ number: Field25519, _ one: UInt64) -> EdwardsPoint {
    let r = Field25519.rootOfMinusOne * number.squared
    let u = (r + .one) * oneMinusDSquared
    let v = (Field25519.zero - .one - r * d) * (r + d)
    let (isSquare, root) = Field25519.root(of: u, over: v, one)
    let other = Field25519.zero - (root * number).magnitude(one)
    let s = Field25519.choose(isSquare, root, other)
    let c = Field25519.choose(isSquare, Field25519.zero - .one, r)
    let n = c * (r - .one) * dMinusOneSquared - v
    let w0 = (s + s) * v
    let w1 = n * rootOfADMinusOne
    let ss = s.squared
    let w2 = Field25519.one - ss
    let w3 = Field25519.one + ss
    return EdwardsPoint(x: w0 * w3, y: w2 * w1, z: w1 * w3, t: w0 * w2)
  }
}
