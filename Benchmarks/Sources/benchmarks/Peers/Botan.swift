// Botan through its C interface: the bare block cipher, with all blocks in one call.
// SPDX-License-Identifier: Apache-2.0

import CBotan

enum Botan {
  static let name = "Botan"
  static var version: String { "\(botan_version_major()).\(botan_version_minor()).\(botan_version_patch())" }

  static func cipher(key: [UInt8]) -> botan_block_cipher_t {
    var cipher: botan_block_cipher_t?
    guard botan_block_cipher_init(&cipher, "SM4") == 0, let cipher else { fail("this Botan has no SM4") }
    require(botan_block_cipher_set_key(cipher, key, key.count) == 0, "Botan takes the key")
    return cipher
  }
}
