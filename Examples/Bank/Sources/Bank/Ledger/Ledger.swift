// Accounts, challenges, attempts and sessions. Each function is one transaction.
// SPDX-License-Identifier: Apache-2.0

struct Ledger: Sendable {
  let database: any Database
  let limits: Limits

  struct Limits: Sendable {
    var challengeSeconds: Int
    var attempts: Int
    var lockSeconds: Int
    var sessionSeconds: Int
    /// Then attempts are forgotten, if the account is not locked. Without this, everyone could fill the table with
    /// names. It lets nobody guess more often: a lock is much shorter.
    var attemptsKeptSeconds = 86_400
  }

  /// What became of a challenge for logging in.
  enum Login: Sendable {
    case attempt(Challenge, verifier: String?, attemptsLeft: Int)
    case locked(seconds: Int)
  }

  private var clock: String { database.clock }

  // MARK: Challenges

  func add(_ challenge: Challenge) async throws {
    let sql = """
      INSERT INTO challenges (challenge, purpose, account, way, key_id, expires)
      VALUES ($1, $2, $3, $4, $5, \(clock) + CAST($6 AS BIGINT))
      """
    let values: [Value] = [
      .text(Base64URL.encode(challenge.bytes)), .text(challenge.purpose.rawValue), .text(challenge.account),
      .text(challenge.way), .text(Base64URL.encode(challenge.keyId)), .integer(limits.challengeSeconds * 1000),
    ]
    _ = try await database.run { connection in try connection.query(sql, values) }
  }

  /// Uses a challenge up, whatever comes of it: of two requests with one challenge, one gets nil.
  private func use(_ bytes: [UInt8], for purpose: Purpose, _ connection: any Connection) throws -> Challenge? {
    let rows = try connection.query(
      """
      DELETE FROM challenges WHERE challenge = $1
      RETURNING purpose, account, way, key_id, CASE WHEN expires > \(clock) THEN 1 ELSE 0 END
      """, [.text(Base64URL.encode(bytes))])
    guard let row = rows.first, row[0] == purpose.rawValue, row[4] == "1" else { return nil }
    guard let account = row[1], let way = row[2], let keyId = row[3].flatMap(Base64URL.decode) else {
      throw DatabaseError.failed("A challenge's record is not whole.")
    }
    return Challenge(bytes: bytes, purpose: purpose, account: account, way: way, keyId: keyId)
  }

  // MARK: Register

  /// - Returns: the challenge's record; nil if it is not valid.
  func useForRegistering(_ bytes: [UInt8]) async throws -> Challenge? {
    try await database.transaction { connection in try use(bytes, for: .register, connection) }
  }

  /// - Returns: false if the account exists already.
  func addAccount(_ account: String, verifier: String) async throws -> Bool {
    try await database.transaction { connection in
      let rows = try connection.query(
        "INSERT INTO accounts (account, verifier) VALUES ($1, $2) ON CONFLICT (account) DO NOTHING RETURNING account",
        [.text(account), .text(verifier)])
      guard !rows.isEmpty else { return false }
      // What was tried while there was no such account does not count.
      _ = try connection.query("DELETE FROM attempts WHERE account = $1", [.text(account)])
      return true
    }
  }

  // MARK: Log in

  /// Uses the challenge up and counts the attempt, in one transaction and before the passcode is looked at. The attempt
  /// that is one too many locks the account at once; if its passcode is right, `finishLogin` opens it again.
  func useForLogin(_ bytes: [UInt8]) async throws -> Login? {
    try await database.transaction { connection in
      guard let challenge = try use(bytes, for: .login, connection) else { return nil }
      guard let failed = try countAttempt(challenge.account, connection) else {
        let rows = try connection.query(
          "SELECT (locked_until - \(clock) + 999) / 1000 FROM attempts WHERE account = $1", [.text(challenge.account)])
        return .locked(seconds: max(1, rows.first?[0].flatMap { Int($0) } ?? 1))
      }
      let rows = try connection.query("SELECT verifier FROM accounts WHERE account = $1", [.text(challenge.account)])
      return .attempt(challenge, verifier: rows.first?[0], attemptsLeft: max(0, limits.attempts - failed))
    }
  }

  /// - Returns: how many attempts have failed now, or nil if the account is locked.
  private func countAttempt(_ account: String, _ connection: any Connection) throws -> Int? {
    // After a lock, counting begins anew.
    let count = "(CASE WHEN attempts.failed >= CAST($2 AS BIGINT) THEN 1 ELSE attempts.failed + 1 END)"
    func lock(_ count: String) -> String {
      "CASE WHEN \(count) >= CAST($2 AS BIGINT) THEN \(clock) + CAST($3 AS BIGINT) ELSE 0 END"
    }
    let rows = try connection.query(
      """
      INSERT INTO attempts (account, failed, locked_until, latest) VALUES ($1, 1, \(lock("1")), \(clock))
      ON CONFLICT (account) DO UPDATE SET failed = \(count), locked_until = \(lock(count)), latest = \(clock)
      WHERE attempts.locked_until <= \(clock)
      RETURNING failed
      """, [.text(account), .integer(limits.attempts), .integer(limits.lockSeconds * 1000)])
    return rows.first?[0].flatMap { Int($0) }
  }

  /// Gives the attempts back, and begins a session.
  func finishLogin(_ account: String, session: [UInt8]) async throws {
    let sql = """
      INSERT INTO sessions (session, account, expires) VALUES ($1, $2, \(clock) + CAST($3 AS BIGINT))
      """
    let values: [Value] = [.text(name(of: session)), .text(account), .integer(limits.sessionSeconds * 1000)]
    try await database.transaction { connection in
      _ = try connection.query("DELETE FROM attempts WHERE account = $1", [.text(account)])
      _ = try connection.query(sql, values)
    }
  }

  // MARK: Sessions

  func account(ofSession session: [UInt8]) async throws -> String? {
    let sql = "SELECT account FROM sessions WHERE session = $1 AND expires > \(clock)"
    return try await database.run { connection in try connection.query(sql, [.text(name(of: session))]).first?[0] }
  }

  /// - Returns: whose session it was; nil if there is none.
  func endSession(_ session: [UInt8]) async throws -> String? {
    let sql = "DELETE FROM sessions WHERE session = $1 AND expires > \(clock) RETURNING account"
    return try await database.run { connection in try connection.query(sql, [.text(name(of: session))]).first?[0] }
  }

  private func name(of session: [UInt8]) -> String { Base64URL.encode(sha256(session)) }

  // MARK: What has expired

  func deleteExpired() async throws {
    let statements: [(String, [Value])] = [
      ("DELETE FROM challenges WHERE expires <= \(clock)", []),
      ("DELETE FROM sessions WHERE expires <= \(clock)", []),
      (
        "DELETE FROM attempts WHERE locked_until <= \(clock) AND latest <= \(clock) - CAST($1 AS BIGINT)",
        [.integer(limits.attemptsKeptSeconds * 1000)]
      ),
    ]
    for (sql, values) in statements {
      _ = try await database.transaction { connection in try connection.query(sql, values) }
    }
  }
}
