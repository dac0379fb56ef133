// Base64 without tables: what it encodes may be a secret.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform

/// Base64 in one of its alphabets, without padding: PHC strings and UAF's messages have it so.
///
/// - Timing: depends on lengths, and `decode` on whether the text is right.
/// - Source: RFC 4648 §4, §5.
package enum Base64 {
  /// With + and /.
  case standard
  /// With - and _, for addresses: base64url.
  case url

  package static func characterCount(byteCount: Int) -> Int { (8 &* byteCount &+ 5) / 6 }

  /// How many bytes a text of so many characters has; nil if none has so many characters.
  package static func byteCount(characterCount: Int) -> Int? {
    characterCount % 4 == 1 ? nil : characterCount / 4 * 3 + characterCount % 4 * 3 / 4
  }

  /// A text without the padding that fills up its last group of four, or without any; nil if it has other padding.
  package static func unpadded(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    var count = text.count
    while count > 0, text[count - 1] == UInt8(ascii: "=") { count -= 1 }
    guard count == text.count || text.count % 4 == 0 && text.count - count < 3 else { return nil }
    return UnsafeRawBufferPointer(rebasing: text[..<count])
  }

  /// - Parameter text: gets `characterCount(byteCount:)` characters, apart from `bytes`.
  @inline(never) @export(interface)
  package func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawPointer) {
    let one = keyboard_one()
    var (bits, bitCount, place) = (0, 0, text)
    @inline(__always) func put(_ value: Int) {
      place.storeBytes(of: character(value & 63, one), as: UInt8.self)
      place += 1
    }
    for byte in bytes {
      bits = (bits &<< 8 | Int(byte)) & 0xffff
      bitCount &+= 8
      while bitCount >= 6 {
        bitCount &-= 6
        put(bits &>> bitCount)
      }
    }
    if bitCount > 0 { put(bits &<< (6 &- bitCount)) }
  }

  /// - Parameter memory: gets the bytes, which mean nothing if the answer is nil; may begin where `text` does.
  /// - Returns: how many bytes; nil if this is not the text that `encode` makes of them, or there is no room for them.
  package func decode(_ text: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer) -> Int? {
    guard let count = Self.byteCount(characterCount: text.count), count <= memory.count,
      isText(text, writingTo: memory.baseAddress)
    else { return nil }
    return count
  }

  /// Whether a text decodes to a number of bytes in a range.
  package func isText(_ text: UnsafeRawBufferPointer, of byteCounts: ClosedRange<Int>) -> Bool {
    guard let count = Self.byteCount(characterCount: text.count), byteCounts ~= count else { return false }
    return isText(text, writingTo: nil)
  }

  @inline(never) @export(interface)
  package func isText(_ text: UnsafeRawBufferPointer, writingTo bytes: UnsafeMutableRawPointer?) -> Bool {
    let one = keyboard_one()
    var (bits, bitCount, count, faults) = (0, 0, 0, 0)
    for character in text {
      let value = value(of: Int(character), one)
      faults |= value
      bits = (bits &<< 6 | value & 63) & 0xfff
      bitCount &+= 6
      if bitCount >= 8 {
        bitCount &-= 8
        bytes?.storeBytes(of: UInt8(truncatingIfNeeded: bits &>> bitCount), toByteOffset: count, as: UInt8.self)
        count &+= 1
      }
    }
    // Two or four bits that are left over belong to no byte.
    faults |= 0 &- (bits & (1 &<< bitCount &- 1))
    return faults >= 0
  }

  // MARK: The alphabet

  /// Whether the alphabet has a character.
  package func contains(_ character: UInt8) -> Bool { value(of: Int(character), keyboard_one()) >= 0 }

  private var last: (Int, Int) { self == .standard ? (43, 47) : (45, 95) }

  @inline(__always)
  private func character(_ value: Int, _ one: Int) -> UInt8 {
    let character =
      value &+ 65 &+ (mask(value, in: 26, 63, one) & 6) &- (mask(value, in: 52, 63, one) & 75)
      &+ (mask(value, in: 62, 62, one) & (last.0 &- 58)) &+ (mask(value, in: 63, 63, one) & (last.1 &- 59))
    return UInt8(truncatingIfNeeded: character)
  }

  /// 0 … 63, or −1 for a character outside the alphabet.
  @inline(__always)
  private func value(of character: Int, _ one: Int) -> Int {
    (mask(character, in: 65, 90, one) & (character &- 64)) &+ (mask(character, in: 97, 122, one) & (character &- 70))
      &+ (mask(character, in: 48, 57, one) & (character &+ 5)) &+ (mask(character, in: last.0, last.0, one) & 63)
      &+ (mask(character, in: last.1, last.1, one) & 64) &- 1
  }
}
