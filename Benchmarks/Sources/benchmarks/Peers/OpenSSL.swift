// OpenSSL through EVP. The cipher is fetched once, as its manual recommends. A context is either new for every call or
// reused; the name of a contender says which.
// SPDX-License-Identifier: Apache-2.0

import COpenSSL

enum OpenSSL {
  static let newContext = "OpenSSL EVP, new context"
  static let sameContext = "OpenSSL EVP, context reused"
  static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }

  nonisolated(unsafe) static let cipher: OpaquePointer = {
    guard let cipher = EVP_CIPHER_fetch(nil, "SM4-ECB", nil) else { fail("this OpenSSL has no SM4-ECB") }
    return cipher
  }()

  static func context() -> OpaquePointer {
    guard let context = EVP_CIPHER_CTX_new() else { fail("OpenSSL gives no context") }
    return context
  }

  /// Encryption without padding under one key, for many calls.
  static func encrypting(key: [UInt8]) -> OpaquePointer {
    let context = context()
    require(EVP_EncryptInit_ex2(context, cipher, key, nil, nil) == 1, "OpenSSL takes the key")
    EVP_CIPHER_CTX_set_padding(context, 0)
    return context
  }

  /// The key schedule and one block in a context that may be new or used.
  @inline(__always)
  static func encryptBlock(_ context: OpaquePointer, key: Bytes, _ input: Bytes, _ output: Bytes) -> Bool {
    var written: Int32 = 0
    return EVP_EncryptInit_ex2(context, cipher, key, nil, nil) == 1
      && EVP_CIPHER_CTX_set_padding(context, 0) == 1
      && EVP_EncryptUpdate(context, output, &written, input, 16) == 1
  }

  /// Pads and encrypts, in a context that may be new or used: the ciphertext's length, or -1.
  @inline(__always)
  static func encrypt(_ context: OpaquePointer, key: Bytes, _ text: Bytes, _ length: Int, _ output: Bytes) -> Int {
    var written: Int32 = 0
    var last: Int32 = 0
    guard EVP_EncryptInit_ex2(context, cipher, key, nil, nil) == 1,
      EVP_EncryptUpdate(context, output, &written, text, Int32(length)) == 1,
      EVP_EncryptFinal_ex(context, output + Int(written), &last) == 1
    else { return -1 }
    return Int(written + last)
  }

  /// Decrypts and removes the padding, in a context that may be new or used: the password's length, or -1.
  @inline(__always)
  static func decrypt(
    _ context: OpaquePointer, key: UnsafePointer<UInt8>, _ text: UnsafePointer<UInt8>, _ length: Int, _ output: Bytes
  ) -> Int {
    var written: Int32 = 0
    var last: Int32 = 0
    guard EVP_DecryptInit_ex2(context, cipher, key, nil, nil) == 1,
      EVP_DecryptUpdate(context, output, &written, text, Int32(length)) == 1,
      EVP_DecryptFinal_ex(context, output + Int(written), &last) == 1
    else { return -1 }
    return Int(written + last)
  }
}
