// The database of one server: a file. One connection on one thread, because SQLite has one writer at a time anyway.
// SPDX-License-Identifier: Apache-2.0

import CBankSQLite
import NIOPosix

final class SQLiteDatabase: Database {
  let connectionCount = 1
  let clock = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
  /// Takes the write lock at once: two transactions never wait for each other.
  private static let begin = "BEGIN IMMEDIATE"
  private let thread = NIOThreadPool(numberOfThreads: 1)
  private let connection: SQLiteConnection

  /// Opens the file, or makes it, and brings its tables up to date.
  init(path: String) throws {
    connection = try SQLiteConnection(path: path)
    // A writer waits for another process instead of failing. At the start it waits longer: SQLite keeps no queue, so
    // beside a busy server its turn may come late. FULL: a transaction that was answered survives a power failure, so
    // nobody gets attempts back by pulling the plug.
    for setting in ["busy_timeout = 60000", "journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"] {
      _ = try connection.query("PRAGMA \(setting)", [])
    }
    try connection.transaction(Self.begin, Schema.migrate)
    _ = try connection.query("PRAGMA busy_timeout = 5000", [])
    thread.start()
  }

  func run<Result: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Result) async throws -> Result {
    try await thread.runIfActive { [connection] in try body(connection) }
  }

  func transaction<Result: Sendable>(
    _ body: @escaping @Sendable (any Connection) throws -> Result
  ) async throws -> Result {
    try await run { connection in try connection.transaction(Self.begin, body) }
  }

  /// A copy that is whole, even if somebody writes meanwhile.
  func copy(to path: String) async throws {
    _ = try await run { connection in try connection.query("VACUUM INTO $1", [.text(path)]) }
  }

  func shutDown() async throws { try await thread.shutdownGracefully() }
}

/// Used by one thread only: at first by the one that makes it, then by the database's.
private final class SQLiteConnection: Connection, @unchecked Sendable {
  private var database: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  init(path: String) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK else {
      let message = String(cString: sqlite3_errmsg(database))
      sqlite3_close_v2(database)
      throw Failure("The database \(path) cannot be opened: \(message).")
    }
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(database)
  }

  func query(_ sql: String, _ values: [Value]) throws -> [[String?]] {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      // SQLite counts "$1" in the order in which names occur.
      let place = sqlite3_bind_parameter_index(statement, "$\(index + 1)")
      let code =
        switch value {
        case .text(let text): bank_bind_text(statement, place, text, Int32(text.utf8.count))
        case .integer(let integer): sqlite3_bind_int64(statement, place, Int64(integer))
        }
      guard code == SQLITE_OK else { throw error(code) }
    }
    var rows: [[String?]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_DONE: return rows
      case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { text(statement, $0) })
      case let code: throw error(code)
      }
    }
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> String? {
    sqlite3_column_text(statement, column).map { String(cString: $0) }
  }

  private func prepared(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code) }
    statements[sql] = statement
    return statement
  }

  private func error(_ code: Int32) -> DatabaseError {
    let message = String(cString: sqlite3_errmsg(database))
    switch code & 255 {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM: return .unavailable(message)
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(message)
    default: return .failed(message)
    }
  }
}
