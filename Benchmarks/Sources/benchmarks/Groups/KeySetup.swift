// A key schedule and one block: the cost of a fresh key, which every keyboard has.
// SPDX-License-Identifier: Apache-2.0

import CBotan
import CCustomKeyboard
import CGcrypt
import COpenSSL

enum KeySetup {
  static let item = "16 bytes"

  static func measure(_ run: Run) -> [Measurement] {
    var numbers = RepeatableNumbers(seed: 2)
    let key = numbers.bytes(16)
    let output = allocate(16)
    let contenders = contenders(key, allocate(key), allocate(numbers.bytes(16)), output)
    requireEqualResults(contenders, output, 16)
    return run.measure(.setup, item, contenders)
  }

  private static func contenders(_ key: [UInt8], _ keyBytes: Bytes, _ input: Bytes, _ output: Bytes) -> [Contender] {
    let library = Library.cipher(CUSTOM_ENCWAY_SM4, key)
    let used = OpenSSL.context()
    let libgcrypt = Libgcrypt.open(GCRY_CIPHER_MODE_ECB, key: key)
    let botan = Botan.cipher(key: key)
    return [
      Contender(OpenSSL.newContext) { repeats in
        var fine = true
        for _ in 0..<repeats {
          let context = OpenSSL.context()
          fine = OpenSSL.encryptBlock(context, key: keyBytes, input, output) && fine
          EVP_CIPHER_CTX_free(context)
        }
        require(fine, "OpenSSL encrypts a block")
      },
      Contender(OpenSSL.sameContext) { repeats in
        var fine = true
        for _ in 0..<repeats { fine = OpenSSL.encryptBlock(used, key: keyBytes, input, output) && fine }
        require(fine, "OpenSSL encrypts a block")
      },
      Contender(Library.name) { repeats in
        var codes: UInt32 = 0
        for _ in 0..<repeats {
          codes |= CustomKeyboard_setupCipher(library, CUSTOM_ENCWAY_SM4, keyBytes, 16, 0).rawValue
          codes |= CustomKeyboard_cryptECB(library, input, output, 16).rawValue
        }
        Library.requireOK(codes, "setupCipher or cryptECB")
      },
      Contender("\(Library.name), wiped too") { repeats in
        var codes: UInt32 = 0
        for _ in 0..<repeats {
          codes |= CustomKeyboard_setupCipher(library, CUSTOM_ENCWAY_SM4, keyBytes, 16, 0).rawValue
          codes |= CustomKeyboard_cryptECB(library, input, output, 16).rawValue
          codes |= CustomKeyboard_wipeCipher(library).rawValue
        }
        Library.requireOK(codes, "setupCipher, cryptECB or wipeCipher")
      },
      Contender("\(Libgcrypt.ecbName), handle reused") { repeats in
        var errors: gcry_error_t = 0
        for _ in 0..<repeats {
          errors |= gcry_cipher_setkey(libgcrypt, keyBytes, 16)
          errors |= gcry_cipher_encrypt(libgcrypt, output, 16, input, 16)
        }
        require(errors == 0, "libgcrypt encrypts a block")
      },
      Contender("\(Botan.name), object reused") { repeats in
        var errors: Int32 = 0
        for _ in 0..<repeats {
          errors |= botan_block_cipher_set_key(botan, keyBytes, 16)
          errors |= botan_block_cipher_encrypt_blocks(botan, input, output, 1)
        }
        require(errors == 0, "Botan encrypts a block")
      },
    ]
  }
}
