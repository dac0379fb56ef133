// Digits of 52 bits and words of 64, and the scan of a table: what powers of two numbers and of eight have in common.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  /// Quotients of public numbers below 65,536. RSA has no instruction that divides, so nobody needs to look which of
  /// them divide a secret.
  extension Int {
    @inline(always) var dividedBy52: Int { (self &* 20_165) &>> 20 }
  }

  enum DigitWords {
    /// A digit of a number of `count` words.
    @inline(never)
    static func digit(_ index: Int, of words: UnsafePointer<UInt64>, _ count: Int) -> UInt64 {
      let (place, shift) = (52 &* index / 64, UInt64(truncatingIfNeeded: 52 &* index % 64))
      var digit = place < count ? words[place] &>> shift : 0
      if shift > 12 && place &+ 1 < count { digit |= words[place &+ 1] &<< (64 &- shift) }
      return digit & (1 &<< 52 &- 1)
    }

    /// Writes `count` words of a number of `digitCount` digits.
    @inline(always)
    static func write(
      _ words: UnsafeMutablePointer<UInt64>, _ count: Int, digitCount: Int, _ digit: (Int) -> UInt64
    ) {
      for index in 0..<count {
        // A word may begin in one digit, go over another, and end in a third.
        let first = (64 &* index).dividedBy52
        let shift = UInt64(truncatingIfNeeded: 64 &* index &- 52 &* first)
        var word: UInt64 = first < digitCount ? digit(first) &>> shift : 0
        for next in 1...2 where first &+ next < digitCount {
          let left = 52 &* UInt64(truncatingIfNeeded: next) &- shift
          if left < 64 { word |= digit(first &+ next) &<< left }
        }
        words[index] = word
      }
    }
  }

  enum TableScan {
    /// Copies the entry whose number is in all lanes of `digit`. All are read, and all but one are masked away.
    ///
    /// - Parameters:
    ///   - table: `count` entries of `size` bytes, a multiple of 64, each `step` bytes after the one before.
    @inline(never)
    static func copy(
      _ table: UnsafeRawPointer, size: Int, step: Int, count: Int, _ digit: Lanes,
      into target: UnsafeMutableRawPointer
    ) {
      var place = 0
      while place < size {
        var (sum, number, line) = (Lanes.zero, Lanes.zero, table + place)
        for _ in 0..<count {
          sum = sum | (Lanes(line) & number.isEqual(digit))
          number = number + Lanes(1)
          line += step
        }
        sum.store(target + place)
        place &+= Lanes.size
      }
    }
  }
#endif
