// A password from standard input, on its way into a keyboard.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

extension SecretBytes {
  /// Reads all of standard input.
  ///
  /// - Parameters:
  ///   - name: what it is, for messages: "the password".
  ///   - keepsNewline: whether a newline at the end belongs to the password.
  package mutating func readPassword(_ name: String, keepsNewline: Bool) throws(Failure) {
    try read(from: 0, name: "standard input")
    guard count > 0 else { throw .emptyInput(name) }
    if !keepsNewline { removeTrailingNewline() }
  }
}

extension Keyboard {
  /// Types a password into this keyboard, which is open.
  package func input(_ password: borrowing SecretBytes) throws(Failure) {
    do throws(KeyboardError) {
      try input(password.span)
    } catch .argument {
      throw Failure("Give a password in UTF-8; this one is not. `iconv -t UTF-8` may help.", .data)
    } catch { throw Failure(error) }
  }
}
