// What a screen is told of a key. Plain values, without a String: a label is short enough to stand in the key itself.

/// A key as it stands on the screen.
public struct Key: Equatable, Sendable, BitwiseCopyable {
  /// Where it stands in its page's grid.
  public let grid: GridRect
  /// Its left edge, in points from the view's.
  public let x: Double
  /// Its upper edge, in points from the view's.
  public let y: Double
  public let width: Double
  public let height: Double
  public let role: KeyRole
  public let label: KeyLabel
}

/// A place in a grid, rows and columns counted from 1.
///
/// - Source: the paper, §2 (`ENCKEYBOARD_GridRect`). The paper calls the horizontal multiple `rowSpan`; here it is
///   `columnSpan`, as in every grid system.
public struct GridRect: Equatable, Sendable, BitwiseCopyable {
  public let row: Int
  public let column: Int
  public let rowSpan: Int
  public let columnSpan: Int

  public init(row: Int, column: Int, rowSpan: Int, columnSpan: Int) {
    self.row = row
    self.column = column
    self.rowSpan = rowSpan
    self.columnSpan = columnSpan
  }
}

/// What a key is for. The integers are those of `CUSTOM_KEYBOARD_ROLE`. A later version may add cases.
@nonexhaustive
public enum KeyRole: UInt8, BitwiseCopyable, Sendable {
  case character = 0
  case space = 1
  case delete = 2
  case clear = 3
  case shift = 4
  case toLetters = 5
  case toDigits = 6
  case toSymbols = 7
  case `return` = 8
  /// A key's place with nothing on it.
  case blank = 9
}

/// At most 15 bytes of UTF-8, in place.
public struct KeyLabel: Equatable, Sendable, BitwiseCopyable {
  /// Byte i stands in bits 8i … 8i + 7 of the two words, which end in zeros.
  private var words: SIMD2<UInt64> = .zero

  /// Bytes of a label as C has it, with a zero behind it.
  public static var byteCount: Int { 16 }

  init() {}

  init(_ text: StaticString) {
    precondition(text.utf8CodeUnitCount < Self.byteCount)
    for i in 0..<text.utf8CodeUnitCount { set(i, text.utf8Start[i]) }
  }

  init(character: UInt8) { set(0, character) }

  private mutating func set(_ index: Int, _ byte: UInt8) {
    words[index >> 3] |= UInt64(byte) << UInt64(8 * (index & 7))
  }

  /// The number of bytes before the first zero.
  public var count: Int {
    var count = 0
    while self[count] != 0 { count += 1 }
    return count
  }

  /// The byte at `index`; 0 from `count` on.
  public subscript(index: Int) -> UInt8 {
    guard index >= 0 && index < Self.byteCount else { return 0 }
    return UInt8(truncatingIfNeeded: words[index >> 3] >> UInt64(8 * (index & 7)))
  }

  /// Writes all 16 bytes, zeros behind the text.
  public func write(to memory: UnsafeMutableRawPointer) {
    for i in 0..<Self.byteCount { memory.storeBytes(of: self[i], toByteOffset: i, as: UInt8.self) }
  }
}
