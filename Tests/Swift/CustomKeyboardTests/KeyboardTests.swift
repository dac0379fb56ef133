// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Testing

private let sm4Key = Array("8907654329807654".utf8)

extension Keyboard {
  fileprivate func input(_ text: String) throws(KeyboardError) {
    let utf8 = Array(text.utf8)
    try input(utf8.span)
  }
}

/// An open keyboard with an SM4 key.
private func upKeyboard() throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.setEncKey(sm4Key.span, way: .sm4)
  try keyboard.open()
  return keyboard
}

private func decrypted(_ text: EncryptedText, key: [UInt8] = sm4Key, way: EncryptionWay = .sm4) throws -> String {
  let ciphertext = Array(text.bytes)
  let password = try decrypt(ciphertext.span, way: way, key: key.span)
  return password.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
}

@Test(arguments: [
  (EncryptionWay.des, "89076543", "ef145f1aed986f0be696b7d7d09dcd79"),
  (.tripleDES, "890765432980765423451673", "5e6a10496ab1955b0d7e1d774a0c6818"),
  (.sm4, "8907654329807654", "0f413569eb66b50be0c1db9c518fb909"),
])
func thePapersRows(way: EncryptionWay, key: String, ciphertext: String) throws {
  let keyboard = try Keyboard()
  try keyboard.setEncKey(Array(key.utf8).span, way: way)
  try keyboard.open()
  for character in "kgcx879@" { try keyboard.input(String(character)) }
  let text = try keyboard.getText()
  #expect(text.hexadecimal == ciphertext)
  #expect(text.space.count == suggestedSpaceSize)
  #expect(try decrypted(text, key: Array(key.utf8), way: way) == "kgcx879@")
  try keyboard.close()
}

@Test func aSpaceOfTheTextsLengthIsEnough() throws {
  let keyboard = try upKeyboard()
  try keyboard.input("kgcx879@")
  var space = [UInt8](repeating: 0, count: 16)
  var span = space.mutableSpan
  #expect(try keyboard.getText(into: &span) == 0..<16)
  var small = [UInt8](repeating: 0xee, count: 15)
  do {
    var span = small.mutableSpan
    _ = try keyboard.getText(into: &span)
    Issue.record("15 bytes hold no text")
  } catch {
    #expect(error == .spaceTooSmall(needed: 16))
  }
  #expect(small.allSatisfy { $0 == 0xee })
}
