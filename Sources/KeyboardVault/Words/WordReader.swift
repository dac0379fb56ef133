// Reads recovery words as people write them: in either case, with any white space between them.
// SPDX-License-Identifier: Apache-2.0

/// Takes a text byte by byte, and leaves its words in memory. Each byte is looked at once.
///
/// - Timing: depends on how long the words are, and on other characters; not on the letters.
struct WordReader {
  /// Room for `maximumCount` words of 8 bytes.
  private let words: UnsafeMutablePointer<UInt64>
  private(set) var count = 0
  /// Whether there is nothing but words of at most eight letters.
  private(set) var isPossible = true
  private(set) var hasTooMany = false
  /// Whether the text is UTF-8; at its end, look at `isWhole` as well.
  private(set) var isUTF8 = true
  private var letters = 0
  private var scalar: UInt32 = 0
  private var smallest: UInt32 = 0
  private var bytesLeft = 0

  static var maximumCount: Int { 24 }

  init(words: UnsafeMutablePointer<UInt64>) { self.words = words }

  mutating func read(_ byte: UInt8) {
    guard isUTF8 else { return }
    if bytesLeft > 0 {
      guard byte & 0xc0 == 0x80 else { return isUTF8 = false }
      scalar = scalar << 6 | UInt32(byte & 0x3f)
      bytesLeft -= 1
      if bytesLeft == 0 { endScalar() }
      return
    }
    switch byte {
    case 0x41...0x5a, 0x61...0x7a: append(byte | 0x20)
    case 0x09...0x0d, 0x20: endWord()
    case 0x00...0x7f: isPossible = false
    case 0xc2...0xdf: beginScalar(byte & 0x1f, more: 1, from: 0x80)
    case 0xe0...0xef: beginScalar(byte & 0x0f, more: 2, from: 0x800)
    case 0xf0...0xf4: beginScalar(byte & 0x07, more: 3, from: 0x1_0000)
    default: isUTF8 = false
    }
  }

  /// - Returns: whether the text ended with a whole character.
  mutating func end() -> Bool {
    endWord()
    return isUTF8 && bytesLeft == 0
  }

  private mutating func append(_ letter: UInt8) {
    guard count < Self.maximumCount else { return hasTooMany = true }
    guard letters < 8 else { return isPossible = false }
    if letters == 0 { words[count] = 0 }
    words[count] |= UInt64(letter) << UInt64(8 * letters)
    letters += 1
  }

  private mutating func endWord() {
    guard letters > 0 else { return }
    letters = 0
    count += 1
  }

  private mutating func beginScalar(_ bits: UInt8, more: Int, from smallest: UInt32) {
    scalar = UInt32(bits)
    bytesLeft = more
    self.smallest = smallest
  }

  private mutating func endScalar() {
    guard scalar >= smallest, scalar <= 0x10_ffff, !(0xd800...0xdfff ~= scalar) else { return isUTF8 = false }
    switch scalar {
    // White space beyond ASCII: Unicode's property White_Space.
    case 0x85, 0xa0, 0x1680, 0x2000...0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000: endWord()
    default: isPossible = false
    }
  }
}
