// One connection of libpq. Values are never part of a statement's text: statements are prepared, once for a connection.
// SPDX-License-Identifier: Apache-2.0

import CBankPostgreSQL
import Glibc

/// Used by one thread at a time: the pool sees to it.
final class PostgreSQLConnection: Connection, @unchecked Sendable {
  private let connection: OpaquePointer
  private var names: [String: String] = [:]

  init(url: String) throws {
    // Without these, a database that is gone without a word keeps a thread for a quarter of an hour.
    let options = [
      "dbname": url, "connect_timeout": "5", "keepalives_idle": "10", "keepalives_interval": "5",
      "keepalives_count": "3", "tcp_user_timeout": "20000", "application_name": "bank",
      "options": """
      -c statement_timeout=10000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=20000 \
      -c client_min_messages=warning
      """,
    ]
    connection = Self.connect(options)
    guard PQstatus(connection) == CONNECTION_OK else {
      // `deinit` ends the connection: it runs although `init` throws, because everything has a value already.
      throw Failure("The database of DATABASE_URL does not answer: \(Self.message(of: connection))")
    }
  }

  deinit { PQfinish(connection) }

  /// The URL comes as the name of a database, which libpq takes apart; what it says counts more than the options.
  private static func connect(_ options: [String: String]) -> OpaquePointer {
    let others = options.filter { $0.key != "dbname" }
    let pairs = others.sorted { $0.key < $1.key } + [(key: "dbname", value: options["dbname"] ?? "")]
    return withCStrings(pairs.map(\.key)) { keywords in
      withCStrings(pairs.map(\.value)) { values in PQconnectdbParams(keywords, values, 1)! }
    }
  }

  private static func message(of connection: OpaquePointer) -> String {
    String(cString: PQerrorMessage(connection)).split(separator: "\n").joined(separator: " ")
  }

  /// Notices a connection that was closed while it was idle, before anything is sent on it.
  func reconnectIfBroken() throws {
    // On an idle connection, the database only says that it closes it.
    var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
    let isSilent = poll(&socket, 1, 0) == 0
    if isSilent, PQstatus(connection) == CONNECTION_OK, PQtransactionStatus(connection) == PQTRANS_IDLE { return }
    names = [:]
    PQreset(connection)
    guard PQstatus(connection) == CONNECTION_OK else {
      throw DatabaseError.unavailable(Self.message(of: connection))
    }
  }

  func query(_ sql: String, _ values: [Value]) throws -> [[String?]] {
    let name = try prepared(sql)
    let texts = values.map { value in
      switch value {
      case .text(let text): text
      case .integer(let integer): String(integer)
      }
    }
    let result = withCStrings(texts) { texts in
      PQexecPrepared(connection, name, Int32(values.count), texts, nil, nil, 0)
    }
    defer { PQclear(result) }
    guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else { throw error(result) }
    return (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { column in
        PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
      }
    }
  }

  private func prepared(_ sql: String) throws -> String {
    if let name = names[sql] { return name }
    let name = "bank\(names.count)"
    let result = PQprepare(connection, name, sql, 0, nil)
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw error(result) }
    names[sql] = name
    return name
  }

  private func error(_ result: OpaquePointer?) -> DatabaseError {
    let message = Self.message(of: connection)
    guard PQstatus(connection) == CONNECTION_OK, let state = bank_sqlstate(result).map({ String(cString: $0) }) else {
      return .unavailable(message)
    }
    // Of a table, of an index.
    if ["XX001", "XX002"].contains(state) { return .damaged(message) }
    switch state.prefix(2) {
    // Serialization failures and deadlocks: undone by the server.
    case "40": return .conflict(message)
    // No connection, no resources, shut down, a timeout.
    case "08", "53", "57", "55": return .unavailable(message)
    default: return .failed(message)
    }
  }
}

/// Lends an array of C strings.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws -> Result
) rethrows -> Result {
  // One buffer of all strings, each with its NUL, and the place where each begins.
  var bytes: [CChar] = []
  let places = strings.map { string in
    defer { bytes.append(contentsOf: string.utf8CString) }
    return bytes.count
  }
  return try bytes.withUnsafeBufferPointer { bytes in
    // NULL at the end: libpq's lists of options end so.
    var pointers: [UnsafePointer<CChar>?] = places.map { bytes.baseAddress! + $0 }
    pointers.append(nil)
    return try pointers.withUnsafeBufferPointer { try body($0.baseAddress!) }
  }
}
