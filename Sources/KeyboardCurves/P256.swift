// P-256: the constants, and the operations on the caller's memory.
//
// SPDX-License-Identifier: Apache-2.0

/// The curve P-256 (secp256r1, prime256v1), with ECDH and ECDSA.
///
/// Everything works on the caller's memory, at any address unless said otherwise. Numbers are 32 bytes, big-endian. A
/// point is 65 bytes, 04 ‖ x ‖ y. The functions leave secrets in registers and up to 2 KB deep on the stack (measured:
/// 1.5 KB, and 1.9 KB for `verify`), which the caller wipes. Nothing is drawn or hashed here: nonces, hashes and key
/// derivation are the caller's.
///
/// - Timing: constant in private keys, nonces, and what is computed from them.
/// - Source: SP 800-186 §3.2.1.3; SEC 2 §2.4.2.
package enum P256 {
  typealias Engine = Weierstrass<CurveP256>

  /// Bytes in a number: a private key, a nonce, a coordinate, a hash.
  package static var scalarSize: Int { 32 }

  /// Bytes in a point: 04 ‖ x ‖ y.
  package static var pointSize: Int { 65 }

  /// Bytes in a signature: r ‖ s.
  package static var signatureSize: Int { 64 }

  /// Bytes of memory that `multiply`, `sharedX` and `verify` use.
  package static var scratchSize: Int { Engine.scratchSize }

  /// Tells whether 65 bytes are a point of the curve: 04 ‖ x ‖ y with x and y below the prime. Infinity is none.
  ///
  /// - Timing: constant up to the answer.
  /// - Source: SP 800-56A revision 3 §5.6.2.3.4.
  @inline(never) @export(interface)
  package static func isPoint(_ point: UnsafeRawPointer) -> Bool { Engine.Affine(point) != nil }

  /// Tells whether a number is a nonce: 1…n - 1, where n is the order of the curve.
  ///
  /// - Returns: all ones if it is, otherwise 0.
  /// - Timing: constant.
  @inline(never) @export(interface)
  package static func isScalar(_ scalar: UnsafeRawPointer) -> UInt64 {
    Engine.isScalar(Limbs(bigEndian: scalar), below: OrderP256.prime)
  }

  /// Tells whether a number is a private key: 1…n - 1.
  ///
  /// - Returns: all ones if it is, otherwise 0.
  /// - Timing: constant.
  /// - Source: SP 800-56A revision 3 §5.6.2.1.2.
  @inline(never) @export(interface)
  package static func isPrivateKey(_ key: UnsafeRawPointer) -> UInt64 { isScalar(key) }

  /// Writes the public key of a private key, or the point of a nonce: scalar · G.
  ///
  /// - Parameters:
  ///   - scalar: 1…n - 1.
  ///   - point: 65 bytes, 04 ‖ x ‖ y. May overlap `scalar`.
  /// - Timing: constant.
  @inline(never) @export(interface)
  package static func publicKey(of scalar: UnsafeRawPointer, into point: UnsafeMutableRawPointer) {
    let product = Engine.multiplyBase(by: Limbs(bigEndian: scalar)).affine
    point.storeBytes(of: 4, as: UInt8.self)
    product.store(coordinates: point + 1)
  }

  /// Multiplies a point by a scalar and writes both coordinates.
  ///
  /// - Parameters:
  ///   - scalar: 1…n - 1. For 0 and n, whose product is infinity, the output is zero.
  ///   - point: 65 bytes, which are checked.
  ///   - coordinates: 64 bytes, x ‖ y. May overlap `scalar` and `point`.
  ///   - scratch: `scratchSize` bytes aligned to 8, apart from everything else, which the caller wipes.
  /// - Returns: false, and zero in `coordinates`, if `point` is no point of the curve.
  /// - Timing: constant in `scalar` and in the coordinates of both points.
  @inline(never) @export(interface)
  package static func multiply(
    _ scalar: UnsafeRawPointer, _ point: UnsafeRawPointer, into coordinates: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    guard let affine = Engine.Affine(point) else {
      Limbs.zero.store(bigEndian: coordinates)
      Limbs.zero.store(bigEndian: coordinates + 32)
      return false
    }
    let product = Engine.multiply(affine, by: Limbs(bigEndian: scalar), scratch: scratch).affine
    product.store(coordinates: coordinates)
    return true
  }

  /// The shared secret of a private and a public key: the x-coordinate of scalar · point.
  ///
  /// - Parameters:
  ///   - scalar: 1…n - 1.
  ///   - point: 65 bytes, which are checked.
  ///   - x: 32 bytes. May overlap `scalar` and `point`.
  ///   - scratch: `scratchSize` bytes aligned to 8, apart from everything else, which the caller wipes.
  /// - Returns: false, and zero in `x`, if `point` is no point of the curve.
  /// - Timing: constant in `scalar` and in the coordinates of both points.
  /// - Source: SP 800-56A revision 3 §5.7.1.2; RFC 9180 §4.1.
  @inline(never) @export(interface)
  package static func sharedX(
    _ scalar: UnsafeRawPointer, _ point: UnsafeRawPointer, into x: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    guard let affine = Engine.Affine(point) else {
      Limbs.zero.store(bigEndian: x)
      return false
    }
    let product = Engine.multiply(affine, by: Limbs(bigEndian: scalar), scratch: scratch).affine
    product.x.number.store(bigEndian: x)
    return true
  }

  /// Writes a number modulo the order: bits2octets of RFC 6979 §2.3.4.
  ///
  /// - Parameters:
  ///   - number: any 32 bytes.
  ///   - reduced: 32 bytes, which may be the same.
  /// - Timing: constant.
  @inline(never) @export(interface)
  package static func reduceModuloOrder(_ number: UnsafeRawPointer, into reduced: UnsafeMutableRawPointer) {
    Engine.Scalar.reducedOnce(Limbs(bigEndian: number), top: 0).limbs.store(bigEndian: reduced)
  }

  /// Signs with a given nonce (ECDSA).
  ///
  /// - Parameters:
  ///   - hash: the hash of the message: SHA-256 gives 32 bytes.
  ///   - key: the private key, 1…n - 1.
  ///   - nonce: 1…n - 1, secret, and never used for two signatures.
  ///   - signature: 64 bytes, r ‖ s. May overlap the inputs.
  /// - Returns: all ones if r and s are not 0. Otherwise 0, and zero in `signature`: draw another nonce.
  /// - Timing: constant.
  /// - Source: FIPS 186-5 §6.4.1.
  @inline(never) @export(interface)
  package static func sign(
    hash: UnsafeRawPointer, key: UnsafeRawPointer, nonce: UnsafeRawPointer, into signature: UnsafeMutableRawPointer
  ) -> UInt64 {
    Engine.signECDSA(
      hash: Limbs(bigEndian: hash), key: Limbs(bigEndian: key), nonce: Limbs(bigEndian: nonce), into: signature)
  }

  /// Tells whether a signature is right (ECDSA). Everything here is public.
  ///
  /// - Parameters:
  ///   - signature: 64 bytes, r ‖ s. Out of range is false.
  ///   - hash: as for `sign`.
  ///   - publicKey: 65 bytes. What is no point is false.
  ///   - scratch: `scratchSize` bytes aligned to 8, apart from everything else.
  /// - Timing: depends on the signature and on nothing secret.
  /// - Source: FIPS 186-5 §6.4.2.
  @inline(never) @export(interface)
  package static func verify(
    _ signature: UnsafeRawPointer, hash: UnsafeRawPointer, publicKey: UnsafeRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    Engine.verifyECDSA(
      signature, hash: Limbs(bigEndian: hash), publicKey: publicKey, scratch: scratch)
  }
}

