// Reads a table of Parquet, row by row, through DuckDB.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// DuckDB gives a line for each row: the id and the text in hexadecimal digits, with a space between them. So nothing
/// that a person has put into a field can look like another field or row.
///
/// - Source: https://parquet.apache.org/docs/file-format; DuckDB's `read_parquet`.
final class ParquetTable: RowSource {
  /// The text of a row without one: in no encoding, and no verifier.
  private static let noText = "-"
  /// Longer texts are cut off here: no text of so many bytes is taken.
  private static let longestText = 1 << 14

  let descriptor: Int32
  var fingerprint: RowFingerprint?
  private let name: String
  private let rowCount: Int
  /// Of the two columns. With others, rows without an id are known by other bytes.
  let types: String
  private let rows: ChildOutput
  private var rowsRead = 0
  private let fields: UnsafeMutableRawBufferPointer

  /// A column of the file.
  private struct Column {
    /// Its name in the file, and in DuckDB. DuckDB changes the second of two names that are alike, or that differ only
    /// in the case of letters.
    let name, nameInSQL: String
    /// DuckDB's.
    let type: String
  }

  /// Opens a file, and begins to read two columns. Bytes in the column of texts are the texts themselves.
  ///
  /// - Parameters:
  ///   - id, text: the names of the columns.
  ///   - encoding: what bytes are written in; nil if the column has verifiers.
  init(
    _ path: String, id: String, text: String, encoding: RowWork.Encoding?, duckDB: DuckDB
  ) throws(Failure) {
    guard !id.utf8.elementsEqual(text.utf8) else { throw Failure("Name two columns: the id and the text.", .usage) }
    name = path
    descriptor = try Self.open(path)
    do throws(Failure) {
      let table = try Self.describe(path, descriptor, duckDB)
      rowCount = table.rowCount
      let idColumn = try Self.find(id, in: table.columns, of: path)
      let textColumn = try Self.find(text, in: table.columns, of: path)
      types = "\(idColumn.type) \(textColumn.type)"
      let idDigits = try Self.digits(ofID: idColumn)
      let textDigits = try Self.digits(ofText: textColumn, encoding)
      rows = try duckDB.start(
        Self.purpose(path),
        DuckDB.lines(
          of: "SELECT coalesce(\(idDigits), '') || ' ' || coalesce(\(textDigits), hex('\(Self.noText)')) "
            + "FROM read_parquet(\(DuckDB.input))"), input: descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    fields = .allocate(byteCount: TableRow.maximumIDLength + 1 + Self.longestText, alignment: 16)
  }

  deinit {
    close(descriptor)
    fields.deallocate()
  }

  private static func open(_ path: String) throws(Failure) -> Int32 {
    let descriptor = try openTable(path)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Failure("Give one file for the table in Parquet: \(path) is a folder, a pipe or a device.", .data)
    }
    return descriptor
  }

  private static func purpose(_ name: String) -> DuckDB.Purpose {
    DuckDB.Purpose(verb: "read", name: name, code: .data)
  }

  // MARK: Columns

  private static func describe(
    _ name: String, _ descriptor: Int32, _ duckDB: DuckDB
  ) throws(Failure) -> (rowCount: Int, columns: [Column]) {
    let (table, purpose) = ("read_parquet(\(DuckDB.input))", purpose(name))
    // The number of rows; names and types in DuckDB; all fields of the file, the root first, and how many are in each.
    let output = try duckDB.start(
      purpose,
      DuckDB.lines(of: "SELECT count(*)::VARCHAR FROM \(table)")
        + DuckDB.lines(
          of: "SELECT hex(column_name) || ' ' || hex(left(column_type, 99)) FROM (DESCRIBE SELECT * FROM \(table))")
        + DuckDB.lines(
          of: "SELECT '= ' || hex(name) || ' ' || coalesce(num_children, 0) "
            + "FROM parquet_schema(\(DuckDB.input))"), input: descriptor)
    var (rowCount, inSQL, fields): (Int?, [[String]], [(name: String, count: Int)]) = (nil, [], [])
    while let line = try output.nextLine() {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
      if rowCount == nil {
        rowCount = words.count == 1 ? Int(words[0]) : nil
        guard rowCount != nil else { break }
      } else if words.count == 3, words[0] == "=", let name = text(of: words[1]), let count = Int(words[2]) {
        fields.append((name, count))
      } else {
        inSQL.append(words.compactMap(text))
      }
    }
    // Those directly in the root.
    var (names, place) = ([String](), 1)
    while place < fields.count {
      names.append(fields[place].name)
      var left = 1
      while left > 0, place < fields.count {
        left += fields[place].count - 1
        place += 1
      }
    }
    guard let rowCount, names.count == inSQL.count, fields.first?.count == names.count,
      inSQL.allSatisfy({ $0.count == 2 })
    else { throw purpose.failure("its answer is not understood") }
    return (rowCount, zip(names, inSQL).map { Column(name: $0, nameInSQL: $1[0], type: $1[1]) })
  }

  /// The text of hexadecimal digits.
  private static func text(of digits: Substring) -> String? {
    bytesOfHexadecimal(digits).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func find(_ wanted: String, in columns: [Column], of table: String) throws(Failure) -> Column {
    let found = columns.filter { $0.name.utf8.elementsEqual(wanted.utf8) }
    guard found.count == 1 else { throw TableReader.isNoColumn(wanted, of: table, areMany: !found.isEmpty) }
    return found[0]
  }

  /// Types that have one way to be written as text, in each version of DuckDB and each time zone.
  private static let typesOfIDs = [
    "VARCHAR", "BLOB", "UUID", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT",
    "UINTEGER", "UBIGINT", "UHUGEINT",
  ]

  /// SQL for the hexadecimal digits of an id. A long id is cut off first, because its digits would take memory.
  private static func digits(ofID id: Column) throws(Failure) -> String {
    guard typesOfIDs.contains(id.type) || id.type.hasPrefix("DECIMAL(") else {
      throw Failure(
        "Name a column of texts, bytes, numbers or UUIDs by --id-column: \(id.name) has values of the type \(id.type).",
        .data)
    }
    return digits(
      id.type == "BLOB" ? begin(id) : "left(\(DuckDB.quoted(id.nameInSQL))::VARCHAR, \(longestText))",
      atMost: TableRow.maximumIDLength + 1)
  }

  private static func digits(ofText text: Column, _ encoding: RowWork.Encoding?) throws(Failure) -> String {
    switch (text.type, encoding) {
    case ("VARCHAR", _): return digits(begin(text), atMost: longestText)
    case ("BLOB", .hex): return digits("hex(\(begin(text)))", atMost: longestText)
    case ("BLOB", .base64): return digits("base64(\(begin(text)))", atMost: longestText)
    default:
      let wanted = encoding == nil ? "texts" : "texts or bytes"
      throw Failure(
        "Name a column of \(wanted) by --text-column: \(text.name) has values of the type \(text.type).", .data)
    }
  }

  /// The beginning of a value.
  private static func begin(_ column: Column) -> String {
    let name = DuckDB.quoted(column.nameInSQL)
    return column.type == "BLOB" ? "\(name)[1:\(longestText)]" : "left(\(name), \(longestText))"
  }

  private static func digits(_ value: String, atMost byteCount: Int) -> String {
    "substr(hex(\(value)), 1, \(2 * byteCount))"
  }

  // MARK: Rows

  func next() throws(Failure) -> TableRow? {
    guard let line = try rows.nextLine() else {
      guard rowsRead == rowCount else {
        throw Self.purpose(name).failure("it has given \(rowsRead) rows of \(rowCount)")
      }
      return nil
    }
    rowsRead += 1
    let idRoom = TableRow.maximumIDLength + 1
    guard let space = line.firstIndex(of: UInt8(ascii: " ")),
      let id = decode(line[..<space], into: 0..<idRoom),
      let text = decode(line[(space + 1)...], into: idRoom..<fields.count)
    else { throw Self.purpose(name).failure("its answer for row \(rowsRead) is not understood") }
    guard TableRow.isID(id) else { return faulty(line) }
    return TableRow(line: rowsRead, fault: nil, id: id, text: text)
  }

  private func faulty(_ line: UnsafeRawBufferPointer) -> TableRow {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    fingerprint?.begin()
    fingerprint?.absorb(line)
    return TableRow(
      line: rowsRead, fault: .id, id: nothing, text: nothing, fingerprint: fingerprint?.finish() ?? [])
  }

  /// Writes the bytes of hexadecimal digits to a part of `fields`; nil if it has no room, or for other characters.
  private func decode(_ digits: Slice<UnsafeRawBufferPointer>, into part: Range<Int>) -> UnsafeRawBufferPointer? {
    let digits = UnsafeRawBufferPointer(rebasing: digits)
    guard digits.count % 2 == 0, digits.count <= 2 * part.count else { return nil }
    for index in 0..<digits.count / 2 {
      guard let high = hexadecimalDigit(digits[2 * index]), let low = hexadecimalDigit(digits[2 * index + 1]) else {
        return nil
      }
      fields[part.lowerBound + index] = high << 4 | low
    }
    return UnsafeRawBufferPointer(rebasing: fields[part.lowerBound..<part.lowerBound + digits.count / 2])
  }

  var partRead: Double? { Double(rowsRead) / Double(max(rowCount, 1)) }

  /// Parquet has its directory at its end.
  var mayBeCutOff: Bool { false }
}
