// The C functions called from many threads; `make test` runs this under the thread sanitizer.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CustomKeyboardC
import Foundation
import Testing

private let key = Array("8907654329807654".utf8)
private let threadCount = 16

/// Runs `body` on 16 threads and waits for all.
private func onThreads(_ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for index in 0..<threadCount {
    group.enter()
    Thread.detachNewThread {
      body(index)
      group.leave()
    }
  }
  group.wait()
}

private func openKeyboard() -> CUSTOM_KEYBOARD {
  var keyboard: CUSTOM_KEYBOARD = 0
  #expect(CustomKeyboard_create(&keyboard) == CUSTOM_KEYBOARD_OK)
  #expect(CustomKeyboard_setEncKey(keyboard, key, key.count, CUSTOM_ENCWAY_SM4) == CUSTOM_KEYBOARD_OK)
  #expect(CustomKeyboard_open(keyboard) == CUSTOM_KEYBOARD_OK)
  return keyboard
}

/// Calls getText and decrypt. Returns the password, or nil if a call was refused.
private func roundTrip(_ keyboard: CUSTOM_KEYBOARD) -> [UInt8]? {
  var space = [UInt8](repeating: 0, count: 400)
  var (offset, length) = (0, 0)
  guard CustomKeyboard_getText(keyboard, &space, space.count, &offset, &length) == CUSTOM_KEYBOARD_OK else {
    return nil
  }
  let text = Array(space[offset..<offset + length])
  var clear = [UInt8](repeating: 0, count: 400)
  guard
    CustomKeyboard_decrypt(
      CUSTOM_ENCWAY_SM4, key, key.count, text, text.count, &clear, clear.count, &offset, &length) == CUSTOM_KEYBOARD_OK
  else { return nil }
  return Array(clear[offset..<offset + length])
}

@Test func sixteenThreadsOverAThousandKeyboards() throws {
  let keyboards = (0..<1000).map { _ in openKeyboard() }
  for (index, keyboard) in keyboards.enumerated() {
    let password = Array("password \(index)".utf8)
    try #require(CustomKeyboard_input(keyboard, password, password.count) == CUSTOM_KEYBOARD_OK, "\(index)")
  }
  onThreads { thread in
    // Each thread uses a quarter of the keyboards, in its own order; each keyboard is used by four threads.
    for step in 0..<keyboards.count / 4 {
      let index = (step * 7 + thread * 250) % keyboards.count
      guard roundTrip(keyboards[index]) == Array("password \(index)".utf8) else {
        Issue.record("thread \(thread), keyboard \(index): not its password")
        return
      }
    }
  }
  for keyboard in keyboards { try #require(CustomKeyboard_destroy(keyboard) == CUSTOM_KEYBOARD_OK) }
}

@Test func sixteenThreadsOnOneKeyboard() {
  let keyboard = openKeyboard()
  onThreads { _ in
    for _ in 0..<100 {
      // Only whole characters, in any order: the text stays a row of a's, never too long and never half a character.
      _ = CustomKeyboard_input(keyboard, Array("ab".utf8), 1)
      let text = roundTrip(keyboard)
      _ = CustomKeyboard_deleteBackward(keyboard)
      var count = 0
      let rv = CustomKeyboard_count(keyboard, &count)
      guard text?.allSatisfy({ $0 == UInt8(ascii: "a") }) == true, rv == CUSTOM_KEYBOARD_OK, (0...128).contains(count)
      else {
        Issue.record("text \(text as Any), count \(count) with code \(rv.rawValue)")
        return
      }
    }
  }
  #expect(CustomKeyboard_destroy(keyboard) == CUSTOM_KEYBOARD_OK)
}

@Test func destroyingWhileOthersCallIsSafe() throws {
  for _ in 0..<50 {
    let keyboard = openKeyboard()
    let password = Array("kgcx879@".utf8)
    try #require(CustomKeyboard_input(keyboard, password, password.count) == CUSTOM_KEYBOARD_OK)
    onThreads { thread in
      if thread == 7 {
        #expect(CustomKeyboard_destroy(keyboard) == CUSTOM_KEYBOARD_OK)
      } else {
        let text = roundTrip(keyboard)
        #expect(text == nil || text == password)
      }
    }
    try #require(CustomKeyboard_destroy(keyboard) == CUSTOM_KEYBOARD_ARGUMENT)
  }
}
