// Edges of rules on texts. On random texts the fuzzer of keyboards compares every rule with a model (Tests/Fuzz).
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardRules

@Suite struct TextTests {
  @Test func equalScalarsOfTheFullLengthAreSame() throws {
    let rules = try Rules(.same, 128)
    #expect(rules.refuse(String(repeating: "a", count: 128)))
    #expect(!rules.refuse(String(repeating: "a", count: 127)))
    #expect(try Rules(.run, 26).refuse("abcdefghijklmnopqrstuvwxyz"))
    #expect(try Rules(.run, 26).refuse("ZYXWVUTSRQPONMLKJIHGFEDCBA"))
  }

  @Test func runsDoNotWrapAndDigitsDoNotJoinLetters() throws {
    let rules = try Rules(.run, 3)
    for passcode in ["890", "098", "yza", "89a", "9ab", "@AB", "xy{", "/01", "89:", "135", "121", "aab"] {
      try #require(!rules.refuse(passcode), "\(passcode)")
    }
    for passcode in ["789", "210", "xyz", "aBc", "CbA", "1234", "a321", "121abc"] {
      try #require(rules.refuse(passcode), "\(passcode)")
    }
  }

  @Test func anEmptyPasscodeBreaksAtMostThreeRules() throws {
    #expect(try Rules(.minimumLength, 1).refuse(""))
    #expect(try !Rules(.minimumLength, 0).refuse(""))
    #expect(try Rules(.match, 0, "a").refuse(""))
    #expect(try !Rules(.match, 0, "a*").refuse(""))
    #expect(try Rules(.notMatch, 0, "^$").refuse(""))
    #expect(try !Rules(.notMatch, 0, "a").refuse(""))
  }

  @Test func lengthsCountCharactersAndOtherRulesCountScalars() throws {
    let family = "👨‍👩‍👧"
    #expect(try !Rules(.maximumLength, 1).refuse(family))
    #expect(try Rules(.minimumLength, 2).refuse(family))
    #expect(try Rules(.match, 0, "^.{1}$").refuse(family))
    #expect(try !Rules(.match, 0, "^.{5}$").refuse(family))
    #expect(try !Rules(.text, 0, "é").refuse("e\u{301}"), "nothing is normalised")
  }
}
