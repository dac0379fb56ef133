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
    try #require(lines.count == 7)
    for share in ["64.2 %", "68.1 %", "26.83 %", "14.44 %", "7.61 %"] {
      #expect(lines.contains { $0.contains(share) } && page.contains(share), "\(share)")
    }
  }
}
