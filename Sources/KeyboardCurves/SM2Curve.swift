// The curve of SM2: the constants, and the operations on the caller's memory.
//
// SPDX-License-Identifier: Apache-2.0

/// The curve sm2p256v1, with the point multiplications of SM2 encryption, and SM2 signatures.
///
/// Everything works on the caller's memory, at any address unless said otherwise. Numbers are 32 bytes, big-endian. A
/// point is 65 bytes, 04 ‖ x ‖ y. The functions leave secrets in registers and up to 2 KB deep on the stack (measured:
/// 1.5 KB, and 1.9 KB for `verify`), which the caller wipes. Nothing is drawn or hashed here: nonces, hashes and key
/// derivation are the caller's.
///
/// - Timing: constant in private keys, nonces, and what is computed from them.
/// - Source: GB/T 32918.5-2017.
package enum SM2 {
  typealias Engine = Weierstrass<CurveSM2>

  /// Bytes in a number: a private key, a nonce, a coordinate, a digest.
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
  /// - Source: GB/T 32918.1-2016 §6.2.1.
  @inline(never) @export(interface)
  package static func isPoint(_ point: UnsafeRawPointer) -> Bool { Engine.Affine(point) != nil }

  /// Tells whether a number is a nonce: 1…n - 1, where n is the order of the curve.
  ///
  /// - Returns: all ones if it is, otherwise 0.
  /// - Timing: constant.
  @inline(never) @export(interface)
  package static func isScalar(_ scalar: UnsafeRawPointer) -> UInt64 {
    Engine.isScalar(Limbs(bigEndian: scalar), below: OrderSM2.prime)
  }

  /// Tells whether a number is a private key: 1…n - 2, because a signature divides by 1 + key.
  ///
  /// - Returns: all ones if it is, otherwise 0.
  /// - Timing: constant.
  /// - Source: GB/T 32918.1-2016 §6.1.
  @inline(never) @export(interface)
  package static func isPrivateKey(_ key: UnsafeRawPointer) -> UInt64 {
    var limit = OrderSM2.prime
    limit.w0 &-= 1
    return Engine.isScalar(Limbs(bigEndian: key), below: limit)
  }

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

  /// Multiplies a point by a scalar and writes both coordinates: the (x2, y2) with which an SM2 ciphertext is made and
  /// opened. (GB/T 32918.4-2016 §6.1, §7.1)
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
  /// - Source: GB/T 32918.4-2016 §6.1.
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

  /// Bytes in the curve's parameters: a ‖ b ‖ x ‖ y of the base point.
  package static var parametersSize: Int { 128 }

  /// Writes a ‖ b ‖ x ‖ y of the base point, which a signer's identity is hashed with.
  ///
  /// - Parameter parameters: 128 bytes.
  /// - Source: GB/T 32918.5-2017; GB/T 32918.2-2016 §5.5.
  @inline(never) @export(interface)
  package static func writeParameters(into parameters: UnsafeMutableRawPointer) {
    var a = FieldSM2.prime
    a.w0 &-= 3
    a.store(bigEndian: parameters)
    Limbs(0xddbc_bd41_4d94_0e93, 0xf397_89f5_15ab_8f92, 0x4d5a_9e4b_cf65_09a7, 0x28e9_fa9e_9d9f_5e34)
      .store(bigEndian: parameters + 32)
    Limbs(0x715a_4589_334c_74c7, 0x8fe3_0bbf_f266_0be1, 0x5f99_0446_6a39_c994, 0x32c4_ae2c_1f19_8119)
      .store(bigEndian: parameters + 64)
    Limbs(0x02df_32e5_2139_f0a0, 0xd0a9_877c_c62a_4740, 0x59bd_cee3_6b69_2153, 0xbc37_36a2_f4f6_779c)
      .store(bigEndian: parameters + 96)
  }

  /// Writes a number modulo the order.
  ///
  /// - Parameters:
  ///   - number: any 32 bytes.
  ///   - reduced: 32 bytes, which may be the same.
  /// - Timing: constant.
  @inline(never) @export(interface)
  package static func reduceModuloOrder(_ number: UnsafeRawPointer, into reduced: UnsafeMutableRawPointer) {
    Engine.Scalar.reducedOnce(Limbs(bigEndian: number), top: 0).limbs.store(bigEndian: reduced)
  }

  /// Signs with a given nonce (SM2).
  ///
  /// - Parameters:
  ///   - digest: SM3(Z ‖ message), where Z identifies the signer.
  ///   - key: the private key, 1…n - 2.
  ///   - nonce: 1…n - 1, secret, and never used for two signatures.
  ///   - signature: 64 bytes, r ‖ s. May overlap the inputs.
  /// - Returns: all ones if r and s are not 0 and r + nonce is not n. Otherwise 0, and zero in `signature`: draw
  ///   another nonce.
  /// - Timing: constant.
  /// - Source: GB/T 32918.2-2016 §6.1.
  @inline(never) @export(interface)
  package static func sign(
    digest: UnsafeRawPointer, key: UnsafeRawPointer, nonce: UnsafeRawPointer, into signature: UnsafeMutableRawPointer
  ) -> UInt64 {
    Engine.signSM2(
      digest: Limbs(bigEndian: digest), key: Limbs(bigEndian: key), nonce: Limbs(bigEndian: nonce), into: signature)
  }

  /// Tells whether a signature is right (SM2). Everything here is public.
  ///
  /// - Parameters:
  ///   - signature: 64 bytes, r ‖ s. Out of range is false.
  ///   - digest: as for `sign`.
  ///   - publicKey: 65 bytes. What is no point is false.
  ///   - scratch: `scratchSize` bytes aligned to 8, apart from everything else.
  /// - Timing: depends on the signature and on nothing secret.
  /// - Source: GB/T 32918.2-2016 §7.1.
  @inline(never) @export(interface)
  package static func verify(
    _ signature: UnsafeRawPointer, digest: UnsafeRawPointer, publicKey: UnsafeRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    Engine.verifySM2(
      signature, digest: Limbs(bigEndian: digest), publicKey: publicKey, scratch: scratch)
  }
}

