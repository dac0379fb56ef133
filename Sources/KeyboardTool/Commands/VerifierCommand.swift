// Verifiers: what a server stores in place of a passcode.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardKeys
import KeyboardTerminal

struct VerifierCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verifier",
    abstract: "Makes and checks what a server stores in place of a passcode.",
    discussion: """
      Examples:
        keyboard verifier make --pepper-file pepper.hex > verifier
        keyboard verifier check --pepper-file pepper.hex --verifier-file verifier
      """,
    subcommands: [MakeVerifierCommand.self, CheckVerifierCommand.self])
}

struct MakeVerifierCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make",
    abstract: "Prints a verifier of a passcode, from the pad or from standard input.",
    discussion: """
      In a terminal, the passcode is entered on the pad; see `keyboard pad --help`.
      Otherwise it is read from standard input, up to 128 bytes of UTF-8, and one
      newline at its end is removed.

      The verifier is a PHC string of Argon2id with 19 MiB and two passes, different
      each time. It does not protect a PIN from anyone who has it and the pepper.

      Examples:
        keyboard verifier make --twice > verifier
        keyboard verifier make --pepper-file pepper.hex < passcode
        (umask 077; openssl rand -hex 32 > pepper.hex)     makes a pepper
      """)

  @OptionGroup var pepperOption: PepperOption

  @Flag(help: "Enter the passcode twice on the pad.")
  var twice = false

  @OptionGroup var padOptions: PadOptions

  @OptionGroup var passcodeOptions: PasscodeOptions

  mutating func run() throws {
    let pepper = try pepperOption.read()
    func write(_ keyboard: Keyboard) throws {
      try writeOutput(keyboard.makeVerifier(pepper: pepper.span).string + "\n")
    }
    let purpose = "for a verifier"
    if twice {
      try passcodeOptions.withNewPasscode(purpose, rules: [], padOptions, write)
    } else {
      try passcodeOptions.withPasscode(purpose, padOptions, write)
    }
  }
}

struct CheckVerifierCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Tells whether a passcode, from the pad or from standard input, is that of a verifier.",
    discussion: """
      In a terminal, the passcode is entered on the pad; see `keyboard pad --help`.
      Otherwise it is read from standard input, up to 128 bytes of UTF-8, and one
      newline at its end is removed.

      The exit code is 0 if it is right, and 77 if it is not. Verifiers are PHC
      strings of Argon2id and, for import and without a pepper only, $sha256d$ and
      $sha256x2$ with 64 hexadecimal digits.

      Examples:
        keyboard verifier check --verifier-file verifier
        keyboard verifier check --pepper-file pepper.hex '$argon2id$v=19$…' < passcode
      """)

  @Argument(help: "The verifier, in single quotation marks. Other users can read it while the program runs.")
  var verifier: String?

  @Option(help: ArgumentHelp("A file that holds the verifier.", valueName: "file"), completion: .file())
  var verifierFile: String?

  @OptionGroup var pepperOption: PepperOption

  @OptionGroup var padOptions: PadOptions

  @OptionGroup var passcodeOptions: PasscodeOptions

  func validate() throws {
    guard (verifier == nil) != (verifierFile == nil) else {
      throw ValidationError("Give a verifier or --verifier-file, one of them.")
    }
  }

  mutating func run() throws {
    let verifier = try readVerifier()
    let pepper = try pepperOption.read()
    func isRight(_ keyboard: Keyboard) throws(KeyboardError) -> Bool {
      try keyboard.check(verifier, pepper: pepper.span)
    }
    // A keyboard that is not open looks at the verifier's form only: nobody should type before the verifier is right.
    do { _ = try isRight(Keyboard()) } catch .operationDisabled {}
    try passcodeOptions.withPasscode("to be checked", padOptions) { keyboard in
      guard try isRight(keyboard) else {
        throw Failure("The passcode is wrong: not that of this verifier, with this pepper.", .notAllowed)
      }
    }
    try writeOutput("The passcode is right.\n")
    if !verifier.string.hasPrefix("$argon2id$") {
      writeMessage("keyboard: warning: this verifier has no salt. Make a new one of the passcode, and store that.\n")
    }
  }

  /// The verifier, without white space around it.
  private func readVerifier() throws(Failure) -> PasscodeVerifier {
    var text = verifier ?? ""
    if let verifierFile { text = String(decoding: try readFile(verifierFile), as: UTF8.self) }
    let words = text.split(whereSeparator: \.isWhitespace)
    return PasscodeVerifier(words.count == 1 ? String(words[0]) : text)
  }
}
