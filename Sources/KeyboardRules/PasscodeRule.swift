// The kinds of rules that a passcode can break.
// SPDX-License-Identifier: Apache-2.0

/// What a rule looks at. A later version may add cases, so a `switch` in another package needs an `@unknown default`.
///
/// An empty passcode breaks at most `minimumLength`, `match` and `notMatch`.
///
/// - C: `CUSTOM_KEYBOARD_RULE`, with the same integers.
@nonexhaustive
public enum PasscodeRule: UInt8, CaseIterable, Sendable {
  /// Refuses fewer than `number` characters, counted as the keyboard counts them; 0 … 128.
  case minimumLength = 0
  /// Refuses more than `number` characters, counted as the keyboard counts them; 0 … 128.
  case maximumLength = 1
  /// Refuses all but ASCII digits.
  case digits = 2
  /// Refuses all but ASCII digits and letters.
  case alphanumeric = 3
  /// Refuses `number` equal scalars in a row; 2 … 128.
  case same = 4
  /// Refuses `number` ASCII digits, or ASCII letters in either case, in a row that go up by one or down by one;
  /// 2 … 128.
  case run = 5
  /// Refuses one pair over and over, as in 1212; nothing of fewer than four scalars.
  case pairs = 6
  /// Refuses doubled characters, as in 1122; nothing of fewer than four scalars.
  case doubles = 7
  /// Refuses what contains the text, with ASCII letters in either case.
  case text = 8
  /// Refuses what contains the date, given as yyyy-mm-dd, in one of thirteen ways to write it.
  case date = 9
  /// Refuses what contains `number` digits in a row of the telephone number; 2 … 128.
  case phone = 10
  /// Refuses what is on the built-in list, with ASCII letters in either case.
  case common = 11
  /// Refuses that in which the pattern is not found.
  case match = 12
  /// Refuses that in which the pattern is found.
  case notMatch = 13
}

extension PasscodeRule {
  /// The numbers that the rule can have: 0 only, if it has none.
  var numbers: ClosedRange<Int> {
    switch self {
    case .minimumLength, .maximumLength: 0...128
    case .same, .run, .phone: 2...128
    case .digits, .alphanumeric, .pairs, .doubles, .text, .date, .common, .match, .notMatch: 0...0
    }
  }

  /// Whether the rule has a text.
  var hasText: Bool {
    switch self {
    case .text, .date, .phone, .match, .notMatch: true
    case .minimumLength, .maximumLength, .digits, .alphanumeric, .same, .run, .pairs, .doubles, .common: false
    }
  }

  /// Whether the text is a pattern.
  package var isPattern: Bool { self == .match || self == .notMatch }

  /// What to tell a person whose passcode breaks the rule.
  ///
  /// - Returns: one sentence in English, without the rule's number or text: the app knows them and can say more.
  /// - C: `CustomKeyboard_ruleMessage`.
  public var message: StaticString {
    switch self {
    case .minimumLength: "This passcode is too short."
    case .maximumLength: "This passcode is too long."
    case .digits: "Use digits only."
    case .alphanumeric: "Use digits and the letters A to Z only."
    case .same: "Do not repeat one character several times in a row."
    case .run: "Do not use digits or letters in their order, such as 123 or cba."
    case .pairs: "Do not repeat the same two characters, such as 121212."
    case .doubles: "Do not use each character twice in a row, such as 112233."
    case .text: "This passcode contains a word that is not allowed."
    case .date: "Do not use your date of birth, or a part of it."
    case .phone: "Do not use a part of your telephone number."
    case .common: "Many people choose this passcode. Choose one that is harder to guess."
    case .match: "This passcode does not have the required form."
    case .notMatch: "This passcode has a form that is not allowed."
    }
  }
}
