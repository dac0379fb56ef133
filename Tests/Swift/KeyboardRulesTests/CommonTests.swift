// The built-in list is the one that its script makes.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardRules

@Suite struct CommonTests {
  private func contains(_ passcode: String) -> Bool {
    Array(passcode.utf8).withUnsafeBytes { CommonPasscodes.contains($0) }
  }

  @Test func theTableIsTheScripts() throws {
    _ = try output(of: "common.py", "--check")
  }

  /// PinTests compares every PIN of 4 to 6 digits.
  @Test func everyPasscodeOfTheListIsFound() throws {
    try #require(commonPasscodes.count > 5_000)
    try #require(Set(commonPasscodes).count == commonPasscodes.count)
    for passcode in commonPasscodes {
      try #require(contains(passcode), "\(passcode)")
      try #require(contains(passcode.uppercased()), "\(passcode)")
    }
  }

  @Test func nothingNextToAPasscodeOfTheListIsFound() throws {
    let list = Set(commonPasscodes)
    for passcode in commonPasscodes {
      for other in [
        passcode + "0", passcode + "z", "a" + passcode, String(passcode.dropLast()), passcode + " ", passcode + "é",
        String(passcode.reversed()), String(passcode.dropLast()) + "_", "\0" + passcode,
      ] {
        try #require(contains(other) == list.contains(other), "\(other)")
      }
    }
    for other in ["", "1", "12", "123", "abc", "passwordpasswordpassword", "０１２３", "pässword"] {
      try #require(!contains(other), "\(other)")
    }
  }

  @Test func theListCoversWhatThePageSays() throws {
    let lines = try output(of: "common.py", "--share")
    let page = try String(contentsOf: projectFile("Docs/Passcodes.md"), encoding: .utf8)
    try #require(lines.count == 8)
    for share in [
      "48.9 %", "49.1 %", "65.5 %", "68.2 %", "26.83 %", "14.44 %", "26.9 %", "27.3 %", "44.0 %", "12.13 %", "15.96 %",
    ] {
      #expect(lines.contains { $0.contains(share) } && page.contains(share), "\(share)")
    }
    for number in ["1,075 of 10,000", "296 of 100,000", "3,387 of 1,000,000", "1,900"] {
      let plain = number.filter { $0 != "," }
      #expect(lines.contains { $0.filter { $0 != "," }.contains(plain) } && page.contains(number), "\(number)")
    }
  }
}

/// The list and its definition, from the published rankings and without the script that makes it.
@Suite struct CommonDefinitionTests {
  private func contains(_ passcode: String) -> Bool {
    Array(passcode.utf8).withUnsafeBytes { CommonPasscodes.contains($0) }
  }

  private func fields(of file: String) throws -> [[Substring]] {
    let text = try String(contentsOf: projectFile("Tests/Vectors/" + file), encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
  }

  private func pin(_ number: Int, digits: Int = 4) -> String {
    String(repeating: "0", count: digits - String(number).count) + String(number)
  }

  @Test func fourDigitsAreTheMostFrequentAndThoseOfAShape() throws {
    let counts = try fields(of: "pin-counts-2024.txt").joined().compactMap { Int($0) }
    try #require(counts.count == 10_000)
    let thousandth = counts.sorted(by: >)[999]
    var shaped = 0
    for number in 0..<10_000 {
      let digits = pin(number).utf8.map { Int($0) - 0x30 }
      let steps = Set((1..<4).map { (digits[$0] - digits[$0 - 1] + 10) % 10 })
      let hasShape =
        1930...2039 ~= number || digits[0] == digits[2] && digits[1] == digits[3]
        || digits[0] == digits[1] && digits[2] == digits[3] || steps == [1] || steps == [9]
      if hasShape { shaped += 1 }
      try #require(contains(pin(number)) == (hasShape || counts[number] >= thousandth), "\(number)")
    }
    #expect(shaped == 319)
  }

  /// The fifty that ABC News published of Have I Been Pwned's counts (J. Fell and T. Tan, 28 January 2025).
  @Test func thePublishedFiftyAreOnTheList() {
    let first = """
      1234 1111 0000 1342 1212 2222 4444 1122 1986 2020 7777 5555 1989 9999 6969 2004 1010 4321 6666 1984 1987 1985 8888
      2000 1980 1988 1982 2580 1313 1990 1991 1983 1978 1979 1995 1994 1977 1981 3333 1992 1975 2005 1993 1976 1996 2002
      1973 2468 1998 1974
      """
    let pins = first.split { $0 == " " || $0 == "\n" }.map(String.init)
    #expect(pins.count == 50 && pins.allSatisfy(contains))
    for walk in ["8520", "7410", "0147", "0258", "1470", "0852"] { #expect(contains(walk), "\(walk)") }
  }

  @Test func numbersOfEachLengthThatGoOnAndOnAreOnTheList() {
    for length in 5...12 {
      for first in 0..<10 {
        for step in [0, 1, 2, 8, 9] {
          let run = (0..<length).map { String((first + step * $0) % 10) }.joined()
          #expect(contains(run), "\(run)")
          let broken = run.dropLast() + String((first + step * (length - 1) + 5) % 10)
          #expect(contains(String(broken)) == commonPasscodes.contains(String(broken)), "\(broken)")
        }
        for second in 0..<10 {
          let pairs = (0..<length).map { String($0 % 2 == 0 ? first : second) }.joined()
          #expect(contains(pairs), "\(pairs)")
        }
      }
    }
  }

  @Test func fiveDigitsAreTheMostFrequent() throws {
    let counted = try fields(of: "pin-counts-five.txt").map { (String($0[0]), Int($0[1])!) }
    let first = counted.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(200)
    #expect(first.count == 200 && first[0].0 == "12345")
    for (number, _) in first { #expect(contains(number), "\(number)") }
  }

  @Test func passwordsAreThoseThatTwoRankingsHave() throws {
    let rows = try fields(of: "common-words.txt")
    try #require(rows.count > 5_000)
    var listed = 0
    for row in rows {
      let (word, places) = (String(row[0]), row[1...4].map { Int($0) ?? .max })
      let limits = word.count == 6 && word.allSatisfy(\.isNumber) ? (25_000, 25_000) : (1_200, 2_000)
      let isRanked =
        places[0] <= 3_000 && places[1] <= 2_000 || places[2] <= limits.0 && places[3] <= limits.1
      if isRanked {
        listed += 1
        try #require(contains(word), "\(word)")
      } else if !word.allSatisfy(\.isNumber) {
        try #require(!contains(word), "\(word)")
      }
    }
    #expect(listed > 1_800)
  }

  /// zxcvbn's own count of one of the four rankings: a name that a list of names has as well is not left out.
  @Test func whatAnotherCountHasFirstIsOnTheList() throws {
    let check = try fields(of: "common-check.txt").map { String($0[0]) }
    try #require(check.count == 996)
    let rockyou = try Set(fields(of: "common-words.txt").filter { $0[1] != "-" }.map { String($0[0]) })
    let both = check.filter(rockyou.contains)
    try #require(both.count > 700)
    for word in both { #expect(contains(word), "\(word)") }
    for name in ["nicole", "daniel", "jessica", "michael", "ashley"] { #expect(both.contains(name), "\(name)") }
    #expect(check.prefix(200).count(where: contains) >= 199)
  }
}
