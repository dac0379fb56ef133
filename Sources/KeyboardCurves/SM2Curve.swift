// The curve of SM2: the operations on the caller's memory.
//
// SPDX-License-Identifier: Apache-2.0

/// The curve sm2p256v1, with the point multiplications of SM2 encryption, and SM2 signatures.
///
/// Everything works on the caller's memory, at any address unless said otherwise. Numbers are 32 bytes, big-endian. A
/// point is 65 bytes, 04 ‖ x ‖ y. The functions leave secrets in registers and up to 3 KB deep on the stack (measured:
/// 2.6 KB, and 2.9 KB for `verify`), which the caller wipes. Nothing is drawn or hashed here: nonces, hashes and key
/// derivation are the caller's.
///
/// - Timing: constant in private keys, nonces, and what is computed from them.
/// - Source: GB/T 32918.5-2017.
package enum SM2 {
  /// Bytes in a number: a private key, a nonce, a coordinate, a digest.
  package static var scalarSize: Int { 32 }

  /// Bytes in a point: 04 ‖ x ‖ y.
  package static var pointSize: Int { 65 }

  /// Bytes in a signature: r ‖ s.
  package static var signatureSize: Int { 64 }

  /// Bytes of memory that `multiply`, `sharedX` and `verify` use.
  package static var scratchSize: Int { Curve.scratchSize }

  /// Tells whether 65 bytes are a point of the curve: 04 ‖ x ‖ y with x and y below the prime. The point at infinity
  /// is not accepted.
  ///
  /// - Timing: constant up to the answer.
  /// - Source: GB/T 32918.1-2016 §6.2.1.
  @inline(never) @export(interface)
  package static func isPoint(_ point: UnsafeRawPointer) -> Bool { AffinePoint(point, on: .sm2) != nil }

  /// Tells whether a number is a nonce: 1…n - 1, where n is the order of the curve.
  ///
  /// - Returns: all ones if it is, otherwise 0.
  /// - Timing: constant.
  @inline(never) @export(interface)
  package static func isScalar(_ scalar: UnsafeRawPointer) -> UInt64 {
    Curve.sm2.isScalar(scalar)
  }

  /// Tells whether a number is a private key: 1…n - 2, because a signature divides by 1 + key.
  ///
  /// - Returns: all ones if it is, otherwise 0.
  /// - Timing: constant.
  /// - Source: GB/T 32918.1-2016 §6.1.
  @inline(never) @export(interface)
  package static func isPrivateKey(_ key: UnsafeRawPointer) -> UInt64 {
    var limit = AnyModulus.orderSM2.prime
    limit.w0 &-= 1
    return Curve.isScalar(Limbs(bigEndian: key), below: limit)
  }

  /// Writes the public key of a private key, or the point of a nonce: scalar · G.
  ///
  /// - Parameters:
  ///   - scalar: 1…n - 1.
  ///   - point: 65 bytes, 04 ‖ x ‖ y. May overlap `scalar`.
  /// - Timing: constant.
  @inline(never) @export(interface)
  package static func publicKey(of scalar: UnsafeRawPointer, into point: UnsafeMutableRawPointer) {
    Curve.sm2.publicKey(of: scalar, into: point)
  }

  /// What `P256.multiply` is on the other curve: the (x2, y2) with which an SM2 ciphertext is made and opened.
  ///
  /// - Timing: constant in `scalar` and in the coordinates of both points.
  /// - Source: GB/T 32918.4-2016 §6.1, §7.1.
  @inline(never) @export(interface)
  package static func multiply(
    _ scalar: UnsafeRawPointer, _ point: UnsafeRawPointer, into coordinates: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    Curve.sm2.multiply(scalar, point, into: coordinates, size: 64, scratch: scratch)
  }

  /// `multiply` of up to eight points, by one scalar: as `P256.sharedXEach`, with outputs of 64 bytes.
  ///
  /// - Timing: depends on `count` and on what is returned.
  @inline(never) @export(interface)
  package static func multiplyEach(
    _ scalar: UnsafeRawPointer, _ point: UnsafeRawPointer, into coordinates: UnsafeMutableRawPointer, stride: Int,
    count: Int, scratch: UnsafeMutableRawPointer
  ) -> UInt64 {
    Curve.sm2.multiplyEach(scalar, point, into: coordinates, size: 64, stride: stride, count: count, scratch: scratch)
  }

  /// Bytes of memory that `multiplyEach` uses.
  package static var eachScratchSize: Int { Curve.eachScratchSize }

  /// What `P256.sharedX` is on the other curve.
  ///
  /// - Timing: constant in `scalar` and in the coordinates of both points.
  /// - Source: GB/T 32918.4-2016 §6.1.
  @inline(never) @export(interface)
  package static func sharedX(
    _ scalar: UnsafeRawPointer, _ point: UnsafeRawPointer, into x: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    Curve.sm2.multiply(scalar, point, into: x, size: 32, scratch: scratch)
  }

  /// Bytes in the curve's parameters: a ‖ b ‖ x ‖ y of the base point.
  package static var parametersSize: Int { 128 }

  /// Writes a ‖ b ‖ x ‖ y of the base point, which a signer's identity is hashed with.
  ///
  /// - Parameter parameters: 128 bytes.
  /// - Source: GB/T 32918.5-2017; GB/T 32918.2-2016 §5.5.
  @inline(never) @export(interface)
  package static func writeParameters(into parameters: UnsafeMutableRawPointer) {
    var a = Curve.sm2.field.prime
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
    Curve.sm2.order.reducedOnce(Limbs(bigEndian: number), top: 0).store(bigEndian: reduced)
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
    Curve.sm2.signSM2(
      digest: Limbs(bigEndian: digest), key: Limbs(bigEndian: key), nonce: Limbs(bigEndian: nonce), into: signature)
  }

  /// Tells whether a signature is right (SM2). Everything here is public.
  ///
  /// - Parameters:
  ///   - signature: 64 bytes, r ‖ s. Out of range is false.
  ///   - digest: as for `sign`.
  ///   - publicKey: 65 bytes. If they are not a point of the curve, the answer is false.
  ///   - scratch: `scratchSize` bytes aligned to 8, apart from everything else.
  /// - Timing: depends on the signature and on nothing secret.
  /// - Source: GB/T 32918.2-2016 §7.1.
  @inline(never) @export(interface)
  package static func verify(
    _ signature: UnsafeRawPointer, digest: UnsafeRawPointer, publicKey: UnsafeRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    Curve.sm2.verifySM2(
      signature, digest: Limbs(bigEndian: digest), publicKey: publicKey, scratch: scratch)
  }
}
