// BIP-39's 2,048 English words, packed in 5.4 KB: a search of memory for a word does not find the list.
// SPDX-License-Identifier: Apache-2.0

/// The list. A word is a number of eight letters, the first one in the lowest byte, zeros behind it.
enum WordList {
  static var count: Int { 2048 }

  /// Runs `body` with every word and its place. It visits all of them each time, because the word that is looked for is
  /// a secret.
  static func forEach(_ body: (_ index: UInt64, _ word: UInt64) -> Void) {
    var (place, word): (Int, UInt64) = (0, 0)
    func take(_ width: Int) -> UInt64 {
      let (index, shift) = (place >> 6, place & 63)
      var bits = packed[index] >> UInt64(shift)
      if shift + width > 64 { bits |= packed[index + 1] << UInt64(64 - shift) }
      place += width
      return bits & (1 << UInt64(width) - 1)
    }
    for index in 0..<UInt64(count) {
      var letters = take(3)
      let end = letters + take(3) + 1
      word &= (1 << (8 * letters)) - 1
      while letters < end {
        word |= (take(5) + 0x61) << (8 * letters)
        letters += 1
      }
      body(index, word)
    }
  }
}

/// All bits set if two numbers are equal, otherwise 0. Without a branch.
func maskOfEquality(_ one: UInt64, _ other: UInt64) -> UInt64 {
  let difference = one ^ other
  return ((difference | (0 &- difference)) >> 63) &- 1
}
