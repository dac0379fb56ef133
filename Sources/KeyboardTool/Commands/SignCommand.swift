// Signs a text.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal
import KeyboardText

struct SignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Signs the text on standard input, and prints the signature in hexadecimal digits.",
    discussion: """
      Any bytes can be signed, in a context. A sealed text does not say who sealed
      it; a signature of it does. No two signatures are alike.

      Examples:
        keyboard sign --way p256 --key-file private.pem --context challenge-17 < text
        keyboard sign --way rsa --key-file private.pem --hex < sealed.hex > signature.hex
      """)

  @OptionGroup var options: SignatureOptions

  mutating func run() throws {
    let key = try options.readKey(for: .signing)
    let text = try options.readText()
    try writeOutput(Hexadecimal.string(of: try signature(of: text, under: key)[...]) + "\n")
  }

  private func signature(of text: [UInt8], under key: borrowing SecretBytes) throws(Failure) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: options.way.signatureLengths.upperBound)
    var count = 0
    let key = key.bytes
    do throws(KeyboardError) {
      var span = signature.mutableSpan
      try span.withUnsafeMutableBytes { signature throws(KeyboardError) in
        try text.span.withUnsafeBytes { text throws(KeyboardError) in
          try options.contextOptions.withContext { context throws(KeyboardError) in
            count = try signText(text, way: options.way, key: key, context: context, into: signature)
          }
        }
      }
    } catch .key {
      throw Failure("Give another key: this one is not a private key for \(options.way.keys.name).", .data)
    } catch { throw Failure(error) }
    return Array(signature[..<count])
  }
}
