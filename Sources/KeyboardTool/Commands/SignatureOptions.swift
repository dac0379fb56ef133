// What sign and verify have in common: the key, the context and the text.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardKeys
import KeyboardTerminal
import KeyboardText

struct SignatureOptions: ParsableArguments {
  @Option(help: "The algorithm.")
  var way: SigningWay

  @Option(
    help: ArgumentHelp(
      "A file that holds the key in PEM or DER, or for p256 and sm2 in hexadecimal digits: the private key to sign, "
        + "the public key to verify.",
      valueName: "file"), completion: .file())
  var keyFile: String

  @OptionGroup var contextOptions: ContextOptions

  @Flag(help: "Standard input is hexadecimal digits, as encrypt prints them; their bytes are the text.")
  var hex = false

  func readKey(for use: KeyUse) throws(Failure) -> SecretBytes {
    try KeyReader(way: .sealed(way.keys), use: use, key: nil, keyFile: keyFile).read()
  }

  /// All of standard input. A text that is signed is not secret.
  func readText() throws(Failure) -> [UInt8] {
    if isatty(0) == 1 { writeMessage("The text, then Ctrl-D:\n") }
    let text = try readAll(0, name: "standard input")
    guard hex else { return text }
    let digits = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard digits.count == 1, let bytes = Hexadecimal.bytes(of: digits[0]) else {
      throw Failure("Give the text in pairs of hexadecimal digits, or leave out --hex.", .data)
    }
    return bytes
  }
}
