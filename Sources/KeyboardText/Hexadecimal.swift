// Hexadecimal digits without tables: what they encode may be a secret.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform

/// Hexadecimal digits.
///
/// - Timing: depends on lengths, and `decode` on whether the text is right.
package enum Hexadecimal {
  /// Writes two lower-case digits for each byte.
  ///
  /// - Parameter text: twice as many bytes; may begin where `bytes` do.
  @inline(never) @export(interface)
  package static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawPointer) {
    let one = keyboard_one()
    @inline(__always) func put(_ value: Int, _ offset: Int) {
      let digit = UInt8(truncatingIfNeeded: value &+ 48 &+ (mask(value, in: 10, 15, one) & 39))
      text.storeBytes(of: digit, toByteOffset: offset, as: UInt8.self)
    }
    // From the end, so that no byte is overwritten before it is read.
    var i = bytes.count
    while i > 0 {
      i &-= 1
      let byte = Int(bytes[i])
      put(byte &>> 4, 2 &* i)
      put(byte & 15, 2 &* i &+ 1)
    }
  }

  /// - Parameters:
  ///   - text: twice as many digits as there will be bytes, in either case.
  ///   - bytes: gets half as many bytes, which mean nothing if the answer is false; may begin where `text` does.
  /// - Returns: whether all are digits, and in pairs.
  @inline(never) @export(interface)
  package static func decode(_ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawPointer) -> Bool {
    let one = keyboard_one()
    guard text.count & 1 == 0 else { return false }
    var faults = 0
    for i in 0..<text.count / 2 {
      let (high, low) = (value(of: Int(text[2 &* i]), one), value(of: Int(text[2 &* i &+ 1]), one))
      faults |= high | low
      bytes.storeBytes(of: UInt8(truncatingIfNeeded: high &<< 4 | low), toByteOffset: i, as: UInt8.self)
    }
    return faults >= 0
  }

  package static func isDigit(_ character: UInt8) -> Bool { value(of: Int(character), keyboard_one()) >= 0 }

  /// 0 … 15, or −1 for another character.
  @inline(__always)
  private static func value(of digit: Int, _ one: Int) -> Int {
    (mask(digit, in: 48, 57, one) & (digit &- 47)) &+ (mask(digit, in: 65, 70, one) & (digit &- 54))
      &+ (mask(digit, in: 97, 102, one) & (digit &- 86)) &- 1
  }
}

/// All ones if `low` … `high` has the number, otherwise 0.
///
/// - Parameter one: `keyboard_one()`.
@inline(__always)
func mask(_ number: Int, in low: Int, _ high: Int, _ one: Int) -> Int {
  let isOutside = ~((low &- 1 &- number) & (number &- high &- 1))
  return Int(bitPattern: UInt(bitPattern: isOutside) &>> UInt(Int.bitWidth &- 1)) &- one
}
