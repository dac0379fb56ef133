// P-256: the operations on the caller's memory.
//
// SPDX-License-Identifier: Apache-2.0

/// The curve P-256 (secp256r1, prime256v1), with ECDH and ECDSA.
///
/// Everything works on the caller's memory, at any address unless said otherwise. Numbers are 32 bytes, big-endian. A
/// point is 65 bytes, 04 ‖ x ‖ y. The functions leave secrets in registers and up to 3 KB deep on the stack (measured:
/// 2.6 KB, and 2.9 KB for `verify`), which the caller wipes. Nothing is drawn or hashed here: nonces, hashes and key
/// derivation are the caller's.
///
/// - Timing: constant in private keys, nonces, and what is computed from them.
/// - Source: SP 800-186 §3.2.1.3; SEC 2 §2.4.2.
package enum P256 {
  /// Bytes in a number: a private key, a nonce, a coordinate, a hash.
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
  /// - Source: SP 800-56A revision 3 §5.6.2.3.4.
  @inline(never) @export(interface)
  package static func isPoint(_ point: UnsafeRawPointer) -> Bool { AffinePoint(point, on: .p256) != nil }

  /// Tells whether a number is a nonce: 1…n - 1, where n is the order of the curve.
  ///
  /// - Returns: all ones if it is, otherwise 0.
  /// - Timing: constant.
  @inline(never) @export(interface)
  package static func isScalar(_ scalar: UnsafeRawPointer) -> UInt64 {
    Curve.p256.isScalar(scalar)
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
    Curve.p256.publicKey(of: scalar, into: point)
  }

  /// Multiplies a point by a scalar and writes both coordinates.
  ///
  /// - Parameters:
  ///   - scalar: 1…n - 1. For 0 and n, whose product is infinity, the output is zero.
  ///   - point: 65 bytes, which are checked.
  ///   - coordinates: 64 bytes, x ‖ y. May overlap `scalar` and `point`.
  ///   - scratch: `scratchSize` bytes aligned to 8, apart from everything else, which the caller wipes.
  /// - Returns: false, and zero in `coordinates`, if `point` is not a point on the curve.
  /// - Timing: constant in `scalar` and in the coordinates of both points.
  @inline(never) @export(interface)
  package static func multiply(
    _ scalar: UnsafeRawPointer, _ point: UnsafeRawPointer, into coordinates: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    Curve.p256.multiply(scalar, point, into: coordinates, size: 64, scratch: scratch)
  }

  /// The shared secret of a private and a public key: the x-coordinate of scalar · point.
  ///
  /// - Parameters:
  ///   - scalar: 1…n - 1.
  ///   - point: 65 bytes, which are checked.
  ///   - x: 32 bytes. May overlap `scalar` and `point`.
  ///   - scratch: `scratchSize` bytes aligned to 8, apart from everything else, which the caller wipes.
  /// - Returns: false, and zero in `x`, if `point` is not a point on the curve.
  /// - Timing: constant in `scalar` and in the coordinates of both points.
  /// - Source: SP 800-56A revision 3 §5.7.1.2; RFC 9180 §4.1.
  @inline(never) @export(interface)
  package static func sharedX(
    _ scalar: UnsafeRawPointer, _ point: UnsafeRawPointer, into x: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    Curve.p256.multiply(scalar, point, into: x, size: 32, scratch: scratch)
  }

  /// `sharedX` of up to eight points, by one scalar.
  ///
  /// - Parameters:
  ///   - scalar: 1…n - 1, outside the outputs.
  ///   - point: the first of `count` points of 65 bytes, which are checked.
  ///   - x: the first of as many outputs of 32 bytes. None overlaps a point.
  ///   - stride: bytes from one point to the next, and from one output to the next.
  ///   - count: 1…8.
  ///   - scratch: `eachScratchSize` bytes aligned to 64, apart from everything else, which the caller wipes.
  /// - Returns: a bit for each point, the first one's lowest: 1 where `sharedX` would return true.
  /// - Timing: depends on `count` and on what is returned.
  @inline(never) @export(interface)
  package static func sharedXEach(
    _ scalar: UnsafeRawPointer, _ point: UnsafeRawPointer, into x: UnsafeMutableRawPointer, stride: Int,
    count: Int, scratch: UnsafeMutableRawPointer
  ) -> UInt64 {
    Curve.p256.multiplyEach(scalar, point, into: x, size: 32, stride: stride, count: count, scratch: scratch)
  }

  /// Bytes of memory that `sharedXEach` uses.
  package static var eachScratchSize: Int { Curve.eachScratchSize }

  /// Writes a number modulo the order: bits2octets of RFC 6979 §2.3.4.
  ///
  /// - Parameters:
  ///   - number: any 32 bytes.
  ///   - reduced: 32 bytes, which may be the same.
  /// - Timing: constant.
  @inline(never) @export(interface)
  package static func reduceModuloOrder(_ number: UnsafeRawPointer, into reduced: UnsafeMutableRawPointer) {
    Curve.p256.order.reducedOnce(Limbs(bigEndian: number), top: 0).store(bigEndian: reduced)
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
    Curve.p256.signECDSA(
      hash: Limbs(bigEndian: hash), key: Limbs(bigEndian: key), nonce: Limbs(bigEndian: nonce), into: signature)
  }

  /// Tells whether a signature is right (ECDSA). Everything here is public.
  ///
  /// - Parameters:
  ///   - signature: 64 bytes, r ‖ s. Out of range is false.
  ///   - hash: as for `sign`.
  ///   - publicKey: 65 bytes. If they are not a point of the curve, the answer is false.
  ///   - scratch: `scratchSize` bytes aligned to 8, apart from everything else.
  /// - Timing: depends on the signature and on nothing secret.
  /// - Source: FIPS 186-5 §6.4.2.
  @inline(never) @export(interface)
  package static func verify(
    _ signature: UnsafeRawPointer, hash: UnsafeRawPointer, publicKey: UnsafeRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    Curve.p256.verifyECDSA(
      signature, hash: Limbs(bigEndian: hash), publicKey: publicKey, scratch: scratch)
  }
}
