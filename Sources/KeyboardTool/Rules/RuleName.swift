// The rules by their names in Swift, for options and for files of rules.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

enum RuleName: String, CaseIterable {
  case minimumLength, maximumLength, digits, alphanumeric, notSame, notRun, notPairs, notDoubles, notText, notDate
  case notPhone, notCommon, pattern, notPattern

  /// The rule's option: --not-run.
  var option: String { "--" + rawValue.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined() }

  /// Whether the rule has a number. That of `notPhone` may be left out.
  var hasNumber: Bool {
    switch self {
    case .minimumLength, .maximumLength, .notSame, .notRun, .notPhone: true
    default: false
    }
  }

  var hasText: Bool {
    switch self {
    case .notText, .notDate, .notPhone, .pattern, .notPattern: true
    default: false
    }
  }

  /// How many digits of a telephone number are too many, unless told otherwise.
  static var phoneDigits: Int { 4 }

  /// - Parameters:
  ///   - number, text: of the rules that have one.
  ///   - message: nil for the library's own.
  func rule(number: Int, text: String, message: String? = nil) -> PasscodeRules.Rule {
    switch self {
    case .minimumLength: .minimumLength(number, message: message)
    case .maximumLength: .maximumLength(number, message: message)
    case .digits: .digits(message: message)
    case .alphanumeric: .alphanumeric(message: message)
    case .notSame: .notSame(number, message: message)
    case .notRun: .notRun(number, message: message)
    case .notPairs: .notPairs(message: message)
    case .notDoubles: .notDoubles(message: message)
    case .notText: .notText(text, message: message)
    case .notDate: .notDate(text, message: message)
    case .notPhone: .notPhone(text, digits: number, message: message)
    case .notCommon: .notCommon(message: message)
    case .pattern: .pattern(text, message: message)
    case .notPattern: .notPattern(text, message: message)
    }
  }
}
