// Turns ciphertext into a password, as the receiver of a ciphertext does.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardKeys
import KeyboardTerminal

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
        keyboard decrypt --key-file private.pem --context challenge-17 < sealed.hex
        keyboard pad --key-file public.hex | keyboard decrypt --key-file private.hex
        keyboard decrypt --way 3des < ciphertext.hex       asks for the key
      """)

  @OptionGroup var keyOptions: KeyOptions

  @OptionGroup var contextOptions: ContextOptions

  func validate() throws {
    if case .pin = keyOptions.way {
      throw ValidationError(
        "No PIN is shown: `keyboard pin check` tells whether a block holds it, and `keyboard pin translate` makes "
          + "another block of it.")
    }
    try contextOptions.validate(for: keyOptions.way)
  }

  mutating func run() throws {
    let key = try keyOptions.readKey(for: .decryption)
    if isatty(0) == 1 { writeMessage("Ciphertext in hexadecimal digits, then Ctrl-D:\n") }
    var text = try SecretBytes()
    try text.read(from: 0, name: "standard input")
    guard !text.isBlank else { throw Failure.emptyInput("the ciphertext") }
    try text.decodeHexadecimal(name: "the ciphertext")
    let password = try decrypted(text, under: key)
    try writeSecret(password.bytes, "the password")
  }

  private func decrypted(
    _ text: borrowing SecretBytes, under key: borrowing SecretBytes
  ) throws(Failure) -> SecretBytes {
    if case .sealed(let way) = keyOptions.way, !way.textLengths.contains(text.count) {
      let (shortest, longest) = (2 * way.textLengths.lowerBound, 2 * way.textLengths.upperBound)
      let digits = shortest == longest ? "\(longest)" : "\(shortest) to \(longest)"
      throw Failure(
        "Give a sealed text of \(digits) hexadecimal digits for \(way.name); this one has "
          + "\(2 * text.count).", .data)
    }
    var password = try SecretBytes()
    let (text, key) = (text.bytes, key.bytes)
    do throws(KeyboardError) {
      switch keyOptions.way {
      case .ecb(let way):
        try password.fill { space throws(KeyboardError) in try decrypt(text, way: way, key: key, into: space) }
      case .sealed(let way):
        try contextOptions.withContext { context throws(KeyboardError) in
          try password.fill { space throws(KeyboardError) in
            try unseal(text, way: way, key: key, context: context, into: space)
          }
        }
      case .pin: throw .argument  // `validate` has refused it.
      }
    } catch {
      guard case .sealed(let way) = keyOptions.way else { throw Failure(error) }
      switch error {
      case .key:
        throw Failure(
          "Give another key: this one is not a private key for \(way.name)\(keyOptions.way.keySizes).", .data)
      case .undecryptable:
        throw Failure(
          "Check that the way, the key and the context are those of the sealed text, and that it is whole and "
            + "unaltered.", .data)
      default: throw Failure(error)
      }
    }
    return password
  }
}
