// What bytes say as UTF-8: whether they are text, and which characters it has.
// SPDX-License-Identifier: Apache-2.0

/// Takes UTF-8 byte by byte, wherever the bytes are: a password that is masked is never in memory in the clear.
///
/// - Timing: depends on the characters.
/// - Source: RFC 3629 §4: overlong forms, surrogates and numbers over 10FFFF are not UTF-8.
package struct UTF8Decoder {
  /// What a byte does.
  package enum Step {
    /// It ends a character.
    case scalar(UInt32)
    /// It is in the middle of one.
    case more
    /// With it, the text is not UTF-8. What follows means nothing.
    case fault
  }

  private var scalar: UInt32 = 0
  private var bytesLeft = 0
  /// The bytes that may come next, in the middle of a character.
  private var (lowest, highest): (UInt8, UInt8) = (0x80, 0xbf)

  package init() {}

  /// Whether the last byte ended a character, or there was none.
  package var isWhole: Bool { bytesLeft == 0 }

  @inline(never) @export(interface)
  package mutating func take(_ byte: UInt8) -> Step {
    guard bytesLeft > 0 else { return begin(byte) }
    guard byte >= lowest, byte <= highest else { return .fault }
    (lowest, highest) = (0x80, 0xbf)
    scalar = scalar << 6 | UInt32(byte & 0x3f)
    bytesLeft -= 1
    return bytesLeft == 0 ? .scalar(scalar) : .more
  }

  private mutating func begin(_ byte: UInt8) -> Step {
    switch byte {
    case 0..<0x80: return .scalar(UInt32(byte))
    case 0xc2...0xdf: bytesLeft = 1
    case 0xe0...0xef:
      bytesLeft = 2
      if byte == 0xe0 { lowest = 0xa0 }
      if byte == 0xed { highest = 0x9f }
    case 0xf0...0xf4:
      bytesLeft = 3
      if byte == 0xf0 { lowest = 0x90 }
      if byte == 0xf4 { highest = 0x8f }
    default: return .fault
    }
    scalar = UInt32(byte) & (0x3f >> UInt32(bytesLeft))
    return .more
  }
}

package enum UTF8Text {
  /// The character at a place and its length in bytes; nil at the end, and where the text is not UTF-8.
  @inline(never) @export(interface)
  package static func scalar(
    in text: UnsafeRawBufferPointer, at place: Int
  ) -> (scalar: UInt32, length: Int)? {
    var decoder = UTF8Decoder()
    var end = place
    while end < text.count {
      let step = decoder.take(text[end])
      end += 1
      switch step {
      case .scalar(let scalar): return (scalar, end - place)
      case .more: continue
      case .fault: return nil
      }
    }
    return nil
  }

  /// How many characters a text has, as Unicode counts them; nil if it is not UTF-8.
  @inline(never) @export(interface)
  package static func scalarCount(_ text: UnsafeRawBufferPointer) -> Int? {
    var (place, count) = (0, 0)
    while let (_, length) = scalar(in: text, at: place) {
      place += length
      count += 1
    }
    return place == text.count ? count : nil
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
  package static func canMislead(_ text: UnsafeRawBufferPointer, butLineFeed: Bool = false) -> Bool {
    var place = 0
    while let (scalar, length) = scalar(in: text, at: place) {
      if HiddenCharacters.contains(scalar), !(butLineFeed && scalar == 0x0a) { return true }
      place += length
    }
    return false
  }
}
