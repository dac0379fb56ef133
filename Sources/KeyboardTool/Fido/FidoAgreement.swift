// What is signed is what the person has agreed to: a server may ask for another text than the person wants to confirm.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTerminal

extension FidoPasscodeOptions {
  /// Asks in a terminal. Without one, only the text that was given is agreed to.
  ///
  /// - Parameters:
  ///   - text: the server's; "" if it wants none to be confirmed.
  ///   - given: what the person wants to confirm; "" for nothing.
  func confirm(_ text: String, given: String) throws {
    // Strings are also equal if their accents are written in two ways.
    let isGiven = text.utf8.elementsEqual(given.utf8)
    guard !text.isEmpty else {
      guard isGiven else {
        throw Failure("Nothing was signed: the server does not want the text of --transaction confirmed.", .notAllowed)
      }
      return
    }
    guard isatty(0) == 1, let terminal = Terminal() else {
      guard isGiven else { throw Self.notAgreed(text, given) }
      return
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { TerminalText.line(String($0)) }
    let warning = given.isEmpty || isGiven ? [] : ["Not the text of --transaction:", ""]
    try Self.ask([""] + warning + lines, on: terminal)
  }

  private static func notAgreed(_ text: String, _ given: String) -> Failure {
    let next =
      given.isEmpty
      ? "Nothing was signed. Run this in a terminal, or give --transaction: the server wants a text confirmed"
      : "Nothing was signed. The server wants another text confirmed than that of --transaction"
    return Failure("\(next): \(TerminalText.line(text))", .notAllowed)
  }

  /// - Throws: a failure if the lines do not fit: a text is not agreed to while its beginning is out of sight.
  private static func ask(_ lines: [String], on terminal: Terminal) throws(Failure) {
    let size = terminal.size
    let rows = lines.reduce(0) { rows, line in
      rows + max(1, (TerminalText.width(line) + size.columns - 1) / size.columns)
    }
    guard rows + 3 <= size.rows else {
      throw Failure(
        "Make the window larger: the text that the server wants confirmed has \(rows) lines here.", .notAllowed)
    }
    let question = lines.joined(separator: "\r\n") + "\r\n\r\nEnter agrees, Esc leaves. "
    try terminal.inRawMode(greeting: question, farewell: "\r\n") { () throws(Failure) in
      var keys = TerminalKeys(terminal)
      while true {
        switch keys.next() {
        case .enter: return
        case .interrupt, .escape: throw .cancelled
        case .signal(let number) where Signals.ending.contains(number): throw .ended(bySignal: number)
        case .signal(SIGPIPE): throw .outputClosed
        default: break
        }
      }
    }
  }
}
