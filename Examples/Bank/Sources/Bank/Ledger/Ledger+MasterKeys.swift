// Which master key a verifier was made with. While a database has had one only, its verifiers name none. A verifier of
// another one begins with that key's id, and PHC's strings begin with a dollar sign. So a server knows it whose key it
// has not, and takes no right passcode for a wrong one.
// SPDX-License-Identifier: Apache-2.0

extension Ledger {
  private static let (first, inUse) = ("master key", "master key in use")

  /// The id of the key whose verifiers name none: the first of this database, which is the given one if there is none.
  func firstMaster(_ id: String) async throws -> String { try await agree(on: Self.first, value: id) ?? id }

  /// The id of the key with which verifiers are made; nil if there was none.
  func masterInUse() async throws -> String? {
    if let id = try await fact(Self.inUse) { return id }
    return try await fact(Self.first)
  }

  func noteMasterInUse(_ id: String) async throws { try await note(Self.inUse, value: id) }

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

  /// Stores the verifier of the key in use in place of an older key's, if it is still the one that was checked.
  func renewVerifier(of account: String, _ old: String, with new: String) async throws {
    _ = try await database.run { connection in
      try connection.query(
        "UPDATE accounts SET verifier = $1 WHERE account = $2 AND verifier = $3",
        [.text(new), .text(account), .text(old)])
    }
  }

  private func condition(_ ids: [String]) async throws -> (String, [Value]) {
    let first = try await fact(Self.first)
    let beginnings = ids.map { ($0 == first ? "" : $0) + "$" }
    let conditions = beginnings.enumerated().map { " AND substr(verifier, 1, \($1.utf8.count)) <> $\($0 + 1)" }
    return ("verifier <> ''" + conditions.joined(), beginnings.map { .text($0) })
  }
}
