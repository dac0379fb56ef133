// Records of OPAQUE, and the steps of logins and registrations that are under way.
// SPDX-License-Identifier: Apache-2.0

extension Ledger {
  // MARK: Count

  /// Counts an attempt to log in, and then reads what the account has.
  func countLogin(_ account: String) async throws -> (count: Count, record: StoredRecord?) {
    try await database.transaction { connection in
      (try count(account, connection), try record(of: account, connection))
    }
  }

  /// Counts the answer to a registration: it lets somebody try one PIN at a login.
  ///
  /// - Parameter session: what the client gives, if it wants a new PIN.
  /// - Returns: the name of the owner's session; nil for a name that is free.
  /// - Throws: a refusal for another's account. Nothing is counted then, because nothing is answered.
  func countRegistration(_ account: String, session: [UInt8]?) async throws -> (count: Count, owner: String?) {
    let session = session.map(name(of:))
    return try await database.transaction { connection in
      if let session {
        guard try isOpen(session, of: account, connection) else { throw Refusal.session }
        guard try isFresh(session, connection) else { throw Refusal.oldSession }
      } else {
        let taken = try connection.query("SELECT 1 FROM accounts WHERE account = $1", [.text(account)])
        guard taken.isEmpty else { throw Refusal.exists }
      }
      return (try count(account, connection), session)
    }
  }

  /// A session that was left open changes no PIN, and neither does one of a key of FIDO.
  private func isFresh(_ session: String, _ connection: any Connection) throws -> Bool {
    let sql = "SELECT 1 FROM sessions WHERE session = $1 AND fido_key = '' AND begun > \(clock) - CAST($2 AS BIGINT)"
    return try !connection.query(sql, [.text(session), .integer(Self.addingSeconds * 1000)]).isEmpty
  }

  /// Uses the step of a registration up, and counts the answer to its KE1.
  ///
  /// - Returns: nil if the step is not valid.
  func countConfirmation(_ name: [UInt8]) async throws -> (step: LoginStep, count: Count)? {
    try await database.transaction { connection in
      guard let step = try use(name, for: [.registration], connection) else { return nil }
      return (step, try count(step.account, connection))
    }
  }

  // MARK: Steps

  func add(_ step: LoginStep) async throws {
    let sql = """
      INSERT INTO opaque_steps (step, kind, account, setup, record, state, owner, expires)
      VALUES ($1, $2, $3, $4, $5, $6, $7, \(clock) + CAST($8 AS BIGINT))
      """
    // A person types between a registration and its record; between KE2 and KE3 nobody does.
    let seconds = step.kind == .registration ? limits.challengeSeconds : limits.stateSeconds
    let values: [Value] = [
      .text(Base64URL.encode(step.name)), .text(step.kind.rawValue), .text(step.account), .text(step.setup),
      .text(Base64URL.encode(step.record)), .text(Base64URL.encode(step.state)), .text(step.owner ?? ""),
      .integer(seconds * 1000),
    ]
    _ = try await database.run { connection in try connection.query(sql, values) }
  }

  /// Uses a step up, whatever comes of it.
  ///
  /// - Returns: nil if it is unknown, was used, has expired, or waits for something else.
  func use(_ name: [UInt8], for kinds: [LoginStep.Kind]) async throws -> LoginStep? {
    try await database.transaction { connection in try use(name, for: kinds, connection) }
  }

  private func use(_ name: [UInt8], for kinds: [LoginStep.Kind], _ connection: any Connection) throws -> LoginStep? {
    let rows = try connection.query(
      """
      DELETE FROM opaque_steps WHERE step = $1
      RETURNING kind, account, setup, record, state, owner, CASE WHEN expires > \(clock) THEN 1 ELSE 0 END
      """, [.text(Base64URL.encode(name))])
    guard let row = rows.first, let kind = row[0].flatMap(LoginStep.Kind.init), kinds.contains(kind), row[6] == "1"
    else { return nil }
    guard let account = row[1], let setup = row[2], let record = row[3].flatMap(Base64URL.decode),
      let state = row[4].flatMap(Base64URL.decode), let owner = row[5]
    else { throw DatabaseError.failed("The record of a step is not whole.") }
    return LoginStep(
      name: name, kind: kind, account: account, setup: setup, record: record, state: state,
      owner: owner.isEmpty ? nil : owner)
  }

  // MARK: Ends

  /// Gives the attempts back, and begins a session.
  ///
  /// - Returns: false if the account has another record by now: its PIN was changed in the meantime.
  func finishLogin(_ step: LoginStep, session: [UInt8]) async throws -> Bool {
    try await database.transaction { connection in
      guard try lock(step.account, connection), try record(of: step.account, connection) == step.storedRecord
      else { return false }
      try forgetAttempts(step.account, connection)
      try begin(session, of: step.account, connection)
      return true
    }
  }

  /// Opens an account, and begins its first session.
  ///
  /// - Returns: false if the account exists already.
  func addAccount(_ step: LoginStep, session: [UInt8]) async throws -> Bool {
    try await database.transaction { connection in
      guard try makeAccount(step.account, verifier: "", connection) else { return false }
      try store(step, connection)
      try forgetAttempts(step.account, connection)
      try begin(session, of: step.account, connection)
      return true
    }
  }

  /// Stores the owner's new record, and begins a session in place of the one that has asked.
  ///
  /// An account that had a sealed PIN, or a record of an older setup, moves: its other sessions and keys stay. From any
  /// other, it is a new PIN: all sessions end, and all keys are removed, as in a change of a sealed PIN.
  ///
  /// - Returns: how many keys were removed; nil if the session that has asked is over.
  /// - Throws: a refusal if it is the old PIN.
  func replaceRecord(_ step: LoginStep, owner: String, session: [UInt8]) async throws -> Int? {
    let account: Value = .text(step.account)
    return try await database.transaction { connection in
      guard try lock(step.account, connection), try isOpen(owner, of: step.account, connection) else { return nil }
      let old = try record(of: step.account, connection)
      let isNewPIN = old?.setup == step.setup
      guard !isNewPIN || old?.maskingKey != step.storedRecord.maskingKey else { throw Refusal.same }
      try store(step, connection)
      _ = try connection.query("UPDATE accounts SET verifier = '' WHERE account = $1", [account])
      try forgetAttempts(step.account, connection)
      _ = try connection.query("DELETE FROM sessions WHERE session = $1", [.text(owner)])
      var keys: [[String?]] = []
      if isNewPIN {
        _ = try endSessions(of: step.account, connection)
        try endOwnerChallenges(of: step.account, connection)
        keys = try connection.query("DELETE FROM fido_keys WHERE account = $1 RETURNING key_id", [account])
      }
      try begin(session, of: step.account, connection)
      return keys.count
    }
  }

  // MARK: Records

  private func record(of account: String, _ connection: any Connection) throws -> StoredRecord? {
    let rows = try connection.query("SELECT setup, record FROM opaque_records WHERE account = $1", [.text(account)])
    guard let row = rows.first else { return nil }
    guard let setup = row[0], let record = row[1].flatMap(Base64URL.decode) else {
      throw DatabaseError.failed("A record of OPAQUE is not whole.")
    }
    return StoredRecord(setup: setup, record: record)
  }

  private func store(_ step: LoginStep, _ connection: any Connection) throws {
    _ = try connection.query(
      """
      INSERT INTO opaque_records (account, setup, record) VALUES ($1, $2, $3)
      ON CONFLICT (account) DO UPDATE SET setup = $2, record = $3
      """, [.text(step.account), .text(step.setup), .text(Base64URL.encode(step.record))])
  }
}
