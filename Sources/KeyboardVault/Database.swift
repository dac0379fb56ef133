// SQLite, as the vault uses it: one connection, statements that are prepared once, codes that become errors.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import CKeyboardSQLite
import KeyboardCodes
import KeyboardMemory

/// The statements that are not about a table of rows. Each is prepared at its first use.
enum Statement: Int {
  case begin, beginReading, commit, rollback
  case head, otherHeads, makeHead, setHead, setState
  case passcodeKey, makePasscodeKey, setCounts, removePasscodeKey
  case schemaVersion
  case count

  var sql: StaticString {
    switch self {
    case .begin: "BEGIN IMMEDIATE"
    case .beginReading: "BEGIN"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    case .head: "SELECT epoch,generation,root,state FROM head WHERE id=1"
    case .otherHeads: "SELECT id FROM head WHERE id<>1"
    case .makeHead: "INSERT INTO head VALUES(1,?1,?2,?3,?4)"
    case .setHead: "UPDATE head SET epoch=?1,generation=?2,root=?3,state=?4 WHERE id=1"
    case .setState: "UPDATE head SET generation=?1,state=?2 WHERE id=1"
    case .passcodeKey: "SELECT id,version,settings,counts,root FROM passcode_key ORDER BY id"
    case .makePasscodeKey: "INSERT INTO passcode_key VALUES(1,?1,?2,?3,?4)"
    case .setCounts: "UPDATE passcode_key SET counts=?1 WHERE id=1"
    case .removePasscodeKey: "DELETE FROM passcode_key"
    case .schemaVersion: "PRAGMA schema_version"
    case .count: ""
    }
  }
}

/// The statements of a table of rows, whose name is in place of `$`.
enum RowStatement: Int {
  case make
  case read, readForChange, add, change, remove
  case scan, list, nextOld, size
  case count

  var sql: StaticString {
    switch self {
    case .make:
      """
      CREATE TABLE $(id BLOB PRIMARY KEY,version INTEGER NOT NULL,seals BLOB NOT NULL,meta BLOB NOT NULL,\
      data BLOB NOT NULL)STRICT,WITHOUT ROWID
      """
    case .read:
      "SELECT epoch,generation,root,state,$.version,seals,data FROM head LEFT JOIN $ ON $.id=?1 WHERE head.id=1"
    case .readForChange: "SELECT id,version,seals,meta,data FROM $ WHERE id=?1"
    case .add: "INSERT INTO $ VALUES(?1,?2,?3,?4,?5)"
    case .change: "UPDATE $ SET version=?2,seals=?3,meta=?4,data=?5 WHERE id=?1"
    case .remove: "DELETE FROM $ WHERE id=?1"
    case .scan: "SELECT id,version,seals FROM $ ORDER BY id"
    case .list: "SELECT id,version,seals,meta FROM $ WHERE id>=?1 AND id<=?2"
    case .nextOld: "SELECT id,version,seals,meta,data FROM $ WHERE id>?1 AND version<=?2 ORDER BY id LIMIT 1"
    case .size: "SELECT count(*),coalesce(sum(length(meta)),0) FROM $ WHERE id>=?1 AND id<=?2"
    case .count: ""
    }
  }
}

/// An open connection, and the statements that were prepared on it, in memory that the vault owns.
///
/// Signals wait while a call uses it, because a handler that forks would leave a child in the middle of SQLite. While a
/// call waits for another process, signals are delivered; after that the call looks at `ForkMark` before it uses SQLite
/// again.
struct Database {
  /// What is known of the file.
  struct Notes {
    /// The signals that were blocked before the call.
    var signals: UInt64
    /// Which file the WAL was when the vault was opened.
    var wal: keyboard_file_id
    /// A descriptor of it, to lock it; 0 for none.
    var walLock: Int32
    var isWALLocked: Bool
    /// How many pages it had after the last commit.
    var walPages: Int32
    /// The number of the schema that was checked, which SQLite reads from 32 bits; or `noSchema`.
    var schemaVersion: Int64
    static var noSchema: Int64 { .min }
    /// Whether another schema was seen.
    var hasOtherSchema: Bool
    /// Whether the WAL still has what a change has removed from the file.
    var isWALToBeEmptied: Bool
    var mayOnlyRead: Bool
    /// How many microseconds the call has waited for other threads and processes.
    var waited: Int64
    /// Whether a change is under way, and what has come of it so far.
    var isInChange: Bool
    var change: Change
  }

  /// What the calls inside a change have done.
  struct Change {
    var isAnythingChanged = false
    /// Whether something was destroyed that the WAL still has.
    var emptiesWAL = false
    /// What the last call that failed answered.
    var failure: KeyboardError?
    /// What all later calls answer: SQLite may have rolled the transaction back.
    var fault: KeyboardError?
  }

  /// The connection, then a statement's address for each `Statement`, and for each `RowStatement` of each table; then
  /// the text of a statement while it is prepared; then the notes.
  let memory: UnsafeMutablePointer<OpaquePointer?>

  static var statements: Int {
    Statement.count.rawValue + RowTable.count * RowStatement.count.rawValue
  }
  static var textCapacity: Int { 256 }
  private static var notesOffset: Int { (1 + statements) * MemoryLayout<OpaquePointer?>.stride + textCapacity }
  static var byteCount: Int { notesOffset + MemoryLayout<Notes>.size }
  /// How many microseconds a call waits for other threads and processes, at most.
  static var patience: Int64 { 5_000_000 }
  /// How much of them one look counts for at most, so that a machine that stood still does not use them up.
  static var longestLook: Int64 { 100_000 }
  /// The longest sleep before it looks again. A process that makes many changes has the file for all but some ten
  /// microseconds in each millisecond, and SQLite serves waiting processes in no order: one that looks seldom could
  /// wait for ever.
  static var longestPause: Int32 { 1000 }

