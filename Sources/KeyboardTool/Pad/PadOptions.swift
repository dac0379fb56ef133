// The options of the pad, and where it is drawn.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardLayout
import KeyboardTerminal

struct PadOptions: ParsableArguments {
  @Option(help: "The keys of the pad.")
  var layout: LayoutKind = .pin

  @Option(help: "When keys change places.")
  var shuffle: ShuffleKind = .eachOpening

  @Option(help: "How many characters complete the input; by default 6 for a PIN, and no number for others.")
  var maximum: Int?

  func validate() throws {
    guard let maximum else { return }
    guard (1...128).contains(maximum) else { throw ValidationError("Give a --maximum from 1 to 128.") }
  }

  private var maximumCount: Int { maximum ?? (layout.isPad ? 6 : 0) }

  /// - Parameter advice: what to do without a terminal.
  func openTerminal(otherwise advice: String) throws(Failure) -> Terminal {
    guard let terminal = Terminal() else {
      throw Failure("Run this in a terminal: the pad is drawn there. Without one, \(advice).", .noInput)
    }
    guard getenv("TERM").map({ String(cString: $0) }) != "dumb" else {
      throw Failure("Run this in a terminal that can place its cursor; this one says TERM=dumb.", .noInput)
    }
    return terminal
  }

  func prepare(_ keyboard: Keyboard) throws(KeyboardError) {
    try keyboard.setLayout(layout, shuffle: shuffle, maximumCount: maximumCount)
  }

  /// - Parameters:
  ///   - keyboard: prepared, and open.
  ///   - purpose: what happens to the password: "to be encrypted".
  ///   - name: what is typed; nil for a PIN or a password.
  func pad(for keyboard: Keyboard, purpose: String, name: String? = nil, on terminal: Terminal) -> Pad {
    let what = name ?? (layout.isPad ? "PIN" : "Password")
    return Pad(
      keyboard, kind: layout, maximumCount: maximumCount, title: "\(what), \(purpose)", terminal: terminal)
  }
}
