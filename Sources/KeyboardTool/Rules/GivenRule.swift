// A rule, and where it was given, so that a fault in it can be found.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardTerminal

struct GivenRule {
  let rule: PasscodeRules.Rule
  /// The rule's text, which may be a pattern.
  let text: String
  /// Where the number and the text were given: an option, or a place in a file.
  let numberPlace: String
  let textPlace: String
  /// The exit code for a fault.
  let code: SystemExit

  /// Lets the library look at the rule before a passcode is typed.
  ///
  /// - Parameter keyboard: open, with nothing typed.
  func check(on keyboard: Keyboard) throws(Failure) {
    do throws(KeyboardError) {
      _ = try keyboard.check([rule])
    } catch {
      switch error {
      case .argument(.ruleNumber): throw Failure("\(numberPlace): \(error)", code)
      case .argument(.pattern): throw Failure(try patternFault(), code)
      case .argument, .tooLong: throw Failure("\(textPlace): \(error)", code)
      default: throw Failure(error)
      }
    }
  }

  /// The pattern, with a caret below the part that is wrong.
  private func patternFault() throws(Failure) -> String {
    let pattern = Array(text.utf8)
    var offset = 0
    do throws(KeyboardError) {
      try pattern.span.withUnsafeBytes { bytes throws(KeyboardError) in
        offset = try KeyboardHandle.fault(inPattern: bytes) ?? 0
      }
    } catch { throw Failure(error) }
    let column = TerminalText.width(TerminalText.line(String(decoding: pattern[..<offset], as: UTF8.self)))
    return """
      \(textPlace): The pattern is not well-formed at the caret, offset \(offset):
        \(TerminalText.line(text))
        \(String(repeating: " ", count: column))^
      """
  }
}
