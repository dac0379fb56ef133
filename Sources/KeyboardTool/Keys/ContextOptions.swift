// The options for the context of a sealed text or a signature.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardCipher
import KeyboardText

/// Beside `KeyOptions` in a command, and not inside them: debug builds of ArgumentParser check a group in a group many
/// times at each start.
package struct ContextOptions: ParsableArguments {
  package init() {}

  @Option(
    help: ArgumentHelp(
      "What a sealed text or a signature is for: the server's challenge, and the purpose. It is good only with the "
        + "same. A sealed text needs one; \"\" is the empty one. For a PIN block, the card's number.",
      valueName: "text"))
  package var context: String?

  @Option(help: ArgumentHelp("The context in hexadecimal digits.", valueName: "hex"))
  package var contextHex: String?

  package func validate() throws {
    if context != nil && contextHex != nil { throw ValidationError("Give --context or --context-hex, not both.") }
    guard let bytes else {
      throw ValidationError("Give --context-hex in pairs of hexadecimal digits, 0 to 9 and a to f, and nothing else.")
    }
    guard bytes.count <= maximumContextLength else {
      throw ValidationError("Give a context of at most \(maximumContextLength) bytes; this one has \(bytes.count).")
    }
  }

  /// Refuses a context for a text that cannot be bound to one, a sealed text without one, and a PIN block that is not
  /// bound to the number of a card.
  package func validate(for way: Way) throws {
    switch way {
    case .ecb:
      guard let bytes, !bytes.isEmpty else { return }
      throw ValidationError(
        "Leave out the context: a text of \(way.name) cannot be bound to one. A text of "
          + "\(SealingWay.allValueStrings.joined(separator: ", ")) can.")
    case .sealed:
      guard context == nil, contextHex == nil else { return }
      throw ValidationError(
        "Give --context TEXT or --context-hex HEX, which a sealed text is bound to: the server's challenge. For the "
          + "empty context say --context \"\".")
    case .pin(let format):
      if format.hasAccountNumber {
        guard isAccountNumber(bytes ?? []) else { throw ValidationError(PINBlockOptions.accountNumberIsMissing) }
      } else if bytes?.isEmpty == false {
        throw ValidationError("Leave out the context: a block of \(format.name) is not bound to a card.")
      }
    }
  }

  /// The context; nil if its digits are wrong. It is not a secret.
  private var bytes: [UInt8]? {
    guard let contextHex else { return Array((context ?? "").utf8) }
    return Hexadecimal.bytes(of: contextHex)
  }

  /// Lends the context to the library.
  package func withContext(_ body: (UnsafeRawBufferPointer) throws(KeyboardError) -> Void) throws(KeyboardError) {
    let bytes = bytes ?? []
    try bytes.span.withUnsafeBytes { bytes throws(KeyboardError) in try body(bytes) }
  }
}
