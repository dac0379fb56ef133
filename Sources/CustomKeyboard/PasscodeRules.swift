// Rules for passcodes, as a value.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  @_exported public import KeyboardRules

  /// Which passcodes are refused when a person chooses one. Not for login: a rule there would only lock out people
  /// whose passcode is older than the rule.
  ///
  ///     let rules: PasscodeRules = [
  ///       .digits, .minimumLength(6), .notRun(3), .notSame(3), .notCommon, .notDate("1984-03-07"),
  ///       .pattern("^(?!.*(..)\\1)", message: "Do not repeat two digits."),
  ///     ]
  ///     if let rule = try keyboard.check(rules) { show(rule.message) }
  ///
  /// A keyboard takes 16 rules, with 256 bytes of text each. Dates of birth and telephone numbers are personal data:
  /// the keyboard keeps them in locked memory and wipes them, but this value is the app's. What is printed of it has
  /// the kinds of the rules, and no text.
  ///
  /// - C: `CUSTOM_KEYBOARD_RULE`.
  public struct PasscodeRules: Sendable, ExpressibleByArrayLiteral {
    /// The rules, in the order in which they are checked.
    public let rules: [Rule]

    /// - Parameter rules: in the order in which they are checked.
    public init(_ rules: [Rule]) { self.rules = rules }

    /// - Parameter elements: in the order in which they are checked.
    public init(arrayLiteral elements: Rule...) { rules = elements }

    /// One rule, and what to tell the person whose passcode it refuses.
    public struct Rule: Sendable {
      /// What the rule looks at.
      public let kind: PasscodeRule
      /// One sentence; the library's own, in English, unless another was given.
      public var message: String { ownMessage ?? "\(kind.message)" }
      let ownMessage: String?
      let number: Int
      let text: [UInt8]

      private init(_ kind: PasscodeRule, _ number: Int = 0, _ text: String = "", _ message: String?) {
        (self.kind, self.number, self.text, ownMessage) = (kind, number, Array(text.utf8), message)
      }
    }
  }

  extension PasscodeRules.Rule {
    /// At least this many characters, as people count them; 0 … 128.
    public static func minimumLength(_ count: Int, message: String? = nil) -> Self {
      Self(.minimumLength, count, "", message)
    }

    /// At most this many characters, as people count them; 0 … 128.
    public static func maximumLength(_ count: Int, message: String? = nil) -> Self {
      Self(.maximumLength, count, "", message)
    }

    /// ASCII digits only.
    public static var digits: Self { digits() }

    /// ASCII digits only.
    public static func digits(message: String? = nil) -> Self { Self(.digits, message) }

    /// ASCII digits and letters only.
    public static var alphanumeric: Self { alphanumeric() }

    /// ASCII digits and letters only.
    public static func alphanumeric(message: String? = nil) -> Self { Self(.alphanumeric, message) }

    /// Not this many equal characters in a row; 2 … 128.
    public static func notSame(_ count: Int, message: String? = nil) -> Self { Self(.same, count, "", message) }

    /// Not this many digits, or letters, in a row that go up by one or down by one; 2 … 128.
    public static func notRun(_ count: Int, message: String? = nil) -> Self { Self(.run, count, "", message) }

    /// Not one pair over and over, as in 1212. Refuses nothing of fewer than four characters.
    public static func notPairs(message: String? = nil) -> Self { Self(.pairs, message) }

    /// Not doubled characters, as in 1122. Refuses nothing of fewer than four characters.
    public static func notDoubles(message: String? = nil) -> Self { Self(.doubles, message) }

    /// Not this text anywhere, with ASCII letters in either case; 1 … 256 bytes of UTF-8.
    public static func notText(_ text: String, message: String? = nil) -> Self { Self(.text, 0, text, message) }

    /// Not this date in one of thirteen ways to write it; given as yyyy-mm-dd.
    public static func notDate(_ date: String, message: String? = nil) -> Self { Self(.date, 0, date, message) }

    /// Not this many digits in a row of this telephone number; 2 … 128. Whatever is between the digits does not matter.
    public static func notPhone(_ number: String, digits count: Int = 4, message: String? = nil) -> Self {
      Self(.phone, count, number, message)
    }

    /// Not on the built-in list of common passcodes.
    public static var notCommon: Self { notCommon() }

    /// Not on the built-in list of common passcodes.
    public static func notCommon(message: String? = nil) -> Self { Self(.common, message) }

    /// The pattern must be found: Python's `re` with ASCII classes, a part of it. (Docs/Passcodes.md)
    public static func pattern(_ pattern: String, message: String? = nil) -> Self { Self(.match, 0, pattern, message) }

    /// The pattern must not be found.
    public static func notPattern(_ pattern: String, message: String? = nil) -> Self {
      Self(.notMatch, 0, pattern, message)
    }

    private init(_ kind: PasscodeRule, _ message: String?) { self.init(kind, 0, "", message) }
  }

  extension PasscodeRules.Rule: CustomStringConvertible, CustomReflectable {
    /// The kind only: the text may be a date of birth or a telephone number.
    public var description: String { "Rule(\(kind))" }
    /// The kind only.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
  }
#endif
