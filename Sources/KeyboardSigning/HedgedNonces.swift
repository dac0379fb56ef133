// The nonces of signatures: computed from key and digest, and from added randomness.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory
import KeyboardSHA2

/// Nonces as RFC 6979 makes them, with randomness added to what they are computed from (§3.6). A generator that repeats
/// itself gives no two signatures one nonce, and a signature that is made twice is not the same twice, so that faults
/// tell less.
///
/// Everything here is secret. It is in the given memory; the caller wipes it.
///
/// - Timing: constant for each nonce.
/// - Source: RFC 6979 §3.2, §3.6.
struct HedgedNonces {
  /// K and V of the RFC.
  private let hmacKey: UnsafeMutableRawPointer
  private let chain: UnsafeMutableRawPointer
  private let scratch: UnsafeMutableRawPointer

  static var nonceSize: Int { 32 }
  private static var wordSize: Int { SHA256.digestSize }

  /// - Parameters:
  ///   - key: the private key, 32 bytes.
  ///   - digest: what is signed, reduced modulo the order, 32 bytes.
  ///   - added: random bytes; with none, these are the plain nonces of the RFC.
  @inline(never)  // `make prove` reads it by itself, as it does `next`
  init(key: UnsafeRawPointer, digest: UnsafeRawPointer, added: UnsafeRawBufferPointer, in pieces: inout Pieces) {
    hmacKey = pieces.take(Self.wordSize)
    chain = pieces.take(Self.wordSize)
    scratch = pieces.take(HMAC.byteCount)
    hmacKey.initializeMemory(as: UInt8.self, repeating: 0, count: Self.wordSize)
    chain.initializeMemory(as: UInt8.self, repeating: 1, count: Self.wordSize)
    for step in 0..<2 as Range<UInt8> {
      rekey(step) {
        $0.absorb(key, count: Self.nonceSize)
        $0.absorb(digest, count: Self.nonceSize)
        $0.absorb(added)
      }
    }
  }

  /// Writes a nonce. It may be out of range, or give no signature: then take the next.
  ///
  /// - Parameter nonce: 32 bytes.
  @inline(never)
  func next(into nonce: UnsafeMutableRawPointer) {
    advance()
    nonce.copyMemory(from: chain, byteCount: Self.nonceSize)
    // What a next nonce would be made from. (§3.2, step h.3)
    rekey(0) { _ in }
  }

  /// K = HMAC(K, V ‖ step ‖ more), V = HMAC(K, V)
  @inline(__always)
  private func rekey(_ step: UInt8, _ more: (HMAC) -> Void) {
    let hmac = HMAC(key: UnsafeRawBufferPointer(start: hmacKey, count: Self.wordSize), at: scratch)
    hmac.absorb(chain, count: Self.wordSize)
    hmac.absorb(step)
    more(hmac)
    hmac.finish(into: hmacKey)
    advance()
  }

  /// V = HMAC(K, V)
  private func advance() {
    let hmac = HMAC(key: UnsafeRawBufferPointer(start: hmacKey, count: Self.wordSize), at: scratch)
    hmac.absorb(chain, count: Self.wordSize)
    hmac.finish(into: chain)
  }
}
