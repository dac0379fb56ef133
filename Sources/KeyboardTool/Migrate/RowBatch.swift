// Rows that go through a worker together, and what becomes of them: lines of the two files that are written.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTerminal

/// One thread at a time has it: first the reader, then a worker, then the writer.
final class RowBatch: @unchecked Sendable {
  struct Row {
    let line: Int
    /// Where the id ends in `bytes`, and the text that follows it.
    let idEnd, textEnd: Int
    /// nil if the row has a text to work on.
    let refusal: RefusalReason?
  }

  private(set) var rows: [Row] = []
  private var bytes: [UInt8] = []

  /// The fingerprints of the lines that are refused without an id, one after the other.
  private(set) var fingerprints: [UInt8] = []
  private(set) var done: [UInt8] = []
  private(set) var refused: [UInt8] = []
  private(set) var (doneCount, refusedCount) = (0, 0)
  /// How many rows were refused for each reason.
  private(set) var reasons: [RefusalReason: Int] = [:]

  /// Set by the worker, under the lock of the workers.
  var isFinished = false
  /// What stops the whole run: no memory, for example.
  var failure: Failure?

  // MARK: Reading

  func add(
    line: Int, id: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer, refusal: RefusalReason? = nil,
    fingerprint: [UInt8] = []
  ) {
    fingerprints += fingerprint
    bytes.append(contentsOf: id)
    let idEnd = bytes.count
    bytes.append(contentsOf: text)
    rows.append(Row(line: line, idEnd: idEnd, textEnd: bytes.count, refusal: refusal))
  }

  // MARK: Working

  /// Lends the id and the text of each row, in their order.
  func forEachRow(
    _ body: (Row, UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let bytes = bytes
    var begin = 0
    for row in rows {
      try bytes.span.withUnsafeBytes { bytes throws(Failure) in
        try body(
          row, UnsafeRawBufferPointer(rebasing: bytes[begin..<row.idEnd]),
          UnsafeRawBufferPointer(rebasing: bytes[row.idEnd..<row.textEnd]))
      }
      begin = row.textEnd
    }
  }

  func addDone(_ id: UnsafeRawBufferPointer, _ result: some Sequence<UInt8>) {
    Self.appendField(id, to: &done)
    done.append(UInt8(ascii: ","))
    // Verifiers have commas.
    done.append(UInt8(ascii: "\""))
    done.append(contentsOf: result)
    done.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: "\n")])
    doneCount += 1
  }

  func addRefused(_ row: Row, _ id: UnsafeRawBufferPointer, _ reason: RefusalReason) {
    refused.append(contentsOf: String(row.line).utf8)
    refused.append(UInt8(ascii: ","))
    Self.appendField(id, to: &refused)
    refused.append(UInt8(ascii: ","))
    refused.append(contentsOf: reason.rawValue.utf8)
    refused.append(UInt8(ascii: "\n"))
    refusedCount += 1
    reasons[reason, default: 0] += 1
  }

  /// - Source: RFC 4180 §2.
  private static func appendField(_ field: UnsafeRawBufferPointer, to line: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    guard field.contains(where: { $0 == quote || $0 == UInt8(ascii: ",") }) else {
      line.append(contentsOf: field)
      return
    }
    line.append(quote)
    for byte in field { line.append(contentsOf: byte == quote ? [quote, quote] : [byte]) }
    line.append(quote)
  }
}
