// X25519: Diffie-Hellman on the Montgomery curve Curve25519. (RFC 7748)
//
// The scalar is read through its pointer, 64 bits at a time, and never copied as a whole.
//
// SPDX-License-Identifier: Apache-2.0

/// X25519, the Diffie-Hellman function on Curve25519.
///
/// Everything works on the caller's memory, at any address. The functions leave secrets in registers and up to 1.5 KB
/// deep on the stack (computed from the compiled code: 1.4 KB), which the caller wipes; `multiplyEach` up to 5 KB.
///
/// - Timing: constant; no branch and no address depends on a scalar, a u-coordinate or a result.
/// - Source: RFC 7748 §5, §6.1.
package enum X25519 {
  /// Bytes in a private key, a public key and a shared secret.
  package static var keySize: Int { 32 }

  /// Multiplies a point by a scalar: the shared secret of a private and a public key.
  ///
  /// Bit 255 of `u` is ignored and a u-coordinate of 2²⁵⁵ - 19 or more is taken modulo that, as the RFC wants.
  ///
  /// - Parameters:
  ///   - scalar: 32 bytes, little-endian; clamped here. They must not change during the call.
  ///   - u: 32 bytes, little-endian.
  ///   - output: 32 bytes, little-endian. May be `scalar` or `u`.
  /// - Returns: all ones if the output is all zero, which a public key of low order causes; otherwise 0. A protocol
  ///   must then stop. (RFC 7748 §6.1, RFC 9180 §7.1.4)
  /// - Timing: constant.
  /// - Source: RFC 7748 §5.
  @inline(never) @export(interface)
  package static func multiply(
    _ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) -> UInt64 {
    multiply(scalar, u, into: output, on: .current)
  }

  @inline(never)
  static func multiply(
    _ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer, into output: UnsafeMutableRawPointer, on path: CurvePath
  ) -> UInt64 {
    let product = ladder(scalar, u, on: path)
    let result = (product.x * product.z.inverted()).canonical
    result.store(littleEndian: output)
    return maskIfZero(result.joined, opaqueOne())
  }

  /// Both at once: the shared secret of a private key and another's public key, and the private key's own public key.
  ///
  /// With AVX-512 IFMA both are ladders, side by side. Otherwise the own key comes from the tables.
  ///
  /// - Parameters:
  ///   - scalar, u, output: as for `multiply`.
  ///   - publicKey: gets 32 bytes. May be `scalar` or `u`, but not `output`.
  /// - Returns: as `multiply`. The public key is right whatever `u` is.
  /// - Timing: constant.
  /// - Source: RFC 7748 §6.1.
  @inline(never) @export(interface)
  package static func agree(
    _ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer, into output: UnsafeMutableRawPointer,
    publicKey: UnsafeMutableRawPointer
  ) -> UInt64 {
    agree(scalar, u, into: output, publicKey: publicKey, on: .current)
  }

  @inline(never)
  static func agree(
    _ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer, into output: UnsafeMutableRawPointer,
    publicKey: UnsafeMutableRawPointer, on path: CurvePath
  ) -> UInt64 {
    let (product, own) = productAndOwn(scalar, u, on: path)
    let (result, key) = quotients(product, own)
    result.store(littleEndian: output)
    key.store(littleEndian: publicKey)
    return maskIfZero(result.joined, opaqueOne())
  }

  @inline(always) private static func productAndOwn(
    _ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer, on path: CurvePath
  ) -> (Fraction, Fraction) {
    #if arch(x86_64)
      if path == .ifma { return ladders(scalar, Field25519(bytes: u), Field25519(Limbs(9, 0, 0, 0))) }
    #endif
    let product = ladder(scalar, u)
    let point = base(times: scalar)
    return (product, Fraction(x: point.z + point.y, z: point.z - point.y))
  }

  /// The u-coordinate of a product, before the division.
  struct Fraction {
    var x, z: Field25519

    /// z. A point of low order gives z = 0, which would make the other quotient 0 too: 1 takes its place, and the mask
    /// is all ones.
    @inline(never) func divisor(_ one: UInt64) -> (Field25519, isInfinite: UInt64) {
      let isInfinite = maskIfZero(z.canonical.joined, one)
      return (Field25519(Limbs.choose(isInfinite, Field25519.one.limbs, z.limbs)), isInfinite)
    }
  }

  /// x/z of both, or 0 where z is 0. They share one inversion, which is a twelfth of the time of a product.
  ///
  /// - Timing: constant.
  /// - Source: P. L. Montgomery, "Speeding the Pollard and Elliptic Curve Methods of Factorization" (1987), §10.3.1.
  @inline(never) static func quotients(_ first: Fraction, _ second: Fraction) -> (Limbs, Limbs) {
    let one = opaqueOne()
    let (divisor, isInfinite) = first.divisor(one)
    let (otherDivisor, isOtherInfinite) = second.divisor(one)
    let inverse = (divisor * otherDivisor).inverted()
    let result = (first.x * (inverse * otherDivisor)).canonical & ~isInfinite
    return (result, (second.x * (inverse * divisor)).canonical & ~isOtherInfinite)
  }

  @inline(always) private static func ladder(
    _ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer, on path: CurvePath
  ) -> Fraction {
    #if arch(x86_64)
      if path == .ifma { return ladders(scalar, Field25519(bytes: u), Field25519(bytes: u)).0 }
    #endif
    return ladder(scalar, u)
  }

  @inline(never) private static func ladder(_ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer) -> Fraction {
    let one = opaqueOne()
    let x1 = Field25519(bytes: u)
    var (x2, z2, x3, z3) = (Field25519.one, Field25519.zero, x1, Field25519.one)
    var previous: UInt64 = 0
    var position = 254
    while position >= 0 {
      let bit = clampedWord(scalar, position &>> 6) &>> UInt64(truncatingIfNeeded: position & 63)
      let exchange = 0 &- ((previous ^ bit) & one)
      previous = bit
      step(x1, &x2, &z2, &x3, &z3, exchange)
      position &-= 1
    }
    // The three lowest bits of a clamped scalar are 0, so no exchange is outstanding.
    return Fraction(x: x2, z: z2)
  }

  /// Word `index` of the clamped scalar. (RFC 7748 §5)
  @inline(always) static func clampedWord(_ scalar: UnsafeRawPointer, _ index: Int) -> UInt64 {
    let word = UInt64(littleEndian: scalar.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self))
    if index == 0 { return word & ~7 }
    if index == 3 { return (word & 0x3fff_ffff_ffff_ffff) | 0x4000_0000_0000_0000 }
    return word
  }

  /// One step of the ladder: doubles (x2 : z2) and adds it to (x3 : z3), whose difference is x1. Where the mask is all
  /// ones, the two are exchanged before: then c and d are a and b. Of the products, d·a and c·b become each other,
  /// which neither their sum nor the square of their difference shows.
  @inline(always) private static func step(
    _ x1: Field25519, _ x2: inout Field25519, _ z2: inout Field25519, _ x3: inout Field25519, _ z3: inout Field25519,
    _ exchange: UInt64
  ) {
    let a = x2.plus(z2)
    let b = x2.minus(z2)
    let c = x3.plus(z3)
    let d = x3.minus(z3)
    let da = d * a
    let cb = c * b
    let aa = Field25519.choose(exchange, c, a).squared
    let bb = Field25519.choose(exchange, d, b).squared
    x3 = da.plus(cb).squared
    z3 = da.minus(cb).squared * x1
    x2 = aa * bb
    let e = aa.minus(bb)
    z2 = e * e.times121665(plus: aa)
  }

  /// The public key of a private key: scalar · 9.
  ///
  /// - Parameters:
  ///   - scalar: 32 bytes, little-endian; clamped here. They must not change during the call.
  ///   - output: 32 bytes, little-endian. May be `scalar`.
  /// - Timing: constant.
  /// - Source: RFC 7748 §6.1.
  @inline(never) @export(interface)
  package static func publicKey(of scalar: UnsafeRawPointer, into output: UnsafeMutableRawPointer) {
    let point = base(times: scalar)
    let u = (point.z + point.y) * (point.z - point.y).inverted()
    u.canonical.store(littleEndian: output)
  }

  /// The product with 9 is u = (1 + y) / (1 - y) of this point. The divisor is 0 for the neutral point only, and a
  /// clamped scalar does not reach it.
  @inline(always) private static func base(times scalar: UnsafeRawPointer) -> EdwardsPoint {
    EdwardsPoint.multiplyBase(
      Limbs(clampedWord(scalar, 0), clampedWord(scalar, 1), clampedWord(scalar, 2), clampedWord(scalar, 3)))
  }

  /// Whether a public key may be used: bit 255 is clear, u is below 2²⁵⁵ - 19, and the point is not of low order, on
  /// the curve or on its twist.
  ///
  /// The points of low order have the u-coordinates 0, 1, -1 and the two of order 8.
  ///
  /// - Parameter u: 32 bytes, little-endian.
  /// - Timing: constant up to the answer.
  /// - Source: RFC 7748 §6.1 and §7; the values are those of D. J. Bernstein, "Validation".
  @inline(never) @export(interface)
  package static func isAcceptablePublicKey(_ u: UnsafeRawPointer) -> Bool {
    let one = opaqueOne()
    let key = Limbs(littleEndian: u)
    var isBad = ~key.isBelow(Field25519.prime)
    isBad |= maskIfZero(key.joined, one)
    isBad |= maskIfZero((key ^ Limbs(1, 0, 0, 0)).joined, one)
    var minusOne = Field25519.prime
    minusOne.w0 &-= 1
    isBad |= maskIfZero((key ^ minusOne).joined, one)
    isBad |= maskIfZero((key ^ order8).joined, one)
    isBad |= maskIfZero((key ^ otherOrder8).joined, one)
    return isBad == 0
  }

  @inline(always) private static var order8: Limbs {
    Limbs(0xaeb8_413b_7c7a_ebe0, 0x6ac4_9ff1_fae3_5616, 0xfdb1_329c_eb8d_09da, 0x00b8_495f_1605_6286)
  }

  @inline(always) private static var otherOrder8: Limbs {
    Limbs(0x248c_50a3_bc95_9c5f, 0x5bef_839c_55b1_d0b1, 0x868e_1c58_c45c_4404, 0x5711_9fd0_dd4e_22d8)
  }
}
