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
import KeyboardMemory

/// A login with a password that the server never learns, and its types in the order of its steps: a server's `Setup`
/// answers a `Keyboard`'s `Registration` and `Login`, and an `Answer` has the `State` that checks what the login sends.
///
/// - Source: RFC 9807.
public enum OPAQUE {
  // The lengths of messages and secrets, in bytes, and where their parts are. Those of the suite are in another file.

  package static var nonceSize: Int { 32 }
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

#if !hasFeature(Embedded)
  extension OPAQUE {
    /// A message that is sent, which `write` fills.
    package static func message(
      of byteCount: Int, _ write: (UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Void
    ) throws(KeyboardError) -> [UInt8] {
      var message = [UInt8](repeating: 0, count: byteCount)
      try message.lendMutable(write)
      return message
    }
  }
#endif
