// All tables, for both databases. Times are milliseconds since 1970, bytes are in base64url.
// SPDX-License-Identifier: Apache-2.0

enum Schema {
  static let statements = [
    // A verifier is Argon2id's PHC string. It protects no PIN from anyone who has the master key too.
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
  ]
}
