// Policies: a table of what servers ask, and what is chosen.
// SPDX-License-Identifier: Apache-2.0

import KeyboardFIDO
import KeyboardTestSupport
import Testing

@Suite struct PolicyTests {
  @Test func choosesWhatTheTableSays() throws {
    for line in try vectors("fido-policies.txt", count: 156, fields: 3) {
      let (expected, keys, source) = (line[0], line[1].split(separator: ","), String(line[2]))
      #expect(choices(source, keys: keys) == expected, "\(source)")
    }
  }

  /// The test above would notice another choice.
  @Test func anotherChoiceIsNoticed() {
    let passcode = #"{"accepted":[[{"aaid":["C0DE#0001"]}]]}"#
    #expect(choices(passcode, keys: []) == "1")
    #expect(choices(passcode, keys: []) != "2")
  }

  private func choices(_ source: String, keys: [Substring]) -> String {
    let parsed = Parsed(source)
    defer { keep(parsed) }
    guard let policy = Policy(parsed.root) else { return "1005" }
    var ranks: [(rank: Int, name: String)] = []
    for index in 0..<Authenticator.count {
      let authenticator = Authenticator.at(index)
      let aaid = Array("C0DE#000\(index + 1)".utf8)
      let own = keys.filter { $0.hasPrefix("\(index + 1):") }.map { $0.dropFirst(2) }
      aaid.withUnsafeBytes { aaid in
        let candidate = Candidate(authenticator, aaid: aaid) { key in own.contains { $0 == text(key)! } }
        if let rank = policy.rank(of: candidate) { ranks.append((rank, "\(authenticator.rawValue)")) }
      }
    }
    let names = ranks.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }.map { $0.name }
    return names.isEmpty ? "-" : names.joined(separator: ",")
  }

  /// With another key, the server would accept the authenticator: then it has no key for this user.
  @Test func tellsMissingKeysFromRefusedAuthenticators() throws {
    let key = "S0VZMQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    let parsed = Parsed(##"{"accepted":[[{"aaid":["C0DE#0001"],"keyIDs":["\##(key)"]}]]}"##)
    defer { keep(parsed) }
    let policy = try #require(Policy(parsed.root))
    Array("C0DE#0001".utf8).withUnsafeBytes { aaid in
      let candidate = Candidate(.passcode, aaid: aaid) { _ in false }
      #expect(policy.rank(of: candidate) == nil)
      #expect(policy.rank(of: candidate, anyKey: true) == 0)
    }
    Array("C0DE#0002".utf8).withUnsafeBytes { aaid in
      #expect(policy.rank(of: Candidate(.pattern, aaid: aaid) { _ in true }, anyKey: true) == nil)
    }
  }
}
