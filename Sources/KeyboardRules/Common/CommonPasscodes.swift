// The list of common passcodes: 4- and 6-digit PINs, and short passwords. Docs/Passcodes.md says what is on it.
// SPDX-License-Identifier: Apache-2.0
//
// Tests/Rules/common.py makes the list, and a test compares the two for every PIN. Passwords are packed, so that a
// search of memory for a password does not find the list.

enum CommonPasscodes {
  /// Whether the whole passcode is on the list, with ASCII letters in either case.
  ///
  /// - Timing: depends on the passcode.
  static func contains(_ passcode: UnsafeRawBufferPointer) -> Bool {
    guard 4...12 ~= passcode.count else { return false }
    var (isNumber, number): (Bool, UInt64) = (true, 0)  // twelve digits are more than an Int of 32 bits
    var key: UInt64 = 0
    for index in 0..<12 {
      var digit: UInt64 = 0
      if index < passcode.count {
        let scalar = lowercased(UInt32(passcode[index]))
        if isDigit(scalar) {
          digit = UInt64(scalar) - 0x30 + 1
          number = number &* 10 &+ UInt64(scalar) &- 0x30
        } else if isLetter(scalar) {
          digit = UInt64(scalar) - 0x61 + 11
          isNumber = false
        } else {
          return false
        }
      }
      // Three digits of the base 37 are a unit of 16 bits.
      let weight: UInt64 = index % 3 == 0 ? 37 * 37 : index % 3 == 1 ? 37 : 1
      key = index % 3 == 0 ? key << 16 | digit * weight : key + digit * weight
    }
    if isNumber && passcode.count == 4 { return pins[Int(number >> 6)] >> (number & 63) & 1 == 1 }
    if isNumber && passcode.count == 6 && isRegular(passcode) { return true }
    return isWord(key, unitCount: (passcode.count + 2) / 3)
  }

  /// Whether six digits are aaabbb, ababab, abcabc, aabbcc or abccba, or go up or down by one or two, from 9 to 0 as
  /// well.
  private static func isRegular(_ pin: UnsafeRawBufferPointer) -> Bool {
    func isSame(_ distances: (Int) -> (Int, Int)) -> Bool {
      for index in 0..<3 {
        let (one, other) = distances(index)
        if pin[one] != pin[other] { return false }
      }
      return true
    }
    let step = (Int(pin[1]) - Int(pin[0]) + 10) % 10
    var isRun = step == 1 || step == 2 || step == 8 || step == 9
    for index in 1..<6 where (Int(pin[index]) - Int(pin[index - 1]) + 10) % 10 != step { isRun = false }
    return isRun
      || isSame { ($0, $0 + 3) }
      || isSame { (2 * $0, 2 * $0 + 1) }
      || isSame { ($0, 5 - $0) }
      || pin[0] == pin[1] && pin[1] == pin[2] && pin[3] == pin[4] && pin[4] == pin[5]
      || pin[0] == pin[2] && pin[2] == pin[4] && pin[1] == pin[3] && pin[3] == pin[5]
  }

  /// Looks a password up among those of so many units, by halves.
  ///
  /// - Parameter key: four units, the first in the highest bits.
  private static func isWord(_ key: UInt64, unitCount: Int) -> Bool {
    var first = 0
    for count in 2..<unitCount { first += count * wordCount(count) }
    var (lower, upper) = (0, wordCount(unitCount))
    while lower < upper {
      let middle = (lower + upper) / 2
      var word: UInt64 = 0
      for index in 0..<unitCount {
        let unit = first + middle * unitCount + index
        word |= (words[unit >> 2] >> UInt64(16 * (unit & 3)) & 0xffff) << UInt64(48 - 16 * index)
      }
      if word == key { return true }
      if word < key { lower = middle + 1 } else { upper = middle }
    }
    return false
  }
}
