// Makes a file of Parquet from one of the two files of CSV that a migration writes, through DuckDB.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the columns of one of the two files are in SQL.
struct ParquetFile {
  /// For `read_csv`: names and types.
  private let columns: String
  /// The line of a row in CSV as `RowBatch` writes it.
  private let line: String

  private init(columns: String, line: String) { (self.columns, self.line) = (columns, line) }

  /// An id as `RowBatch.appendField` writes it.
  private static let id = """
    CASE WHEN contains(id, '"') OR contains(id, ',') THEN '"' || replace(id, '"', '""') || '"' ELSE coalesce(id, '') END
    """

  /// - Parameter column: the name of the second column.
  static func done(column: String) -> ParquetFile {
    ParquetFile(columns: "'id': 'VARCHAR', '\(column)': 'VARCHAR'", line: "\(id) || ',\"' || \(column) || '\"'")
  }

  static let refused = ParquetFile(
    columns: "'line': 'BIGINT', 'id': 'VARCHAR', 'reason': 'VARCHAR'", line: "line || ',' || \(id) || ',' || reason")

  static func isName(_ path: String) -> Bool { path.lowercased().hasSuffix(".parquet") }

  /// Writes Parquet, reads it again, and compares.
  ///
  /// - Parameters:
  ///   - table: the file of CSV, which begins with `header` and has the digest `digest`.
  ///   - path: a new file's, which is on the disk afterwards.
  func make(
    from table: Int32, header: [UInt8], digest: String, path: String, duckDB: DuckDB
  ) throws(Failure) {
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system("The file \(path) cannot be made", .inputOutput) }
    defer { close(file) }
    let options = """
      auto_detect = false, columns = {\(columns)}, header = true, delim = ',', quote = '"', escape = '"', \
      new_line = '\\n', nullstr = '', parallel = false
      """
    try DuckDB.Run(
      duckDB, DuckDB.Purpose(verb: "write", name: path, code: .inputOutput),
      "COPY (FROM read_csv(\(DuckDB.input), \(options))) TO \(DuckDB.output) (FORMAT parquet, USE_TMP_FILE false);",
      input: table, output: file
    ).end()
    guard fsync(file) == 0, lseek(file, 0, SEEK_SET) == 0 else {
      throw .system("Writing to \(path) failed", .inputOutput)
    }
    let hash = RunningHash()
    hash.absorb(header[...])
    let lines = try duckDB.start(
      DuckDB.Purpose(verb: "read", name: path, code: .inputOutput),
      DuckDB.lines(of: "SELECT \(line) FROM read_parquet(\(DuckDB.input))"), input: file)
    while let block = try lines.nextBlock() { hash.absorb(block) }
    guard hash.digest == digest else {
      throw Failure("Try another version of DuckDB: \(path) has other rows than were written to it.", .software)
    }
  }
}
