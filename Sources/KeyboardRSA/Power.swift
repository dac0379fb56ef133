// Powers modulo an odd number.
//
// SPDX-License-Identifier: Apache-2.0

extension Modulus {
  /// Four bits of the exponent at a time. With five, the scans of the table would take what is won in products.
  static var windowSize: Int { 4 }

  /// Words that a table takes, for a modulus of `count` words.
  static func tableCount(_ count: Int) -> Int { count &<< windowSize }

  /// x = x to the power of a secret exponent; both in Montgomery's form.
  ///
  /// - Parameters:
  ///   - exponent: as many words as the modulus.
  ///   - bits: how many bits the exponent has at most.
  ///   - one: R modulo the modulus.
  ///   - table: `tableCount` words.
  ///   - factor: `count` words.
  ///   - t: twice as many.
  /// - Timing: depends on `bits` and on the counts only. Every entry of the table is read each time.
  @inline(never)
  func raise(_ x: Words, to exponent: Words, bits: Int, one: Words, table: Words, factor: Words, _ t: Words) {
    Numbers.copy(one, to: table, count)
    Numbers.copy(x, to: table + count, count)
    for i in 2..<1 &<< Self.windowSize {
      if i & 1 == 0 {
        square(table + (i / 2 &* count), into: table + (i &* count), t)
      } else {
        multiply(table + ((i &- 1) &* count), x, into: table + (i &* count), t)
      }
    }
    Numbers.copy(one, to: x, count)
    var window = (bits &+ Self.windowSize &- 1) / Self.windowSize
    while window > 0 {
      window &-= 1
      for _ in 0..<Self.windowSize { square(x, into: x, t) }
      let (word, bit) = place(ofBit: window &* Self.windowSize)
      let digit = exponent[word] &>> bit & 15
      select(digit, from: table, into: factor)
      multiply(x, factor, into: x, t)
    }
  }

  /// Copies an entry of the table. All are read, and all but one are masked away.
  @inline(never)
  private func select(_ digit: Word, from table: Words, into entry: Words) {
    let one = opaqueOne()
    let step = 64 / Numbers.wordSize  // a line of the cache
    let (start, output) = (UnsafeRawPointer(table), UnsafeMutableRawPointer(entry))
    var place = 0
    while place < count {
      var (a, b, c, d) = (SIMD2<UInt64>.zero, SIMD2<UInt64>.zero, SIMD2<UInt64>.zero, SIMD2<UInt64>.zero)
      let isHalf = count &- place < step
      for number in 0..<1 &<< Self.windowSize {
        let isMeant = maskIfZero(Word(truncatingIfNeeded: number) ^ digit, one)
        let mask = SIMD2(repeating: UInt64(truncatingIfNeeded: SignedWord(bitPattern: isMeant)))
        let line = start + (number &* count &+ place) &* Numbers.wordSize
        a |= line.loadUnaligned(as: SIMD2<UInt64>.self) & mask
        b |= line.loadUnaligned(fromByteOffset: 16, as: SIMD2<UInt64>.self) & mask
        guard !isHalf else { continue }
        c |= line.loadUnaligned(fromByteOffset: 32, as: SIMD2<UInt64>.self) & mask
        d |= line.loadUnaligned(fromByteOffset: 48, as: SIMD2<UInt64>.self) & mask
      }
      let line = output + place &* Numbers.wordSize
      line.storeBytes(of: a, as: SIMD2<UInt64>.self)
      (line + 16).storeBytes(of: b, as: SIMD2<UInt64>.self)
      if !isHalf {
        (line + 32).storeBytes(of: c, as: SIMD2<UInt64>.self)
        (line + 48).storeBytes(of: d, as: SIMD2<UInt64>.self)
      }
      place &+= step
    }
  }

  /// y = x to the power of a public exponent, which is odd and at least 3. Neither is in Montgomery's form.
  ///
  /// - Parameters:
  ///   - x: below the modulus.
  ///   - bits: how many bits the modulus has.
  ///   - form: `count` words.
  ///   - t: twice as many.
  /// - Timing: depends on the exponent.
  @inline(never)
  func raise(_ x: Words, toPublic exponent: UInt64, into y: Words, bits: Int, form: Words, _ t: Words) {
    makeR(form, squared: true, bits: bits, t)
    multiply(x, form, into: form, t)
    Numbers.copy(form, to: y, count)
    var bit = 62 &- exponent.leadingZeroBitCount
    while bit > 0 {
      square(y, into: y, t)
      if exponent &>> UInt64(truncatingIfNeeded: bit) & 1 == 1 { multiply(y, form, into: y, t) }
      bit &-= 1
    }
    // The last factor is not in Montgomery's form, and so the result is not.
    square(y, into: y, t)
    multiply(x, y, into: y, t)
  }
}
