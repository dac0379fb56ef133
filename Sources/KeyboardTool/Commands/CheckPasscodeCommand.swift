// Checks a passcode that somebody chooses.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal

struct CheckPasscodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-passcode",
    abstract: "Tells whether rules accept a passcode, from the pad or from standard input.",
    discussion: """
      In a terminal, the passcode is entered on the pad; see `keyboard pad --help`.
      Otherwise it is read from standard input, up to 128 bytes of UTF-8, and one
      newline at its end is removed. It is never an argument: other users can read
      arguments.

      The exit code is 0 if all rules accept it, and 77 if one refuses it; what to
      tell the person then goes to standard error. Rules are for choosing a
      passcode, not for logging in.

      A file of rules is an array of objects. Rules have their names in Swift, and
      a number, a text or neither; a message may replace the library's:
        [{"rule": "minimumLength", "number": 6, "message": "Six digits, please."},
         {"rule": "notDate", "text": "1987-04-23"},
         {"rule": "notPhone", "text": "010-8765-4321", "number": 4},
         {"rule": "notCommon"}]

      Examples:
        keyboard check-passcode --digits --minimum-length 6 --not-common
        keyboard check-passcode --rules rules.json --maximum 8 --twice
        pass show bank | keyboard check-passcode --minimum-length 8 --not-text bank
      """)

  @OptionGroup var ruleOptions: RuleOptions

  @Flag(help: "Enter the passcode twice on the pad, and another one if a rule refuses it.")
  var twice = false

  @OptionGroup var padOptions: PadOptions

  @OptionGroup var passcodeOptions: PasscodeOptions

  mutating func run() throws {
    let (rules, purpose) = (try ruleOptions.read(), "to be checked")
    if twice {
      try passcodeOptions.withNewPasscode(purpose, rules: rules, padOptions) { _ in }
    } else {
      try passcodeOptions.withPasscode(purpose, padOptions) { keyboard in
        if let rule = try keyboard.check(rules) { throw Failure(rule.message, .notAllowed) }
      }
    }
    try writeOutput("The passcode is accepted.\n")
  }
}
