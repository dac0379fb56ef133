// Key caps: what a screen needs to draw a key.
// SPDX-License-Identifier: Apache-2.0
//
// These are plain values without a String, so the C library can use them too.

/// A key on the screen. (An encryption key is never called a cap.)
package struct KeyCap: Equatable, Sendable, BitwiseCopyable {
  package let grid: GridRect
  /// Points from the view's left edge to the key's.
  package let x: Double
  /// Points from the view's upper edge to the key's.
  package let y: Double
  package let width: Double
  package let height: Double
  package let role: KeyRole
  package let label: KeyLabel
}

/// The cells of a page's grid that a key takes. Rows and columns are counted from 1.
///
/// A letter key is two columns wide on pages where rows are shifted by half a key, and one column on the PIN pad.
///
/// - Source: the paper, §2 (`ENCKEYBOARD_GridRect`). The paper calls the horizontal multiple `rowSpan`; here it is
///   `columnSpan`, as in every grid system.
/// - C: `ENCKEYBOARD_GridRect`.
public struct GridRect: Equatable, Sendable, BitwiseCopyable {
  /// The first row, 1 at the top.
  public let row: Int
  /// The first column, 1 at the left.
  public let column: Int
  /// How many rows the key is high, at least 1.
  public let rowSpan: Int
  /// How many columns the key is wide, at least 1.
  public let columnSpan: Int

  package init(row: Int, column: Int, rowSpan: Int, columnSpan: Int) {
    self.row = row
    self.column = column
    self.rowSpan = rowSpan
    self.columnSpan = columnSpan
  }
}

/// What a key is for. A later version may add cases, so a `switch` in another package needs an `@unknown default`.
///
/// - C: `CUSTOM_KEYBOARD_ROLE`, with the same integers.
@nonexhaustive
public enum KeyRole: UInt8, BitwiseCopyable, Sendable {
  /// Types the character on its label.
  case character = 0
  /// Types a space.
  case space = 1
  /// Removes the last character.
  case delete = 2
  /// Would remove all characters. No page has such a key; the number is kept because C programs may know it.
  case clear = 3
  /// Makes the next letter a capital; pressed twice, all letters (caps lock); pressed again, none.
  case shift = 4
  /// Shows the page of letters, or the first page of a mixed keyboard.
  case toLetters = 5
  /// Shows the page of digits, or the second page of a mixed keyboard.
  case toDigits = 6
  /// Shows the page of symbols, or the third page of a mixed keyboard.
  case toSymbols = 7
  /// Completes the input.
  case `return` = 8
  /// Does nothing: a place in the grid with nothing on it.
  case blank = 9
  /// A node of a pattern: a circle that fills the key's frame.
  case node = 10
}

/// The text on a key: at most 15 bytes of UTF-8, stored in the value itself.
package struct KeyLabel: Equatable, Sendable, BitwiseCopyable {
  /// Byte i is in bits 8i … 8i + 7 of the two words. The bytes after the text are zero.
  private var words: SIMD2<UInt64> = .zero

  /// Bytes of a label in C: the text and at least one zero.
  package static var byteCount: Int { 16 }

  init() {}

  init(_ text: StaticString) {
    precondition(text.utf8CodeUnitCount < Self.byteCount)
    for i in 0..<text.utf8CodeUnitCount { set(i, text.utf8Start[i]) }
  }

  init(character: UInt8) { set(0, character) }

  mutating func set(_ index: Int, _ byte: UInt8) {
    words[index >> 3] |= UInt64(byte) << UInt64(8 * (index & 7))
  }

  /// The number of bytes before the first zero.
  package var count: Int {
    var count = 0
    while self[count] != 0 { count += 1 }
    return count
  }

  /// The byte at `index`; 0 from `count` on, and for every index outside the label.
  package subscript(index: Int) -> UInt8 {
    guard index >= 0 && index < Self.byteCount else { return 0 }
    return UInt8(truncatingIfNeeded: words[index >> 3] >> UInt64(8 * (index & 7)))
  }

  /// Writes all 16 bytes, the zeros after the text included.
  package func write(to memory: UnsafeMutableRawPointer) {
    for i in 0..<Self.byteCount { memory.storeBytes(of: self[i], toByteOffset: i, as: UInt8.self) }
  }
}
