// Numbers of any size, slow and plain: what tells whether the numbers of a key of RSA belong together.
// SPDX-License-Identifier: Apache-2.0

/// An unsigned number.
struct LongNumber: Comparable, Sendable {
  /// The lowest first. The highest is not zero.
  private var words: [UInt64]

  private init(words: some Sequence<UInt64>) {
    self.words = Array(words)
    while self.words.last == 0 { self.words.removeLast() }
  }

  init(_ small: UInt64) { self.init(words: [small]) }

  /// - Parameter bytes: the highest first.
  init(_ bytes: some BidirectionalCollection<UInt8>) {
    var words = [UInt64](repeating: 0, count: (bytes.count + 7) / 8)
    for (place, byte) in bytes.reversed().enumerated() { words[place / 8] |= UInt64(byte) << UInt64(8 * (place % 8)) }
    self.init(words: words)
  }

  /// The highest first. The first is not zero.
  var bytes: [UInt8] { bytes(count: (bitWidth + 7) / 8) }

  /// `count` bytes, or more if the number needs them.
  func bytes(count: Int) -> [UInt8] {
    (0..<max(count, (bitWidth + 7) / 8)).reversed().map { place in
      place / 8 < words.count ? UInt8(truncatingIfNeeded: words[place / 8] >> UInt64(8 * (place % 8))) : 0
    }
  }

  var bitWidth: Int { 64 * words.count - (words.last?.leadingZeroBitCount ?? 0) }

  var isOdd: Bool { bit(0) == 1 }

  private func bit(_ index: Int) -> UInt64 {
    index / 64 < words.count ? words[index / 64] >> UInt64(index % 64) & 1 : 0
  }

  static func < (one: LongNumber, other: LongNumber) -> Bool {
    guard one.words.count == other.words.count else { return one.words.count < other.words.count }
    return one.words.reversed().lexicographicallyPrecedes(other.words.reversed())
  }

  static func + (one: LongNumber, other: LongNumber) -> LongNumber {
    var (words, carry) = ([UInt64](), false)
    for place in 0...max(one.words.count, other.words.count) {
      let first = place < one.words.count ? one.words[place] : 0
      let second = place < other.words.count ? other.words[place] : 0
      let (half, over) = first.addingReportingOverflow(second)
      let (sum, more) = half.addingReportingOverflow(carry ? 1 : 0)
      words.append(sum)
      carry = over || more
    }
    return LongNumber(words: words)
  }

  /// - Precondition: `other` is not larger.
  static func - (one: LongNumber, other: LongNumber) -> LongNumber {
    precondition(one >= other)
    var words = one.words
    subtract(other.words, from: &words)
    return LongNumber(words: words)
  }

  static func * (one: LongNumber, other: LongNumber) -> LongNumber {
    var words = [UInt64](repeating: 0, count: one.words.count + other.words.count)
    for (i, factor) in one.words.enumerated() {
      var carry: UInt64 = 0
      for (j, word) in other.words.enumerated() {
        let whole = UInt128(factor) * UInt128(word) + UInt128(words[i + j]) + UInt128(carry)
        words[i + j] = UInt64(truncatingIfNeeded: whole)
        carry = UInt64(whole >> 64)
      }
      words[i + other.words.count] = carry
    }
    return LongNumber(words: words)
  }

  static func / (one: LongNumber, other: LongNumber) -> LongNumber { one.divided(by: other).quotient }

  static func % (one: LongNumber, other: LongNumber) -> LongNumber { one.divided(by: other).remainder }

  /// Bit by bit.
  private func divided(by divisor: LongNumber) -> (quotient: LongNumber, remainder: LongNumber) {
    precondition(divisor != LongNumber(0))
    var quotient = [UInt64](repeating: 0, count: words.count)
    var remainder = [UInt64](repeating: 0, count: divisor.words.count + 1)
    for index in (0..<bitWidth).reversed() {
      var carry = bit(index)
      for place in remainder.indices {
        (remainder[place], carry) = (remainder[place] << 1 | carry, remainder[place] >> 63)
      }
      if Self.isLess(remainder, divisor.words) { continue }
      Self.subtract(divisor.words, from: &remainder)
      quotient[index / 64] |= 1 << UInt64(index % 64)
    }
    return (LongNumber(words: quotient), LongNumber(words: remainder))
  }

  /// - Parameter longer: one word more.
  private static func isLess(_ longer: [UInt64], _ shorter: [UInt64]) -> Bool {
    if longer[shorter.count] > 0 { return false }
    for place in shorter.indices.reversed() where longer[place] != shorter[place] {
      return longer[place] < shorter[place]
    }
    return false
  }

  private static func subtract(_ small: [UInt64], from large: inout [UInt64]) {
    var borrow = false
    for place in large.indices {
      let (half, under) = large[place].subtractingReportingOverflow(place < small.count ? small[place] : 0)
      let (difference, more) = half.subtractingReportingOverflow(borrow ? 1 : 0)
      large[place] = difference
      borrow = under || more
    }
  }
}
