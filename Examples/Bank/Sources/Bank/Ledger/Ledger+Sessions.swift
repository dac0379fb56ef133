// Sessions. The database has only their SHA-256.
// SPDX-License-Identifier: Apache-2.0

extension Ledger {
  /// Gives the attempts back, and begins a session.
  ///
  /// - Returns: false if the account has another verifier by now: its passcode was changed in the meantime, which ended
  ///   all sessions.
  func finishLogin(_ account: String, verifier: String, session: [UInt8]) async throws -> Bool {
    try await database.transaction { connection in
      // Locks the account's row, so that a change of the passcode comes before or after all of this.
      let rows = try connection.query(
        "UPDATE accounts SET verifier = verifier WHERE account = $1 AND verifier = $2 RETURNING account",
        [.text(account), .text(verifier)])
      guard !rows.isEmpty else { return false }
      try forgetAttempts(account, connection)
      try begin(session, of: account, connection)
      return true
    }
  }

  func begin(_ session: [UInt8], of account: String, _ connection: any Connection) throws {
    _ = try connection.query(
      """
      INSERT INTO sessions (session, account, begun, expires)
      VALUES ($1, $2, \(clock), \(clock) + CAST($3 AS BIGINT))
      """, [.text(name(of: session)), .text(account), .integer(limits.sessionSeconds * 1000)])
  }

  func account(ofSession session: [UInt8]) async throws -> String? {
    let sql = "SELECT account FROM sessions WHERE session = $1 AND expires > \(clock)"
    return try await database.run { connection in try connection.query(sql, [.text(name(of: session))]).first?[0] }
  }

  /// - Parameter session: its name.
  func isOpen(_ session: String, of account: String, _ connection: any Connection) throws -> Bool {
    let sql = "SELECT 1 FROM sessions WHERE session = $1 AND account = $2 AND expires > \(clock)"
    return try !connection.query(sql, [.text(session), .text(account)]).isEmpty
  }

  /// - Returns: whose session it was; nil if there is none.
  func endSession(_ session: [UInt8]) async throws -> String? {
    let sql = "DELETE FROM sessions WHERE session = $1 AND expires > \(clock) RETURNING account"
    return try await database.run { connection in try connection.query(sql, [.text(name(of: session))]).first?[0] }
  }

  /// Ends all sessions of the account whose session it is.
  ///
  /// - Returns: the account, and how many sessions it had; nil if there is no such session.
  func endAllSessions(with session: [UInt8]) async throws -> (account: String, count: Int)? {
    try await database.transaction { connection in
      let sql = "SELECT account FROM sessions WHERE session = $1 AND expires > \(clock)"
      guard let account = try connection.query(sql, [.text(name(of: session))]).first?[0] else { return nil }
      _ = try lock(account, connection)
      try endOwnerChallenges(of: account, connection)
      return (account, try endSessions(of: account, connection))
    }
  }

  /// An operator's: ends all sessions of an account, or of everybody. Challenges end too: after a restored backup, one
  /// that was used before could be good again.
  ///
  /// - Returns: how many sessions there were.
  func endSessions(of account: String?) async throws -> Int {
    try await database.transaction { connection in
      if let account {
        _ = try lock(account, connection)
        _ = try connection.query("DELETE FROM challenges WHERE account = $1", [.text(account)])
        _ = try connection.query("DELETE FROM fido_challenges WHERE account = $1", [.text(account)])
        _ = try connection.query("DELETE FROM opaque_steps WHERE account = $1", [.text(account)])
        return try endSessions(of: account, connection)
      }
      _ = try connection.query("DELETE FROM challenges", [])
      _ = try connection.query("DELETE FROM fido_challenges", [])
      _ = try connection.query("DELETE FROM opaque_steps", [])
      return try connection.query("DELETE FROM sessions RETURNING account", []).count
    }
  }

  func endSessions(of account: String, _ connection: any Connection) throws -> Int {
    try connection.query("DELETE FROM sessions WHERE account = $1 RETURNING account", [.text(account)]).count
  }

  func name(of session: [UInt8]) -> String { Base64URL.encode(sha256(session)) }
}
