// What the documents that this library was built from ask for, by name.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardRules

@Suite struct GuideTests {
  /// The five refusals of the FIDO guide's `setPasscodeIgnoreList`, with its examples.
  @Test func theGuidesFiveRefusals() throws {
    for (name, kind, number, refused, accepted) in [
      ("KEY_EQUAL_CHARACTER", PasscodeRule.same, 6, ["111111", "aaaaaa"], ["111112", "aaaaaA"]),
      ("KEY_ASCENDING_DESCENDING", .run, 6, ["abcdef", "654321"], ["abcdeg", "654320", "135791"]),
      ("KEY_2CHARACTER_REPEAT", .pairs, 0, ["373737"], ["373738", "37373"]),
      ("KEY_2EQUAL_CHARACTER_REPEAT", .doubles, 0, ["335577"], ["335578", "33557"]),
      ("KEY_NOT_NUMBER_ENGLISH", .alphanumeric, 0, ["비밀번호", "a_b", "12 34"], ["abcXYZ019"]),
    ] {
      let rules = try Rules(kind, number)
      for passcode in refused { #expect(rules.refuse(passcode), "\(name): \(passcode)") }
      for passcode in accepted { #expect(!rules.refuse(passcode), "\(name): \(passcode)") }
    }
  }

  /// The guide's regular expressions. Its backslashes are Won signs, which came out as W; its dollars are escaped.
  @Test func theGuidesRegularExpressions() throws {
    for (name, pattern, accepted, refused) in [
      (
        "a letter, a digit and a symbol, eight in all",
        #"^(?=.*[A-Za-z])(?=.*\d)(?=.*[\$@!%*#?&])[A-Za-z\d\$@!%*#?&]{8,}$"#,
        ["abcdef1!", "$$$$$$$a1", "A1#A1#A1#"],
        ["abcdef1", "abcdefg1", "abcdefg!", "1234567!", "abcde1!~", "abcdef1! "]
      ),
      (
        "a small letter, a capital and a digit, eight in all", #"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[a-zA-Z\d]{8,}$"#,
        ["abcdefG1", "A1b2C3d4"], ["abcdefg1", "ABCDEFG1", "abcdefGH", "abcdeG1", "abcdefG1!"]
      ),
      (
        "the same and a symbol", #"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[\$@!%*?&])[A-Za-z\d\$@!%*?&]{8,}"#,
        ["abcdeG1!", "abcdeG1!~"], ["abcdefG1", "abcdefg1!"]
      ),
      (
        "digits, and none three times in a row", #"^(?!.*(\d)\1\1)[\d]{0,}$"#,
        ["", "1", "11", "112233", "11211211"], ["111", "0111", "122234", "12a"]
      ),
      (
        "digits, and no three that go up",
        "^(?!.*(012))(?!.*(123))(?!.*(234))(?!.*(345))(?!.*(456))(?!.*(567))(?!.*(678))(?!.*(789))[\\d]{0,}$",
        ["", "1", "321", "112233", "890", "124578"], ["123", "0123", "98789", "112345", "12a"]
      ),
    ] {
      let rules = try Rules(.match, 0, pattern)
      for passcode in accepted { #expect(!rules.refuse(passcode), "\(name): \(passcode)") }
      for passcode in refused { #expect(rules.refuse(passcode), "\(name): \(passcode)") }
    }
  }

  /// The guide's two expressions for digits, on every PIN of four digits, compared with the rules for the same.
  @Test func theGuidesExpressionsAreOurRules() throws {
    let noSame = try Rules(.match, 0, #"^(?!.*(\d)\1\1)[\d]{0,}$"#)
    let same = try Rules(.same, 3)
    for number in 0..<10_000 {
      let digits = String(number)
      let pin = String(repeating: "0", count: 4 - digits.count) + digits
      try #require(noSame.refuse(pin) == same.refuse(pin), "\(pin)")
    }
  }

  /// The PIN screen's own code announces 112233 as fine, crashes on one digit, and takes a letter for 0.
  @Test func thePinScreensCases() throws {
    let rules = Rules()
    try rules.add(.same, 3)
    try rules.add(.run, 3)
    try rules.add(.doubles)
    try rules.add(.phone, 4, "010-2468-1357")
    try rules.add(.date, 0, "1990-07-15")
    for (passcode, index) in [
      ("111222", 0), ("123987", 1), ("987012", 1), ("112233", 2), ("246890", 3), ("913579", 3), ("907150", 4),
      ("150790", 4),
      ("071590", 4), ("199058", 4),
    ] { #expect(rules.firstBroken(passcode) == index, "\(passcode)") }
    for passcode in ["", "1", "12", "a0b", "0a1", "583920"] {
      #expect(rules.firstBroken(passcode) == nil, "\(passcode)")
    }
  }
}
