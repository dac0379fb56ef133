// The direction of a cipher, shared by all modules.
// SPDX-License-Identifier: Apache-2.0

/// What a cipher context is for: ECB's two directions use different key schedules.
///
/// - C: the argument `decrypting` of `CustomKeyboard_setupCipher`.
public enum Direction: Sendable {
  /// Plaintext to ciphertext.
  case encryption
  /// Ciphertext to plaintext.
  case decryption
}
