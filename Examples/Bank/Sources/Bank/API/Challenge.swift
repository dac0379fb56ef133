// What a sealed text is for. The bank keeps this record, and a client learns only the challenge's bytes and the context
// that is made from the record.
// SPDX-License-Identifier: Apache-2.0

enum Purpose: String, Sendable {
  case register
  case login
  /// To replace a passcode.
  case change
}

struct Challenge: Sendable {
  /// 16 random bytes.
  let bytes: [UInt8]
  let purpose: Purpose
  let account: String
  /// How texts for it are sealed, and for which key.
  let way: String
  let keyId: [UInt8]

  /// What a keyboard's `setContext` gets, and `receive` again. Each field is preceded by its length, or two different
  /// records could have one context.
  var context: [UInt8] {
    let fields = [Array("CustomKeyboard bank 1".utf8), Array(purpose.rawValue.utf8), Array(account.utf8), bytes]
    return fields.flatMap { field in [UInt8(field.count >> 8), UInt8(field.count & 255)] + field }
  }
}
