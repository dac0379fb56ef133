// Where a passcode comes from, on its way into a keyboard.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardTerminal

enum PasscodeSource {
  /// The pad in the terminal, whatever standard input is.
  case pad
  case standardInput(keepsNewline: Bool)
  /// One newline at its end is removed.
  case file(String)

  private static let instead = "give the passcode on standard input"

  /// Lends a keyboard that has the passcode, and closes it.
  ///
  /// - Parameter purpose: what happens to the passcode: "to be checked".
  func withPasscode<Result: ~Copyable>(
    _ purpose: String, _ padOptions: PadOptions, _ body: (Keyboard) throws -> Result
  ) throws -> Result {
    let keyboard = try Keyboard()
    switch self {
    case .pad:
      let terminal = try padOptions.openTerminal(otherwise: Self.instead)
      try padOptions.prepare(keyboard)
      try keyboard.open()
      try padOptions.pad(for: keyboard, purpose: purpose, on: terminal).run()
    case .standardInput(let keepsNewline):
      var passcode = try SecretBytes()
      try passcode.readPassword("the passcode", keepsNewline: keepsNewline)
      try keyboard.open()
      try keyboard.input(passcode)
    case .file(let file):
      var passcode = try SecretBytes()
      try passcode.read(privateFile: file, kind: "passcode file", name: "the passcode")
      passcode.removeTrailingNewline()
      try keyboard.open()
      try keyboard.input(passcode)
    }
    defer { try? keyboard.close() }
    return try body(keyboard)
  }

  /// Lends a keyboard that has a new passcode, which was entered twice on the pad, and closes it. A passcode that the
  /// rules refuse is replaced by another one there.
  static func withChoice(
    _ purpose: String, rules: PasscodeRules, _ padOptions: PadOptions, _ body: (Keyboard) throws -> Void
  ) throws {
    let terminal = try padOptions.openTerminal(otherwise: instead)
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
