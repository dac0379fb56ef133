// What the bank asks of a database: statements in SQL that SQLite and PostgreSQL both understand, and transactions.
// Everything else about accounts is in Ledger.swift, once for both.
// SPDX-License-Identifier: Apache-2.0

protocol Database: Sendable {
  /// The time in milliseconds since 1970, as an expression of SQL. Many servers share one database; its clock counts,
  /// or a challenge would live longer on one server than on another.
  var clock: String { get }

  /// How many bodies can run at once. Others wait.
  var connectionCount: Int { get }

  /// Runs statements, each a transaction of its own.
  func run<Result: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Result) async throws -> Result

  /// Runs statements that happen together or not at all.
  ///
  /// - Parameter body: may run again, after what it did was undone: if two transactions wait for each other.
  func transaction<Result: Sendable>(
    _ body: @escaping @Sendable (any Connection) throws -> Result
  ) async throws -> Result

  func shutDown() async throws
}

/// One conversation with a database. Used by one thread at a time.
protocol Connection {
  /// - Parameters:
  ///   - sql: one statement, with the values as $1, $2, …. Statements are kept, so nothing a client sent is in it.
  /// - Returns: the rows, all values as text.
  func query(_ sql: String, _ values: [Value]) throws -> [[String?]]
}

extension Connection {
  /// Runs the body's statements between `begin` and COMMIT. If one fails, all are undone.
  func transaction<Result>(_ begin: String, _ body: (any Connection) throws -> Result) throws -> Result {
    _ = try query(begin, [])
    do {
      let result = try body(self)
      _ = try query("COMMIT", [])
      return result
    } catch {
      _ = try? query("ROLLBACK", [])
      throw error
    }
  }
}

enum Value: Sendable {
  case text(String)
  case integer(Int)
}

enum DatabaseError: Error, CustomStringConvertible {
  /// It does not answer. Whether the last transaction happened is then unknown.
  case unavailable(String)
  /// Undone because of another transaction: it may be tried again.
  case conflict(String)
  /// The statement is wrong, or the tables are not what they should be.
  case failed(String)
  /// What is on the disk is not a database any more, or a part of it is not.
  case damaged(String)

  var description: String {
    switch self {
    case .unavailable(let message): "The database does not answer: \(message)"
    case .conflict(let message), .failed(let message): "The database refuses a statement: \(message)"
    case .damaged(let message):
      """
      The database is damaged: \(message). Stop every server that uses it, keep what is there for an examination, and \
      go back to a backup, as README.md says under Backups.
      """
    }
  }
}
