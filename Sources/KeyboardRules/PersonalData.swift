// The rules that look for something in the passcode: a text, a date, digits of a telephone number.
// SPDX-License-Identifier: Apache-2.0
//
// They compare bytes. In UTF-8, the bytes of one text are in another exactly if its scalars are.

/// What an app knows of a person, or does not allow, and looks for in a passcode.
enum PersonalData {
  /// Whether `text` is in the passcode, with ASCII letters in either case.
  static func isText(_ text: UnsafeRawBufferPointer, in passcode: UnsafeRawBufferPointer) -> Bool {
    contains(passcode, count: text.count) { lowercased(UInt32(text[$0])) }
  }

  // MARK: - Dates

  /// Whether `text` is a date as yyyy-mm-dd, with months 01 … 12 and days 01 … 31.
  static func isDate(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.count == 10, text[4] == 0x2d, text[7] == 0x2d else { return false }
    for index in 0..<10 where index != 4 && index != 7 && !isDigit(UInt32(text[index])) { return false }
    func number(_ index: Int) -> Int { Int(text[index]) * 10 + Int(text[index + 1]) - 0x30 * 11 }
    return 1...12 ~= number(5) && 1...31 ~= number(8)
  }

  /// Whether one of thirteen ways to write the date is in the passcode: yyyymmdd, ddmmyyyy, mmddyyyy, yymmdd, ddmmyy,
  /// mmddyy, yyyymm, mmyyyy, mmdd, ddmm, yymm, mmyy, yyyy.
  ///
  /// Each of the eight longer ones contains one of the five of four digits, so those five are enough.
  ///
  /// - Parameter date: yyyymmdd.
  static func isDate(_ date: UnsafeRawBufferPointer, in passcode: UnsafeRawBufferPointer) -> Bool {
    isWriting(0x0123, of: date, in: passcode)  // yyyy
      || isWriting(0x4567, of: date, in: passcode)  // mmdd
      || isWriting(0x6745, of: date, in: passcode)  // ddmm
      || isWriting(0x2345, of: date, in: passcode)  // yymm
      || isWriting(0x4523, of: date, in: passcode)  // mmyy
  }

  /// - Parameter places: four digits of the date by their places in it, the first in the highest four bits.
  private static func isWriting(
    _ places: Int, of date: UnsafeRawBufferPointer, in passcode: UnsafeRawBufferPointer
  ) -> Bool {
    contains(passcode, count: 4) { UInt32(date[places >> (12 - 4 * $0) & 7]) }
  }

  // MARK: - Telephone numbers

  /// How many ASCII digits are in `text`.
  static func digitCount(_ text: UnsafeRawBufferPointer) -> Int {
    var count = 0
    for byte in text where isDigit(UInt32(byte)) { count += 1 }
    return count
  }

  /// Whether `length` digits in a row of the number, which is digits only, are in the passcode.
  static func isPhone(_ number: UnsafeRawBufferPointer, length: Int, in passcode: UnsafeRawBufferPointer) -> Bool {
    guard number.count >= length else { return false }
    for first in 0...number.count - length
    where contains(passcode, count: length, byte: { UInt32(number[first + $0]) }) {
      return true
    }
    return false
  }

  /// Whether `count` bytes are in a row in the passcode, which is read with small letters.
  @inline(never)
  private static func contains(
    _ passcode: UnsafeRawBufferPointer, count: Int, byte: (Int) -> UInt32
  ) -> Bool {
    guard passcode.count >= count else { return false }
    for first in 0...passcode.count - count {
      var index = 0
      while index < count, lowercased(UInt32(passcode[first + index])) == byte(index) { index += 1 }
      if index == count { return true }
    }
    return false
  }
}
