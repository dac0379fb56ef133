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

@Test func everyStateRefusesWhatItMust() throws {
  let keyboard = try Keyboard()
  let idle: [(Keyboard) throws -> Void] = [
    { try $0.input("a") }, { try $0.deleteBackward() }, { try $0.clear() }, { _ = try $0.getText() },
    { try $0.close() },
  ]
  for call in idle { try #require(throws: KeyboardError.operationDisabled) { try call(keyboard) } }
  #expect(keyboard.count == 0)

  try keyboard.open()
  #expect(throws: KeyboardError.operationDisabled) { try keyboard.open() }
  #expect(throws: KeyboardError.operationDisabled) { try keyboard.setEncKey(sm4Key.span, way: .sm4) }
  try keyboard.input("secret")
  #expect(throws: KeyboardError.key, "plaintext never leaves") { try keyboard.getText() }
  try keyboard.close()
  for call in idle { try #require(throws: KeyboardError.operationDisabled) { try call(keyboard) } }
}

@Test func aWrongKeyLeavesTheOldOne() throws {
  let keyboard = try Keyboard()
  try keyboard.setEncKey(sm4Key.span, way: .sm4)
  for length in [0, 8, 15, 17, 24] {
    let key = [UInt8](repeating: 1, count: length)
    try #require(throws: KeyboardError.key) { try keyboard.setEncKey(key.span, way: .sm4) }
  }
  try keyboard.open()
  try keyboard.input("kgcx879@")
  #expect(try keyboard.getText().hexadecimal == "0f413569eb66b50be0c1db9c518fb909")
}

@Test func whatWasTypedStaysUntilClose() throws {
  let keyboard = try upKeyboard()
  try keyboard.input("kgcx879@")
  let first = try keyboard.getText()
  let second = try keyboard.getText()
  #expect(first.hexadecimal == second.hexadecimal)
  #expect(first.space != second.space)
  try keyboard.close()
  #expect(keyboard.count == 0)
  try keyboard.open()
  #expect(keyboard.count == 0)
  #expect(try decrypted(keyboard.getText()) == "", "the key survives close, the password does not")
}

@Test func passwordsHaveAtMost128Bytes() throws {
  let keyboard = try upKeyboard()
  try keyboard.input(String(repeating: "x", count: 127))
  #expect(throws: KeyboardError.tooLong) { try keyboard.input("é") }
  #expect(keyboard.count == 127)
  try keyboard.input("y")
  #expect(throws: KeyboardError.tooLong) { try keyboard.input("z") }
  try keyboard.input("")
  let text = try keyboard.getText()
  #expect(text.bytes.count == 144)
  #expect(try decrypted(text) == String(repeating: "x", count: 127) + "y")
}

@Test func whatIsNotUTF8IsRefusedInEveryState() throws {
  let keyboard = try Keyboard()
  let bad: [UInt8] = [0x61, 0xff]
  #expect(throws: KeyboardError.argument) { try keyboard.input(bad.span) }
  try keyboard.setEncKey(sm4Key.span, way: .sm4)
  try keyboard.open()
  try keyboard.input("a")
  #expect(throws: KeyboardError.argument) { try keyboard.input(bad.span) }
  #expect(keyboard.count == 1)
  #expect(try decrypted(keyboard.getText()) == "a")
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

/// Thousands of random calls on a keyboard and on a plain string, whose results must agree.
@Test func randomSessionsAgreeWithAPlainModel() throws {
  let pieces = ["a", "7", "@", "é", "한", "👨‍👩‍👧", "🇰", "\u{301}", "कि", "xyz"]
  var generator = SystemRandomNumberGenerator()
  for _ in 0..<60 {
    let keyboard = try upKeyboard()
    var model = ""
    for _ in 0..<60 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6:
        let piece = pieces.randomElement(using: &generator)!
        if model.utf8.count + piece.utf8.count <= 128 {
          try keyboard.input(piece)
          model += piece
        } else {
          try #require(throws: KeyboardError.tooLong) { try keyboard.input(piece) }
        }
      case 6, 7:
        try keyboard.deleteBackward()
        model = String(model.dropLast())
      case 8:
        try #require(try decrypted(keyboard.getText()) == model)
      default:
        if Bool.random(using: &generator) && Bool.random(using: &generator) {
          try keyboard.clear()
          model = ""
        }
      }
      try #require(keyboard.count == model.count)
    }
  }
}
