// SM2 signatures with a digest and a nonce that the caller made. (GB/T 32918.2-2016)
//
// SPDX-License-Identifier: Apache-2.0

extension Curve {
  /// Writes r ‖ s: r = (e + x(k·G)) mod n, s = (k - r·d)/(1 + d) mod n.
  ///
  /// - Returns: all ones if r and s are usable: not 0, and r + k is not n. Otherwise 0, and the signature is 64 zero
  ///   bytes.
  @_optimize(size) @inline(never) func signSM2(
    digest: Limbs, key: Limbs, nonce: Limbs, into signature: UnsafeMutableRawPointer
  ) -> UInt64 {
    // Sums are the same in Montgomery form and out of it.
    @inline(always) func unchanged(_ number: Limbs) -> AnyElement { AnyElement(montgomery: number, order) }
    let x = order.reducedOnce(multiplyBase(by: nonce).coordinates(on: self).x, top: 0)
    let r = unchanged(x) + unchanged(order.reducedOnce(digest, top: 0))
    let d = scalar(key)
    let s = (d + .one(order)).inverted() * (scalar(nonce) - scalar(r.limbs) * d)
    let sum = r + unchanged(nonce)
    return Self.store(r.limbs, s.number, usable: ~maskIfZero(sum.limbs.joined, opaqueOne()), into: signature)
  }

  /// Whether r ‖ s is a signature of `digest`: r = e + x(s·G + (r + s)·P) mod n.
  @_optimize(size) @inline(never) func verifySM2(
    _ signature: UnsafeRawPointer, digest: Limbs, publicKey: UnsafeRawPointer, scratch: UnsafeMutableRawPointer
  ) -> Bool {
    let (r, s) = (Limbs(bigEndian: signature), Limbs(bigEndian: signature + 32))
    if Self.isScalar(r, below: order.prime) & Self.isScalar(s, below: order.prime) == 0 { return false }
    guard let point = AffinePoint(publicKey, on: self) else { return false }
    @inline(always) func unchanged(_ number: Limbs) -> AnyElement { AnyElement(montgomery: number, order) }
    let t = unchanged(r) + unchanged(s)
    if t.limbs.joined == 0 { return false }
    let sum = combine(s, t.limbs, point, scratch: scratch)
    let x = unchanged(r) - unchanged(order.reducedOnce(digest, top: 0))
    return hasX(sum, moduloOrder: x.limbs)
  }
}
