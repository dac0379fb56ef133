// The keyboard in a terminal. Its keys are pressed with arrow keys and clicks, which tell a keylogger nothing, because
// the keys are in other places each time.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardLayout
import KeyboardTerminal
import Synchronization

final class Pad {
  private let keyboard: Keyboard
  private let kind: LayoutKind
  private let screen: PadScreen
  private let terminal: Terminal
  private let outcome = Outcome()
  private var content: PadScreen.Content
  private var place: PadScreen.Arrangement

  /// What the keyboard's callbacks report.
  private final class Outcome: Sendable {
    let isComplete = Mutex(false)
    let characterCount = Mutex(0)
    /// Return was pressed with nothing typed.
    let isTooEarly = Mutex(false)
  }

  /// - Parameter keyboard: open, with its layout set.
  init(_ keyboard: Keyboard, kind: LayoutKind, maximumCount: Int, title: String, terminal: Terminal) {
    self.keyboard = keyboard
    self.kind = kind
    self.terminal = terminal
    screen = PadScreen(terminal)
    content = PadScreen.Content(title: title, characterCount: 0, maximumCount: maximumCount, hint: "", selection: 0)
    place = screen.arrange(kind)
  }

  /// Shows the keyboard until the input is complete. It stays open, for the caller to use and to close.
  ///
  /// - Parameter hint: shown until something is pressed.
  /// - Throws: a silent failure after Esc, Ctrl-C or a signal. The terminal is restored in any case.
  func run(hint: String = "") throws {
    let outcome = outcome
    content.hint = hint
    keyboard.setTextField { count in outcome.characterCount.withLock { $0 = count } }
    keyboard.setOKAction { keyboard in
      // More likely a slip than a password.
      guard keyboard.count > 0 else { return outcome.isTooEarly.withLock { $0 = true } }
      outcome.isComplete.withLock { $0 = true }
    }
    let (greeting, farewell) = (PadScreen.greeting, PadScreen.farewell)
    try terminal.inRawMode(greeting: greeting, farewell: farewell) { () throws(Failure) in
      do {
        try untilComplete()
      } catch let failure as Failure {
        throw failure
      } catch let error as KeyboardError {
        throw Failure(error)
      } catch { throw Failure("Unexpected: \(error)", .software) }
    }
  }

  private func untilComplete() throws {
    try resize()
    var input = TerminalKeys(terminal)
    while !outcome.isComplete.withLock({ $0 }) {
      try draw()
      content.hint = ""
      try obey(input.next())
    }
  }

  private func draw() throws {
    guard place.grid != nil else { return screen.drawTooSmall(place, for: kind) }
    let keys = try keyboard.keys()
    if !keys.indices.contains(content.selection) || keys[content.selection].role == .blank {
      content.selection = keys.firstIndex { $0.role != .blank } ?? 0
    }
    content.characterCount = outcome.characterCount.withLock { $0 }
    screen.draw(content, keys: keys, at: place)
  }

  private func resize() throws {
    place = screen.arrange(kind)
    if let grid = place.grid { try keyboard.setSize(grid.viewSize) }
  }

  // MARK: What is pressed

  private func obey(_ key: TerminalKey) throws {
    switch key {
    case .interrupt, .escape: throw Failure.cancelled
    case .signal(let number) where Signals.ending.contains(number): throw Failure.ended(bySignal: number)
    case .signal(SIGPIPE): throw Failure.outputClosed
    case .signal: try resize()
    // The keys are not shown.
    case _ where place.grid == nil: break
    case .arrow(let direction): content.selection = try neighbour(direction)
    case .tab: content.selection = try following(1)
    case .backTab: content.selection = try following(-1)
    case .enter where kind == .pattern: endPattern()
    case .text(let digit) where kind == .pattern && (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit):
      content.selection = Int(digit - UInt8(ascii: "1"))
      try press { keyboard in try keyboard.pressKey(at: content.selection) }
    case .backspace where kind == .pattern: try press { keyboard in try keyboard.deleteBackward() }
    case .enter, .text(UInt8(ascii: " ")): try press { keyboard in try keyboard.pressKey(at: content.selection) }
    case .backspace:
      let delete = try keyboard.keys().first { $0.role == .delete }
      if let delete { try press { keyboard in try keyboard.pressKey(at: delete.index) } }
    case .click(let column, let row): try click(column: column, row: row)
    case .text: content.hint = "Not taken: a keylogger could read it. Move with the arrows, or click."
    case .other: break
    }
  }

