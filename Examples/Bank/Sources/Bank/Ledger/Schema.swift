// All tables, for both databases, and how tables of an older bank become those of this one. Times are milliseconds
// since 1970, bytes are in base64url.
// SPDX-License-Identifier: Apache-2.0

enum Schema {
  /// What each version adds. A version that has been released is never changed: a new one is added at the end.
  ///
  /// A bank of the version before goes on beside this one while servers are replaced one after another, and may start
  /// again meanwhile. So a new column has a default, and nothing is removed before all servers are new.
  private static let versions: [[String]] = [
    // 1. Written so that it also fits a database that was made before versions were counted.
    [
      // A verifier is Argon2id's PHC string. It does not protect a PIN from anyone who has the master key too.
      """
      CREATE TABLE IF NOT EXISTS accounts (
        account TEXT PRIMARY KEY,
        verifier TEXT NOT NULL)
      """,
      // Deleted when it is used, or when it has expired.
      """
      CREATE TABLE IF NOT EXISTS challenges (
        challenge TEXT PRIMARY KEY,
        purpose TEXT NOT NULL,
        account TEXT NOT NULL,
        way TEXT NOT NULL,
        key_id TEXT NOT NULL,
        expires BIGINT NOT NULL)
      """,
      "CREATE INDEX IF NOT EXISTS challenges_expire ON challenges (expires)",
      // Passcodes in a row that were wrong, or whose check never ended. For names without an account too.
      """
      CREATE TABLE IF NOT EXISTS attempts (
        account TEXT PRIMARY KEY,
        failed BIGINT NOT NULL,
        locked_until BIGINT NOT NULL,
        latest BIGINT NOT NULL)
      """,
      // A session's SHA-256: nobody can log in with what is read here.
      """
      CREATE TABLE IF NOT EXISTS sessions (
        session TEXT PRIMARY KEY,
        account TEXT NOT NULL,
        expires BIGINT NOT NULL)
      """,
      "CREATE INDEX IF NOT EXISTS sessions_expire ON sessions (expires)",
    ],
    // 2.
    [
      // Locks in a row, with no right passcode between them: each is longer than the one before.
      "ALTER TABLE attempts ADD COLUMN locks BIGINT NOT NULL DEFAULT 0",
      "CREATE INDEX sessions_of_account ON sessions (account)",
      // What all servers of this database must agree on.
      """
      CREATE TABLE facts (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL)
      """,
    ],
    // 3. FIDO. An account that was opened with a key has an empty verifier.
    [
      """
      CREATE TABLE fido_challenges (
        challenge TEXT PRIMARY KEY,
        operation TEXT NOT NULL,
        account TEXT NOT NULL,
        transaction_text TEXT NOT NULL,
        is_owner BIGINT NOT NULL,
        expires BIGINT NOT NULL)
      """,
      "CREATE INDEX fido_challenges_expire ON fido_challenges (expires)",
      // The counter is that of the last signature.
      """
      CREATE TABLE fido_keys (
        aaid TEXT NOT NULL,
        key_id TEXT NOT NULL,
        account TEXT NOT NULL,
        public_key TEXT NOT NULL,
        counter BIGINT NOT NULL,
        PRIMARY KEY (aaid, key_id))
      """,
      "CREATE INDEX fido_keys_of_account ON fido_keys (account)",
      // The key that has begun the session, or nothing.
      "ALTER TABLE sessions ADD COLUMN fido_key TEXT NOT NULL DEFAULT ''",
    ],
    // 4.
    [
      // When the session began. One of a server of the version before began long ago.
      "ALTER TABLE sessions ADD COLUMN begun BIGINT NOT NULL DEFAULT 0",
      // The name of the session whose owner adds a key, or nothing.
      "ALTER TABLE fido_challenges ADD COLUMN session TEXT NOT NULL DEFAULT ''",
      // No key without an account. SQLite adds such a rule to new tables only. The name is changed first: in PostgreSQL
      // this locks the old table, so no server adds a key that is not copied.
      "ALTER TABLE fido_keys RENAME TO fido_keys_3",
      """
      CREATE TABLE fido_keys (
        aaid TEXT NOT NULL,
        key_id TEXT NOT NULL,
        account TEXT NOT NULL REFERENCES accounts (account),
        public_key TEXT NOT NULL,
        counter BIGINT NOT NULL,
        PRIMARY KEY (aaid, key_id))
      """,
      """
      INSERT INTO fido_keys (aaid, key_id, account, public_key, counter)
      SELECT aaid, key_id, account, public_key, counter FROM fido_keys_3
      WHERE account IN (SELECT account FROM accounts)
      """,
      "DROP TABLE fido_keys_3",
      "CREATE INDEX fido_keys_of_account ON fido_keys (account)",
      // The oldest version whose banks these tables serve.
      "ALTER TABLE schema_version ADD COLUMN oldest BIGINT NOT NULL DEFAULT 0",
    ],
    // 5. OPAQUE. An account with a record has an empty verifier.
    [
      // Nothing can be tried with a record without its setup. A server of the version before closes no account that
      // has one, because this table names the account.
      """
      CREATE TABLE opaque_records (
        account TEXT PRIMARY KEY REFERENCES accounts (account),
        setup TEXT NOT NULL,
        record TEXT NOT NULL)
      """,
      // Deleted when it is used, or when it has expired. The state is under a pad of the setup's.
      """
      CREATE TABLE opaque_steps (
        step TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        account TEXT NOT NULL,
        setup TEXT NOT NULL,
        record TEXT NOT NULL,
        state TEXT NOT NULL,
        owner TEXT NOT NULL,
        expires BIGINT NOT NULL)
      """,
      "CREATE INDEX opaque_steps_expire ON opaque_steps (expires)",
    ],
  ]

  static var newest: Int { versions.count }

  /// A bank of this version can work with the newest tables: the one before them, or one that is older.
  private static let oldest = 3

  /// Makes the tables that are not there, and brings older ones up to date. Runs in a transaction, in which no other
  /// server does the same.
  static func migrate(_ connection: any Connection) throws {
    _ = try connection.query("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)", [])
    let rows = try connection.query("SELECT version FROM schema_version", [])
    let version = rows.first?[0].flatMap { Int($0) } ?? 0
    guard try version <= newest || serves(connection) else {
      throw Failure(
        """
        The database has version \(version) of the tables, and this bank knows \(newest): a newer bank has used it. \
        Start that one, or go back to a backup.
        """)
    }
    guard version < newest else { return }
    for statement in versions[version...].joined() { _ = try connection.query(statement, []) }
    let isNew = rows.isEmpty
    let sql =
      isNew
      ? "INSERT INTO schema_version (version, oldest) VALUES ($1, $2)"
      : "UPDATE schema_version SET version = $1, oldest = $2"
    _ = try connection.query(sql, [.integer(newest), .integer(oldest)])
  }

  /// Whether the tables are newer than this bank, and made so that it can use them.
  private static func serves(_ connection: any Connection) throws -> Bool {
    let rows = try connection.query("SELECT oldest FROM schema_version", [])
    return rows.first?[0].flatMap { Int($0) }.map { 1...newest ~= $0 } ?? false
  }
}
