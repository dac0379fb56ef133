// Reads a table of CSV, row by row, from a file or a pipe. A fault in one row does not hide those after it.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardTerminal

/// RFC 4180 with LF or CRLF and, at the beginning, the mark of UTF-8. The first row names the columns.
///
/// A row that cannot be used is taken to its end, newlines in quoted fields included: what a person has put into a
/// field never becomes a row. If quotation marks are not as in CSV, the row ends where Python's csv module ends it,
/// which ignores those in wrong places. If a quoted field has no end, nobody can tell where rows begin: reading fails.
final class TableReader {
  private static let longestRow = 1 << 16
  private static let blockSize = 1 << 20

  let descriptor: Int32
  private let name: String
  /// What was read from the file and not yet taken is at `start ..< end`.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize + longestRow, alignment: 16)
  /// The id and the text of a row in which quotation marks are doubled.
  private let unquoted = UnsafeMutableRawBufferPointer.allocate(byteCount: longestRow, alignment: 16)
  private var (start, end, isAtEnd) = (0, 0, false)
  private var fields: [Field] = []
  /// Lines of a refused row that were taken, and are still to be told: each is refused, so that none is lost silently.
  private var (refusedLines, firstRefusedLine, refusedReason) = (0, 0, RefusalReason.quotes)
  private var refusedFingerprint: [UInt8] = []
  /// Makes the fingerprints of rows with a fault; nil if nobody needs them.
  var fingerprint: RowFingerprint?
  private(set) var columns: [String] = []
  private var (idColumn, textColumn) = (0, 0)
  private var line = 1
  /// Bytes of the file that were taken.
  private var offset = 0
  /// Whether the last row has a newline at its end.
  private var endsWithNewline = true

  /// In `buffer`. The bytes of a quoted field are between its quotation marks.
  private struct Field {
    let range: Range<Int>
    var hasDoubledQuotes = false
  }

  /// What a byte would be part of that follows in a row.
  private enum Position {
    case fieldStart, unquoted, quoted, quoteInQuoted, rowEnd

    /// Moves on behind a byte. A quotation mark has a meaning only at the beginning of a field and in a quoted one.
    mutating func pass(_ byte: UInt8) {
      switch (self, byte) {
      case (.quoted, UInt8(ascii: "\"")): self = .quoteInQuoted
      case (.quoted, _): break
      case (_, UInt8(ascii: "\n")): self = .rowEnd
      case (_, UInt8(ascii: ",")): self = .fieldStart
      case (.fieldStart, UInt8(ascii: "\"")), (.quoteInQuoted, UInt8(ascii: "\"")): self = .quoted
      default: self = .unquoted
      }
    }
  }

  init(_ path: String) throws(Failure) {
    name = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("The table \(path) cannot be opened", .noInput) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    buffer.deallocate()
    unquoted.deallocate()
  }

