// The list of common passcodes: PINs, and short passwords. Docs/Passcodes.md says what is on it.
// SPDX-License-Identifier: Apache-2.0
//
// Tests/Rules/common.py makes the list, and a test compares the two for every PIN. Passwords are packed, so that a
// search of memory for a password does not find the list; common.py says how.

enum CommonPasscodes {
  /// Whether the whole passcode is on the list, with ASCII letters in either case.
  ///
  /// - Timing: depends on the passcode.
  static func contains(_ passcode: UnsafeRawBufferPointer) -> Bool {
    guard 4...12 ~= passcode.count else { return false }
    var (hasDigit, hasLetter) = (false, false)
    for byte in passcode {
      let scalar = lowercased(UInt32(byte))
      if isDigit(scalar) { hasDigit = true } else if isLetter(scalar) { hasLetter = true } else { return false }
    }
    if !hasLetter && passcode.count > 4 && isRegular(passcode) { return true }
    let base: UInt64 = !hasLetter ? 10 : !hasDigit ? 26 : 36
    var number: UInt64 = 0  // less than 36^12, which is less than 2^63
    for byte in passcode {
      let scalar = lowercased(UInt32(byte))
      let digit = isDigit(scalar) ? scalar - 0x30 : scalar - 0x61 + (hasDigit ? 10 : 0)
      number = number &* base &+ UInt64(digit)
    }
    for index in groups.indices where groups[index] & 0x3ff == UInt64(passcode.count) << 6 | base {
      return isMember(number, of: groups[index])
    }
    return false
  }

  /// Whether five digits and more are one or two over and over, or go up or down by one or two, from 9 to 0 as well;
  /// or six are aaabbb, abcabc, aabbcc or abccba.
  private static func isRegular(_ pin: UnsafeRawBufferPointer) -> Bool {
    let step = (Int(pin[1]) - Int(pin[0]) + 10) % 10
    var (isRun, isPair) = (step <= 2 || step >= 8, true)
    for index in 2..<pin.count {
      if (Int(pin[index]) - Int(pin[index - 1]) + 10) % 10 != step { isRun = false }
      if pin[index] != pin[index - 2] { isPair = false }
    }
    if isRun || isPair { return true }
    func isSame(_ distances: (Int) -> (Int, Int)) -> Bool {
      for index in 0..<3 {
        let (one, other) = distances(index)
        if pin[one] != pin[other] { return false }
      }
      return true
    }
    return pin.count == 6
      && (isSame { ($0, $0 + 3) }
        || isSame { (2 * $0, 2 * $0 + 1) }
        || isSame { ($0, 5 - $0) }
        || pin[0] == pin[1] && pin[1] == pin[2] && pin[3] == pin[4] && pin[4] == pin[5])
  }

  /// Whether a group has the number: its gaps are added up until they reach it.
  private static func isMember(_ number: UInt64, of group: UInt64) -> Bool {
    let low = Int(group >> 10 & 0x3f)
    var (left, place, next) = (Int(group >> 16 & 0xffff), Int(group >> 32), UInt64(0))
    while left > 0 && next <= number {
      let zeros = bits(at: place).trailingZeroBitCount
      let high = UInt64(1) << UInt64(zeros) | below(zeros, bits(at: place + zeros + 1))
      let member = next + ((high - 1) << UInt64(low) | below(low, bits(at: place + 2 * zeros + 1)))
      if member == number { return true }
      (left, place, next) = (left - 1, place + 2 * zeros + 1 + low, member + 1)
    }
    return false
  }

  /// The lowest bits of a word.
  private static func below(_ count: Int, _ word: UInt64) -> UInt64 { word & (UInt64(1) << UInt64(count) - 1) }

  /// 64 bits of the table.
  private static func bits(at place: Int) -> UInt64 {
    let (word, offset) = (place >> 6, UInt64(place & 63))
    return gaps[word] >> offset | gaps[word + 1] << (64 - offset)
  }
}
