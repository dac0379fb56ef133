// The files of a vault while it is open, and the transactions that change them. SQLite keeps the latest changes in a
// WAL beside the file, so what is removed is there until the WAL is emptied.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import CKeyboardSQLite
import KeyboardCodes
import KeyboardMemory

extension Database {
  /// For a file whose schema was checked.
  ///
  /// A copy that SQLite has made has no WAL. Where none can be made, such a copy is read without one.
  ///
  /// - Parameter mayMakeFiles: whether this user may make files in the folder.
  func useWAL(mayMakeFiles: Bool) throws(KeyboardError) {
    guard !notes.pointee.mayOnlyRead else { return }
    do throws(KeyboardError) { try run("PRAGMA journal_mode=WAL") } catch {
      guard !mayMakeFiles, case .storage = error else { throw error }
      notes.pointee.mayOnlyRead = true
    }
  }

  /// Remembers which file the WAL is, before anything is written. SQLite makes it in the first transaction.
  ///
  /// - Throws: `.storage` if somebody has removed it; `.damaged`, …
  func noteWAL() throws(KeyboardError) {
    notes.pointee.wal = keyboard_file_id()
    try beginReading()
    rollBack()
    guard look(atWAL: &notes.pointee.wal) || notes.pointee.mayOnlyRead else { throw .storage }
  }

  /// - Returns: whether there is one.
  private func look(atWAL id: inout keyboard_file_id) -> Bool { isThere(keyboard_sqlite_wal_path(connection), &id) }

  private func isThere(_ path: UnsafePointer<CChar>?, _ id: inout keyboard_file_id) -> Bool {
    guard let path else { return false }
    switch Int(keyboard_look_at_file(path, &id)) {
    case Int(KEYBOARD_FILE_MISSING), Int(KEYBOARD_FILE_UNKNOWN): return false
    default: return true
    }
  }

  // MARK: Transactions

  /// Begins a transaction that writes.
  ///
  /// - Throws: `.storage` also if the file or its WAL was moved, removed or replaced: nobody would find again what is
  ///   written.
  func begin() throws(KeyboardError) {
    guard !notes.pointee.mayOnlyRead else { throw .storage }
    try begin(.begin) { () throws(KeyboardError) in
      guard keyboard_sqlite_has_moved(connection) == 0 && isWALThere else { throw .storage }
    }
  }

  /// Begins a transaction that reads: it sees one moment.
  func beginReading() throws(KeyboardError) {
    try begin(.beginReading) { () throws(KeyboardError) in }
  }

  /// Begins a transaction, and checks whether another process has changed the schema. With another one, SQLite could
  /// pass over our changes, and answer that all went well.
  ///
  /// What counts is the schema that SQLite has in its memory. So SQLite forgets it before the transaction in which it
  /// is checked, and reads it anew there; and when SQLite has read one elsewhere, the next transaction checks again.
  /// Once it was another one, the vault is `.damaged` until it is closed.
  ///
  /// - Parameter look: looks at the files.
  private func begin(
    _ which: Statement, looking look: () throws(KeyboardError) -> Void
  ) throws(KeyboardError) {
    guard !notes.pointee.hasOtherSchema else { throw .damaged }
    let isForgotten = notes.pointee.schemaVersion == Notes.noSchema
    if isForgotten { try letSQLiteForgetSchema() }
    try run(which)
    do throws(KeyboardError) {
      try look()
      let version = try schemaVersion()
      if version == notes.pointee.schemaVersion { return }
      if isForgotten { return try noteSchema(version) }
    } catch {
      rollBack()
      throw error
    }
    rollBack()
    forgetSchema()
    try begin(which, looking: look)
  }

  /// Notes the schema's number, if it is the vault's own.
  private func noteSchema(_ version: Int64) throws(KeyboardError) {
    do throws(KeyboardError) { try checkSchema() } catch {
      if case .damaged = error { notes.pointee.hasOtherSchema = true }
      throw error
    }
    notes.pointee.schemaVersion = version
  }

  /// Outside a transaction, because all statements expire by it, and the one that ends a transaction must not need
  /// memory.
  private func letSQLiteForgetSchema() throws(KeyboardError) {
    try run("PRAGMA writable_schema=RESET")
    try prepareAgain(.rollback)
  }

  /// After SQLite may have read the schema outside our transactions.
  func forgetSchema() { notes.pointee.schemaVersion = Notes.noSchema }

  /// The same, if it has done so for this statement.
  func noticeSchema(of statement: OpaquePointer) {
    guard !ForkMark.isInChild else { return }
    if sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 1) > 0 { forgetSchema() }
  }

  private func schemaVersion() throws(KeyboardError) -> Int64 {
    let statement = try statement(.schemaVersion)
    defer { reset(statement) }
    guard try step(statement) else { throw .storage }
    return sqlite3_column_int64(statement, 0)
  }

  private var isWALThere: Bool {
    let opened = notes.pointee.wal
    var now = keyboard_file_id()
    return look(atWAL: &now) && now.device == opened.device && now.inode == opened.inode
  }

  /// Ends a transaction that failed, without a change. This needs no memory: a transaction that was left open would let
  /// this connection read what was never committed, and keep other processes out.
  func rollBack() { try? run(.rollback) }

  // MARK: The WAL

  /// Copies all changes into the file and empties the WAL, after a change that destroys something. While another
  /// process reads, that cannot be done: it is tried for five seconds, then after each change, and when the vault is
  /// closed.
  func emptyWAL() { emptyWAL { call throws(KeyboardError) in try retrying(call) } }

  /// Before the vault is closed: copies all changes into the file and empties the WAL, so that the file can be copied,
  /// moved or replaced alone.
  ///
  /// Not if another file is at the path, because a process that has that one open shares the WAL; nor if the WAL is no
  /// longer there, because the file may have changes since that this connection does not know.
  func emptyWALForClosing() {
    var id = keyboard_file_id()
    let isReplaced = keyboard_sqlite_has_moved(connection) != 0 && isThere(keyboard_sqlite_path(connection), &id)
    if isReplaced || !isWALThere { keyboard_sqlite_leave_wal(connection) } else { emptyWALNow() }
  }

  /// Tries it once.
  func emptyWALNow() { emptyWAL { call throws(KeyboardError) in try check(call()) } }

  private func emptyWAL(_ trying: (() -> Int32) throws(KeyboardError) -> Void) {
    guard !notes.pointee.mayOnlyRead else { return }
    notes.pointee.isWALToBeEmptied = true
    do throws(KeyboardError) {
      let statement = try prepare("PRAGMA wal_checkpoint(TRUNCATE)")
      defer { finalize(statement) }
      try trying {
        var isRow = false
        let code = step(statement, &isRow)
        // The row says whether another process was in the way.
        let isBusy = isRow && sqlite3_column_int(statement, 0) != 0
        reset(statement)
        return code == SQLITE_OK && isBusy ? SQLITE_BUSY : code
      }
      notes.pointee.isWALToBeEmptied = false
    } catch {
      // The change itself is durable. The note stays.
    }
  }
}
