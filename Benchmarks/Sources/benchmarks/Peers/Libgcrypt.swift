// libgcrypt. In ECB mode its SM4 processes one block at a time with a table. Its SIMD code is used only in other modes,
// CTR and GCM among them, and there only for eight blocks and more.
// SPDX-License-Identifier: Apache-2.0

import CGcrypt

enum Libgcrypt {
  static let ecbName = "libgcrypt ECB"
  static let ctrName = "libgcrypt CTR, its SIMD path"
  static let gcmName = "libgcrypt GCM, handle reused"
  /// Must be read before anything else of libgcrypt is used.
  static let version = gcrypt_start().map { String(cString: $0) } ?? "?"

  static func open(_ mode: gcry_cipher_modes, key: [UInt8]) -> gcry_cipher_hd_t {
    _ = version
    var handle: gcry_cipher_hd_t?
    let error = gcry_cipher_open(&handle, Int32(GCRY_CIPHER_SM4.rawValue), Int32(mode.rawValue), 0)
    guard error == 0, let handle else { fail("this libgcrypt has no SM4") }
    require(gcry_cipher_setkey(handle, key, key.count) == 0, "libgcrypt takes the key")
    return handle
  }

  static func setCounter(_ handle: gcry_cipher_hd_t, _ counter: [UInt8]) {
    require(gcry_cipher_setctr(handle, counter, counter.count) == 0, "libgcrypt takes the counter")
  }

  // MARK: SM4-GCM, in a handle that is kept

  static let nonceSize = 12
  static let tagSize = 16

  /// Opens nonce ‖ ciphertext ‖ tag.
  static func open(
    _ handle: gcry_cipher_hd_t, key: Bytes, context: Bytes, _ contextCount: Int, _ text: Bytes, into block: Bytes,
    _ count: Int
  ) -> Bool {
    begin(handle, key, nonce: text, context, contextCount)
      && gcry_cipher_decrypt(handle, block, count, text + nonceSize, count) == 0
      && gcry_cipher_checktag(handle, text + nonceSize + count, tagSize) == 0
  }

  /// Writes nonce ‖ ciphertext ‖ tag, with a nonce of libgcrypt's generator for nonces.
  static func seal(
    _ handle: gcry_cipher_hd_t, key: Bytes, context: Bytes, _ contextCount: Int, _ block: Bytes, _ count: Int,
    into text: Bytes
  ) -> Bool {
    gcry_create_nonce(text, nonceSize)
    return begin(handle, key, nonce: text, context, contextCount)
      && gcry_cipher_encrypt(handle, text + nonceSize, count, block, count) == 0
      && gcry_cipher_gettag(handle, text + nonceSize + count, tagSize) == 0
  }

  private static func begin(
    _ handle: gcry_cipher_hd_t, _ key: Bytes, nonce: Bytes, _ context: Bytes, _ contextCount: Int
  ) -> Bool {
    gcry_cipher_setkey(handle, key, 16) == 0 && gcry_cipher_setiv(handle, nonce, nonceSize) == 0
      && gcry_cipher_authenticate(handle, context, contextCount) == 0
  }
}
