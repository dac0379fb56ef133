// Turns a password into ciphertext.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardKeys
import KeyboardTerminal
import KeyboardText

struct EncryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt",
    abstract: "Encrypts the password on standard input, and prints the ciphertext in hexadecimal digits.",
    discussion: """
      The password is up to 128 bytes of UTF-8. It is read from standard input,
      never from an argument: other users can read arguments. One newline at its
      end is removed. On a terminal it is asked for, and not shown.

      Examples:
        keyboard encrypt --key-file public.pem --context challenge-17 < password
        pass show bank | keyboard encrypt --way p256 --key-file public.pem
        keyboard encrypt --way 3des --key-file key.hex --space < password
        keyboard encrypt --way pin0 --key-file pin.hex --context 4012345678909 < pin

      The first two make sealed texts: only the private key opens them, only
      unaltered, and only with the same context. The last one makes a PIN block of
      ISO 9564-1, for the card of this number.
      """)

  @OptionGroup var keyOptions: KeyOptions

  @OptionGroup var contextOptions: ContextOptions

  @Flag(help: "Print all 2048 bytes that an app sends; the ciphertext's place in them goes to standard error.")
  var space = false

  @Flag(help: "A newline at the end belongs to the password.")
  var keepNewline = false

  func validate() throws { try contextOptions.validate(for: keyOptions.way) }

  mutating func run() throws {
    let text = try encrypt()
    if space {
      writeMessage("offset \(text.range.lowerBound), length \(text.range.count)\n")
      try writeOutput(Hexadecimal.string(of: text.space[...]) + "\n")
    } else {
      try writeOutput(text.hexadecimal + "\n")
    }
  }

  private func encrypt() throws -> EncryptedText {
    let keyboard = try Keyboard()
    try keyOptions.prepare(keyboard, contextOptions)
    var password = try SecretBytes()
    if isatty(0) == 1, let terminal = Terminal() {
      try terminal.ask("Password (not shown): ", into: &password)
    } else {
      try password.readPassword("the password", keepsNewline: keepNewline)
    }
    try keyboard.open()
    try keyboard.input(password)
    let text = try keyOptions.text(of: keyboard)
    try keyboard.close()
    return text
  }
}
