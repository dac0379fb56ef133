// The database of many servers. A fixed number of connections, each used by one thread at a time; a connection that
// breaks is opened again.
// SPDX-License-Identifier: Apache-2.0

import NIOPosix
import Synchronization

final class PostgreSQLDatabase: Database {
  let connectionCount: Int
  // Not now(), which is the time at which the transaction began: it may have waited for another since.
  let clock = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
  private let threads: NIOThreadPool
  private let idle: Mutex<[PostgreSQLConnection]>

  /// Connects, and brings the tables up to date.
  ///
  /// - Parameter url: as libpq takes it. It may contain a password, so no message shows it.
  init(url: String, connectionCount: Int) throws {
    let connections = try (0..<connectionCount).map { _ in try PostgreSQLConnection(url: url) }
    try connections[0].transaction("BEGIN") { connection in
      // Two servers that start at once would make the same table, and one would fail. The second waits until the first
      // has brought the tables up to date, which may take longer than a request waits.
      _ = try connection.query(
        "SELECT set_config('lock_timeout', '60000', true), set_config('statement_timeout', '60000', true)", [])
      _ = try connection.query("SELECT 1 FROM pg_advisory_xact_lock(20483177)", [])
      try Schema.migrate(connection)
    }
    self.connectionCount = connectionCount
    idle = Mutex(connections)
    threads = NIOThreadPool(numberOfThreads: connectionCount)
    threads.start()
  }

  func run<Result: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Result) async throws -> Result {
    try await withConnection { connection in try body(connection) }
  }

  func transaction<Result: Sendable>(
    _ body: @escaping @Sendable (any Connection) throws -> Result
  ) async throws -> Result {
    try await withConnection { connection in
      var tries = 1
      while true {
        do {
          return try connection.transaction("BEGIN", body)
        } catch DatabaseError.conflict where tries < 10 {
          tries += 1
        }
      }
    }
  }

  /// There are as many connections as threads, so one is idle.
  private func withConnection<Result: Sendable>(
    _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Result
  ) async throws -> Result {
    try await threads.runIfActive { [self] in
      let connection = idle.withLock { $0.removeLast() }
      defer { idle.withLock { $0.append(connection) } }
      try connection.reconnectIfBroken()
      return try body(connection)
    }
  }

  func shutDown() async throws { try await threads.shutdownGracefully() }
}
