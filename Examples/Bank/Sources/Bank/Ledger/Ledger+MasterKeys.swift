// Which master key a verifier was made with. While a database has had one only, its verifiers name none. A verifier of
// another one begins with that key's id, and PHC's strings begin with a dollar sign. So a server knows it whose key it
// has not, and takes no right passcode for a wrong one.
// SPDX-License-Identifier: Apache-2.0

extension Ledger {
  private static let (first, inUse) = ("master key", "master key in use")
  /// The beginning of the names of facts: each has a key that was replaced in its name, and the next one as its value.
  private static let replaced = "replaced master key "

  /// The id of the key whose verifiers name none: the first of this database, which is the given one if there is none.
  func firstMaster(_ id: String) async throws -> String { try await agree(on: Self.first, value: id) ?? id }

  /// The id of the key with which verifiers are made; nil if there was none.
  func masterInUse() async throws -> String? {
    if let id = try await fact(Self.inUse) { return id }
    return try await fact(Self.first)
  }

  /// Notes that verifiers are made with another key from now on, if the old one is still in use. A key that was
  /// replaced may have leaked: it is never in use again.
  ///
  /// - Returns: the id of the key that is in use then.
  func replaceMaster(_ old: String, with new: String) async throws -> String? {
    try await database.transaction { connection in
      let add = "INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"
      _ = try connection.query(add, [.text(Self.inUse), .text(old)])
      let rows = try connection.query(
        """
        UPDATE facts SET value = $1 WHERE name = $2 AND value = $3
        AND NOT EXISTS (SELECT 1 FROM facts WHERE name = $4 OR (name = $5 AND value = $1)) RETURNING name
        """, [.text(new), .text(Self.inUse), .text(old), .text(Self.replaced + new), .text(Self.first)])
      if !rows.isEmpty { _ = try connection.query(add, [.text(Self.replaced + old), .text(new)]) }
      return try connection.query("SELECT value FROM facts WHERE name = $1", [.text(Self.inUse)]).first?[0]
    }
  }

  /// How many accounts have a verifier of another key than these.
  func countVerifiers(underOtherMastersThan ids: [String]) async throws -> Int {
    let (condition, values) = try await condition(ids)
    return try await database.run { connection in
      let rows = try connection.query("SELECT COUNT(*) FROM accounts WHERE \(condition)", values)
      return rows.first?[0].flatMap { Int($0) } ?? 0
    }
  }

  /// Forgets the passcodes of accounts that have a verifier of another key than the one in use. Their owners can log in
  /// with a key of FIDO, if they have one.
  ///
  /// - Returns: how many they are.
  func forgetOlderVerifiers() async throws -> Int {
    guard let id = try await masterInUse() else { return 0 }
    let (condition, values) = try await condition([id])
    return try await database.transaction { connection in
      try connection.query("UPDATE accounts SET verifier = '' WHERE \(condition) RETURNING account", values).count
    }
  }

  /// Forgets all passcodes, and ends all sessions and challenges: for when somebody may know every passcode.
  ///
  /// - Returns: how many passcodes there were.
  func forgetAllVerifiers() async throws -> Int {
    try await database.transaction { connection in
      let rows = try connection.query("UPDATE accounts SET verifier = '' WHERE verifier <> '' RETURNING account", [])
      for table in ["challenges", "fido_challenges", "opaque_steps", "sessions"] {
        _ = try connection.query("DELETE FROM \(table)", [])
      }
      return rows.count
    }
  }

  /// Stores another key's verifier in place of the one that was checked, if that one is still there, and the key is in
  /// use: a server that has the keys in the old order replaces no verifier of the new key.
  func renewVerifier(of account: String, _ old: String, with new: String) async throws {
    // Empty if it is of the first key, which is never in use again.
    let master = String(new.prefix { $0 != "$" })
    _ = try await database.run { connection in
      try connection.query(
        """
        UPDATE accounts SET verifier = $1 WHERE account = $2 AND verifier = $3
        AND EXISTS (SELECT 1 FROM facts WHERE name = $4 AND value = $5)
        """, [.text(new), .text(account), .text(old), .text(Self.inUse), .text(master)])
    }
  }

  private func condition(_ ids: [String]) async throws -> (String, [Value]) {
    let first = try await fact(Self.first)
    let beginnings = ids.map { ($0 == first ? "" : $0) + "$" }
    let conditions = beginnings.enumerated().map { " AND substr(verifier, 1, \($1.utf8.count)) <> $\($0 + 1)" }
    return ("verifier <> ''" + conditions.joined(), beginnings.map { .text($0) })
  }
}