// MARK: - Constants

/// The constants of P-256. (SP 800-186 §3.2.1.3)
enum CurveP256: Curve {
  typealias Field = FieldP256
  typealias Order = OrderP256

  @inline(always) static var b: Limbs {
    Limbs(0xd89c_df62_29c4_bddf, 0xacf0_05cd_7884_3090, 0xe5a2_20ab_f721_2ed6, 0xdc30_061d_0487_4834)
  }

  @inline(always) static var comb: CombP256 { CombP256() }
}

/// 2²⁵⁶ - 2²²⁴ + 2¹⁹² + 2⁹⁶ - 1
enum FieldP256: Modulus {
  @inline(always) static var prime: Limbs {
    Limbs(0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_ffff, 0x0000_0000_0000_0000, 0xffff_ffff_0000_0001)
  }
  @inline(always) static var r: Limbs {
    Limbs(0x0000_0000_0000_0001, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_fffe)
  }
  @inline(always) static var rSquared: Limbs {
    Limbs(0x0000_0000_0000_0003, 0xffff_fffb_ffff_ffff, 0xffff_ffff_ffff_fffe, 0x0000_0004_ffff_fffd)
  }
  /// -1/p is 1 modulo 2⁶⁴, so m is the word itself, and the products are shifts: S. Gueron, V. Krasnov, "Fast prime
  /// field elliptic-curve cryptography with 256-bit primes", eprint 2013/816.
  @inline(always) static func step(_ word: UInt64) -> Limbs {
    let (low, high) = (word &<< 32, word &>> 32)
    var borrow: Carry = 0
    let w2 = sbb(word, low, &borrow)
    return Limbs(low, high, w2, sbb(word, high, &borrow))
  }
  /// x^(p - 2): 255 squarings, 13 multiplications.
  @inline(never) static func inverse(of x: FieldElement<Self>) -> FieldElement<Self> {
    // ones2 is x^(2² - 1), and so on: blocks of ones in the exponent.
    let ones2 = x.squared * x
    let ones4 = ones2.squared(2) * ones2
    let ones8 = ones4.squared(4) * ones4
    let ones16 = ones8.squared(8) * ones8
    let ones24 = ones16.squared(8) * ones8
    let ones28 = ones24.squared(4) * ones4
    let ones30 = ones28.squared(2) * ones2
    let ones32 = ones30.squared(2) * ones2
    let upper = (ones32.squared(32) * x).squared(128) * ones32
    return ((upper.squared(32) * ones32).squared(30) * ones30).squared(2) * x
  }
}

/// The order of P-256.
enum OrderP256: Modulus {
  @inline(always) static var prime: Limbs {
    Limbs(0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, 0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000)
  }
  @inline(always) static var r: Limbs {
    Limbs(0x0c46_353d_039c_daaf, 0x4319_0552_58e8_617b, 0x0000_0000_0000_0000, 0x0000_0000_ffff_ffff)
  }
  @inline(always) static var rSquared: Limbs {
    Limbs(0x8324_4c95_be79_eea2, 0x4699_799c_49bd_6fa6, 0x2845_b239_2b6b_ec59, 0x66e1_2d94_f3d9_5620)
  }
  @inline(always) static func step(_ word: UInt64) -> Limbs { step(word, inverse: 0xccd1_c8aa_ee00_bc4f) }
  @inline(never) static func inverse(of x: FieldElement<Self>) -> FieldElement<Self> { x.invertedByFermat }
}
