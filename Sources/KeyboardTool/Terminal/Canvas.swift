// A rectangle of character cells, drawn first and then shown at once. It is wiped at its end: it holds the keys.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory

/// How a cell looks.
package enum CellStyle: UInt8 {
  case plain, title, faint, function, active, selected, warning

  /// The terminal's codes (SGR, ECMA-48 §8.3.117), after a reset.
  package func codes(inColour: Bool) -> String {
    switch self {
    case .plain: ""
    case .title: "1"
    case .faint: inColour ? "90" : "2"
    case .function: inColour ? "36" : ""
    case .active: inColour ? "1;36" : "1"
    case .selected: inColour ? "1;7;34" : "1;7"
    case .warning: inColour ? "33" : "1"
    }
  }
}

package struct Canvas: ~Copyable {
  package let columns: Int
  package let rows: Int
  private let cells: UnsafeMutableBufferPointer<Cell>

  fileprivate struct Cell: BitwiseCopyable {
    package var scalar: UInt32 = 0x20
    package var style: UInt8 = 0
  }

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = .allocate(capacity: columns * rows)
    cells.initialize(repeating: Cell())
  }

  deinit {
    if let memory = cells.baseAddress { wipe(memory, byteCount: cells.count * MemoryLayout<Cell>.stride) }
    cells.deallocate()
  }

  /// Puts text into a row, and cuts off what does not fit.
  package func put(_ text: String, column: Int, row: Int, style: CellStyle = .plain) {
    guard (0..<rows).contains(row) else { return }
    var column = column
    for scalar in text.unicodeScalars {
      if (0..<columns).contains(column) {
        cells[row * columns + column] = Cell(scalar: scalar.value, style: style.rawValue)
      }
      column += 1
    }
  }

  /// Puts text into the middle of a row.
  package func putCentred(_ text: String, row: Int, style: CellStyle = .plain) {
    put(text, column: max((columns - text.unicodeScalars.count) / 2, 0), row: row, style: style)
  }

  /// Gives each row to `body`, without the blank cells at its end.
  package func forEachRow(_ body: (_ row: Int, inout RowCells) -> Void) {
    for row in 0..<rows {
      let all = cells[row * columns..<(row + 1) * columns]
      let end = all.lastIndex { $0.scalar != 0x20 || $0.style == CellStyle.selected.rawValue } ?? all.startIndex - 1
      var iterator = RowCells(cells: cells, index: all.startIndex, end: end + 1)
      body(row, &iterator)
    }
  }

  package struct RowCells: IteratorProtocol {
    fileprivate let cells: UnsafeMutableBufferPointer<Cell>
    fileprivate var index: Int
    fileprivate let end: Int

    package mutating func next() -> (scalar: Unicode.Scalar, style: CellStyle)? {
      guard index < end else { return nil }
      defer { index += 1 }
      let cell = cells[index]
      return (Unicode.Scalar(cell.scalar) ?? " ", CellStyle(rawValue: cell.style) ?? .plain)
    }
  }
}
