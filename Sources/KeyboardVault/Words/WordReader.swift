// Reads recovery words as people write them: in either case, with any white space between them.
// SPDX-License-Identifier: Apache-2.0

import KeyboardText

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
  private var decoder = UTF8Decoder()

  static var maximumCount: Int { 24 }

  init(words: UnsafeMutablePointer<UInt64>) { self.words = words }

  mutating func read(_ byte: UInt8) {
    guard isUTF8 else { return }
    switch decoder.take(byte) {
    case .more: return
    case .fault: isUTF8 = false
    case .scalar(let scalar): read(scalar)
    }
  }

  private mutating func read(_ scalar: UInt32) {
    switch scalar {
    case 0x41...0x5a, 0x61...0x7a: append(UInt8(scalar | 0x20))
    // White space: Unicode's property White_Space.
    case 0x09...0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000...0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000: endWord()
    default: isPossible = false
    }
  }

  /// - Returns: whether the text ended with a whole character.
  mutating func end() -> Bool {
    endWord()
    return isUTF8 && decoder.isWhole
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
}
