// Accounts and their verifiers.
// SPDX-License-Identifier: Apache-2.0

extension Ledger {
  // MARK: Register

  /// What became of a challenge for registering.
  enum Registration: Sendable {
    case challenge(Challenge)
    case otherKey
  }

  /// - Returns: nil if the challenge is not valid.
  func useForRegistering(_ bytes: [UInt8], keyId: [UInt8]) async throws -> Registration? {
    try await database.transaction { connection in
      guard let challenge = try use(bytes, for: .register, connection) else { return nil }
      return challenge.keyId == keyId ? .challenge(challenge) : .otherKey
    }
  }

  /// - Returns: false if the account exists already.
  func addAccount(_ account: String, verifier: String) async throws -> Bool {
    try await database.transaction { connection in
      guard try makeAccount(account, verifier: verifier, connection) else { return false }
      // What was tried while there was no such account does not count.
      try forgetAttempts(account, connection)
      return true
    }
  }

  /// Makes an account that has nothing of an earlier one of this name: no key and no session of it is good again.
  ///
  /// - Returns: false if the account exists already.
  func makeAccount(_ account: String, verifier: String, _ connection: any Connection) throws -> Bool {
    let rows = try connection.query(
      "INSERT INTO accounts (account, verifier) VALUES ($1, $2) ON CONFLICT (account) DO NOTHING RETURNING account",
      [.text(account), .text(verifier)])
    guard !rows.isEmpty else { return false }
    _ = try connection.query("DELETE FROM fido_keys WHERE account = $1", [.text(account)])
    _ = try endSessions(of: account, connection)
    return true
  }

  /// Locks the account's row until the transaction ends: what else locks it comes before or after.
  ///
  /// - Returns: false if there is no such account.
  func lock(_ account: String, _ connection: any Connection) throws -> Bool {
    try !connection.query(
      "UPDATE accounts SET verifier = verifier WHERE account = $1 RETURNING account", [.text(account)]
    ).isEmpty
  }

  func hasAccounts() async throws -> Bool {
    try await database.run { connection in !(try connection.query("SELECT 1 FROM accounts LIMIT 1", [])).isEmpty }
  }

  // MARK: Change the passcode

  /// Writes the new verifier, gives the attempts back, and ends all sessions but the one that asks: somebody who has
  /// the old passcode may be in one of them. Such a person may have added a key, too. So all keys are removed but the
  /// one that has begun the session that asks.
  ///
  /// - Returns: how many keys were removed; nil if the verifier is not the old one any more.
  func replaceVerifier(
    of account: String, _ old: String, with new: String, keeping session: [UInt8]
  ) async throws -> Int? {
    let kept = name(of: session)
    return try await database.transaction { connection in
      let rows = try connection.query(
        "UPDATE accounts SET verifier = $1 WHERE account = $2 AND verifier = $3 RETURNING account",
        [.text(new), .text(account), .text(old)])
      guard !rows.isEmpty else { return nil }
      try forgetAttempts(account, connection)
      _ = try connection.query(
        "DELETE FROM sessions WHERE account = $1 AND session <> $2", [.text(account), .text(kept)])
      try endOwnerChallenges(of: account, connection)
      // No key has an empty name, which is that of a session of the PIN's.
      let keys = try connection.query(
        """
        DELETE FROM fido_keys
        WHERE account = $1 AND key_id NOT IN (SELECT fido_key FROM sessions WHERE session = $2) RETURNING key_id
        """, [.text(account), .text(kept)])
      return keys.count
    }
  }
}
