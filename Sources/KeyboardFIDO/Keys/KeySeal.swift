// A private key that only a passcode opens.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardMbedTLS
import KeyboardMemory
import KeyboardSHA2

/// Seals the private key of a registration: ChaCha20-Poly1305 under a key of its own.
///
///     sealing key = HMAC-SHA256(passcode's key, "CustomFido key 2" ‖ SHA-256(what it is bound to) ‖ 01)
///
/// That is HKDF's expansion (RFC 5869 §2.3). Each sealing key is for one private key, because that is bound to its own
/// public key, so the nonce is zero. Everything is in locked memory, and runs inside `Residue.wiped(.ownStack)`.
///
/// - Timing: constant up to the verdict.
/// - Source: RFC 8439 §2.8.
struct KeySeal {
  private let key: UnsafeMutableRawPointer
  private let scratch: UnsafeMutableRawPointer
  private let context: UnsafeMutablePointer<mbedtls_chachapoly_context>
  private let nonce: UnsafeMutablePointer<UInt8>

  static var keySize: Int { 32 }
  static var privateKeySize: Int { 32 }
  static var tagSize: Int { 16 }
  static var sealedSize: Int { privateKeySize + tagSize }

  init(in pieces: inout Pieces) {
    key = pieces.take(32)
    scratch = pieces.take(HMAC.byteCount)
    context = pieces.take(MemoryLayout<mbedtls_chachapoly_context>.stride)
      .bindMemory(to: mbedtls_chachapoly_context.self, capacity: 1)
    nonce = pieces.take(12).bindMemory(to: UInt8.self, capacity: 12)
  }

  private func derive(_ passcodeKey: UnsafeRawPointer, _ binding: UnsafeRawPointer) {
    let hmac = HMAC(key: UnsafeRawBufferPointer(start: passcodeKey, count: Self.keySize), at: scratch)
    hmac.absorb("CustomFido key 2")
    hmac.absorb(binding, count: SHA256.digestSize)
    hmac.absorb(1 as UInt8)
    hmac.finish(into: key)
    nonce.initialize(repeating: 0, count: 12)
    mbedtls_chachapoly_init(context)
    _ = mbedtls_chachapoly_setkey(context, UnsafePointer(key.assumingMemoryBound(to: UInt8.self)))
  }

  /// - Parameters:
  ///   - binding: SHA-256 of what the key is bound to.
  ///   - sealed: gets `sealedSize` bytes.
  func seal(
    _ privateKey: UnsafeRawPointer, under passcodeKey: UnsafeRawPointer, boundTo binding: UnsafeRawPointer,
    into sealed: UnsafeMutableRawPointer
  ) {
    derive(passcodeKey, binding)
    let output = sealed.assumingMemoryBound(to: UInt8.self)
    _ = mbedtls_chachapoly_encrypt_and_tag(
      context, Self.privateKeySize, nonce, nil, 0, privateKey.assumingMemoryBound(to: UInt8.self), output,
      output + Self.privateKeySize)
    mbedtls_chachapoly_free(context)
  }

  /// - Parameter privateKey: gets 32 bytes; zero if it is not opened.
  /// - Returns: whether this is the key that was sealed so.
  func open(
    _ sealed: UnsafeRawPointer, under passcodeKey: UnsafeRawPointer, boundTo binding: UnsafeRawPointer,
    into privateKey: UnsafeMutableRawPointer
  ) -> Bool {
    derive(passcodeKey, binding)
    let input = sealed.assumingMemoryBound(to: UInt8.self)
    let error = mbedtls_chachapoly_auth_decrypt(
      context, Self.privateKeySize, nonce, nil, 0, input + Self.privateKeySize, input,
      privateKey.assumingMemoryBound(to: UInt8.self))
    mbedtls_chachapoly_free(context)
    return error == 0
  }
}
