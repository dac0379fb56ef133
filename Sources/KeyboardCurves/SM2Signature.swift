// SM2 signatures with a digest and a nonce that the caller made. (GB/T 32918.2-2016)
//
// SPDX-License-Identifier: Apache-2.0

extension Weierstrass {
  /// Writes r ‖ s: r = (e + x(k·G)) mod n, s = (k - r·d)/(1 + d) mod n.
  ///
  /// - Returns: all ones if r and s are usable: not 0, and r + k is not n. Otherwise 0, and the signature is 64 zero
  ///   bytes.
  @inline(never) static func signSM2(
    digest: Limbs, key: Limbs, nonce: Limbs, into signature: UnsafeMutableRawPointer
  ) -> UInt64 {
    let x = multiplyBase(by: nonce).affine.x.number
    // Sums are the same in Montgomery form and out of it.
    let r = Scalar.reducedOnce(x, top: 0) + Scalar.reducedOnce(digest, top: 0)
    let d = Scalar(key)
    let s = C.Order.inverse(of: d + .one) * (Scalar(nonce) - Scalar(r.limbs) * d)
    let sum = r + Scalar(montgomery: nonce)
    return store(r.limbs, s.number, usable: ~maskIfZero(sum.limbs.joined, opaqueOne()), into: signature)
  }

  /// Whether r ‖ s is a signature of `digest`: r = e + x(s·G + (r + s)·P) mod n.
  @inline(never) static func verifySM2(
    _ signature: UnsafeRawPointer, digest: Limbs, publicKey: UnsafeRawPointer, scratch: UnsafeMutableRawPointer
  ) -> Bool {
    let (r, s) = (Limbs(bigEndian: signature), Limbs(bigEndian: signature + 32))
    if isScalar(r, below: C.Order.prime) & isScalar(s, below: C.Order.prime) == 0 { return false }
    guard let point = Affine(publicKey) else { return false }
    let t = Scalar(montgomery: r) + Scalar(montgomery: s)
    if t.limbs.joined == 0 { return false }
    let sum = combine(s, t.limbs, point, scratch: scratch)
    let x = Scalar(montgomery: r) - Scalar.reducedOnce(digest, top: 0)
    return hasX(sum, moduloOrder: x.limbs)
  }
}
