// What is done with what is typed, through the Swift interface: one rule. A key: SecretBytesTests, Tests/C/derive.c.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Testing

private func typed(_ passcode: String) throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.open()
  try keyboard.input(Array(passcode.utf8).span)
  return keyboard
}

@Test func oneRuleIsCheckedAndTheOthersStay() throws {
  let keyboard = try typed("123456")
  #expect(try keyboard.check([.minimumLength(7)])?.kind == .minimumLength)
  #expect(try keyboard.isRefused(by: .notRun(3)))
  #expect(try keyboard.isRefused(by: .notText("345")))
  #expect(try !keyboard.isRefused(by: .digits))
  #expect(try !keyboard.isRefused(by: .notDate("1984-03-07")))
  #expect(try keyboard.isRefused(by: .pattern("^[a-z]")))
  #expect(throws: KeyboardError.argument) { try keyboard.isRefused(by: .pattern("(")) }
  let long = String(repeating: "x", count: 257)
  #expect(throws: KeyboardError.tooLong) { try keyboard.isRefused(by: .notText(long)) }
  try keyboard.close()
  #expect(throws: KeyboardError.operationDisabled) { try keyboard.isRefused(by: .notText(long)) }
  #expect(throws: KeyboardError.argument) { try keyboard.isRefused(by: .notSame(1)) }
}
