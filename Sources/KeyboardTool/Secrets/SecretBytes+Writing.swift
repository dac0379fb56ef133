// What the tool writes of secrets when it is asked to.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardMemory

extension SecretBytes {
  /// Bytes in hexadecimal digits, and a newline.
  init(hexadecimalLineOf bytes: Span<UInt8>) throws(Failure) {
    try self.init(holding: 2 * bytes.count + 1)
    do throws(KeyboardError) { try append(contentsOf: bytes) } catch { throw Failure(error) }
    encodeHexadecimal()
    try add("\n".utf8)
  }

  /// Writes a text to standard output.
  ///
  /// - Parameter name: what it is, for messages: "the words".
  func writeText(_ name: String) throws { try writeSecret(bytes, name) }

  /// Writes hexadecimal digits and a newline to standard output.
  func writeHexadecimal() throws { try writeOutput(SecretBytes(hexadecimalLineOf: span).bytes) }
}
