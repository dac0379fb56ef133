// Layout and touch in the Swift interface: keys as values, touches in, closures out.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Synchronization
import Testing

private let key = Array("8907654329807654".utf8)

private func keyboard(
  _ kind: LayoutKind, shuffle: ShuffleKind = .eachOpening, maximumCount: Int = 0
) throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.setEncKey(key.span, way: .sm4)
  try keyboard.setLayout(kind, shuffle: shuffle, maximumCount: maximumCount)
  try keyboard.open()
  return keyboard
}

private func typed(_ keyboard: Keyboard) throws -> String {
  let text = Array(try keyboard.getText().bytes)
  let password = try decrypt(text.span, way: .sm4, key: key.span)
  return password.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
}

extension Keyboard {
  /// Touches the middle of the key with this label.
  fileprivate func touch(_ label: String) throws {
    let key = try #require(try keys().first { $0.label == label })
    try touch(x: key.x + key.width / 2, y: key.y + key.height / 2)
  }
}

@Test func whatIsTouchedIsTyped() throws {
  let keyboard = try keyboard(.letters)
  for label in ["shift", "K", "g", "123", "8", "#+=", "@", "abc", "x", "delete", "space", "y"] {
    try keyboard.touch(label)
  }
  #expect(keyboard.count == 6)
  #expect(try typed(keyboard) == "Kg8@ y")
}

@Test func theFieldAndTheOKActionAreCalled() throws {
  let keyboard = try keyboard(.pin, maximumCount: 4)
  let counts = Mutex<[Int]>([])
  let texts = Mutex<[String]>([])
  keyboard.setTextField { count in counts.withLock { $0.append(count) } }
  keyboard.setOKAction { keyboard in
    // A callback may call all of these.
    let hexadecimal = (try? keyboard.getText().hexadecimal) ?? ""
    texts.withLock { $0.append(hexadecimal) }
    try? keyboard.close()
  }
  for label in ["1", "2", "delete", "3", "4", "5"] { try keyboard.touch(label) }
  #expect(counts.withLock { $0 } == [1, 2, 1, 2, 3, 4])
  #expect(texts.withLock { $0.count } == 1)
  #expect(throws: KeyboardError.operationDisabled) { try keyboard.pressKey(at: 0) }

  let text = texts.withLock { $0[0] }.map { UInt8($0.hexDigitValue!) }
  let bytes = stride(from: 0, to: text.count, by: 2).map { text[$0] << 4 | text[$0 + 1] }
  let password = try decrypt(bytes.span, way: .sm4, key: key.span)
  #expect(password.withBytes { bytes in bytes.indices.map { bytes[$0] } } == Array("1345".utf8))
}

@Test func closuresAreRemoved() throws {
  let keyboard = try keyboard(.pin)
  let calls = Mutex(0)
  keyboard.setTextField { _ in calls.withLock { $0 += 1 } }
  try keyboard.touch("1")
  keyboard.setTextField(nil)
  try keyboard.touch("1")
  #expect(calls.withLock { $0 } == 1)
}

@Test func keysAreDescribedInWordsAndSilentUnlessAsked() throws {
  let keyboard = try keyboard(.symbols)
  let keys = try keyboard.keys()
  #expect(keys.allSatisfy { !$0.mayBeSpoken })
  #expect(try keyboard.keys(spoken: true).allSatisfy(\.mayBeSpoken))
  #expect(keys.filter { $0.role == .character }.allSatisfy { $0.accessibilityLabel != $0.label })
  #expect(keys.first { $0.label == "!" }?.accessibilityLabel == "exclamation mark")
  try keyboard.touch("abc")
  try keyboard.touch("shift")
  #expect(try keyboard.keys().first { $0.label == "Q" }?.accessibilityLabel == "capital Q")
}
