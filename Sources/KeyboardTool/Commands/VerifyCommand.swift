// Verifies a signature.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal
import KeyboardText

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Tells whether a signature of the text on standard input is right.",
    discussion: """
      The exit code is 0 if it is, and 65 if it is not.

      Examples:
        keyboard verify --way p256 --key-file public.pem --context challenge-17 \\
          --signature-file signature.hex < text
        keyboard verify --way rsa --key-file public.pem --hex --signature 2f1c… < sealed.hex
      """)

  @OptionGroup var options: SignatureOptions

  @Option(help: ArgumentHelp("The signature in hexadecimal digits.", valueName: "hex"))
  var signature: String?

  @Option(
    help: ArgumentHelp("A file that holds the signature in hexadecimal digits.", valueName: "file"),
    completion: .file())
  var signatureFile: String?

  func validate() throws {
    guard (signature == nil) != (signatureFile == nil) else {
      throw ValidationError("Give --signature or --signature-file, one of them.")
    }
  }

  mutating func run() throws {
    let key = try options.readKey(for: .verification)
    let signature = try readSignature()
    let text = try options.readText()
    try verify(signature, of: text, under: key)
    try writeOutput("The signature is right.\n")
  }

  private func readSignature() throws(Failure) -> [UInt8] {
    var digits = signature ?? ""
    if let signatureFile { digits = String(decoding: try readFile(signatureFile), as: UTF8.self) }
    guard let bytes = Hexadecimal.bytes(of: digits.filter { !$0.isWhitespace }) else {
      throw Failure("Give the signature in pairs of hexadecimal digits, 0 to 9 and a to f, and nothing else.", .data)
    }
    return bytes
  }

  private func verify(
    _ signature: [UInt8], of text: [UInt8], under key: borrowing SecretBytes
  ) throws(Failure) {
    let key = key.bytes
    do throws(KeyboardError) {
      try signature.span.withUnsafeBytes { signature throws(KeyboardError) in
        try text.span.withUnsafeBytes { text throws(KeyboardError) in
          try options.contextOptions.withContext { context throws(KeyboardError) in
            try verifyText(signature, of: text, way: options.way, publicKey: key, context: context)
          }
        }
      }
    } catch .key {
      throw Failure("Give another key: this one is not a public key for \(options.way.keys.name).", .data)
    } catch .mismatch {
      throw Failure(
        "The signature is wrong: not of this text, in this context, by this key. Trust nothing of it.", .data)
    } catch { throw Failure(error) }
  }
}
