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
      let rows = try connection.query(
        "INSERT INTO accounts (account, verifier) VALUES ($1, $2) ON CONFLICT (account) DO NOTHING RETURNING account",
        [.text(account), .text(verifier)])
      guard !rows.isEmpty else { return false }
      // What was tried while there was no such account does not count.
      try forgetAttempts(account, connection)
      return true
    }
  }

  func hasAccounts() async throws -> Bool {
    try await database.run { connection in !(try connection.query("SELECT 1 FROM accounts LIMIT 1", [])).isEmpty }
  }

  // MARK: Change the passcode

  /// Writes the new verifier, gives the attempts back, and ends all sessions but the one that asks: who has the old
  /// passcode may be in one of them.
  ///
  /// - Returns: false if the verifier is not the old one any more.
  func replaceVerifier(
    of account: String, _ old: String, with new: String, keeping session: [UInt8]
  ) async throws -> Bool {
    let kept = name(of: session)
    return try await database.transaction { connection in
      let rows = try connection.query(
        "UPDATE accounts SET verifier = $1 WHERE account = $2 AND verifier = $3 RETURNING account",
        [.text(new), .text(account), .text(old)])
      guard !rows.isEmpty else { return false }
      try forgetAttempts(account, connection)
      _ = try connection.query(
        "DELETE FROM sessions WHERE account = $1 AND session <> $2", [.text(account), .text(kept)])
      return true
    }
  }
}
