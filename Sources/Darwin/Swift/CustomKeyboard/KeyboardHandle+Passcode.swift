// What is done with a passcode on phones without showing it: rules, comparison, verifiers, keys.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
package import KeyboardCodes
package import KeyboardRules

extension KeyboardHandle {
  package func addRule(
    _ kind: PasscodeRule, number count: Int, text: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try check(CustomKeyboard_addRule(number, CUSTOM_KEYBOARD_RULE(kind), count, text.bytes, text.count))
  }

  package func clearRules() throws(KeyboardError) { try check(CustomKeyboard_clearRules(number)) }

  /// - Returns: the index, in the order of adding, of the first rule that refuses what is typed.
  package func firstBrokenRule() throws(KeyboardError) -> Int? {
    var index = 0
    let answer = CustomKeyboard_check(number, &index)
    return try check(answer, or: CUSTOM_KEYBOARD_REFUSED) ? nil : index
  }

  /// - Returns: whether the rule refuses what is typed.
  package func isRefused(
    by kind: PasscodeRule, number count: Int, text: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Bool {
    let answer = CustomKeyboard_checkRule(number, CUSTOM_KEYBOARD_RULE(kind), count, text.bytes, text.count)
    return try !check(answer, or: CUSTOM_KEYBOARD_REFUSED)
  }

  /// Whether the same is typed in both.
  package func hasSamePassword(as other: KeyboardHandle) throws(KeyboardError) -> Bool {
    try check(CustomKeyboard_compare(number, other.number), or: CUSTOM_KEYBOARD_MISMATCH)
  }

  /// - Parameter output: gets the verifier, and a NUL.
  /// - Returns: the verifier's length.
  package func makeVerifier(
    pepper: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Int {
    var length = 0
    let answer = CustomKeyboard_makeVerifier(
      number, pepper.bytes, pepper.count, output.baseAddress?.assumingMemoryBound(to: CChar.self), output.count,
      &length)
    try check(answer, needed: length)
    return length
  }

  /// - Returns: whether what is typed is the verifier's password.
  package func checkVerifier(
    _ verifier: UnsafeRawBufferPointer, pepper: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Bool {
    // In C it would end there.
    guard !verifier.contains(0) else { throw .argument(.verifier) }
    let text = verifier.map { CChar(bitPattern: $0) } + [0]
    return try check(
      CustomKeyboard_checkVerifier(number, pepper.bytes, pepper.count, text), or: CUSTOM_KEYBOARD_MISMATCH)
  }

  /// The lengths of keys that `deriveKey` makes.
  static var keyCounts: ClosedRange<Int> { 16...64 }

  package func deriveKey(
    salt: UnsafeRawBufferPointer, pepper: UnsafeRawBufferPointer, memorySize: UInt32, passCount: UInt32,
    into key: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) {
    try check(
      CustomKeyboard_deriveKey(
        number, salt.bytes, salt.count, pepper.bytes, pepper.count, memorySize, passCount, key.bytes, key.count))
  }
}

extension CUSTOM_KEYBOARD_RULE {
  fileprivate init(_ kind: PasscodeRule) { self.init(rawValue: UInt32(kind.rawValue)) }
}
