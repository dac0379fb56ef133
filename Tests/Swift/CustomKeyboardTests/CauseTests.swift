// Each function names the cause of an error if it knows the cause.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Testing

private let sm4Key = Array("8907654329807654".utf8)

/// The case and the cause that `body` throws, as `debugDescription` shows them.
private func thrown(_ body: () throws(KeyboardError) -> Void) -> String {
  do throws(KeyboardError) {
    try body()
    return "nothing"
  } catch {
    return String(error.debugDescription.dropFirst("KeyboardError".count).prefix { $0 != ":" })
  }
}

@Test func aTouchNamesItsCause() throws {
  let keyboard = try Keyboard()
  #expect(thrown { () throws(KeyboardError) in try keyboard.pressKey(at: 0) } == ".operationDisabled(.notOpen)")
  try keyboard.open()
  #expect(thrown { () throws(KeyboardError) in try keyboard.touch(x: -1, y: 0) } == ".argument(.outsideView)")
  #expect(thrown { () throws(KeyboardError) in try keyboard.pressKey(at: 99) } == ".argument(.noSuchKey)")
}

@Test func theKeyAndTheStateAreNamed() throws {
  let keyboard = try Keyboard()
  #expect(
    thrown { () throws(KeyboardError) in try keyboard.setEncKey(sm4Key.span.extracting(0..<15), way: .sm4) }
      == ".key(.length)")
  #expect(thrown { () throws(KeyboardError) in try keyboard.close() } == ".operationDisabled(.notOpen)")
  try keyboard.open()
  #expect(thrown { () throws(KeyboardError) in _ = try keyboard.getText() } == ".key(.missing)")
  #expect(thrown { () throws(KeyboardError) in try keyboard.open() } == ".operationDisabled(.open)")
  #expect(
    thrown { () throws(KeyboardError) in try keyboard.setEncKey(sm4Key.span, way: .sm4) }
      == ".operationDisabled(.open)")
}

@Test func whatIsTypedNamesItsCause() throws {
  let keyboard = try Keyboard()
  try keyboard.open()
  let half: [UInt8] = [0xC3]
  let long = [UInt8](repeating: 0x61, count: 129)
  #expect(thrown { () throws(KeyboardError) in try keyboard.input(half.span) } == ".argument(.notUTF8)")
  #expect(thrown { () throws(KeyboardError) in try keyboard.input(long.span) } == ".tooLong(.password)")
}

@Test func theLayoutNamesItsCause() throws {
  let keyboard = try Keyboard()
  #expect(
    thrown { () throws(KeyboardError) in try keyboard.setLayout(.pin, maximumCount: -1) }
      == ".argument(.maximumCount)")
  let tiny = ViewSize(width: 1, height: 1, columnGap: 0, rowGap: 0)
  #expect(thrown { () throws(KeyboardError) in try keyboard.setSize(tiny) } == ".argument(.viewSize)")
}

@Test func decryptionNamesItsCause() {
  let long = [UInt8](repeating: 0, count: 160)
  let odd = [UInt8](repeating: 0, count: 15)
  #expect(
    thrown { () throws(KeyboardError) in _ = try decrypt(long.span, way: .sm4, key: sm4Key.span) }
      == ".tooLong(.ciphertext)")
  #expect(
    thrown { () throws(KeyboardError) in _ = try decrypt(long.span, way: .sm4, key: odd.span) }
      == ".key(.length)")
  #expect(
    thrown { () throws(KeyboardError) in _ = try decrypt(odd.span, way: .sm4, key: sm4Key.span) }
      == ".undecryptable", "one error for every fault of the text, on purpose")
}
