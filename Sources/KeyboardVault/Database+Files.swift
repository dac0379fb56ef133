// The files of a vault while it is open, and the transactions that read and change them.
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

  // MARK: Transactions

  /// Runs a transaction that writes, alone among all processes that have the vault open.
  ///
  /// - Parameter body: returns whether it has changed anything.
  /// - Throws: as `beginWriting` and `endWriting`; what `body` throws, and then nothing is changed.
  func writing(_ body: () throws(KeyboardError) -> Bool) throws(KeyboardError) {
    try beginWriting()
    let isChanged: Bool
    do throws(KeyboardError) { isChanged = try body() } catch {
      cancelWriting()
      throw error
    }
    try endWriting(isChanged: isChanged)
  }

  /// - Throws: `.storage` also if the file or its WAL was moved, removed or replaced: nobody would find again what is
  ///   written.
  func beginWriting() throws(KeyboardError) {
    guard !notes.pointee.mayOnlyRead else { throw .storage(.readOnly) }
    do throws(KeyboardError) {
      try begin(.begin) { () throws(KeyboardError) in
        guard keyboard_sqlite_has_moved(connection) == 0 && isWALThere else { throw .storage(.moved) }
      }
    } catch {
      unlockWAL()
      throw error
    }
  }

  func endWriting(isChanged: Bool) throws(KeyboardError) {
    do throws(KeyboardError) { try run(isChanged ? .commit : .rollback) } catch {
      cancelWriting()
      throw error
    }
    shortenWAL()
    unlockWAL()
  }

  func cancelWriting() {
    rollBack()
    unlockWAL()
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
    try start(which)
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

  /// Waits for the lock of the WAL and for SQLite, five seconds for both together.
  private func start(_ which: Statement) throws(KeyboardError) {
    let statement = try statement(which)
    defer { reset(statement) }
    try retrying {
      var isRow = false
      let code = which == .begin ? lockWAL() : SQLITE_OK
      return code == SQLITE_OK ? step(statement, &isRow) : code
    }
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

  /// Ends a transaction that failed, without a change. This needs no memory: a transaction that was left open would let
  /// this connection read what was never committed, and keep other processes out.
  func rollBack() { try? run(.rollback) }
}
