// libgcrypt. In ECB mode its SM4 processes one block at a time with a table. Its SIMD code is used only in other modes;
// CTR represents all of them.
// SPDX-License-Identifier: Apache-2.0

import CGcrypt

enum Libgcrypt {
  static let ecbName = "libgcrypt ECB"
  static let ctrName = "libgcrypt CTR, its SIMD path"
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
}
