// A row of a table, as a migration reads it.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTerminal

/// A row's place in the table and its two fields, which are valid until the next row is read.
struct TableRow {
  /// The number of its first line, from 1.
  let line: Int
  /// nil if the row is well-formed.
  let fault: RefusalReason?
  let id: UnsafeRawBufferPointer
  let text: UnsafeRawBufferPointer
  /// If the row has a fault, what a later run knows it by. All its lines have the same one.
  var fingerprint: [UInt8] = []

  /// Whether a row may have this id.
  static func isID(_ id: UnsafeRawBufferPointer) -> Bool {
    guard (1...maximumIDLength).contains(id.count), let text = String(validating: id, as: UTF8.self) else {
      return false
    }
    return !text.unicodeScalars.contains(where: TerminalText.isControl)
  }

  /// In bytes.
  static let maximumIDLength = 256
}
