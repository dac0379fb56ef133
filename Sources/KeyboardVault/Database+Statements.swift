// Statements: prepared once, run, stepped through, and their codes made into errors.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import CKeyboardSQLite
import KeyboardCodes
import KeyboardMemory

extension Database {
  /// Runs a statement that is not kept. What it answers is not read.
  func run(_ sql: StaticString) throws(KeyboardError) {
    let statement = try prepare(sql)
    defer { finalize(statement) }
    while try step(statement) {}
  }

  func prepare(_ sql: StaticString) throws(KeyboardError) -> OpaquePointer {
    try prepare(UnsafeRawBufferPointer(sql), flags: 0)
  }

  private func prepare(_ sql: UnsafeRawBufferPointer, flags: Int32) throws(KeyboardError) -> OpaquePointer {
    let text = sql.baseAddress!.assumingMemoryBound(to: CChar.self)
    var statement: OpaquePointer?
    guard !ForkMark.isInChild else { throw .operationDisabled(.forked) }
    try retrying { sqlite3_prepare_v3(connection, text, Int32(sql.count), UInt32(flags), &statement, nil) }
    guard let statement else { throw .storage }
    return statement
  }

  /// The statement, ready for values.
  func statement(_ which: Statement) throws(KeyboardError) -> OpaquePointer {
    try kept(at: which.rawValue) { UnsafeRawBufferPointer(which.sql) }
  }

  /// A statement that has expired.
  func prepareAgain(_ which: Statement) throws(KeyboardError) {
    if let expired = memory[1 + which.rawValue] { finalize(expired) }
    memory[1 + which.rawValue] = nil
    _ = try statement(which)
  }

  func statement(_ which: RowStatement, of table: RowTable) throws(KeyboardError) -> OpaquePointer {
    let index = table.rawValue * RowStatement.count.rawValue + which.rawValue
    return try kept(at: Statement.count.rawValue + index) { text(of: which, table) }
  }

  private func kept(at index: Int, _ sql: () -> UnsafeRawBufferPointer) throws(KeyboardError) -> OpaquePointer {
    let place = memory + 1 + index
    if let ready = place.pointee { return ready }
    let made = try prepare(sql(), flags: SQLITE_PREPARE_PERSISTENT)
    place.pointee = made
    return made
  }

  /// A table's statement: the table's name replaces each `$`.
  func text(of statement: RowStatement, _ table: RowTable) -> UnsafeRawBufferPointer {
    let text = UnsafeMutableRawPointer(memory + 1 + Self.statements)
    var count = 0
    for byte in UnsafeRawBufferPointer(statement.sql) {
      if byte == UInt8(ascii: "$") {
        let name = UnsafeRawBufferPointer(table.name)
        precondition(count + name.count < Self.textCapacity)
        (text + count).copyMemory(from: name.baseAddress!, byteCount: name.count)
        count += name.count
      } else {
        precondition(count < Self.textCapacity)
        text.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
      }
    }
    return UnsafeRawBufferPointer(start: text, count: count)
  }

  /// Runs a statement that answers no rows.
  func run(_ which: Statement) throws(KeyboardError) {
    guard !ForkMark.isInChild else { throw .operationDisabled(.forked) }
    let statement = try statement(which)
    defer { reset(statement) }
    while try step(statement) {}
  }

  func reset(_ statement: OpaquePointer) {
    if !ForkMark.isInChild { sqlite3_reset(statement) }
  }

  func finalize(_ statement: OpaquePointer) {
    if !ForkMark.isInChild { sqlite3_finalize(statement) }
  }

  /// - Returns: whether there is a row.
  func step(_ statement: OpaquePointer) throws(KeyboardError) -> Bool {
    var isRow = false
    try retrying { step(statement, &isRow) }
    return isRow
  }

  func step(_ statement: OpaquePointer, _ isRow: inout Bool) -> Int32 {
    guard !ForkMark.isInChild else { return SQLITE_INTERRUPT }
    let code = sqlite3_step(statement)
    isRow = code == SQLITE_ROW
    return isRow || code == SQLITE_DONE ? SQLITE_OK : code
  }

  /// Steps through many rows. Inside a transaction that has begun to read, because nothing is tried again.
  ///
  /// - Parameter body: gets each row's number.
  /// - Returns: how many rows there were; fewer than `limit` at the end.
  func step(
    _ statement: OpaquePointer, upTo limit: Int, _ body: (Int) throws(KeyboardError) -> Void
  ) throws(KeyboardError) -> Int {
    var (count, isRow) = (0, true)
    while count < limit {
      try check(step(statement, &isRow))
      guard isRow else { break }
      try body(count)
      count += 1
    }
    return count
  }

  /// Calls SQLite again while another process has the file, until the call has waited for five seconds in all.
  func retrying(_ call: () -> Int32) throws(KeyboardError) {
    var code = call()
    if code & 0xff == SQLITE_BUSY && notes.pointee.waited < Self.patience {
      var pause: Int32 = 100
      var before = keyboard_steady_clock()
      repeat {
        try wait(microseconds: pause)
        code = call()
        let now = keyboard_steady_clock()
        notes.pointee.waited += min(max((now - before) * 1000, Int64(pause)), Self.longestLook)
        before = now
        pause = min(2 * pause, Self.longestPause)
      } while code & 0xff == SQLITE_BUSY && notes.pointee.waited < Self.patience
    }
    try check(code)
  }

  /// What the last call answered.
  var lastCode: Int32 { sqlite3_errcode(connection) }

  func check(_ code: Int32) throws(KeyboardError) {
    guard code != SQLITE_OK else { return }
    if ForkMark.isInChild { throw .operationDisabled(.forked) }
    switch code & 0xff {
    case SQLITE_NOMEM:
      // Without memory SQLite forgets the schema, and reads it anew.
      forgetSchema()
      throw .memory
    case SQLITE_BUSY, SQLITE_LOCKED: throw .busy
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_SCHEMA, SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
      throw .damaged
    default: throw .storage
    }
  }

  /// Runs a statement that changes one row.
  ///
  /// - Throws: `.damaged` if it has changed none: then the schema is not the one that was checked.
  func change(_ statement: OpaquePointer) throws(KeyboardError) {
    while try step(statement) {}
    guard sqlite3_changes(connection) == 1 else { throw .damaged }
  }

  /// Makes a table of rows.
  func make(_ table: RowTable) throws(KeyboardError) {
    let statement = try prepare(text(of: .make, table), flags: 0)
    defer { finalize(statement) }
    while try step(statement) {}
  }
}

extension UnsafeRawBufferPointer {
  /// The text's bytes, which exist as long as the program.
  init(_ text: StaticString) { self.init(start: text.utf8Start, count: text.utf8CodeUnitCount) }
}
