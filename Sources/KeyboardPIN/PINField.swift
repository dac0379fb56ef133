// The PIN field of ISO 9564-1: 16 nibbles that hold a PIN.
// SPDX-License-Identifier: Apache-2.0
//
//     format   nibble 0   1   2 … 5   6 … 13            14, 15
//     0               0   N   PIN     PIN or F          F
//     1               1   N   PIN     PIN or random     random
//     3               3   N   PIN     PIN or A … F      A … F
//     4               4   N   PIN     PIN or A          A
//
// N is the number of digits, 4 to 12. All nibbles are in one word, the first one in its highest bits, and are worked on
// together: no branch and no address depends on a digit or on how many there are.

package import KeyboardCodes

/// A PIN field as a word.
///
/// - Source: ISO 9564-1:2017 §9.3 and §9.4.2.2.
package enum PINField {
  /// The longest PIN, in digits: 12.
  package static var longestPIN: Int { 12 }

  /// The digit 1 in each nibble.
  private static var ones: UInt64 { 0x1111_1111_1111_1111 }
  /// The highest bit of each nibble.
  private static var highBits: UInt64 { 0x8888_8888_8888_8888 }
  /// The nibbles of the PIN and of the fill.
  private static var body: UInt64 { 0x00ff_ffff_ffff_ffff }

  /// All ones in the nibbles behind a PIN of so many digits.
  @inline(__always)
  private static func fillMask(_ count: UInt64) -> UInt64 { 1 &<< (56 &- 4 &* count) &- 1 }

  /// Whether what is typed is a PIN: its length, and the sum of what is wrong with its characters.
  ///
  /// - Parameter character: what is at each of the first 12 places, also behind the end.
  /// - Timing: depends on the answer only.
  package static func isPIN(count: Int, character: (Int) -> UInt8) -> Bool {
    guard count >= 4, count <= longestPIN else { return false }
    let length = UInt32(truncatingIfNeeded: count)
    var faults: UInt32 = 0
    for i in 0..<longestPIN {
      let isTyped = UInt32(truncatingIfNeeded: i) &- length
      faults |= isTyped & (9 &- UInt32(character(i) ^ 0x30))
    }
    return faults &>> 31 == 0
  }

  /// - Parameters:
  ///   - pin: 12 bytes, of which the first `count` are ASCII digits.
  ///   - count: 4…12.
  ///   - random: 64 random bits, for the formats 1 and 3.
  /// - Timing: constant.
  static func make(_ format: PINBlockFormat, _ pin: UnsafeRawPointer, count: Int, random: UInt64) -> UInt64 {
    var digits: UInt64 = 0
    for i in 0..<longestPIN {
      digits = digits &<< 4 | UInt64(truncatingIfNeeded: pin.load(fromByteOffset: i, as: UInt8.self) & 15)
    }
    let fill = fillMask(UInt64(truncatingIfNeeded: count))
    let head = format.control &<< 60 | UInt64(truncatingIfNeeded: count) &<< 56
    return head | digits &<< 8 & ~fill | self.fill(format, random) & fill
  }

  private static func fill(_ format: PINBlockFormat, _ random: UInt64) -> UInt64 {
    switch format {
    case .format0: return ~0
    case .format1: return random
    case .format4: return ones &* 10
    case .format3:
      // The digits of a random fraction in base 6, each with a bias below 2⁻²⁸: 64 bits are worth 24 of them.
      var (fill, rest): (UInt64, UInt64) = (0, random)
      for _ in 0..<14 {
        let (digit, next) = rest.multipliedFullWidth(by: 6)
        (fill, rest) = (fill &<< 4 | digit, next)
      }
      return fill &+ ones &* 10
    }
  }

  /// Checks everything that a format fixes: the control nibble, the length, the digits, and the fill, which format 1
  /// leaves free.
  ///
  /// - Returns: 0 if it is a PIN field of this format. Compare it in one piece, with `isZero`.
  /// - Timing: constant.
  static func faults(_ field: UInt64, _ format: PINBlockFormat) -> UInt64 {
    let count = field &>> 56 & 15
    let fill = fillMask(count)
    // Bit 3 of each nibble that is 10 or more: bit 3, and bit 2 or 1.
    let overNine = field & (field &<< 1 | field &<< 2) & highBits
    let wrongFill: UInt64 =
      switch format {
      case .format0: ~field
      case .format1: 0
      case .format3: ~overNine & highBits
      case .format4: field ^ (ones &* 10)
      }
    let wrongLength = (count &- 4) &>> 32 | (12 &- count) &>> 32
    return field &>> 60 ^ format.control | wrongLength | overNine & body & ~fill | wrongFill & fill & body
  }

  /// Writes the digits of a field, and what is in their places behind them: 12 bytes.
  ///
  /// - Returns: how many digits there are, of a field without faults.
  /// - Timing: constant.
  static func read(_ field: UInt64, into pin: UnsafeMutableRawPointer) -> Int {
    for i in 0..<longestPIN {
      let digit = UInt8(truncatingIfNeeded: field &>> UInt64(52 &- 4 &* i)) & 15
      pin.storeBytes(of: digit | 0x30, toByteOffset: i, as: UInt8.self)
    }
    return Int(truncatingIfNeeded: field &>> 56 & 15)
  }
}
