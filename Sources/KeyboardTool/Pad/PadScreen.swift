// The pad's picture: a title, the masked echo, the keyboard, a hint, and which keys work.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardTerminal

/// Draws the pad on the terminal's alternate screen.
struct PadScreen {
  private let terminal: Terminal
  private let glyphs: Glyphs
  private let inColour: Bool

  init(_ terminal: Terminal) {
    self.terminal = terminal
    glyphs = .ofTerminal
    // no-color.org: any value but the empty one.
    inColour = getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
  }

  // 1049 alternate screen, 25 cursor, 1000 mouse buttons, 1006 their SGR reports, 2004 bracketed paste.
  static let greeting = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?1000h\u{1b}[?1006h\u{1b}[?2004h\u{1b}[2J"

  /// Clears the keys too, because some terminals have no alternate screen.
  static var farewell: StaticString {
    "\u{1b}[?2004l\u{1b}[?1006l\u{1b}[?1000l\u{1b}[0m\u{1b}[2J\u{1b}[H\u{1b}[?25h\u{1b}[?1049l"
  }

  /// Rows around the keyboard: title, echo, a blank one; a hint, the keys that work.
  private static let rowsAbove = 3
  private static let rowsBelow = 2

  /// The places of everything in a terminal of this size; no grid if the terminal is too small.
  struct Arrangement {
    let size: TerminalSize
    let grid: CellGrid?
    /// The keyboard's upper left cell.
    let column: Int
    let row: Int
  }

  func arrange(_ kind: LayoutKind) -> Arrangement {
    let size = terminal.size
    let rows = size.rows - Self.rowsAbove - Self.rowsBelow
    guard let grid = CellGrid(kind, columns: size.columns, rows: rows) else {
      return Arrangement(size: size, grid: nil, column: 0, row: 0)
    }
    return Arrangement(
      size: size, grid: grid, column: (size.columns - grid.columns) / 2, row: Self.rowsAbove + (rows - grid.rows) / 2)
  }

  struct Content {
    var title: String
    var characterCount: Int
    /// 0 for none.
    var maximumCount: Int
    var hint: String
    var selection: Int
  }

  func draw(_ content: Content, keys: [KeyboardKey], at place: Arrangement) {
    let canvas = Canvas(columns: place.size.columns, rows: place.size.rows)
    guard let grid = place.grid else { return show(canvas) }
    let top = place.row - Self.rowsAbove
    canvas.putCentred(content.title, row: top, style: .title)
    canvas.putCentred(echo(content, columns: place.size.columns - 2), row: top + 1, style: .active)
    for key in keys {
      grid.cells(of: key).draw(
        on: canvas, column: place.column, row: place.row, grid: grid, isSelected: key.index == content.selection,
        glyphs: glyphs)
    }
    let bottom = place.row + grid.rows
    canvas.putCentred(content.hint, row: bottom, style: .warning)
    let versions = keys.first?.role == .node ? patternHelp : padHelp
    canvas.putCentred(Self.longest(versions, columns: place.size.columns), row: bottom + 1, style: .faint)
    show(canvas)
  }

  /// Says how large the terminal must be.
  func drawTooSmall(_ place: Arrangement, for kind: LayoutKind) {
    let canvas = Canvas(columns: place.size.columns, rows: place.size.rows)
    let needed = CellGrid.smallest(kind)
    let text = "Enlarge to \(needed.columns) x \(needed.rows + Self.rowsAbove + Self.rowsBelow)"
    canvas.putCentred(text, row: place.size.rows / 2, style: .warning)
    show(canvas)
  }

  private func show(_ canvas: borrowing Canvas) {
    let terminal = terminal
    var output = WipedOutput { terminal.write($0) }
    output.append(canvas, inColour: inColour)
    output.flush()
  }

  /// One mark for each character, and one for each that is missing if there is room.
  private func echo(_ content: Content, columns: Int) -> String {
    let typed = String(repeating: glyphs.mask, count: min(content.characterCount, columns))
    let missing = max(content.maximumCount - content.characterCount, 0)
    let places = String(repeating: glyphs.place, count: missing)
    return typed.count + places.count <= columns ? typed + places : typed
  }

  private var padHelp: [String] {
    [
      "\(glyphs.arrows) or Tab move, Enter presses, or click; typed letters are ignored; Esc leaves",
      "\(glyphs.arrows) Enter, or click; typing is ignored; Esc leaves", "typing is ignored; Esc leaves", "Esc leaves",
    ]
  }

  private var patternHelp: [String] {
    [
      "1 to 9 draw, or \(glyphs.arrows) and Space, or click; Enter ends; Esc leaves",
      "1 to 9 draw, Enter ends; Esc leaves", "Enter ends; Esc leaves",
    ]
  }

  /// The longest version that fits.
  private static func longest(_ versions: [String], columns: Int) -> String {
    versions.first { $0.unicodeScalars.count <= columns } ?? ""
  }
}
