// The keyboard in a terminal, with its ciphertext on standard output.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardLayout

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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
        keyboard pad --key-file key.hex
        keyboard pad --key-file key.hex --maximum 4 --shuffle each-key
        keyboard pad --layout mixed --way 3des --key-file key.hex > ciphertext.hex
        keyboard pad --way x25519 --key-file public.pem --context challenge-17
      """)

  @Option(help: "The keys.")
  var layout: LayoutKind = .pin

  @Option(help: "When keys change places.")
  var shuffle: ShuffleKind = .eachOpening

  @Option(help: "So many characters complete the input; 6 for a PIN, and none else, unless told otherwise.")
  var maximum: Int?

  @OptionGroup var keyOptions: KeyOptions

  func validate() throws {
    guard let maximum else { return }
    guard (1...128).contains(maximum) else { throw ValidationError("Give a --maximum from 1 to 128.") }
  }

  mutating func run() throws {
    guard let terminal = Terminal() else {
      throw Failure(
        "Run this in a terminal: the pad is drawn there. Without one, use `keyboard encrypt`.", .noInput)
    }
    guard getenv("TERM").map({ String(cString: $0) }) != "dumb" else {
      throw Failure("Run this in a terminal that can place its cursor; this one says TERM=dumb.", .noInput)
    }
    let maximumCount = maximum ?? (layout == .pin ? 6 : 0)
    let keyboard = try Keyboard()
    try keyOptions.prepare(keyboard)
    try keyboard.setLayout(layout, shuffle: shuffle, maximumCount: maximumCount)
    let what = layout == .pin ? "PIN" : "Password"
    let pad = Pad(
      keyboard, kind: layout, maximumCount: maximumCount, title: "\(what), to be encrypted with \(keyOptions.way.name)",
      terminal: terminal)
    let text = try pad.run()
    try writeOutput(text.hexadecimal + "\n")
  }
}
