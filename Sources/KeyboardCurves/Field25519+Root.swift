// Signs and square roots in the field of 2²⁵⁵ - 19 elements, as ristretto255 needs them. (RFC 9496 §3, §4.2)
//
// SPDX-License-Identifier: Apache-2.0

extension Field25519 {
  /// A root of -1.
  @inline(always) static var rootOfMinusOne: Field25519 {
    Field25519(Limbs(0xc4ee_1b27_4a0e_a0b0, 0x2f43_1806_ad2f_e478, 0x2b4d_0099_3dfb_d7a7, 0x2b83_2480_4fc1_df0b))
  }

  /// All ones where the number is odd, which is what ristretto255 calls negative.
  @inline(never) func isNegative(_ one: UInt64) -> UInt64 { ~maskIfEven(canonical.w0, one) }

  /// All ones where the number is 0.
  @inline(never) func isZero(_ one: UInt64) -> UInt64 { maskIfZero(canonical.joined, one) }

  /// -self where the mask is all ones.
  ///
  /// - Range: x < 2²⁵⁶; result < 2²⁵⁶
  @inline(never) func negated(where mask: UInt64) -> Field25519 { Self.choose(mask, Self.zero.minus(self), self) }

  /// The one of self and -self that is even.
  @inline(always) func magnitude(_ one: UInt64) -> Field25519 { negated(where: isNegative(one)) }

  /// `x` where the mask is all ones, `y` where it is 0.
  @inline(always) static func choose(_ mask: UInt64, _ x: Field25519, _ y: Field25519) -> Field25519 {
    Field25519(Limbs.choose(mask, x.limbs, y.limbs))
  }

  /// The even root of u/v, and all ones; if u/v is not a square, the even root of u/v times the root of -1, and 0. The
  /// root is 0 where u or v is.
  ///
  /// - Timing: constant.
  /// - Source: RFC 9496 §4.2, SQRT_RATIO_M1.
  @_optimize(size) @inline(never)
  static func root(of u: Field25519, over v: Field25519, _ one: UInt64) -> (isSquare: UInt64, root: Field25519) {
    let v3 = v.squared * v
    let v7 = v3.squared * v
    // (u·v⁷)^((p - 5)/8), and (p - 5)/8 is 2²⁵² - 3.
    let base = u * v7
    var r = (u * v3) * (base.power250().ones.squared(2) * base)
    let check = v * r.squared
    let isRight = (check - u).isZero(one)
    let isOpposite = (check + u).isZero(one)
    let isOppositeTimesRoot = (check + u * rootOfMinusOne).isZero(one)
    r = choose(isOpposite | isOppositeTimesRoot, r * rootOfMinusOne, r)
    return (isRight | isOpposite, r.magnitude(one))
  }
}
