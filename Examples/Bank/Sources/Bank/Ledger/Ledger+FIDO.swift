// Keys of FIDO, and the challenges for them. The bank stores public keys only: nobody can log in with what is in its
// database.
// SPDX-License-Identifier: Apache-2.0

/// What a challenge of FIDO is for.
struct UAFRecord: Sendable {
  /// 32 random bytes.
  let challenge: [UInt8]
  let operation: UAFOperation
  let account: String
  /// What the person must confirm, or nothing.
  let transaction: String
  /// The name of the session whose owner wants to add a key; nil if the key opens a new account.
  var owner: String?
}

struct FIDOKey: Sendable {
  let name: Name
  let account: String
  let publicKey: [UInt8]

  struct Name: Sendable {
    let aaid: String
    let keyID: [UInt8]

    fileprivate var values: [Value] { [.text(aaid), .text(Base64URL.encode(keyID))] }
  }
}

extension Ledger {
  // MARK: Challenges

  /// How long after its beginning a session may ask for a challenge that adds a key. A key stays when the session is
  /// over, so a session that somebody left open is not enough.
  static var addingSeconds: Int { 120 }

  /// - Parameter session: what the app gives. A registration notes it if it is the account's own.
  /// - Throws: a refusal if the session is the account's own, and began too long ago to add a key.
  func add(_ record: UAFRecord, session: [UInt8]?) async throws {
    // Servers of the version before read is_owner only.
    let sql = """
      INSERT INTO fido_challenges (challenge, operation, account, transaction_text, is_owner, session, expires)
      VALUES ($1, $2, $3, $4, $5, $6, \(clock) + CAST($7 AS BIGINT))
      """
    _ = try await database.transaction { connection in
      var owner: String?
      if record.operation == .registration, let name = session.map(name(of:)) {
        let rows = try connection.query(
          """
          SELECT CASE WHEN begun > \(clock) - CAST($3 AS BIGINT) THEN 1 ELSE 0 END FROM sessions
          WHERE session = $1 AND account = $2 AND expires > \(clock)
          """, [.text(name), .text(record.account), .integer(Self.addingSeconds * 1000)])
        guard rows.isEmpty || rows[0][0] == "1" else { throw UAFRefusal.oldSession }
        owner = rows.isEmpty ? nil : name
      }
      return try connection.query(
        sql,
        [
          .text(Base64URL.encode(record.challenge)), .text(record.operation.rawValue), .text(record.account),
          .text(Base64URL.encode(record.transaction.utf8)), .integer(owner == nil ? 0 : 1), .text(owner ?? ""),
          .integer(limits.challengeSeconds * 1000),
        ])
    }
  }

  /// Deletes the challenges with which somebody who was logged in wants to add a key.
  func endOwnerChallenges(of account: String, _ connection: any Connection) throws {
    _ = try connection.query("DELETE FROM fido_challenges WHERE account = $1 AND is_owner = 1", [.text(account)])
  }

  /// Uses a challenge up, whatever comes of it.
  ///
  /// - Returns: nil if it is unknown, was used, has expired, or is for another operation.
  func use(_ challenge: [UInt8], for operation: UAFOperation) async throws -> UAFRecord? {
    let sql = """
      DELETE FROM fido_challenges WHERE challenge = $1
      RETURNING operation, account, transaction_text, session, CASE WHEN expires > \(clock) THEN 1 ELSE 0 END
      """
    let rows = try await database.transaction { connection in
      try connection.query(sql, [.text(Base64URL.encode(challenge))])
    }
    guard let row = rows.first, row[0] == operation.rawValue, row[4] == "1" else { return nil }
    guard let account = row[1], let transaction = row[2].flatMap(Base64URL.decode), let owner = row[3] else {
      throw DatabaseError.failed("A challenge's record is not whole.")
    }
    return UAFRecord(
      challenge: challenge, operation: operation, account: account,
      transaction: String(decoding: transaction, as: UTF8.self), owner: owner.isEmpty ? nil : owner)
  }

  // MARK: Keys

  /// The most keys that an account has.
  static var mostKeys: Int { 16 }

