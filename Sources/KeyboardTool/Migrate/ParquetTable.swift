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
  private let duckDB: DuckDB
  private let rowCount: Int
  /// Names and types.
  private let columns: [(name: String, type: String)]
  private var rows: ChildOutput?
  private var rowsRead = 0
  private let fields = UnsafeMutableRawBufferPointer.allocate(
    byteCount: TableRow.maximumIDLength + 1 + longestText, alignment: 16)

  /// Opens a file, and reads which columns it has.
  init(_ path: String, duckDB: DuckDB) throws(Failure) {
    (name, self.duckDB) = (path, duckDB)
    descriptor = try Self.open(path)
    do throws(Failure) {
      (rowCount, columns) = try Self.describe(path, descriptor, duckDB)
    } catch {
      close(descriptor)
      fields.deallocate()
      throw error
    }
  }

  deinit {
    close(descriptor)
    fields.deallocate()
  }

  private static func open(_ path: String) throws(Failure) -> Int32 {
    #if canImport(Darwin)
      let descriptor = Darwin.open(path, O_RDONLY | O_CLOEXEC)
    #else
      let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    #endif
    guard descriptor >= 0 else { throw .system("The table \(path) cannot be opened", .noInput) }
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

  private static func describe(
    _ name: String, _ descriptor: Int32, _ duckDB: DuckDB
  ) throws(Failure) -> (Int, [(name: String, type: String)]) {
    let table = "read_parquet(\(DuckDB.input))"
    let purpose = purpose(name)
    let output = try duckDB.start(
      purpose,
      DuckDB.lines(of: "SELECT count(*)::VARCHAR FROM \(table)")
        + DuckDB.lines(of: "SELECT hex(column_name) || ' ' || hex(column_type) FROM (DESCRIBE SELECT * FROM \(table))"),
      input: descriptor)
    var lines: [String] = []
    while let line = try output.nextLine() { lines.append(String(decoding: line, as: UTF8.self)) }
    let columns = lines.dropFirst().compactMap { line -> (String, String)? in
      let words = line.split(separator: " ").compactMap(bytesOfHexadecimal).map { String(decoding: $0, as: UTF8.self) }
      return words.count == 2 ? (words[0], words[1]) : nil
    }
    guard let count = lines.first.flatMap({ Int($0) }), columns.count == lines.count - 1 else {
      throw purpose.failure("its answer is not understood")
    }
    return (count, columns)
  }

  // MARK: Rows

  /// Begins to read two columns. Bytes in the column of texts are the texts themselves.
  ///
  /// - Parameters:
  ///   - encoding: what bytes are written in; nil if the column has verifiers.
  func begin(id: String, text: String, encoding: RowWork.Encoding?) throws(Failure) {
    guard id != text else { throw Failure("Name two columns: the id and the text.", .usage) }
    let idDigits = "substr(\(try digits(of: id)), 1, \(2 * (TableRow.maximumIDLength + 1)))"
    let textDigits = "substr(\(try digits(ofText: text, encoding)), 1, \(2 * Self.longestText))"
    rows = try duckDB.start(
      Self.purpose(name),
      DuckDB.lines(
        of: "SELECT coalesce(\(idDigits), '') || ' ' || coalesce(\(textDigits), hex('\(Self.noText)')) "
          + "FROM read_parquet(\(DuckDB.input))"), input: descriptor)
  }

  /// The type of a column, of which there must be one.
  private func type(of wanted: String) throws(Failure) -> String {
    let found = columns.filter { $0.name == wanted }
    guard found.count == 1 else { throw TableReader.isNoColumn(wanted, of: name, areMany: !found.isEmpty) }
    return found[0].type
  }

  private func digits(of id: String) throws(Failure) -> String {
    let column = DuckDB.quoted(id)
    return try type(of: id) == "BLOB" ? "hex(\(column))" : "hex(\(column)::VARCHAR)"
  }

  private func digits(ofText text: String, _ encoding: RowWork.Encoding?) throws(Failure) -> String {
    let column = DuckDB.quoted(text)
    let type = try type(of: text)
    switch (type, encoding) {
    case ("VARCHAR", _): return "hex(\(column))"
    case ("BLOB", .hex): return "hex(hex(\(column)))"
    case ("BLOB", .base64): return "hex(base64(\(column)))"
    default:
      let wanted = encoding == nil ? "texts" : "texts or bytes"
      throw Failure("Name a column of \(wanted) by --text-column: \(text) has values of the type \(type).", .data)
    }
  }

  func next() throws(Failure) -> TableRow? {
    guard let rows else { return nil }
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
