// A passcode, from the pad or from standard input, in an open keyboard.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct PasscodeOptions: ParsableArguments {
  @Flag(help: "A newline at the end of standard input belongs to the passcode.")
  var keepNewline = false

  private var isTyped: Bool { isatty(0) == 1 }
  private static let instead = "give the passcode on standard input"

  /// Lends a keyboard that has the passcode, and closes it.
  ///
  /// - Parameter purpose: what happens to the passcode: "to be checked".
  func withPasscode(_ purpose: String, _ padOptions: PadOptions, _ body: (Keyboard) throws -> Void) throws {
    let keyboard = try Keyboard()
    if isTyped {
      let terminal = try padOptions.openTerminal(otherwise: Self.instead)
      try padOptions.prepare(keyboard)
      try keyboard.open()
      try padOptions.pad(for: keyboard, purpose: purpose, on: terminal).run()
    } else {
      var passcode = try SecretBytes()
      try passcode.readPassword("the passcode", keepsNewline: keepNewline)
      try keyboard.open()
      try keyboard.input(passcode)
    }
    defer { try? keyboard.close() }
    try body(keyboard)
  }

  /// Lends a keyboard that has a new passcode, which was entered twice on the pad, and closes it. A passcode that the
  /// rules refuse is replaced by another one there.
  func withNewPasscode(
    _ purpose: String, rules: PasscodeRules, _ padOptions: PadOptions, _ body: (Keyboard) throws -> Void
  ) throws {
    guard isTyped else {
      throw Failure("Run this in a terminal, or leave out --twice: standard input has a passcode once.", .noInput)
    }
    let terminal = try padOptions.openTerminal(otherwise: Self.instead)
    var choice = try PasscodeChoice(rules: rules, padOptions.prepare)
    var hint = ""
    while true {
      try padOptions.pad(for: choice.keyboard, purpose: purpose, on: terminal).run(hint: hint)
      switch try choice.enter() {
      case .refused(let rule): hint = TerminalText.line(rule.message)
      case .typeAgain: hint = "Enter it again."
      case .different(let triesLeft): hint = "That was another one. Enter it again; tries left: \(triesLeft)."
      case .startOver: hint = "That was another one. Choose a passcode again."
      case .chosen(let keyboard):
        defer { try? keyboard.close() }
        return try body(keyboard)
      }
    }
  }
}