  var connection: OpaquePointer? { memory[0] }

  static let schema: StaticString =
    """
    CREATE TABLE head(id INTEGER PRIMARY KEY,epoch BLOB NOT NULL,generation INTEGER NOT NULL,root BLOB NOT NULL,\
    state BLOB NOT NULL)STRICT
    """
  static let passcodeKeySchema: StaticString =
    """
    CREATE TABLE passcode_key(id INTEGER PRIMARY KEY,version INTEGER NOT NULL,settings BLOB NOT NULL,\
    counts BLOB NOT NULL,root BLOB NOT NULL)STRICT
    """

  // MARK: Signals

  var notes: UnsafeMutablePointer<Notes> {
    (UnsafeMutableRawPointer(memory) + Self.notesOffset).assumingMemoryBound(to: Notes.self)
  }

  /// Runs a call while signals wait.
  ///
  /// - Throws: `.operationDisabled` in the child of a handler that forked just before.
  func holdingSignals<Result>(_ body: () throws(KeyboardError) -> Result) throws(KeyboardError) -> Result {
    let before = keyboard_hold_signals()
    defer { keyboard_let_signals(before) }
    guard !ForkMark.isInChild else { throw .operationDisabled(.forked) }
    notes.pointee.signals = before
    return try body()
  }

  /// Waits for another process, and lets signals through.
  func wait(microseconds: Int32) throws(KeyboardError) {
    keyboard_let_signals(notes.pointee.signals)
    keyboard_sleep(microseconds)
    _ = keyboard_hold_signals()
    guard !ForkMark.isInChild else { throw .operationDisabled(.forked) }
  }

  // MARK: Opening and closing

  /// - Throws: `.memory`, `.storage`, `.damaged`, `.busy`.
  func open(_ path: UnsafePointer<CChar>) throws(KeyboardError) {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
    try check(sqlite3_open_v2(path, &memory[0], flags, nil))
    let mayOnlyRead = keyboard_sqlite_may_only_read(connection)
    // Before anything is read: a connection that fails then, and takes itself for the last one, would remove the WAL.
    try check(keyboard_sqlite_keep_wal(connection))
    try check(keyboard_sqlite_own_checkpoints(connection, &notes.pointee.walPages))
    try check(keyboard_sqlite_defend(connection))
    try run("PRAGMA temp_store=MEMORY")
    try run("PRAGMA mmap_size=0")
    // All inner pages of the tree of 100,000 items: else a read fetches four pages from the system instead of one.
    try run("PRAGMA cache_size=-8192")
    try run("PRAGMA cell_size_check=ON")
    try run("PRAGMA secure_delete=ON")
    try run("PRAGMA synchronous=FULL")
    try run("PRAGMA user_version")
    // Now the first page was read. It may say that it is of a later version of SQLite's, and must not be written.
    guard keyboard_sqlite_may_only_read(connection) == mayOnlyRead else { throw .damaged }
    notes.pointee.mayOnlyRead = mayOnlyRead != 0
    forgetSchema()
    notes.pointee.hasOtherSchema = false
  }

  /// The tables of this version, and nothing else. Inside a transaction: see `beginReading`.
  ///
  /// - Throws: `.damaged` for any other schema.
  func checkSchema() throws(KeyboardError) {
    let statement = try prepare("SELECT type,name,tbl_name,sql FROM sqlite_schema ORDER BY rowid")
    defer { finalize(statement) }
    try checkTable(statement, "head", UnsafeRawBufferPointer(Self.schema))
    try checkTable(statement, "passcode_key", UnsafeRawBufferPointer(Self.passcodeKeySchema))
    try RowTable.forEach { table throws(KeyboardError) in
      try checkTable(statement, table.name, text(of: .make, table))
    }
    guard try !step(statement) else { throw .damaged }
    let version = try prepare("PRAGMA user_version")
    defer { finalize(version) }
    guard try step(version), sqlite3_column_int64(version, 0) == 2 else { throw .damaged }
  }

  private func checkTable(
    _ statement: OpaquePointer, _ name: StaticString, _ sql: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    guard try step(statement), try isText(statement, 0, UnsafeRawBufferPointer("table" as StaticString)),
      try isText(statement, 1, UnsafeRawBufferPointer(name)), try isText(statement, 2, UnsafeRawBufferPointer(name)),
      try isText(statement, 3, sql)
    else { throw .damaged }
  }

  /// - Throws: `.memory`: SQLite copies a text for its NUL.
  private func isText(
    _ statement: OpaquePointer, _ column: Int32, _ text: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Bool {
    guard let bytes = sqlite3_column_text(statement, column) else {
      if lastCode & 0xff == SQLITE_NOMEM { try check(SQLITE_NOMEM) }
      return false
    }
    let count = Int(sqlite3_column_bytes(statement, column))
    return count == text.count && ConstantTime.isEqual(bytes, text.baseAddress!, count: count)
  }

  func close() {
    guard !ForkMark.isInChild else { return }
    for i in 1...Self.statements where memory[i] != nil {
      sqlite3_finalize(memory[i])
      memory[i] = nil
    }
    if connection != nil { sqlite3_close_v2(connection) }
    memory[0] = nil
    closeWALLock()
  }
}
