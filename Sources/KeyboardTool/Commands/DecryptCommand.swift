// Turns ciphertext into a password, as the receiver of a ciphertext does.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct DecryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt",
    abstract: "Decrypts the ciphertext on standard input, in hexadecimal digits, and prints the password.",
    discussion: """
      A pipe or a file gets the password's bytes and nothing else. On a terminal
      a newline follows, and what a terminal would obey or reorder is shown as
      an escape: \\u{1b} for a control character or a mark of text direction,
      \\x9b for a byte that is not UTF-8. Then a backslash is shown as \\\\, and
      standard error says so. Without a UTF-8 locale, only ASCII is shown.

      Examples:
        keyboard decrypt --key-file key.hex < ciphertext.hex
        keyboard pad --key-file key.hex | keyboard decrypt --key-file key.hex
        keyboard decrypt --way 3des < ciphertext.hex       asks for the key
      """)

  @OptionGroup var keyOptions: KeyOptions

  mutating func run() throws {
    let key = try keyOptions.readKey()
    if isatty(0) == 1 { writeMessage("Ciphertext in hexadecimal digits, then Ctrl-D:\n") }
    var text = try SecretBytes()
    try text.read(from: 0, name: "standard input")
    guard !text.isBlank else { throw Failure.emptyInput("the ciphertext") }
    try text.decodeHexadecimal(name: "the ciphertext")
    let password = try decrypted(text, under: key)
    try password.withBytes { bytes throws(Failure) in
      try bytes.withUnsafeBytes { bytes throws(Failure) in
        if isatty(1) == 1 { try show(bytes) } else { try writeOutput(bytes) }
      }
    }
  }

  private func show(_ password: UnsafeRawBufferPointer) throws(Failure) {
    let isAmbiguous = TerminalText.needsEscapes(password)
    if isAmbiguous {
      writeMessage(
        "keyboard: the password is shown with \\u{…} or \\x… for what a terminal would obey, and \\\\ for \\. "
          + "A pipe or a file gets its bytes.\n")
    }
    var failure: Failure?
    do {
      var output = WipedOutput { bytes in
        do throws(Failure) { try writeOutput(bytes) } catch { failure = error }
      }
      output.append(password, escaped: isAmbiguous)
      output.append("\n")
      output.flush()
    }
    if let failure { throw failure }
  }

  private func decrypted(
    _ text: borrowing SecretBytes, under key: borrowing SecretBytes
  ) throws(KeyboardError) -> Password {
    let way = keyOptions.way
    return try text.withSpan { text throws(KeyboardError) in
      try key.withSpan { key throws(KeyboardError) in try decrypt(text, way: way, key: key) }
    }
  }
}
