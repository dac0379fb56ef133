// ECDSA with a hash and a nonce that the caller made. (FIPS 186-5 §6.4)
//
// SPDX-License-Identifier: Apache-2.0

extension Curve {
  /// Writes r ‖ s: r = x(k·G) mod n, s = (e + r·d)/k mod n.
  ///
  /// - Returns: all ones if r and s are usable, that is not 0. Otherwise 0, and the signature is 64 zero bytes.
  @_optimize(size) @inline(never) func signECDSA(
    hash: Limbs, key: Limbs, nonce: Limbs, into signature: UnsafeMutableRawPointer
  ) -> UInt64 {
    let r = order.reducedOnce(multiplyBase(by: nonce).coordinates(on: self).x, top: 0)
    let s = (scalar(nonce).inverted() * (scalar(r) * scalar(key) + scalar(hash))).number
    return Self.store(r, s, usable: ~0, into: signature)
  }

  /// Writes r ‖ s if both are not 0 and `usable` is all ones, or 64 zero bytes; returns which, as a mask.
  @inline(never) static func store(
    _ r: Limbs, _ s: Limbs, usable: UInt64, into signature: UnsafeMutableRawPointer
  ) -> UInt64 {
    let one = opaqueOne()
    let isUsable = usable & ~maskIfZero(r.joined, one) & ~maskIfZero(s.joined, one)
    (r & isUsable).store(bigEndian: signature)
    (s & isUsable).store(bigEndian: signature + 32)
    return isUsable
  }

  /// Whether r ‖ s is a signature of `hash`: r = x(e/s · G + r/s · P) mod n.
  @_optimize(size) @inline(never) func verifyECDSA(
    _ signature: UnsafeRawPointer, hash: Limbs, publicKey: UnsafeRawPointer, scratch: UnsafeMutableRawPointer
  ) -> Bool {
    let (r, s) = (Limbs(bigEndian: signature), Limbs(bigEndian: signature + 32))
    if Self.isScalar(r, below: order.prime) & Self.isScalar(s, below: order.prime) == 0 { return false }
    guard let point = AffinePoint(publicKey, on: self) else { return false }
    let inverse = scalar(s).inverted()
    let u = (scalar(hash) * inverse).number
    let v = (scalar(r) * inverse).number
    let sum = combine(u, v, point, scratch: scratch)
    return hasX(sum, moduloOrder: r)
  }
}
