// Every rule on random texts of all lengths, compared with a reference that uses Swift's strings.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardRules

private let references: [ReferenceRule] = [
  ReferenceRule(kind: .minimumLength, number: 0), ReferenceRule(kind: .minimumLength, number: 8),
  ReferenceRule(kind: .maximumLength, number: 8), ReferenceRule(kind: .maximumLength, number: 128),
  ReferenceRule(kind: .digits), ReferenceRule(kind: .alphanumeric),
  ReferenceRule(kind: .same, number: 2), ReferenceRule(kind: .same, number: 5),
  ReferenceRule(kind: .same, number: 128),
  ReferenceRule(kind: .run, number: 2), ReferenceRule(kind: .run, number: 3), ReferenceRule(kind: .run, number: 26),
  ReferenceRule(kind: .pairs), ReferenceRule(kind: .doubles),
  ReferenceRule(kind: .text, text: "aB"), ReferenceRule(kind: .text, text: "é"), ReferenceRule(kind: .text, text: "É1"),
  ReferenceRule(kind: .date, text: "2001-11-12"), ReferenceRule(kind: .date, text: "0000-12-31"),
  ReferenceRule(kind: .phone, number: 2, text: "+82 (0)12-3210"),
  ReferenceRule(kind: .phone, number: 9, text: "(123) 456-789 ٣"), ReferenceRule(kind: .common),
]

/// Texts that rules have an interest in: few different characters, and pieces of what the rules look for.
private func randomText(_ random: inout some RandomNumberGenerator) -> String {
  let pieces = [
    "0", "1", "2", "3", "12", "a", "b", "c", "B", "A", "z", "Z", "y", "é", "É", "e\u{301}", "한", "😀", " ", "-", "\n",
    "2001", "1112", "01", "789", "10", "@", "[", "`", "{", "/", ":", "\u{212a}", "ſ", "abc", "cBa", "９", "pass", "word",
  ]
  let few = Array(pieces.shuffled(using: &random).prefix(Int.random(in: 1...6, using: &random)))
  var text = ""
  let length = Int.random(in: 0...[4, 8, 16, 128].randomElement(using: &random)!, using: &random)
  while true {
    let piece = few.randomElement(using: &random)!
    guard text.utf8.count + piece.utf8.count <= length else { return text }
    text += piece
  }
}

@Suite struct TextTests {
  @Test func everyRuleRefusesWhatTheReferenceRefuses() throws {
    var random = SystemRandomNumberGenerator()
    let rules = try references.map { try Rules($0.kind, $0.number, $0.text) }
    var refusals = [Int](repeating: 0, count: references.count)
    for _ in 0..<2_500 {
      let text = randomText(&random)
      for (index, reference) in references.enumerated() {
        let expected = reference.refuses(text)
        try #require(
          rules[index].refuse(text) == expected, "\(reference) \(text.debugDescription): expected \(expected)")
        if expected { refusals[index] += 1 }
      }
    }
    for (index, reference) in references.enumerated() where !isRare(reference) {
      #expect(refusals[index] > 0, "\(reference) never refused")
    }
    #expect(rules.allSatisfy { $0.isConfined })
  }

  private func isRare(_ rule: ReferenceRule) -> Bool {
    rule.kind == .minimumLength && rule.number == 0 || rule.kind == .maximumLength && rule.number == 128
      || rule.number >= 9 || rule.text.hasPrefix("0000")
  }

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
    for reference in references where reference.kind != .minimumLength {
      try #require(try !Rules(reference.kind, reference.number, reference.text).refuse(""), "\(reference)")
    }
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
