// The integers of C that name a way, a scheme or a rule, and how this library answers.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CKeyboardStack
import CustomKeyboard
import KeyboardArguments
import KeyboardRules

/// What was wrong is kept for `CustomKeyboard_cause`.
let answering = Answers(of: Int32(KEYBOARD_CAUSE))

private func known<Value>(
  _ value: Value?, _ cause: KeyboardError.ArgumentCause
) throws(KeyboardError) -> Value {
  guard let value else { throw .argument(cause) }
  return value
}

extension Way {
  init(_ way: CUSTOM_ENCWAY) throws(KeyboardError) { self = try known(Self(code: way.rawValue), .unknownWay) }
}

extension EncryptionWay {
  init(_ way: CUSTOM_ENCWAY) throws(KeyboardError) { self = try known(Self(code: way.rawValue), .ecbWay) }
}

extension SealingWay {
  init(_ way: CUSTOM_ENCWAY) throws(KeyboardError) { self = try known(Self(code: way.rawValue), .sealingWay) }
}

extension PINBlockFormat {
  init(_ way: CUSTOM_ENCWAY) throws(KeyboardError) { self = try known(Self(code: way.rawValue), .pinWay) }
}

extension SigningWay {
  init(_ way: CUSTOM_SIGNWAY) throws(KeyboardError) { self = try known(Self(code: way.rawValue), .signingWay) }
}

extension DUKPTScheme {
  init(_ scheme: CUSTOM_DUKPT) throws(KeyboardError) { self = try known(Self(code: scheme.rawValue), .scheme) }
}

extension PasscodeRule {
  init(_ rule: CUSTOM_KEYBOARD_RULE) throws(KeyboardError) {
    self = try known(UInt8(exactly: rule.rawValue).flatMap(Self.init(rawValue:)), .rule)
  }
}
