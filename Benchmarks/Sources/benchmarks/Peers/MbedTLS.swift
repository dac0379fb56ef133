// mbedTLS alone: the functions that the library calls for DES and 3DES, without the library. Its users need a loop over
// the blocks, because mbedTLS has no ECB call for more than one block.
// SPDX-License-Identifier: Apache-2.0

import CMbedTLS

enum MbedTLS {
  static let name = "mbedTLS, bare"
  static var version: String {
    let number = mbedtls_version_get_number()
    return "\(number >> 24).\(number >> 16 & 0xff).\(number >> 8 & 0xff)"
  }

  static func des(key: [UInt8]) -> UnsafeMutablePointer<mbedtls_des_context> {
    let context = UnsafeMutablePointer<mbedtls_des_context>.allocate(capacity: 1)
    mbedtls_des_init(context)
    require(mbedtls_des_setkey_enc(context, key) == 0, "mbedTLS takes the DES key")
    return context
  }

  static func tripleDES(key: [UInt8]) -> UnsafeMutablePointer<mbedtls_des3_context> {
    let context = UnsafeMutablePointer<mbedtls_des3_context>.allocate(capacity: 1)
    mbedtls_des3_init(context)
    require(mbedtls_des3_set3key_enc(context, key) == 0, "mbedTLS takes the 3DES key")
    return context
  }
}
