// Whether bytes are text.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes

/// - Source: RFC 3629 §4.
package enum UTF8Text {
  /// The size of the character that begins at `place`.
  ///
  /// - Returns: nil if it is not UTF-8: cut off, too long, a surrogate, over U+10FFFF.
  static func characterSize(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int? {
    let first = bytes[place]
    let (count, second): (Int, ClosedRange<UInt8>)
    switch first {
    case 0..<0x80: return 1
    case 0xc2...0xdf: (count, second) = (2, 0x80...0xbf)
    case 0xe0: (count, second) = (3, 0xa0...0xbf)
    case 0xed: (count, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: (count, second) = (3, 0x80...0xbf)
    case 0xf0: (count, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: (count, second) = (4, 0x80...0xbf)
    case 0xf4: (count, second) = (4, 0x80...0x8f)
    default: return nil
    }
    guard count <= bytes.count - place, second ~= bytes[place + 1] else { return nil }
    for i in 2..<max(count, 2) where bytes[place + i] & 0xc0 != 0x80 { return nil }
    return count
  }

  /// The number of the character that begins at `place`, which then is behind it.
  private static func character(_ text: UnsafeRawBufferPointer, at place: inout Int) -> UInt32 {
    let (first, size) = (text[place], characterSize(text, at: place) ?? 1)
    var character = UInt32(size == 1 ? first : first & (0xff >> (size + 1)))
    for i in 1..<size { character = character << 6 | UInt32(text[place + i] & 0x3f) }
    place += size
    return character
  }

  /// How long a text is in UTF-16, of bytes that are UTF-8: what JavaScript and JSON's specifications count.
  package static func utf16Count(_ text: UnsafeRawBufferPointer) -> Int {
    var count = 0
    for byte in text { count += (byte & 0xc0 != 0x80 ? 1 : 0) + (byte >= 0xf0 ? 1 : 0) }
    return count
  }

  /// Whether a text can look like another one, because it has characters that nobody sees.
  ///
  /// - Parameter text: UTF-8.
  static func canMislead(_ text: UnsafeRawBufferPointer, butLineFeed: Bool = false) -> Bool {
    var place = 0
    while place < text.count {
      let character = self.character(text, at: &place)
      if HiddenCharacters.contains(character), !(butLineFeed && character == 0x0a) { return true }
    }
    return false
  }

  /// - Returns: nil if the bytes are not UTF-8.
  static func characterCount(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var (place, count) = (0, 0)
    while place < bytes.count {
      guard let size = characterSize(bytes, at: place) else { return nil }
      place += size
      count += 1
    }
    return count
  }
}
