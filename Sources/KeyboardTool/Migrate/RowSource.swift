// Where the rows of a migration come from.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A row's place in the table and its two fields, which are valid until the next row is read.
struct TableRow {
  /// The number of its first line, from 1; of Parquet, the number of the row.
  let line: Int
  /// nil if the row is well-formed.
  let fault: RefusalReason?
  let id: UnsafeRawBufferPointer
  let text: UnsafeRawBufferPointer
  /// If the row has a fault, what a later run knows it by. All its lines have the same one.
  var fingerprint: [UInt8] = []

  /// Whether a row may have this id.
  static func isID(_ id: UnsafeRawBufferPointer) -> Bool {
    (1...maximumIDLength).contains(id.count) && !id.contains { $0 < 0x20 || $0 == 0x7f }
      && String(validating: id, as: UTF8.self) != nil
  }

  /// In bytes.
  static let maximumIDLength = 256
}

/// A table that is read from its first row to its last.
protocol RowSource: AnyObject {
  /// The open file.
  var descriptor: Int32 { get }
  /// Makes the fingerprints of rows with a fault; nil if nobody needs them.
  var fingerprint: RowFingerprint? { get set }
  /// How much of the table was read, 0 … 1; nil if its length is not known.
  var partRead: Double? { get }
  /// Whether the end of the file may have been cut off. Known after the last row.
  var mayBeCutOff: Bool { get }

  /// The next row; nil at the end.
  func next() throws(Failure) -> TableRow?
}

func openTable(_ path: String) throws(Failure) -> Int32 {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .system("The table \(path) cannot be opened", .noInput) }
  return descriptor
}