  /// No key ends a pattern: it ends when the finger leaves.
  private func endPattern() {
    guard keyboard.count > 0 else { return content.hint = "Nothing is drawn yet." }
    outcome.isComplete.withLock { $0 = true }
  }

  /// Touches the middle of a cell; does nothing outside the keyboard.
  private func click(column: Int, row: Int) throws {
    guard let grid = place.grid else { return }
    let (x, y) = (column - place.column, row - place.row)
    guard (0..<grid.columns).contains(x), (0..<grid.rows).contains(y) else { return }
    guard kind == .pattern else {
      return try press { keyboard in try keyboard.touch(x: Double(x) + 0.5, y: Double(y) + 0.5) }
    }
    let node = try keyboard.keys().first { key in
      let cells = grid.cells(of: key)
      return cells.columns.contains(x) && cells.rows.contains(y)
    }
    if let node { try press { keyboard in try keyboard.pressKey(at: node.index) } }
  }

  private func press(_ body: (Keyboard) throws -> Void) throws {
    // The selection stays in its place when the page changes: each page has a switch there.
    let before = try selected()
    do {
      try body(keyboard)
    } catch KeyboardError.tooLong {
      content.hint = "Full: a password has at most 128 bytes."
    }
    if outcome.isTooEarly.withLock({ isTooEarly in
      defer { isTooEarly = false }
      return isTooEarly
    }) {
      content.hint = "Nothing is typed yet."
    }
    try select(near: before)
  }

  // MARK: What is selected

  private func selected() throws -> KeyboardKey? {
    let keys = try keyboard.keys()
    return keys.indices.contains(content.selection) ? keys[content.selection] : nil
  }

  private func select(near key: KeyboardKey?) throws {
    guard let key else { return }
    let nearest = try keyboard.keys().filter { $0.role != .blank }.min { $0.distance(to: key) < $1.distance(to: key) }
    content.selection = nearest?.index ?? 0
  }

  private func following(_ step: Int) throws -> Int {
    let keys = try keyboard.keys()
    var index = content.selection
    repeat { index = (index + step + keys.count) % keys.count } while keys[index].role == .blank
    return index
  }

  /// The nearest key in a direction, or the selected key if there is none.
  private func neighbour(_ direction: TerminalKey.Direction) throws -> Int {
    let keys = try keyboard.keys()
    guard keys.indices.contains(content.selection) else { return 0 }
    let here = keys[content.selection]
    let beyond = keys.filter { $0.role != .blank && $0.lies(direction, of: here) }
    return beyond.min { $0.cost(direction, from: here) < $1.cost(direction, from: here) }?.index ?? here.index
  }
}

extension KeyboardKey {
  fileprivate var centre: (x: Double, y: Double) { (x + width / 2, y + height / 2) }

  fileprivate func distance(to other: KeyboardKey) -> Double {
    let (dx, dy) = (centre.x - other.centre.x, centre.y - other.centre.y)
    return dx * dx + dy * dy
  }

  fileprivate func lies(_ direction: TerminalKey.Direction, of key: KeyboardKey) -> Bool {
    switch direction {
    case .left: grid.row == key.grid.row && x < key.x
    case .right: grid.row == key.grid.row && x > key.x
    case .up: grid.row < key.grid.row
    case .down: grid.row > key.grid.row
    }
  }

  /// Prefers the nearest row, then the nearest key in it.
  fileprivate func cost(_ direction: TerminalKey.Direction, from key: KeyboardKey) -> Double {
    let sideways = abs(centre.x - key.centre.x)
    return switch direction {
    case .left, .right: sideways
    case .up, .down: Double(abs(grid.row - key.grid.row)) * 10_000 + sideways
    }
  }
}
