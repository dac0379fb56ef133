// Base64 without tables: what it encodes may be a secret.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform

/// All ones if `low` … `high` has the number, otherwise 0.
///
/// - Parameter one: `keyboard_one()`.
@inline(__always)
func mask(_ number: Int, in low: Int, _ high: Int, _ one: Int) -> Int {
  let isOutside = ~((low &- 1 &- number) & (number &- high &- 1))
  return Int(bitPattern: UInt(bitPattern: isOutside) &>> 63) &- one
}

/// Base64 in the standard alphabet, without padding: PHC strings have it.
///
/// - Timing: depends on lengths, and `decode` on whether the text is right.
/// - Source: RFC 4648 §4.
enum Base64 {
  static func characterCount(byteCount: Int) -> Int { (8 &* byteCount &+ 5) / 6 }

  /// Writes `characterCount(byteCount:)` characters.
  static func encode(_ bytes: UnsafeRawPointer, byteCount: Int, into text: UnsafeMutableRawPointer) {
    let one = keyboard_one()
    var (bits, bitCount, place) = (0, 0, text)
    @inline(__always) func put(_ value: Int) {
      place.storeBytes(of: character(value & 63, one), as: UInt8.self)
      place += 1
    }
    for i in 0..<byteCount {
      bits = (bits &<< 8 | Int(bytes.load(fromByteOffset: i, as: UInt8.self))) & 0xffff
      bitCount &+= 8
      while bitCount >= 6 {
        bitCount &-= 6
        put(bits &>> bitCount)
      }
    }
    if bitCount > 0 { put(bits &<< (6 &- bitCount)) }
  }

  /// - Parameter bytes: gets 3 · `characterCount` / 4 bytes, rounded down; they mean nothing if the answer is false.
  /// - Returns: whether this is the text that `encode` makes of these bytes.
  static func decode(
    _ text: UnsafeRawPointer, characterCount: Int, into bytes: UnsafeMutableRawPointer
  ) -> Bool {
    let one = keyboard_one()
    var (bits, bitCount, place, faults) = (0, 0, bytes, 0)
    for i in 0..<characterCount {
      let value = value(of: Int(text.load(fromByteOffset: i, as: UInt8.self)), one)
      faults |= value
      bits = (bits &<< 6 | value & 63) & 0xfff
      bitCount &+= 6
      if bitCount >= 8 {
        bitCount &-= 8
        place.storeBytes(of: UInt8(truncatingIfNeeded: bits &>> bitCount), as: UInt8.self)
        place += 1
      }
    }
    // Six bits left over are a character too many; two or four belong to none of the bytes.
    faults |= 0 &- (bits & (1 &<< bitCount &- 1))
    return bitCount < 6 && faults >= 0
  }

  @inline(__always)
  private static func character(_ value: Int, _ one: Int) -> UInt8 {
    let character =
      value &+ 65 &+ (mask(value, in: 26, 63, one) & 6) &- (mask(value, in: 52, 63, one) & 75)
      &- (mask(value, in: 62, 63, one) & 15) &+ (mask(value, in: 63, 63, one) & 3)
    return UInt8(truncatingIfNeeded: character)
  }

  /// 0 … 63, or −1 for a character outside the alphabet.
  @inline(__always)
  private static func value(of character: Int, _ one: Int) -> Int {
    (mask(character, in: 65, 90, one) & (character &- 64)) &+ (mask(character, in: 97, 122, one) & (character &- 70))
      &+ (mask(character, in: 48, 57, one) & (character &+ 5)) &+ (mask(character, in: 43, 43, one) & 63)
      &+ (mask(character, in: 47, 47, one) & 64) &- 1
  }
}
