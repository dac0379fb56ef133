// What is done with what is typed, through the Swift interface: one rule, a key.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Testing

private func typed(_ passcode: String) throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.open()
  try keyboard.input(Array(passcode.utf8).span)
  return keyboard
}

private func key(
  of keyboard: Keyboard, salt: String = "saltsalt", pepper: String = "", _ memory: UInt32 = 0, _ passes: UInt32 = 0,
  count: Int = 32
) throws -> String {
  var key = [UInt8](repeating: 0, count: count)
  var span = key.mutableSpan
  try keyboard.deriveKey(
    salt: Array(salt.utf8).span, pepper: Array(pepper.utf8).span, memoryKiB: memory, passes: passes, into: &span)
  return key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

/// Of libargon2: argon2_ctx with the associated data "CustomKeyboard key".
@Test func aDerivedKeyIsArgon2idsWithANameOfItsOwn() throws {
  let keyboard = try typed("483725")
  #expect(try key(of: keyboard) == "f5d5ca0cd209d603377bcd9b452ef0af72aacbd0b7d1a37364f3768c0f1f84ad")
  let peppered = "c70e0000e1469e5f1630371b9133b283155c40811882e4f2c051433ea70d06ec"
  #expect(try key(of: keyboard, pepper: "pepper", 19_456, 2) == peppered)
  let other = try typed("483726")
  #expect(try key(of: other) != key(of: keyboard))
}

@Test func aKeyIsDerivedOfRightLengthsAndCostsOnly() throws {
  func cause(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "none"
    } catch { return String(reflecting: error).split(separator: ":").first.map(String.init) ?? "" }
  }
  let keyboard = try typed("483725")
  #expect(cause { _ = try key(of: keyboard, salt: "short", 8, 1) } == "KeyboardError.argument(.salt)")
  #expect(cause { _ = try key(of: keyboard, 8, 1, count: 15) } == "KeyboardError.argument(.keyLength)")
  #expect(cause { _ = try key(of: keyboard, 8, 0) } == "KeyboardError.argument(.costs)")
  #expect(cause { _ = try key(of: keyboard, 0, 2) } == "KeyboardError.argument(.costs)")
  #expect(cause { _ = try key(of: keyboard, 8, 600_000) } == "KeyboardError.argument(.costs)")
  let long = String(repeating: "p", count: 65)
  #expect(cause { _ = try key(of: keyboard, pepper: long, 8, 1) } == "KeyboardError.tooLong(.pepper)")
  #expect(cause { _ = try key(of: try Keyboard(), pepper: long, 8, 1) } == "KeyboardError.operationDisabled(.notOpen)")
  #expect(cause { _ = try key(of: try Keyboard(), salt: "", 8, 1) } == "KeyboardError.argument(.salt)")
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
