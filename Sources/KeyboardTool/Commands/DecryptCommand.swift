// Ciphertext in, a password out: what the other end does.

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
      The password's bytes are printed and nothing else; on a terminal a newline
      follows them.

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
    try text.decodeHexadecimal(name: "the ciphertext")
    let password = try decrypted(text, under: key)
    try password.withBytes { bytes throws(Failure) in
      try bytes.withUnsafeBytes { bytes throws(Failure) in try writeOutput(bytes) }
    }
    if isatty(1) == 1 { try writeOutput("\n") }
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
