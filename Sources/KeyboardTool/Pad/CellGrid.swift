// A keyboard of character cells: one point is one cell, and the library does the arithmetic. Sizes are chosen so that
// keys begin and end between cells.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardLayout
import KeyboardTerminal

/// How large keys are in a terminal, and whether there is room for boxes around them.
struct CellGrid: Equatable {
  let keysAcross: Int
  /// Cells from one key to the next. An even number, because some rows are shifted by half a key.
  let columnPitch: Int
  let rowPitch: Int
  let isBoxed: Bool

  var columns: Int { keysAcross * columnPitch - 1 }
  var rows: Int { keysDown * rowPitch }

  var viewSize: ViewSize { ViewSize(width: Double(columns), height: Double(rows), columnGap: 1, rowGap: 0) }

  private let keysDown: Int

  /// The most comfortable one that fits; nil if none does.
  init?(_ kind: LayoutKind, columns: Int, rows: Int) {
    (keysAcross, keysDown) = (kind.keysAcross, kind.keysDown)
    let pitches = stride(from: kind.isPad ? 10 : 8, through: 4, by: -2)
    guard let columnPitch = pitches.first(where: { [keysAcross] in keysAcross * $0 - 1 <= columns }) else { return nil }
    guard let rowPitch = [3, 2, 1].first(where: { [keysDown] in keysDown * $0 <= rows }) else { return nil }
    isBoxed = columnPitch >= 6 && rowPitch >= 3
    self.columnPitch = columnPitch
    self.rowPitch = rowPitch
  }

  /// The room that the smallest one needs.
  static func smallest(_ kind: LayoutKind) -> TerminalSize {
    TerminalSize(columns: kind.keysAcross * 4 - 1, rows: kind.keysDown)
  }

  /// The cells of a key. A node of a pattern fills its place in the grid: cells are not squares, and a circle has no
  /// room.
  func cells(of key: KeyboardKey) -> CellKey {
    guard key.role == .node else {
      return CellKey(x: key.x, y: key.y, width: key.width, height: key.height, role: key.role, label: key.label)
    }
    return CellKey(
      x: Double((key.grid.column - 1) * columnPitch), y: Double((key.grid.row - 1) * rowPitch),
      width: Double(columnPitch - 1), height: Double(rowPitch), role: key.role, label: key.label)
  }
}

extension LayoutKind {
  fileprivate var keysDown: Int { self == .pattern ? 3 : 4 }

  /// How many of the smallest keys fit side by side on a page.
  fileprivate var keysAcross: Int {
    switch self {
    case .letters, .digits, .symbols: 10
    case .mixed: 9
    case .pin, .pattern: 3
    case .pinDecoys: 4
    }
  }
}

/// A key in cells.
struct CellKey {
  let columns: Range<Int>
  let rows: Range<Int>
  let role: KeyRole
  let label: String

  init(x: Double, y: Double, width: Double, height: Double, role: KeyRole, label: String) {
    columns = Int(x.rounded())..<Int((x + width).rounded())
    rows = Int(y.rounded())..<Int((y + height).rounded())
    self.role = role
    self.label = label
  }

  /// What a function key shows where its name has no room.
  private func shortLabel(_ glyphs: Glyphs) -> String {
    switch role {
    case .shift: label == "SHIFT" ? glyphs.capsLock : glyphs.shift
    case .delete: glyphs.delete
    case .return: glyphs.ok
    default: label
    }
  }

  private var style: CellStyle {
    switch role {
    case .character, .blank, .node: .plain
    case .shift where label != "shift", .return: .active
    default: .function
    }
  }

  /// Draws it, with `column` and `row` where the keyboard's upper left cell is.
  func draw(on canvas: borrowing Canvas, column: Int, row: Int, grid: CellGrid, isSelected: Bool, glyphs: Glyphs) {
    guard role != .blank else { return }
    let style = isSelected ? .selected : style
    let (left, width) = (column + columns.lowerBound, columns.count)
    let (top, height) = (row + rows.lowerBound, rows.count)
    if grid.isBoxed {
      let box = isSelected ? glyphs.selectedBox : glyphs.box
      let edge = isSelected ? CellStyle.active : .faint
      let horizontal = String(repeating: box[4], count: width - 2)
      canvas.put(box[0] + horizontal + box[1], column: left, row: top, style: edge)
      for middle in top + 1..<top + height - 1 {
        canvas.put(box[5], column: left, row: middle, style: edge)
        canvas.put(
          String(repeating: " ", count: width - 2), column: left + 1, row: middle, style: isSelected ? style : .plain)
        canvas.put(box[5], column: left + width - 1, row: middle, style: edge)
      }
      canvas.put(box[3] + horizontal + box[2], column: left, row: top + height - 1, style: edge)
    } else if isSelected {
      canvas.put(String(repeating: " ", count: width), column: left, row: top, style: style)
    }
    let columns = grid.isBoxed ? width - 2 : width
    let text = label.unicodeScalars.count <= columns ? label : shortLabel(glyphs)
    canvas.put(
      text, column: left + (width - text.unicodeScalars.count) / 2, row: top + (grid.isBoxed ? (height - 1) / 2 : 0),
      style: style)
  }
}
