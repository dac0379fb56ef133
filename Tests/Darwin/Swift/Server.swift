// What the tests need of a server, which the package for phones does not have: C's own functions.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CustomKeyboard

/// Throws what C has answered, with its cause.
func check(_ answer: CUSTOM_KEYBOARD_RV) throws(KeyboardError) {
  guard answer != CUSTOM_KEYBOARD_OK else { return }
  throw KeyboardError(code: answer.rawValue, cause: CustomKeyboard_cause())
}

struct Password {
  let bytes: [UInt8]
  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(bytes.span) }
}

func decrypt(_ text: Span<UInt8>, way: EncryptionWay, key: Span<UInt8>) throws(KeyboardError) -> Password {
  var (space, offset, length) = ([UInt8](repeating: 0, count: 2048), 0, 0)
  let answer = text.withUnsafeBufferPointer { text in
    key.withUnsafeBufferPointer { key in
      CustomKeyboard_decrypt(
        CUSTOM_ENCWAY(rawValue: way.code), key.baseAddress, key.count, text.baseAddress, text.count, &space,
        space.count, &offset, &length)
    }
  }
  try check(answer)
  return Password(bytes: Array(space[offset..<offset + length]))
}

struct KeyPair: ~Copyable {
  var secretKey: SecretBytes
  var publicKey: [UInt8]
}

func generateKey(_ way: SealingWay) throws(KeyboardError) -> KeyPair {
  var secretKey = try SecretBytes(capacity: 32)
  var (publicKey, secretLength, publicLength) = ([UInt8](repeating: 0, count: 1216), 0, 0)
  try secretKey.extend { memory throws(KeyboardError) in
    let key = memory.bindMemory(to: UInt8.self)
    try check(
      CustomKeyboard_generateKey(
        CUSTOM_ENCWAY(rawValue: way.code), key.baseAddress, key.count, &secretLength, &publicKey, publicKey.count,
        &publicLength))
    return secretLength
  }
  return KeyPair(secretKey: secretKey, publicKey: Array(publicKey[..<publicLength]))
}

extension SealingWay {
  var secretKeyLengths: ClosedRange<Int> { self == .sm4GCM ? 16...16 : 32...32 }
}