  /// How much of the table was read, 0 … 1; nil of a pipe.
  var partRead: Double? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Double(offset) / Double(max(status.st_size, 1))
  }

  /// Whether the end of the file may have been cut off. Known after the last row.
  var mayBeCutOff: Bool { !endsWithNewline }

  // MARK: Rows

  /// Reads the first row, and finds two columns in it.
  ///
  /// - Parameter text: nil for the last column.
  func readHeader(id: String, text: String?) throws(Failure) {
    try fill()
    if buffer[start..<end].starts(with: [0xef, 0xbb, 0xbf]) { take(3) }
    guard start < end else { throw Failure("Give a table with a row of columns' names: \(name) is empty.", .data) }
    func fault(_ otherwise: String) -> Failure {
      let begin = UnsafeRawBufferPointer(rebasing: buffer[start..<min(end, start + Self.longestRow)])
      return Failure(TableForm.advice(on: begin, of: name) ?? otherwise, .data)
    }
    guard let next = scan(), String(validating: buffer[start..<next], as: UTF8.self) != nil else {
      throw fault("Give a table in CSV and UTF-8: the first row of \(name) is not.")
    }
    columns = fields.map { String(decoding: bytes(of: $0, scratchOffset: 0), as: UTF8.self) }
    // All rows would be in the first one.
    guard !columns.contains(where: { $0.utf8.contains(UInt8(ascii: "\r")) }) else {
      throw fault("Give columns' names without CR: there is one in the first row of \(name).")
    }
    func column(_ wanted: String) throws(Failure) -> Int {
      let places = columns.indices.filter { columns[$0].utf8.elementsEqual(wanted.utf8) }
      guard places.count == 1 else {
        let similar = columns.first { $0.lowercased().filter { $0 != " " } == wanted.lowercased() }
        let found = places.isEmpty ? similar.map { ", but one \($0)" } ?? "" : ""
        let sentence =
          "Name the columns of \(name) by --id-column and --text-column: \(places.isEmpty ? "no" : "more than one") "
          + "column is named \(wanted)\(found)."
        throw places.isEmpty && similar == nil ? fault(sentence) : Failure(sentence, .data)
      }
      return places[0]
    }
    (idColumn, textColumn) = (try column(id), try text.map(column) ?? columns.count - 1)
    take(next - start)
    guard idColumn != textColumn else { throw Failure("Name two columns: the id and the text.", .usage) }
  }

  /// The next row; nil at the end.
  func next() throws(Failure) -> TableRow? {
    if refusedLines > 0 { return refusedLine() }
    try fill()
    guard start < end else { return nil }
    let line = line
    if let next = scan() {
      guard fields.count == columns.count else { return faulty(.fields, from: line, byteCount: next - start) }
      let (id, text) = (fields[idColumn], fields[textColumn])
      let hasNewline = [id, text].contains { buffer[$0.range].contains(UInt8(ascii: "\n")) }
      guard !hasNewline else { return faulty(.quotes, from: line, byteCount: next - start) }
      let idBytes = bytes(of: id, scratchOffset: 0)
      guard TableRow.isID(idBytes) else { return faulty(.id, from: line, byteCount: next - start) }
      let row = TableRow(
        line: line, fault: nil, id: idBytes, text: bytes(of: text, scratchOffset: id.range.count))
      take(next - start)
      return row
    }
    fingerprint?.begin()
    try takeUnreadable()
    return refusedRow(.quotes, from: line)
  }

  private func faulty(_ reason: RefusalReason, from line: Int, byteCount: Int) -> TableRow {
    fingerprint?.begin()
    takeRefused(byteCount)
    return refusedRow(reason, from: line)
  }

  /// Takes a part of a refused row.
  private func takeRefused(_ byteCount: Int) {
    fingerprint?.absorb(UnsafeRawBufferPointer(rebasing: buffer[start..<start + byteCount]))
    take(byteCount)
  }

  private func refusedRow(_ reason: RefusalReason, from line: Int) -> TableRow {
    refusedFingerprint = fingerprint?.finish() ?? []
    let lines = self.line - line + (endsWithNewline ? 0 : 1)
    (refusedLines, firstRefusedLine, refusedReason) = (lines, line, reason)
    return refusedLine()
  }

  private func refusedLine() -> TableRow {
    defer { (refusedLines, firstRefusedLine) = (refusedLines - 1, firstRefusedLine + 1) }
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    return TableRow(
      line: firstRefusedLine, fault: refusedReason, id: nothing, text: nothing, fingerprint: refusedFingerprint)
  }

  /// Takes a row that `scan` could not read, to the newline that ends it.
  ///
  /// - Throws: a failure if a quoted field has no end.
  private func takeUnreadable() throws(Failure) {
    let first = line
    var position = Position.fieldStart
    repeat {
      var place = start
      while place < end, position != .rowEnd {
        position.pass(buffer[place])
        place += 1
      }
      takeRefused(place - start)
      if position != .rowEnd { try fill() }
    } while position != .rowEnd && start < end
    guard position != .quoted else {
      throw Failure(
        "Close the quoted field that begins in the row at line \(first) of \(name): it has no end, so nothing after it "
          + "was read. Then run the same command again.", .data)
    }
  }

  // MARK: Fields

  /// Finds the fields of the row at `start`.
  ///
  /// - Returns: where the next row begins; nil if this one is not well-formed.
  private func scan() -> Int? {
    fields.removeAll(keepingCapacity: true)
    let limit = min(end, start + Self.longestRow)
    let bytes = UnsafeRawBufferPointer(buffer)
    var place = start
    while true {
      var field: Field
      if place < limit, bytes[place] == UInt8(ascii: "\"") {
        guard let quoted = quotedField(from: place + 1, limit: limit) else { return nil }
        field = quoted
        place = quoted.range.upperBound + 1
      } else {
        let first = place
        while place < limit, bytes[place] != UInt8(ascii: ","), bytes[place] != UInt8(ascii: "\n") {
          if bytes[place] == UInt8(ascii: "\"") { return nil }
          place += 1
        }
        var last = place
        // Of CRLF, the first belongs to the end of the row.
        if last > first, bytes[last - 1] == UInt8(ascii: "\r"), place == end || bytes[place] == UInt8(ascii: "\n") {
          last -= 1
        }
        field = Field(range: first..<last)
      }
      fields.append(field)
      if place < limit, bytes[place] == UInt8(ascii: "\r"), place + 1 == end || bytes[place + 1] == UInt8(ascii: "\n") {
        place += 1
      }
      guard place < limit else { return place == end && isAtEnd ? end : nil }
      switch bytes[place] {
      case UInt8(ascii: "\n"): return place + 1
      case UInt8(ascii: ","): place += 1
      default: return nil  // Something follows a quoted field.
      }
    }
  }

  private func quotedField(from first: Int, limit: Int) -> Field? {
    var field = Field(range: first..<first)
    var place = first
    while place < limit {
      if buffer[place] == UInt8(ascii: "\"") {
        guard place + 1 < limit, buffer[place + 1] == UInt8(ascii: "\"") else {
          return Field(range: first..<place, hasDoubledQuotes: field.hasDoubledQuotes)
        }
        field.hasDoubledQuotes = true
        place += 1
      }
      place += 1
    }
    return nil
  }

  /// A field's bytes, without the second of two quotation marks.
  private func bytes(of field: Field, scratchOffset: Int) -> UnsafeRawBufferPointer {
    let quoted = UnsafeRawBufferPointer(rebasing: buffer[field.range])
    guard field.hasDoubledQuotes else { return quoted }
    var (count, isSecond) = (0, false)
    for byte in quoted {
      isSecond = byte == UInt8(ascii: "\"") && !isSecond
      if byte == UInt8(ascii: "\"") && !isSecond { continue }
      unquoted[scratchOffset + count] = byte
      count += 1
    }
    return UnsafeRawBufferPointer(rebasing: unquoted[scratchOffset..<scratchOffset + count])
  }

  // MARK: The file

  /// Moves on behind bytes of the buffer.
  private func take(_ count: Int) {
    guard count > 0 else { return }
    let taken = UnsafeRawBufferPointer(rebasing: buffer[start..<start + count])
    // A row of one line has its newline at the end.
    for byte in taken where byte == UInt8(ascii: "\n") { line += 1 }
    endsWithNewline = taken.last == UInt8(ascii: "\n")
    start += count
    offset += count
  }

  /// Reads on until a whole row is in the buffer, or the file ends.
  private func fill() throws(Failure) {
    guard end - start < Self.longestRow, !isAtEnd else { return }
    let left = end - start
    buffer.baseAddress!.copyMemory(from: buffer.baseAddress! + start, byteCount: left)
    (start, end) = (0, left)
    while end < Self.longestRow {
      let count = read(descriptor, buffer.baseAddress! + end, buffer.count - end)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .system("Reading \(name) failed", .inputOutput) }
      end += count
      guard count > 0 else {
        isAtEnd = true
        return
      }
    }
  }
}
