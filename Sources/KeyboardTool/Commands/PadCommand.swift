// The keyboard in a terminal, with its ciphertext on standard output.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardKeys
import KeyboardTerminal

struct PadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pad",
    abstract: "Shows a shuffled keyboard in the terminal, and prints the ciphertext of what was tapped on it.",
    discussion: """
      Move with the arrow keys or Tab and press with Enter or Space, or click.
      What is typed on the real keyboard is ignored, on purpose: a keylogger
      could read it. The return key ends the input, and on a PIN pad the last
      digit. The ciphertext, in hexadecimal digits, is all that goes to standard
      output, so that it can be piped; the picture goes to the terminal. Esc and
      Ctrl-C leave without a ciphertext. NO_COLOR turns colours off.

      Examples:
        keyboard pad --key-file public.pem --context challenge-17
        keyboard pad --key-file public.pem --maximum 4 --shuffle each-key
        keyboard pad --layout mixed --way 3des --key-file key.hex > ciphertext.hex
      """)

  @OptionGroup var padOptions: PadOptions

  @OptionGroup var keyOptions: KeyOptions

  @OptionGroup var contextOptions: ContextOptions

  func validate() throws { try contextOptions.validate(for: keyOptions.way) }

  mutating func run() throws {
    let terminal = try padOptions.openTerminal(otherwise: "use `keyboard encrypt`")
    let keyboard = try Keyboard()
    try keyOptions.prepare(keyboard, contextOptions)
    try padOptions.prepare(keyboard)
    try keyboard.open()
    defer { try? keyboard.close() }
    try padOptions.pad(for: keyboard, purpose: "to be encrypted with \(keyOptions.way.name)", on: terminal).run()
    try writeOutput(keyOptions.text(of: keyboard).hexadecimal + "\n")
  }
}
