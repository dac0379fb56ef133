// ECDSA with a hash and a nonce that the caller made. (FIPS 186-5 §6.4)
//
// SPDX-License-Identifier: Apache-2.0

extension Weierstrass {
  /// Writes r ‖ s: r = x(k·G) mod n, s = (e + r·d)/k mod n.
  ///
  /// - Returns: all ones if r and s are usable, that is not 0. Otherwise 0, and the signature is 64 zero bytes.
  @inline(never) static func signECDSA(
    hash: Limbs, key: Limbs, nonce: Limbs, into signature: UnsafeMutableRawPointer
  ) -> UInt64 {
    let x = multiplyBase(by: nonce).affine.x.number
    let r = Scalar.reducedOnce(x, top: 0).limbs
    let s = (C.Order.inverse(of: Scalar(nonce)) * (Scalar(r) * Scalar(key) + Scalar(hash))).number
    return store(r, s, usable: ~0, into: signature)
  }

  /// Writes r ‖ s if both are not 0 and `usable` is all ones, or 64 zero bytes; returns which, as a mask.
  @inline(always) static func store(
    _ r: Limbs, _ s: Limbs, usable: UInt64, into signature: UnsafeMutableRawPointer
  ) -> UInt64 {
    let one = opaqueOne()
    let isUsable = usable & ~maskIfZero(r.joined, one) & ~maskIfZero(s.joined, one)
    (r & isUsable).store(bigEndian: signature)
    (s & isUsable).store(bigEndian: signature + 32)
    return isUsable
  }

  /// Whether r ‖ s is a signature of `hash`: r = x(e/s · G + r/s · P) mod n.
  @inline(never) static func verifyECDSA(
    _ signature: UnsafeRawPointer, hash: Limbs, publicKey: UnsafeRawPointer, scratch: UnsafeMutableRawPointer
  ) -> Bool {
    let (r, s) = (Limbs(bigEndian: signature), Limbs(bigEndian: signature + 32))
    if isScalar(r, below: C.Order.prime) & isScalar(s, below: C.Order.prime) == 0 { return false }
    guard let point = Affine(publicKey) else { return false }
    let inverse = C.Order.inverse(of: Scalar(s))
    let u = (Scalar(hash) * inverse).number
    let v = (Scalar(r) * inverse).number
    let sum = combine(u, v, point, scratch: scratch)
    return hasX(sum, moduloOrder: r)
  }
}