  /// Adds a key. A free name becomes an account that has no PIN; to one that exists, only its owner may add a key.
  ///
  /// - Parameter owner: the name of the session that has asked for it. If that session is over by now, because its
  ///   owner has logged out or the PIN was changed, the key is not added.
  /// - Throws: a refusal, and then nothing is changed.
  func add(_ key: FIDOKey, counter: Int, owner: String?) async throws {
    let account: Value = .text(key.account)
    try await database.transaction { connection in
      if let owner {
        // The lock is held until the key is there. So all sessions end before it or after it, and of two keys that
        // are added at once, the second is counted after the first.
        guard try lock(key.account, connection), try isOpen(owner, of: key.account, connection) else {
          throw UAFRefusal.session
        }
      } else {
        guard try makeAccount(key.account, verifier: "", connection) else { throw UAFRefusal.exists }
      }
      let keys = try connection.query("SELECT key_id FROM fido_keys WHERE account = $1", [account])
      guard keys.count < Self.mostKeys else {
        throw UAFRefusal.content("The account has many keys: deregister them first.")
      }
      let added = try connection.query(
        """
        INSERT INTO fido_keys (aaid, key_id, account, public_key, counter)
        VALUES ($1, $2, $3, $4, CAST($5 AS BIGINT)) ON CONFLICT (aaid, key_id) DO NOTHING RETURNING key_id
        """,
        key.name.values + [account, .text(Base64URL.encode(key.publicKey)), .integer(counter)])
      guard !added.isEmpty else { throw UAFRefusal.content("The bank has this key already.") }
    }
  }

  func key(_ name: FIDOKey.Name) async throws -> FIDOKey? {
    let sql = "SELECT account, public_key FROM fido_keys WHERE aaid = $1 AND key_id = $2"
    let rows = try await database.run { connection in try connection.query(sql, name.values) }
    guard let row = rows.first else { return nil }
    guard let account = row[0], let publicKey = row[1].flatMap(Base64URL.decode) else {
      throw DatabaseError.failed("A key's record is not whole.")
    }
    return FIDOKey(name: name, account: account, publicKey: publicKey)
  }

  /// Raises the counter, and begins a session.
  ///
  /// - Returns: false if the counter is not higher than the last one, or the key is gone.
  /// - Throws: a refusal if the account is gone.
  func finishLogin(_ key: FIDOKey, counter: Int, session: [UInt8]) async throws -> Bool {
    let values: [Value] = [
      .text(name(of: session)), .text(key.account), .integer(limits.sessionSeconds * 1000),
      .text(Base64URL.encode(key.name.keyID)),
    ]
    let sql = """
      INSERT INTO sessions (session, account, begun, expires, fido_key)
      VALUES ($1, $2, \(clock), \(clock) + CAST($3 AS BIGINT), $4)
      """
    return try await database.transaction { connection in
      guard try lock(key.account, connection) else { throw UAFRefusal.unknownKey }
      let raised = try connection.query(
        """
        UPDATE fido_keys SET counter = CAST($3 AS BIGINT)
        WHERE aaid = $1 AND key_id = $2 AND account = $4 AND counter < CAST($3 AS BIGINT) RETURNING key_id
        """,
        key.name.values + [.integer(counter), .text(key.account)])
      guard !raised.isEmpty else { return false }
      _ = try connection.query(sql, values)
      return true
    }
  }

  /// Removes the key that has begun this session, or all keys of the account, and ends the sessions that they began. An
  /// account that has then neither a key nor a PIN, sealed or of OPAQUE, is closed.
  ///
  /// - Returns: what the app must delete; nil if the session is over.
  func removeKeys(of account: String, session: [UInt8], isAll: Bool) async throws -> [FIDOKey.Name]? {
    let session = name(of: session)
    return try await database.transaction { connection in
      let owner = try connection.query(
        "SELECT fido_key FROM sessions WHERE session = $1 AND account = $2 AND expires > \(clock)",
        [.text(session), .text(account)])
      // A key may be added at this moment. With the lock, the statements below see it, or it is refused.
      guard let own = owner.first?[0], try lock(account, connection), try isOpen(session, of: account, connection)
      else { return nil }
      // A session that a PIN has begun has no key of its own.
      let one: Value = .text(isAll ? "" : own)
      let rows = try connection.query(
        "DELETE FROM fido_keys WHERE account = $1 AND ($2 = '' OR key_id = $2) RETURNING aaid, key_id",
        [.text(account), one])
      _ = try connection.query(
        "DELETE FROM sessions WHERE account = $1 AND fido_key <> '' AND ($2 = '' OR fido_key = $2)",
        [.text(account), one])
      let closed = try connection.query(
        """
        DELETE FROM accounts WHERE account = $1 AND verifier = ''
          AND NOT EXISTS (SELECT 1 FROM fido_keys WHERE fido_keys.account = $1)
          AND NOT EXISTS (SELECT 1 FROM opaque_records WHERE opaque_records.account = $1) RETURNING account
        """, [.text(account)])
      if !closed.isEmpty { try endOwnerChallenges(of: account, connection) }
      return rows.compactMap { row in
        guard let aaid = row[0], let keyID = row[1].flatMap(Base64URL.decode) else { return nil }
        return FIDOKey.Name(aaid: aaid, keyID: keyID)
      }
    }
  }
}
