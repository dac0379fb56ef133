// OPAQUE (RFC 9807): a login with a password that the server never learns. The suite is ristretto255 with SHA-512,
// OPAQUE-3DH, HKDF-SHA-512, HMAC-SHA-512 and Argon2id.
//
//     client                              server
//     blind(password)      ── request ──►  evaluate            registration
//     envelope, its keys   ◄─ response ──
//                          ── record ───►  keeps it
//
//     blind, keyshare      ──── KE1 ────►  evaluate, mask       login
//     unmask, check        ◄─── KE2 ─────  the record; keyshare
//                          ──── KE3 ────►  check
//
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardCurves
package import KeyboardHashes
import KeyboardMemory
import KeyboardSHA2
import KeyboardStretching

/// A login with a password that the server never learns, and its types in the order of its steps: a server's `Setup`
/// answers a `Keyboard`'s `Registration` and `Login`, and an `Answer` has the `State` that checks what the login sends.
///
/// - Source: RFC 9807.
public enum OPAQUE {
  // The lengths of messages and secrets, in bytes, and where their parts are.

  package static var nonceSize: Int { 32 }
  package static var elementSize: Int { Ristretto255.elementSize }
  package static var scalarSize: Int { Ristretto255.scalarSize }
  /// A tag of HMAC, a digest, a session key, an export key.
  package static var keySize: Int { SHA512.digestSize }

  /// oprf_seed ‖ server_private_key
  package static var setupSize: Int { keySize + scalarSize }
  package static var requestSize: Int { elementSize }
  /// evaluated_message ‖ server_public_key
  package static var responseSize: Int { 2 * elementSize }
  /// client_public_key ‖ masking_key ‖ envelope
  package static var recordSize: Int { elementSize + keySize + envelopeSize }
  /// envelope_nonce ‖ auth_tag
  static var envelopeSize: Int { nonceSize + keySize }
  /// blinded_message ‖ client_nonce ‖ client_public_keyshare
  package static var ke1Size: Int { requestSize + nonceSize + elementSize }
  /// evaluated_message ‖ masking_nonce ‖ masked_response ‖ server_nonce ‖ server_public_keyshare ‖ server_mac
  package static var ke2Size: Int { transcribedSize + keySize }
  /// client_mac
  package static var ke3Size: Int { keySize }
  /// expected client_mac ‖ session key
  package static var stateSize: Int { 2 * keySize }

  package static var longestAccount: Int { 255 }
  package static var longestIdentity: Int { 255 }

  /// server_public_key ‖ envelope, under a pad.
  static var maskedSize: Int { elementSize + envelopeSize }
  static var maskedOffset: Int { elementSize + nonceSize }
  static var nonceOffset: Int { maskedOffset + maskedSize }
  static var keyshareOffset: Int { nonceOffset + nonceSize }
  /// As much of KE2 as the transcript has: all but the tag.
  static var transcribedSize: Int { keyshareOffset + elementSize }
  /// Of KE1.
  static var clientKeyshareOffset: Int { requestSize + nonceSize }

  static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}

/// What both ends have alike, and what a guess costs: bytes where the caller has them.
package struct LentTerms {
  package var context, client, server: UnsafeRawBufferPointer
  /// For the client only.
  package var costs: Argon2id

  /// Nothing but the costs that Rust's opaque-ke has.
  package init() {
    (context, client, server) = (OPAQUE.none, OPAQUE.none, OPAQUE.none)
    costs = .standard
  }

  /// - Parameters:
  ///   - context: 0 … 256 bytes.
  ///   - client, server: the identities, 0 … 255 bytes; none is the public key.
  ///   - memorySize: in KiB.
  ///   - passCount, laneCount: with a memory of 0 also 0: the costs of a new verifier.
  /// - Throws: `.argument` for costs that no verifier may have. Lengths are checked by `checkLengths`.
  package init(
    context: UnsafeRawBufferPointer, client: UnsafeRawBufferPointer, server: UnsafeRawBufferPointer,
    memorySize: UInt32, passCount: UInt32, laneCount: UInt32
  ) throws(KeyboardError) {
    (self.context, self.client, self.server) = (context, client, server)
    costs = try Argon2id(memorySize: memorySize, passCount: passCount, laneCount: laneCount)
  }

  /// - Throws: `.tooLong`.
  package func checkLengths() throws(KeyboardError) {
    guard context.count <= maximumContextLength else { throw .tooLong(.context) }
    guard client.count <= OPAQUE.longestIdentity, server.count <= OPAQUE.longestIdentity
    else { throw .tooLong(.identity) }
  }

  /// Copies everything, so that another thread cannot change it any more.
  func copied(in pieces: inout Pieces) -> LentTerms {
    func copy(_ bytes: UnsafeRawBufferPointer, room: Int) -> UnsafeRawBufferPointer {
      let piece = pieces.take(room)
      if let start = bytes.baseAddress { piece.copyMemory(from: start, byteCount: bytes.count) }
      return UnsafeRawBufferPointer(start: piece, count: bytes.count)
    }
    var terms = self
    terms.context = copy(context, room: maximumContextLength)
    terms.client = copy(client, room: OPAQUE.longestIdentity)
    terms.server = copy(server, room: OPAQUE.longestIdentity)
    return terms
  }

  /// An identity, which is by default the public key.
  static func identity(_ given: UnsafeRawBufferPointer, orKey key: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    given.isEmpty ? UnsafeRawBufferPointer(start: key, count: OPAQUE.elementSize) : given
  }
}
