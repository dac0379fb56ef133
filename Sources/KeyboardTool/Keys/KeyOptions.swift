// The options for the key and the algorithm of a password's text.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardCipher
import KeyboardTerminal

package struct KeyOptions: ParsableArguments {
  package init() {}

  @Option(help: "The algorithm: of sealed texts; of ECB, for old peers; of PIN blocks, which payment networks take.")
  package var way: Way = .sealed(.x25519)

  @Option(
    help: ArgumentHelp(
      "A file that holds the key in hexadecimal digits, base64url or bytes, or for x25519, p256, sm2 and rsa in PEM or "
        + "DER; without it and --key the key is asked for.",
      valueName: "file"), completion: .file())
  package var keyFile: String?

  @Option(
    help: ArgumentHelp(
      "The key itself. Other users of this machine can read it while the program runs: use it for public keys and for "
        + "tests only.",
      valueName: "hex"))
  package var key: String?

  package func validate() throws {
    if key != nil && keyFile != nil { throw ValidationError("Give --key-file or --key, not both.") }
  }

  /// Reads the key, and gives it to a keyboard, with the context.
  ///
  /// - Throws: a failure that says what to do, before anything is read but the key.
  package func prepare(_ keyboard: Keyboard, _ contextOptions: ContextOptions) throws(Failure) {
    let key = try readKey(for: .encryption)
    do throws(KeyboardError) {
      switch way {
      case .ecb(let way): try keyboard.setEncKey(key.span, way: way)
      case .sealed(let way):
        try keyboard.setEncKey(key.span, sealing: way)
        try contextOptions.withContext { context throws(KeyboardError) in
          try keyboard.setContext(context.bindMemory(to: UInt8.self).span)
        }
      case .pin(let format):
        try keyboard.setEncKey(key.span, pinBlock: format)
        try contextOptions.withContext { context throws(KeyboardError) in
          try keyboard.setContext(context.bindMemory(to: UInt8.self).span)
        }
      }
    } catch .key {
      if case .pin = way { throw .isSingleDES }
      throw Failure("Give another key: this one is not a public key for \(way.name)\(way.keySizes).", .data)
    } catch { throw Failure(error) }
  }

  /// What a keyboard makes of what is typed.
  package func text(of keyboard: Keyboard) throws(Failure) -> EncryptedText {
    do throws(KeyboardError) { return try keyboard.getText() } catch .refused {
      throw Failure("Give a PIN of 4 to 12 digits: a block of \(way.name) holds nothing else.", .data)
    } catch { throw Failure(error) }
  }

  /// The key, of a length that is right for the algorithm.
  ///
  /// - Throws: a failure that says what to do, before anything is read but the key.
  package func readKey(for use: KeyUse) throws(Failure) -> SecretBytes {
    try KeyReader(way: way, use: use, key: key, keyFile: keyFile).read()
  }
}
