// What the tool writes of secrets when it is asked to.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardMemory

extension SecretBytes {
  /// These bytes in hexadecimal digits, and a newline.
  package func hexadecimalLine() throws(Failure) -> SecretBytes {
    var line = try SecretBytes(holding: 2 * count + 1)
    try line.add(bytes)
    line.encodeHexadecimal()
    try line.add("\n".utf8)
    return line
  }

  /// Writes a text to standard output.
  ///
  /// - Parameter name: what it is, for messages: "the words".
  package func writeText(_ name: String) throws { try writeSecret(bytes, name) }

  /// Writes hexadecimal digits and a newline to standard output.
  package func writeHexadecimal() throws {
    let line = try hexadecimalLine()
    try writeOutput(line.bytes)
  }
}
