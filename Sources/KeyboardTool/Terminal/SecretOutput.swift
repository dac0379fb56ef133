// A secret on standard output: its bytes in a pipe or a file, and on a terminal what the terminal does not obey.
// SPDX-License-Identifier: Apache-2.0

/// - Parameter name: what it is, for messages: "the password".
package func writeSecret(_ secret: UnsafeRawBufferPointer, _ name: String) throws(Failure) {
  if isatty(1) == 1 { try show(secret, name) } else { try writeOutput(secret) }
}

private func show(_ secret: UnsafeRawBufferPointer, _ name: String) throws(Failure) {
  let isAmbiguous = TerminalText.needsEscapes(secret)
  if isAmbiguous {
    writeMessage(
      "keyboard: \(name) is shown with \\u{…} or \\x… for what a terminal would obey, and \\\\ for \\. "
        + "A pipe or a file gets its bytes.\n")
  }
  var failure: Failure?
  do {
    var output = WipedOutput { bytes in
      do throws(Failure) { try writeOutput(bytes) } catch { failure = error }
    }
    output.append(secret, escaped: isAmbiguous)
    output.append("\n")
    output.flush()
  }
  if let failure { throw failure }
}
