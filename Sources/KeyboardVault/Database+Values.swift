// What statements are given, and what they answer.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardSQLite
import KeyboardCodes

extension Database {
  func bind(_ statement: OpaquePointer, _ index: Int32, _ bytes: UnsafeRawPointer, count: Int) throws(KeyboardError) {
    try check(sqlite3_bind_blob(statement, index, bytes, Int32(count), nil))
  }

  func bind(_ statement: OpaquePointer, _ index: Int32, _ number: Int64) throws(KeyboardError) {
    try check(sqlite3_bind_int64(statement, index, number))
  }

  /// The bytes of a column, until the next step.
  ///
  /// - Throws: `.memory`; `.damaged` if it is not a blob.
  func blob(_ statement: OpaquePointer, _ column: Int32) throws(KeyboardError) -> UnsafeRawBufferPointer {
    guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { throw .damaged }
    let bytes = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    guard bytes != nil || count == 0 else { throw .memory }
    return UnsafeRawBufferPointer(start: bytes, count: count)
  }

  /// The same of a column that has a fixed size.
  func blob(_ statement: OpaquePointer, _ column: Int32, count: Int) throws(KeyboardError) -> UnsafeRawPointer {
    let bytes = try blob(statement, column)
    guard bytes.count == count, let start = bytes.baseAddress else { throw .damaged }
    return start
  }

  func number(_ statement: OpaquePointer, _ column: Int32) throws(KeyboardError) -> Int64 {
    guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { throw .damaged }
    return sqlite3_column_int64(statement, column)
  }
}
