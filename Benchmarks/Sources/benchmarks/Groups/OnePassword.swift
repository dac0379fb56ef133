// One password into a space of exactly its size, so that no random filling is needed: key schedule, one block, padding.
// `getText` encrypts what was typed into a keyboard; `decrypt` is the receiver's call.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import COpenSSL

enum OnePassword {
  static let item = "8 characters"

  private static let password = Array("kgcx879@".utf8)
  private static let key = Array("8907654329807654".utf8)

  static func encryption(_ run: Run) -> [Measurement] {
    let keyBytes = allocate(key)
    let typed = allocate(password)
    let output = allocate(32)
    let used = OpenSSL.context()
    let keyboard = Library.keyboard(CUSTOM_ENCWAY_SM4, key: key, password: password)
    let contenders = [
      Contender(OpenSSL.newContext) { repeats in
        var length = 0
        for _ in 0..<repeats {
          let context = OpenSSL.context()
          length = OpenSSL.encrypt(context, key: keyBytes, typed, password.count, output)
          EVP_CIPHER_CTX_free(context)
        }
        require(length == 16, "OpenSSL encrypts the password")
      },
      Contender(OpenSSL.sameContext) { repeats in
        var length = 0
        for _ in 0..<repeats { length = OpenSSL.encrypt(used, key: keyBytes, typed, password.count, output) }
        require(length == 16, "OpenSSL encrypts the password")
      },
      Contender(Library.name) { repeats in
        var codes: UInt32 = 0
        var (offset, length) = (0, 0)
        for _ in 0..<repeats { codes |= CustomKeyboard_getText(keyboard, output, 16, &offset, &length).rawValue }
        Library.requireOK(codes, "getText")
        require(offset == 0 && length == 16, "getText fills a space of the text's size")
      },
    ]
    requireEqualResults(contenders, output, 16)
    require(output.array(16) == Library.encryptPassword(password, key: key), "the password is encrypted")
    return run.measure(.encrypt, item, contenders)
  }

  static func decryption(_ run: Run) -> [Measurement] {
    let keyBytes = allocate(key)
    let text = allocate(Library.encryptPassword(password, key: key))
    let output = allocate(32)
    let used = OpenSSL.context()
    let contenders = [
      Contender(OpenSSL.newContext) { repeats in
        var length = 0
        for _ in 0..<repeats {
          let context = OpenSSL.context()
          length = OpenSSL.decrypt(context, key: keyBytes, text, 16, output)
          EVP_CIPHER_CTX_free(context)
        }
        require(length == password.count, "OpenSSL decrypts the password")
      },
      Contender(OpenSSL.sameContext) { repeats in
        var length = 0
        for _ in 0..<repeats { length = OpenSSL.decrypt(used, key: keyBytes, text, 16, output) }
        require(length == password.count, "OpenSSL decrypts the password")
      },
      Contender(Library.name) { repeats in
        var codes: UInt32 = 0
        var (offset, length) = (0, 0)
        for _ in 0..<repeats {
          codes |=
            CustomKeyboard_decrypt(
              CUSTOM_ENCWAY_SM4, keyBytes, 16, text, 16, output, password.count, &offset, &length
            ).rawValue
        }
        Library.requireOK(codes, "decrypt")
        require(offset == 0 && length == password.count, "decrypt finds the password's length")
      },
    ]
    requireEqualResults(contenders, output, password.count)
    require(output.array(password.count) == password, "the password comes back")
    return run.measure(.decrypt, item, contenders)
  }
}
