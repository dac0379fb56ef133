// Adding rules: what is accepted, in which order errors come, and what is in memory afterwards.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import KeyboardCodes
import Testing

@testable import KeyboardRules

/// The case and the cause that adding throws, or "added".
private func adding(_ kind: PasscodeRule, _ number: Int = 0, _ text: [UInt8] = []) -> String {
  let rules = Rules()
  do throws(KeyboardError) {
    try rules.add(kind, number, text)
    return rules.list.count == 1 && rules.isConfined ? "added" : "broken"
  } catch {
    guard rules.memory.bytes.allSatisfy({ $0 == 0 }), rules.isConfined else { return "changed" }
    return switch error {
    case .argument(.ruleNumber): "number"
    case .argument(.ruleText): "text"
    case .argument(.pattern): "pattern"
    case .tooLong(.ruleText): "long"
    default: "\(error)"
    }
  }
}

private func adding(_ kind: PasscodeRule, _ number: Int = 0, _ text: String) -> String {
  adding(kind, number, Array(text.utf8))
}

@Suite struct RuleListTests {
  @Test func theKindsAreTheHeaders() throws {
    let kinds: [(PasscodeRule, CUSTOM_KEYBOARD_RULE)] = [
      (.minimumLength, CUSTOM_KEYBOARD_RULE_MIN_LENGTH), (.maximumLength, CUSTOM_KEYBOARD_RULE_MAX_LENGTH),
      (.digits, CUSTOM_KEYBOARD_RULE_DIGITS), (.alphanumeric, CUSTOM_KEYBOARD_RULE_ALPHANUMERIC),
      (.same, CUSTOM_KEYBOARD_RULE_SAME), (.run, CUSTOM_KEYBOARD_RULE_RUN), (.pairs, CUSTOM_KEYBOARD_RULE_PAIRS),
      (.doubles, CUSTOM_KEYBOARD_RULE_DOUBLES), (.text, CUSTOM_KEYBOARD_RULE_TEXT),
      (.date, CUSTOM_KEYBOARD_RULE_DATE), (.phone, CUSTOM_KEYBOARD_RULE_PHONE),
      (.common, CUSTOM_KEYBOARD_RULE_COMMON), (.match, CUSTOM_KEYBOARD_RULE_MATCH),
      (.notMatch, CUSTOM_KEYBOARD_RULE_NOT_MATCH),
    ]
    for (swift, c) in kinds { try #require(UInt32(swift.rawValue) == c.rawValue) }
    #expect(PasscodeRule.allCases == kinds.map(\.0))
  }

  @Test(arguments: [-1, 0, 1, 2, 128, 129, .max, .min]) func numbersHaveBounds(_ number: Int) {
    let length = 0...128 ~= number ? "added" : "number"
    #expect(adding(.minimumLength, number) == length)
    #expect(adding(.maximumLength, number) == length)
    let count = 2...128 ~= number ? "added" : "number"
    #expect(adding(.same, number) == count)
    #expect(adding(.run, number) == count)
    #expect(adding(.phone, number, String(repeating: "5", count: 128)) == count)
    let none = number == 0 ? "added" : "number"
    for kind in [PasscodeRule.digits, .alphanumeric, .pairs, .doubles, .common] {
      #expect(adding(kind, number) == none, "\(kind)")
    }
    for kind in [PasscodeRule.text, .match, .notMatch] { #expect(adding(kind, number, "a") == none, "\(kind)") }
    #expect(adding(.date, number, "2001-02-03") == none)
  }

  @Test func textsAreForRulesThatHaveOne() {
    for kind in [PasscodeRule.digits, .alphanumeric, .pairs, .doubles, .common] {
      #expect(adding(kind, 0, "a") == "text", "\(kind)")
    }
    for kind in [PasscodeRule.minimumLength, .maximumLength, .same, .run] {
      #expect(adding(kind, 4, "a") == "text", "\(kind)")
    }
    for kind in [PasscodeRule.text, .date, .match, .notMatch] { #expect(adding(kind) == "text", "\(kind)") }
    #expect(adding(.phone, 4) == "text")
  }

  @Test func datesAreYearMonthDay() {
    for date in ["0000-01-01", "9999-12-31", "2023-02-31", "1987-10-09"] { #expect(adding(.date, 0, date) == "added") }
    for date in [
      "1987-00-09", "1987-13-09", "1987-10-00", "1987-10-32", "87-10-09", "1987-10-9", "1987/10/09", "19871009",
      "1987-10-09 ",
      "198a-10-09", "1987-1a-09", "1987-10-0a", "１９８７-10-09", "1987-10-090", "-987-10-09", "1987-10-:0",
    ] { #expect(adding(.date, 0, date) == "text", "\(date)") }
  }

  @Test func aTelephoneNumberHasAsManyDigitsAsAreCounted() {
    #expect(adding(.phone, 4, "12-34") == "added")
    #expect(adding(.phone, 5, "12-34") == "text")
    #expect(adding(.phone, 2, "no digits") == "text")
    #expect(adding(.phone, 4, "123４") == "text", "only ASCII's digits count")
  }

  @Test func aTextMayHave256Bytes() {
    let text = String(repeating: "5", count: 256)
    #expect(adding(.text, 0, text) == "added")
    #expect(adding(.text, 0, text + "5") == "long")
    #expect(adding(.match, 0, text) == "added")
    #expect(adding(.notMatch, 0, text + "5") == "long")
    #expect(adding(.phone, 4, text) == "added")
    #expect(adding(.phone, 4, text + "5") == "long")
    #expect(adding(.match, 5, text + "5") == "number", "arguments come before lengths")
    #expect(adding(.text, 0, Array((text + "5").utf8) + [0xff]) == "text")
    #expect(adding(.date, 0, text + "5") == "text")
    #expect(adding(.phone, 4, String(repeating: "x", count: 300)) == "text")
  }

  @Test func datesAndNumbersAreKeptAsDigits() throws {
    let rules = Rules()
    try rules.add(.date, 0, "1987-04-23")
    try rules.add(.phone, 4, "+82 (10) 87-65")
    let stored = rules.memory.bytes
    #expect(Array(stored[8..<16]) == Array("19870423".utf8))
    #expect(Array(stored[20..<28]) == Array("82108765".utf8))
    #expect(stored[28...].allSatisfy { $0 == 0 })
  }
}
