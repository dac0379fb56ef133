// What was pressed, out of the bytes that a terminal sends: ECMA-48 sequences, xterm's mouse reports and
// bracketed paste.
// SPDX-License-Identifier: Apache-2.0

package enum TerminalKey: Equatable {
  package enum Direction { case up, down, left, right }

  case arrow(Direction)
  case tab
  case backTab
  case enter
  case backspace
  case escape
  /// Ctrl-C, or Ctrl-\ for those who mean it.
  case interrupt
  /// The left button was pressed on a cell, counted from 0.
  case click(column: Int, row: Int)
  /// A byte of a character that was typed.
  case text(UInt8)
  case signal(Int32)
  case other
}

package struct TerminalKeys {
  private let terminal: Terminal

  package init(_ terminal: Terminal) { self.terminal = terminal }

  /// A sequence's bytes come together; an Esc that is followed by nothing was the key.
  private static let escapeMilliseconds: Int32 = 60

  /// Waits for the next key, click or signal. Pasted text is not returned.
  package mutating func next() -> TerminalKey {
    while true {
      let key: TerminalKey
      switch terminal.next() {
      case .signal(let number): return .signal(number)
      case .timeout: continue
      case .byte(0x1b): key = afterEscape()
      case .byte(let byte): key = plain(byte)
      }
      if key != .other { return key }
    }
  }

  private func plain(_ byte: UInt8) -> TerminalKey {
    switch byte {
    case 0x03, 0x1c: .interrupt
    case 0x08, 0x7f: .backspace
    case 0x09: .tab
    case 0x0a, 0x0d: .enter
    case ..<0x20: .other
    default: .text(byte)
    }
  }

  private func afterEscape() -> TerminalKey {
    switch terminal.next(within: Self.escapeMilliseconds) {
    case .timeout: .escape
    case .signal(let number): .signal(number)
    case .byte(UInt8(ascii: "[")): sequence()
    case .byte(UInt8(ascii: "O")): applicationKey()
    case .byte(0x03): .interrupt
    case .byte(0x1b): .escape
    // Alt and a letter.
    case .byte: .other
    }
  }

  private func applicationKey() -> TerminalKey {
    guard case .byte(let byte) = terminal.next(within: Self.escapeMilliseconds) else { return .other }
    return byte == UInt8(ascii: "M") ? .enter : Self.arrow(byte)
  }

  /// ESC [ parameters final.
  private func sequence() -> TerminalKey {
    var parameters: [UInt8] = []
    while true {
      switch terminal.next(within: Self.escapeMilliseconds) {
      case .timeout: return .other
      case .signal(let number): return .signal(number)
      case .byte(let byte) where (0x20...0x3f).contains(byte):
        // No sequence that means anything here is longer.
        if parameters.count < 32 { parameters.append(byte) }
      case .byte(let byte): return meaning(of: parameters, final: byte)
      }
    }
  }

  private func meaning(of parameters: [UInt8], final: UInt8) -> TerminalKey {
    switch final {
    case UInt8(ascii: "Z"): return .backTab
    case UInt8(ascii: "M") where parameters.first == UInt8(ascii: "<"): return Self.click(parameters.dropFirst())
    case UInt8(ascii: "~") where parameters == Array("200".utf8): return skipPaste()
    default: return Self.arrow(final)
    }
  }

  private static func arrow(_ final: UInt8) -> TerminalKey {
    switch final {
    case UInt8(ascii: "A"): .arrow(.up)
    case UInt8(ascii: "B"): .arrow(.down)
    case UInt8(ascii: "C"): .arrow(.right)
    case UInt8(ascii: "D"): .arrow(.left)
    default: .other
    }
  }

  /// button ; column ; row, counted from 1: xterm's SGR reports (mode 1006).
  private static func click(_ parameters: ArraySlice<UInt8>) -> TerminalKey {
    let numbers = parameters.split(separator: UInt8(ascii: ";")).map { Int(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == 3, let button = numbers[0], let column = numbers[1], let row = numbers[2] else {
      return .other
    }
    // Two bits say which button; 4, 8 and 16 are shift, alt and control; more is the wheel, or the mouse moving.
    guard button & 3 == 0, button < 32, (1...10_000).contains(column), (1...10_000).contains(row) else { return .other }
    return .click(column: column - 1, row: row - 1)
  }

  /// Up to ESC [ 201 ~: a password from the clipboard has been in a program already that keeps what is copied.
  private func skipPaste() -> TerminalKey {
    let end = Array("\u{1b}[201~".utf8)
    var matched = 0
    while matched < end.count {
      switch terminal.next(within: 500) {
      case .signal(let number): return .signal(number)
      case .timeout: return .other
      case .byte(0x03): return .interrupt
      case .byte(let byte): matched = byte == end[matched] ? matched + 1 : byte == end[0] ? 1 : 0
      }
    }
    return .other
  }
}
