// Which setups of OPAQUE this database knows: the one in use, and those that were replaced.
// SPDX-License-Identifier: Apache-2.0

extension Ledger {
  private static let inUse = "opaque setup in use"
  /// The beginning of the names of facts: each has a replaced setup in its name, and the next one as its value.
  private static let replaced = "replaced opaque setup "

  /// The id of the setup that new records are made with; nil if there was none.
  func setupInUse() async throws -> String? { try await fact(Self.inUse) }

  /// Notes a setup: the first of this database, or the next one, if the old one is still in use. One that was replaced
  /// is never in use again.
  ///
  /// - Returns: the id of the setup that is in use then.
  func use(setup new: String, insteadOf old: String) async throws -> String? {
    try await database.transaction { connection in
      let add = "INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"
      _ = try connection.query(add, [.text(Self.inUse), .text(new)])
      let rows = try connection.query(
        """
        UPDATE facts SET value = $1 WHERE name = $2 AND value = $3 AND value <> $1
        AND NOT EXISTS (SELECT 1 FROM facts WHERE name = $4) RETURNING name
        """, [.text(new), .text(Self.inUse), .text(old), .text(Self.replaced + new)])
      if !rows.isEmpty { _ = try connection.query(add, [.text(Self.replaced + old), .text(new)]) }
      return try connection.query("SELECT value FROM facts WHERE name = $1", [.text(Self.inUse)]).first?[0]
    }
  }

  func wasReplaced(setup id: String) async throws -> Bool { try await fact(Self.replaced + id) != nil }

  /// How many accounts have a record of another setup than these.
  func countRecords(underOtherSetupsThan ids: [String]) async throws -> Int {
    let condition = Self.condition(ids)
    return try await database.run { connection in
      let sql = "SELECT COUNT(*) FROM opaque_records WHERE \(condition)"
      return try connection.query(sql, ids.map { .text($0) }).first?[0].flatMap { Int($0) } ?? 0
    }
  }

  /// Forgets the records of other setups than this one, or all of them.
  ///
  /// - Returns: how many they were.
  func forgetRecords(underOtherSetupsThan id: String?) async throws -> Int {
    let ids = [id].compactMap(\.self)
    let sql = "DELETE FROM opaque_records WHERE \(Self.condition(ids)) RETURNING account"
    return try await database.transaction { connection in
      _ = try connection.query("DELETE FROM opaque_steps", [])
      return try connection.query(sql, ids.map { .text($0) }).count
    }
  }

  private static func condition(_ ids: [String]) -> String {
    ids.isEmpty ? "1 = 1" : ids.indices.map { "setup <> $\($0 + 1)" }.joined(separator: " AND ")
  }
}
