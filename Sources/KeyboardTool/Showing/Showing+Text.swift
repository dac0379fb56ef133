// For a terminal or a text file: as the pad draws it, without a selection.
// SPDX-License-Identifier: Apache-2.0

import KeyboardLayout
import KeyboardTerminal

extension Showing {
  /// The cells of a text picture: those of the pad on a terminal of usual size.
  static func grid(_ kind: LayoutKind) -> CellGrid? { CellGrid(kind, columns: 80, rows: 12) }

  func text(_ grid: CellGrid, glyphs: Glyphs) -> String {
    let canvas = Canvas(columns: grid.columns, rows: grid.rows)
    for key in keys {
      let cells = CellKey(
        x: key.x, y: key.y, width: key.width, height: key.height, role: key.role, label: key.label.text)
      cells.draw(on: canvas, column: 0, row: 0, grid: grid, isSelected: false, glyphs: glyphs)
    }
    var lines = ""
    canvas.forEachRow { _, cells in
      while let cell = cells.next() { lines.unicodeScalars.append(cell.scalar) }
      lines += "\n"
    }
    if let seed { lines += "documentation: seed \(seed)\n" }
    return lines
  }
}