// MARK: - Constants

/// The constants of sm2p256v1. (GB/T 32918.5-2017)
enum CurveSM2: Curve {
  typealias Field = FieldSM2
  typealias Order = OrderSM2

  @inline(always) static var b: Limbs {
    Limbs(0x90d2_3063_2bc0_dd42, 0x71cf_379a_e9b5_37ab, 0x5279_8150_5ea5_1c3c, 0x240f_e188_ba20_e2c8)
  }

  @inline(always) static var comb: CombSM2 { CombSM2() }
}

/// 2²⁵⁶ - 2²²⁴ - 2⁹⁶ + 2⁶⁴ - 1
enum FieldSM2: Modulus {
  @inline(always) static var prime: Limbs {
    Limbs(0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_ffff, 0xffff_fffe_ffff_ffff)
  }
  @inline(always) static var r: Limbs {
    Limbs(0x0000_0000_0000_0001, 0x0000_0000_ffff_ffff, 0x0000_0000_0000_0000, 0x0000_0001_0000_0000)
  }
  @inline(always) static var rSquared: Limbs {
    Limbs(0x0000_0002_0000_0003, 0x0000_0002_ffff_ffff, 0x0000_0001_0000_0001, 0x0000_0004_0000_0002)
  }
  /// As for P-256: -1/p is 1 modulo 2⁶⁴, and the products are shifts.
  @inline(always) static func step(_ word: UInt64) -> Limbs {
    let (low, high) = (word &<< 32, word &>> 32)
    var borrow: Carry = 0
    let w0 = sbb(word, low, &borrow)
    let w1 = sbb(0, high, &borrow)
    let w2 = sbb(0, low, &borrow)
    return Limbs(w0, w1, w2, sbb(word, high, &borrow))
  }
  /// x^(p - 2): 255 squarings, 16 multiplications.
  @inline(never) static func inverse(of x: FieldElement<Self>) -> FieldElement<Self> {
    // ones2 is x^(2² - 1), and so on: blocks of ones in the exponent.
    let ones2 = x.squared * x
    let ones4 = ones2.squared(2) * ones2
    let ones8 = ones4.squared(4) * ones4
    let ones16 = ones8.squared(8) * ones8
    let ones24 = ones16.squared(8) * ones8
    let ones28 = ones24.squared(4) * ones4
    let ones30 = ones28.squared(2) * ones2
    let ones31 = ones30.squared * x
    let ones32 = ones31.squared * x
    let upper = ((ones31.squared(33) * ones32).squared(32) * ones32).squared(32) * ones32
    return (((upper.squared(32) * ones32).squared(64) * ones32).squared(30) * ones30).squared(2) * x
  }
}

/// The order of sm2p256v1.
enum OrderSM2: Modulus {
  @inline(always) static var prime: Limbs {
    Limbs(0x53bb_f409_39d5_4123, 0x7203_df6b_21c6_052b, 0xffff_ffff_ffff_ffff, 0xffff_fffe_ffff_ffff)
  }
  @inline(always) static var r: Limbs {
    Limbs(0xac44_0bf6_c62a_bedd, 0x8dfc_2094_de39_fad4, 0x0000_0000_0000_0000, 0x0000_0001_0000_0000)
  }
  @inline(always) static var rSquared: Limbs {
    Limbs(0x9011_92af_7c11_4f20, 0x3464_504a_de6f_a2fa, 0x620f_c84c_3aff_e0d4, 0x1eb5_e412_a22b_3d3b)
  }
  @inline(always) static func step(_ word: UInt64) -> Limbs { step(word, inverse: 0x327f_9e88_7235_0975) }
  @inline(never) static func inverse(of x: FieldElement<Self>) -> FieldElement<Self> { x.invertedByFermat }
}
