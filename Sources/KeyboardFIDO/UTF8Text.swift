// Whether bytes are text.
// SPDX-License-Identifier: Apache-2.0

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

  /// How long a text is in UTF-16, of bytes that are UTF-8: what JavaScript and JSON's specifications count.
  package static func utf16Count(_ text: UnsafeRawBufferPointer) -> Int {
    var count = 0
    for byte in text { count += (byte & 0xc0 != 0x80 ? 1 : 0) + (byte >= 0xf0 ? 1 : 0) }
    return count
  }

  /// Whether a text can look like another one: it has control characters (C0, DEL, C1), a line or paragraph separator,
  /// or a control of the direction of writing, with which a screen shows characters in another order.
  ///
  /// - Parameter text: UTF-8.
  /// - Source: Unicode 15 §23.1; Unicode Standard Annex 9 §2.
  static func hasControl(_ text: UnsafeRawBufferPointer, butLineFeed: Bool = false) -> Bool {
    for i in 0..<text.count {
      switch text[i] {
      case 0x0a where butLineFeed: continue
      case 0..<0x20, 0x7f: return true
      // U+0080 to U+009F.
      case 0xc2 where text[i + 1] < 0xa0: return true
      case 0xe2:
        switch (text[i + 1], text[i + 2]) {
        // U+2028 to U+202E; U+2066 to U+2069.
        case (0x80, 0xa8...0xae), (0x81, 0xa6...0xa9): return true
        default: continue
        }
      default: continue
      }
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
