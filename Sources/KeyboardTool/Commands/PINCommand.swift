// What is done with the PIN of a block, without showing it: as a test of a host or of an HSM needs it.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardKeys
import KeyboardTerminal

struct PINCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin",
    abstract: "Translates PIN blocks of ISO 9564-1, and checks the PIN of one. No PIN is shown.",
    discussion: """
      `keyboard encrypt --way pin0` makes a block, and `keyboard dukpt` its key.

      Examples:
        keyboard pin translate --way pin0 --key-file a.hex --to-way pin4 --to-key-file b.hex --context 4012345678909
        keyboard pin check 10c0a8a2c9b3fa3d --way pin0 --key-file a.hex --context 4012345678909 < pin
      """,
    subcommands: [TranslatePINCommand.self, CheckPINCommand.self])
}

struct TranslatePINCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "translate",
    abstract: "Makes another PIN block of the one on standard input, both in hexadecimal digits.",
    discussion: """
      A PIN that is bound to a card stays bound to it: no block of pin0, pin3 or
      pin4 becomes one of pin1, or one for another card.

      Examples:
        keyboard pin translate --way pin0 --key-file a.hex --to-way pin4 \\
          --to-key-file b.hex --context 4012345678909 < block
        keyboard pin translate --way pin1 --key-file a.hex --to-way pin0 \\
          --to-key-file b.hex --context 4012345678909 < block
      """)

  @OptionGroup var block: PINBlockOptions

  @Option(help: "The format of the new block.")
  var toWay: PINBlockFormat

  @Option(
    help: ArgumentHelp("A file that holds the new block's key in hexadecimal digits.", valueName: "file"),
    completion: .file())
  var toKeyFile: String

  func validate() throws {
    guard !block.accountNumber.isEmpty || !toWay.hasAccountNumber else {
      throw ValidationError(PINBlockOptions.accountNumberIsMissing)
    }
  }

  mutating func run() throws {
    let key = try block.readKey()
    let newKey = try KeyReader(way: .pin(toWay), use: .encryption, key: nil, keyFile: toKeyFile).read()
    let digits = String(decoding: try readAll(0, name: "standard input"), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace)
    let keyboard = try Keyboard()
    do throws(KeyboardError) {
      try keyboard.setEncKey(newKey.span, pinBlock: toWay)
      if toWay.hasAccountNumber { try keyboard.setContext(block.accountNumber.span) }
    } catch .key {
      throw Failure.isSingleDES
    }
    try block.receive(digits.count == 1 ? digits[0] : "", under: key, into: keyboard)
    defer { try? keyboard.close() }
    let text: EncryptedText
    do throws(KeyboardError) { text = try keyboard.getText() } catch .refused {
      throw Failure("Take pin0, pin3 or pin4: a PIN that is bound to a card stays bound to it.", .notAllowed)
    }
    try writeOutput(text.hexadecimal + "\n")
  }
}

struct CheckPINCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Tells whether a PIN, from the pad or from standard input, is that of a PIN block.",
    discussion: """
      In a terminal, the PIN is entered on the pad; see `keyboard pad --help`.
      Otherwise it is read from standard input, and one newline at its end is
      removed. The exit code is 0 if it is right, and 77 if it is not.

      Examples:
        keyboard pin check 10c0a8a2c9b3fa3d --way pin0 --key-file key.hex --context 4012345678909 < pin
      """)

  @Argument(help: "The block in hexadecimal digits. Other users can read it while the program runs.")
  var digits: String

  @OptionGroup var block: PINBlockOptions

  @OptionGroup var padOptions: PadOptions

  @OptionGroup var passcodeOptions: PasscodeOptions

  mutating func run() throws {
    let key = try block.readKey()
    let received = try Keyboard()
    // Nobody should type a PIN before the block is a good one.
    try block.receive(digits, under: key, into: received)
    defer { try? received.close() }
    try passcodeOptions.withPasscode("to be compared with a PIN block", padOptions) { keyboard in
      guard try received.hasSamePassword(as: keyboard) else {
        throw Failure("The PIN is wrong: the block holds another one.", .notAllowed)
      }
    }
    try writeOutput("The PIN is right.\n")
  }
}
