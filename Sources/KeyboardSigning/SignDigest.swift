// Signatures over a digest, for protocols that say themselves what is hashed.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardCurves
package import KeyboardMemory
import KeyboardSHA2

/// A private key of P-256 in a workspace. Everything runs inside `Residue.wiped(.ownStack)`, on the workspace's memory.
package enum DigestSignature {
  /// Draws a private key, and makes its public key.
  ///
  /// - Parameters:
  ///   - key: gets 32 bytes.
  ///   - publicKey: gets 65 bytes, 04 ‖ x ‖ y.
  /// - Throws: `.random`.
  /// - Timing: depends on how often a draw is rejected, once in 2³² draws.
  package static func drawKey(
    into key: UnsafeMutableRawPointer, publicKey: UnsafeMutableRawPointer, using workspace: borrowing Workspace
  ) throws(KeyboardError) {
    var stream = try workspace.randomStream(byteCount: 32)
    repeat {
      stream.fill(UnsafeMutableRawBufferPointer(start: key, count: P256.scalarSize))
    } while P256.isPrivateKey(key) == 0
    P256.publicKey(of: key, into: publicKey)
  }

  /// Signs a digest with a hedged nonce (ECDSA).
  ///
  /// - Parameters:
  ///   - digest: SHA-256 of what is signed, 32 bytes.
  ///   - key: a private key that was checked, 32 bytes.
  ///   - signature: gets 64 bytes, r ‖ s.
  /// - Throws: `.random`.
  /// - Timing: constant, but for a nonce that is out of range, once in 2³² signatures.
  /// - Source: FIPS 186-5 §6.4.1, RFC 6979 §3.6.
  package static func sign(
    _ digest: UnsafeRawPointer, key: UnsafeRawPointer, into signature: UnsafeMutableRawPointer,
    using workspace: borrowing Workspace, in pieces: inout Pieces
  ) throws(KeyboardError) {
    let key = UnsafeRawBufferPointer(start: key, count: HedgedNonces.nonceSize)
    try SigningWay.p256.sign(digest: digest, key: key, into: signature, using: workspace, in: &pieces)
  }
}
