// Rules as the header describes them, on Strings, and for the few patterns that the fuzzer uses, as functions.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// A rule, or what was to become one.
struct RuleModel {
  let kind: CUSTOM_KEYBOARD_RULE
  let number: UInt
  let text: [UInt8]

  /// Patterns, with what they match; nil for texts that are not patterns. Those that take too many steps are not
  /// among them.
  static let patterns: [(pattern: String, matches: (@Sendable (String) -> Bool)?)] = [
    ("^\\d+$", { text in !text.isEmpty && text.unicodeScalars.allSatisfy { "0"..."9" ~= $0 } }),
    ("b", { $0.unicodeScalars.contains("b") }),
    ("^(a|b)*$", { $0.unicodeScalars.allSatisfy { $0 == "a" || $0 == "b" } }),
    (
      "(.)\\1",
      { text in
        zip(text.unicodeScalars, text.unicodeScalars.dropFirst()).contains { $0 == $1 && $0 != "\n" }
      }
    ),
    ("(a", nil), ("a{3,2}", nil), ("\\", nil), ("a)", nil), ("[", nil),
  ]

  private var string: String { String(decoding: text, as: UTF8.self) }
  private var isText: Bool { !text.isEmpty && KeyboardModel.isText(text) }

  /// Whether there is such a rule, with such a number and text, however long the text is.
  var isRule: Bool {
    switch kind {
    case CUSTOM_KEYBOARD_RULE_MIN_LENGTH, CUSTOM_KEYBOARD_RULE_MAX_LENGTH: return number <= 128 && text.isEmpty
    case CUSTOM_KEYBOARD_RULE_SAME, CUSTOM_KEYBOARD_RULE_RUN: return 2...128 ~= number && text.isEmpty
    case CUSTOM_KEYBOARD_RULE_DIGITS, CUSTOM_KEYBOARD_RULE_ALPHANUMERIC, CUSTOM_KEYBOARD_RULE_PAIRS,
      CUSTOM_KEYBOARD_RULE_DOUBLES, CUSTOM_KEYBOARD_RULE_COMMON:
      return number == 0 && text.isEmpty
    case CUSTOM_KEYBOARD_RULE_TEXT: return number == 0 && isText
    case CUSTOM_KEYBOARD_RULE_DATE: return number == 0 && string == "1987-04-23"
    case CUSTOM_KEYBOARD_RULE_PHONE: return 2...128 ~= number && isText && digits.count >= number
    case CUSTOM_KEYBOARD_RULE_MATCH, CUSTOM_KEYBOARD_RULE_NOT_MATCH:
      return number == 0 && Self.patterns.contains { $0.pattern == string && $0.matches != nil }
    default: return false
    }
  }

  private var digits: [Unicode.Scalar] { string.unicodeScalars.filter { "0"..."9" ~= $0 } }

  /// Whether it refuses a passcode. Of the common ones, the model knows two and what is surely none.
  func refuses(_ model: KeyboardModel) -> Bool {
    let passcode = String(decoding: model.typed, as: UTF8.self)
    let scalars = Array(passcode.unicodeScalars)
    let number = Int(number)
    func contains(_ part: [Unicode.Scalar]) -> Bool {
      let (whole, part) = (scalars.map(\.small), part.map(\.small))
      return part.count <= whole.count
        && (0...whole.count - part.count).contains { Array(whole[$0..<$0 + part.count]) == part }
    }
    func isWhole(_ width: Int, _ isRight: ([Unicode.Scalar]) -> Bool) -> Bool {
      scalars.count >= 4 && scalars.count % 2 == 0
        && stride(from: 0, to: scalars.count, by: width).allSatisfy { isRight(Array(scalars[$0..<$0 + width])) }
    }
    switch kind {
    case CUSTOM_KEYBOARD_RULE_MIN_LENGTH: return model.characterCount < number
    case CUSTOM_KEYBOARD_RULE_MAX_LENGTH: return model.characterCount > number
    case CUSTOM_KEYBOARD_RULE_DIGITS: return !scalars.allSatisfy { "0"..."9" ~= $0 }
    case CUSTOM_KEYBOARD_RULE_ALPHANUMERIC:
      return !scalars.allSatisfy { "0"..."9" ~= $0 || "a"..."z" ~= $0 || "A"..."Z" ~= $0 }
    case CUSTOM_KEYBOARD_RULE_SAME:
      return scalars.indices.dropLast(number - 1).contains { Set(scalars[$0..<$0 + number]).count == 1 }
    case CUSTOM_KEYBOARD_RULE_RUN:
      let orders = ["0123456789", "9876543210", "abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba"]
      return orders.contains { order in
        let order = Array(order.unicodeScalars)
        return order.indices.dropLast(number - 1).contains { contains(Array(order[$0..<$0 + number])) }
      }
    case CUSTOM_KEYBOARD_RULE_PAIRS: return isWhole(2) { $0 == Array(scalars[..<2]) }
    case CUSTOM_KEYBOARD_RULE_DOUBLES: return isWhole(2) { $0[0] == $0[1] }
    case CUSTOM_KEYBOARD_RULE_TEXT: return contains(Array(string.unicodeScalars))
    case CUSTOM_KEYBOARD_RULE_DATE:
      return ["1987", "0423", "2304", "8704", "0487"].contains { contains(Array($0.unicodeScalars)) }
    case CUSTOM_KEYBOARD_RULE_PHONE:
      return digits.indices.dropLast(number - 1).contains { contains(Array(digits[$0..<$0 + number])) }
    case CUSTOM_KEYBOARD_RULE_MATCH: return !matches(passcode)
    case CUSTOM_KEYBOARD_RULE_NOT_MATCH: return matches(passcode)
    default: return false
    }
  }

  private func matches(_ passcode: String) -> Bool {
    Self.patterns.first { $0.pattern == string }!.matches!(passcode)
  }
}

extension Unicode.Scalar {
  fileprivate var small: Unicode.Scalar { "A"..."Z" ~= self ? Unicode.Scalar(UInt8(value) + 32) : self }
}
