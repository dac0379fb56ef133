// Hexadecimal digits without tables: what they encode may be a secret.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform

/// Hexadecimal digits.
///
/// - Timing: depends on lengths, and `decode` on whether the text is right.
enum Hexadecimal {
  /// Writes two lower-case digits for each byte.
  static func encode(_ bytes: UnsafeRawPointer, byteCount: Int, into text: UnsafeMutableRawPointer) {
    let one = keyboard_one()
    @inline(__always) func put(_ value: Int, _ offset: Int) {
      let digit = UInt8(truncatingIfNeeded: value &+ 48 &+ (mask(value, in: 10, 15, one) & 39))
      text.storeBytes(of: digit, toByteOffset: offset, as: UInt8.self)
    }
    for i in 0..<byteCount {
      let byte = Int(bytes.load(fromByteOffset: i, as: UInt8.self))
      put(byte &>> 4, 2 &* i)
      put(byte & 15, 2 &* i &+ 1)
    }
  }

  /// - Parameters:
  ///   - text: twice as many digits as there will be bytes, in either case.
  ///   - bytes: gets `byteCount` bytes; they mean nothing if the answer is false.
  /// - Returns: whether all are digits.
  static func decode(_ text: UnsafeRawPointer, byteCount: Int, into bytes: UnsafeMutableRawPointer) -> Bool {
    let one = keyboard_one()
    var faults = 0
    for i in 0..<byteCount {
      let high = value(of: Int(text.load(fromByteOffset: 2 &* i, as: UInt8.self)), one)
      let low = value(of: Int(text.load(fromByteOffset: 2 &* i &+ 1, as: UInt8.self)), one)
      faults |= high | low
      bytes.storeBytes(of: UInt8(truncatingIfNeeded: high &<< 4 | low), toByteOffset: i, as: UInt8.self)
    }
    return faults >= 0
  }

  /// 0 … 15, or −1 for another character.
  @inline(__always)
  private static func value(of digit: Int, _ one: Int) -> Int {
    (mask(digit, in: 48, 57, one) & (digit &- 47)) &+ (mask(digit, in: 65, 70, one) & (digit &- 54))
      &+ (mask(digit, in: 97, 102, one) & (digit &- 86)) &- 1
  }
}
