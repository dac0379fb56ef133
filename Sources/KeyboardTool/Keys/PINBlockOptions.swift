// The options for a PIN block that is opened.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal
import KeyboardText

package struct PINBlockOptions: ParsableArguments {
  package init() {}

  @Option(help: "The format of the block.")
  package var way: PINBlockFormat

  @Option(
    help: ArgumentHelp("A file that holds the key of the block in hexadecimal digits.", valueName: "file"),
    completion: .file())
  package var keyFile: String

  @Option(
    help: ArgumentHelp(
      "The card's number, which the block is bound to: 10 to 19 digits, its check digit included. Of pin1 that of the "
        + "new block, if there is one.",
      valueName: "digits"))
  package var context: String?

  /// The card's number; empty if none is given.
  package var accountNumber: [UInt8] { Array((context ?? "").utf8) }

  package func validate() throws {
    let isNone = accountNumber.isEmpty && !way.hasAccountNumber
    guard isNone || isAccountNumber(accountNumber) else { throw ValidationError(Self.accountNumberIsMissing) }
  }

  package static let accountNumberIsMissing =
    "Give the card's number with --context: 10 to 19 digits, its check digit included."

  /// Reads the key, before anything is read but it.
  package func readKey() throws(Failure) -> SecretBytes {
    try KeyReader(way: .pin(way), use: .decryption, key: nil, keyFile: keyFile).read()
  }

  /// Opens an idle keyboard with the PIN of a block.
  ///
  /// - Parameter digits: the block in hexadecimal digits.
  package func receive(_ digits: some StringProtocol, under key: borrowing SecretBytes, into keyboard: Keyboard)
    throws(Failure)
  {
    guard let block = Hexadecimal.bytes(of: digits), block.count == way.blockSize else {
      throw Failure("Give a block of \(2 * way.blockSize) hexadecimal digits for \(way.name).", .data)
    }
    let account = way.hasAccountNumber ? accountNumber : []
    do throws(KeyboardError) {
      try key.withSpan { key throws(KeyboardError) in
        try keyboard.receive(block.span, pinBlock: way, key: key, accountNumber: account.span)
      }
    } catch .key {
      throw .isSingleDES
    } catch .undecryptable {
      throw Failure(
        "Check that the format, the key and the card's number are those of the block, and that it is unaltered.", .data)
    } catch { throw Failure(error) }
  }
}

extension Failure {
  /// A key of 3DES that is no better than one of DES.
  package static var isSingleDES: Failure {
    Failure("Give another key: two parts of this one that follow each other are equal, so it is one of DES.", .data)
  }
}

/// Whether it is the number of a card. The check digit is not checked.
package func isAccountNumber(_ digits: [UInt8]) -> Bool {
  10...19 ~= digits.count && digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
}

extension PINBlockFormat: NamedArgument {
  package static var names: KeyValuePairs<String, PINBlockFormat> {
    ["PIN0": .format0, "PIN1": .format1, "PIN3": .format3, "PIN4": .format4]
  }
}
