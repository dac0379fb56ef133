// A passcode, from the pad or from standard input, in an open keyboard.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal

struct PasscodeOptions: ParsableArguments {
  @Flag(help: "A newline at the end of standard input belongs to the passcode.")
  var keepNewline = false

  private var isTyped: Bool { isatty(0) == 1 }

  /// Lends a keyboard that has the passcode, and closes it.
  ///
  /// - Parameter purpose: what happens to the passcode: "to be checked".
  func withPasscode<Result: ~Copyable>(
    _ purpose: String, _ padOptions: PadOptions, _ body: (Keyboard) throws -> Result
  ) throws -> Result {
    let source = isTyped ? PasscodeSource.pad : .standardInput(keepsNewline: keepNewline)
    return try source.withPasscode(purpose, padOptions, body)
  }

  /// Lends a keyboard that has a new passcode, which was entered twice on the pad, and closes it. A passcode that the
  /// rules refuse is replaced by another one there.
  func withNewPasscode(
    _ purpose: String, rules: PasscodeRules, _ padOptions: PadOptions, _ body: (Keyboard) throws -> Void
  ) throws {
    guard isTyped else {
      throw Failure("Run this in a terminal, or leave out --twice: standard input has a passcode once.", .noInput)
    }
    try PasscodeSource.withChoice(purpose, rules: rules, padOptions, body)
  }

  /// Lends a keyboard that has a new passcode, and closes it: from the pad, where it is entered twice, or once from
  /// standard input.
  func withChosenPasscode(_ purpose: String, _ padOptions: PadOptions, _ body: (Keyboard) throws -> Void) throws {
    if isTyped {
      try PasscodeSource.withChoice(purpose, rules: [], padOptions, body)
    } else {
      try withPasscode(purpose, padOptions, body)
    }
  }
}
