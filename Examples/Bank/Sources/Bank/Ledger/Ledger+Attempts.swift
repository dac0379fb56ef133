// Attempts are counted before a passcode is looked at, and given back if it was right. So a server that is killed in
// between loses none.
// SPDX-License-Identifier: Apache-2.0

extension Ledger {
  /// What became of a challenge for logging in, or for changing a passcode.
  enum Attempt: Sendable {
    case attempt(Challenge, verifier: String?, attemptsLeft: Int)
    case locked(Challenge, seconds: Int)
    /// The challenge is for another key than the text. Nothing is counted, because nothing is opened.
    case otherKey
  }

  /// Uses the challenge up and counts the attempt, in one transaction and before the passcode is looked at. The attempt
  /// that is one too many locks the account at once; if its passcode is right, `finishLogin` opens it again.
  ///
  /// - Parameters:
  ///   - keyId: names the key that the text is sealed for.
  ///   - account: whose challenge it must be, if the request says who asks.
  /// - Returns: nil if the challenge is not valid.
  func useForAttempt(
    _ bytes: [UInt8], purpose: Purpose, keyId: [UInt8], account: String? = nil
  ) async throws -> Attempt? {
    try await database.transaction { connection in
      guard let challenge = try use(bytes, for: purpose, connection) else { return nil }
      guard account == nil || account == challenge.account else { return nil }
      guard challenge.keyId == keyId else { return .otherKey }
      let attemptsLeft: Int
      switch try count(challenge.account, connection) {
      case .locked(let seconds): return .locked(challenge, seconds: seconds)
      case .counted(let left): attemptsLeft = left
      }
      // An account without a PIN is answered as one that does not exist.
      let rows = try connection.query(
        "SELECT verifier FROM accounts WHERE account = $1 AND verifier <> ''", [.text(challenge.account)])
      return .attempt(challenge, verifier: rows.first?[0], attemptsLeft: attemptsLeft)
    }
  }

  /// What became of an attempt that was to be counted.
  enum Count: Sendable {
    case counted(attemptsLeft: Int)
    case locked(seconds: Int)
  }

  func count(_ account: String, _ connection: any Connection) throws -> Count {
    guard let failed = try countAttempt(account, connection) else {
      let rows = try connection.query(
        "SELECT (locked_until - \(clock) + 999) / 1000 FROM attempts WHERE account = $1", [.text(account)])
      return .locked(seconds: max(1, rows.first?[0].flatMap { Int($0) } ?? 1))
    }
    return .counted(attemptsLeft: max(0, limits.attempts - failed))
  }

  /// - Returns: how many attempts have failed now, or nil if the account is locked.
  private func countAttempt(_ account: String, _ connection: any Connection) throws -> Int? {
    // After a lock, counting begins anew.
    let count = "(CASE WHEN attempts.failed >= CAST($2 AS BIGINT) THEN 1 ELSE attempts.failed + 1 END)"
    func lock(_ count: String, _ locks: String) -> String {
      "CASE WHEN \(count) >= CAST($2 AS BIGINT) THEN \(clock) + \(lockMilliseconds(locks)) ELSE 0 END"
    }
    func locks(_ count: String, _ locks: String) -> String {
      "\(locks) + CASE WHEN \(count) >= CAST($2 AS BIGINT) THEN 1 ELSE 0 END"
    }
    let rows = try connection.query(
      """
      INSERT INTO attempts (account, failed, locked_until, latest, locks)
      VALUES ($1, 1, \(lock("1", "0")), \(clock), \(locks("1", "0")))
      ON CONFLICT (account) DO UPDATE SET failed = \(count), locked_until = \(lock(count, "attempts.locks")),
        latest = \(clock), locks = \(locks(count, "attempts.locks"))
      WHERE attempts.locked_until <= \(clock)
      RETURNING failed
      """, [.text(account), .integer(limits.attempts)])
    return rows.first?[0].flatMap { Int($0) }
  }

  /// How long the next lock lasts, after this number of locks in a row. The numbers are the bank's own options.
  private func lockMilliseconds(_ locks: String) -> String {
    let cases = limits.lockSeconds.dropLast().enumerated().map { "WHEN \(locks) = \($0) THEN \($1 * 1000)" }
    let longest = String(limits.lockSeconds.last! * 1000)
    return cases.isEmpty ? longest : "CASE \(cases.joined(separator: " ")) ELSE \(longest) END"
  }

  /// Gives the attempts back, because the passcode was right.
  func forgetAttempts(_ account: String) async throws {
    try await database.transaction { connection in try forgetAttempts(account, connection) }
  }

  func forgetAttempts(_ account: String, _ connection: any Connection) throws {
    _ = try connection.query("DELETE FROM attempts WHERE account = $1", [.text(account)])
  }

  /// An operator's: opens an account that is locked, and its next lock is the shortest again.
  ///
  /// - Returns: false if there were no wrong attempts.
  func unlock(_ account: String) async throws -> Bool {
    try await database.transaction { connection in
      try !connection.query("DELETE FROM attempts WHERE account = $1 RETURNING account", [.text(account)]).isEmpty
    }
  }
}
