// Accounts, challenges, attempts and sessions. Each function is one transaction. Here are challenges and what expires;
// attempts, accounts and sessions have files of their own.
// SPDX-License-Identifier: Apache-2.0

struct Ledger: Sendable {
  let database: any Database
  let limits: Limits

  struct Limits: Sendable {
    var challengeSeconds: Int
    /// Between KE2 and KE3, in which nobody types.
    var stateSeconds: Int
    /// Wrong passcodes in a row that lock an account.
    var attempts: Int
    /// How long the first lock lasts, the second in a row, and so on. The last one counts for all that follow.
    var lockSeconds: [Int]
    var sessionSeconds: Int

    /// How long attempts are kept after the latest, and after the end of a lock. Then they are forgotten, or everyone
    /// could fill the table with names. Twice the longest lock: so nobody can guess more often by waiting until the
    /// locks are short again. A day at least, because a person may need that to find the letter with the passcode.
    var attemptsKeptSeconds: Int { max(86_400, 2 * (lockSeconds.last ?? 0)) }
  }

  var clock: String { database.clock }

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
  func use(_ bytes: [UInt8], for purpose: Purpose, _ connection: any Connection) throws -> Challenge? {
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

  // MARK: What has expired

  func deleteExpired() async throws {
    let statements: [(String, [Value])] = [
      ("DELETE FROM challenges WHERE expires <= \(clock)", []),
      ("DELETE FROM fido_challenges WHERE expires <= \(clock)", []),
      ("DELETE FROM opaque_steps WHERE expires <= \(clock)", []),
      ("DELETE FROM sessions WHERE expires <= \(clock)", []),
      (
        """
        DELETE FROM attempts
        WHERE locked_until <= \(clock) - CAST($1 AS BIGINT) AND latest <= \(clock) - CAST($1 AS BIGINT)
        """, [.integer(limits.attemptsKeptSeconds * 1000)]
      ),
    ]
    for (sql, values) in statements {
      _ = try await database.transaction { connection in try connection.query(sql, values) }
    }
  }

  // MARK: What all servers agree on

  /// The value of a fact, which is the given one if nobody has written another before.
  func agree(on name: String, value: String) async throws -> String? {
    try await database.transaction { connection in
      let values: [Value] = [.text(name), .text(value)]
      _ = try connection.query("INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", values)
      return try connection.query("SELECT value FROM facts WHERE name = $1", [.text(name)]).first?[0]
    }
  }

  func fact(_ name: String) async throws -> String? {
    try await database.run { connection in
      try connection.query("SELECT value FROM facts WHERE name = $1", [.text(name)]).first?[0]
    }
  }

  /// Throws if the database does not answer, or cannot read its tables.
  func ping() async throws {
    _ = try await database.run { connection in try connection.query("SELECT version FROM schema_version", []) }
  }
}
