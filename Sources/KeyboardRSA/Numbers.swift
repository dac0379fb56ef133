// Long numbers in the caller's memory: words, the lowest first. How many there are is public, what is in them is not.
//
// Counts are multiples of four where a product or a modulus is concerned: four products at a time, then two chains of
// carries, keep a processor busy.
//
// - Timing: everything here depends on the counts only.
//
// SPDX-License-Identifier: Apache-2.0

/// Sums, products and comparisons of numbers of `count` words.
enum Numbers {
  static var wordSize: Int { MemoryLayout<Word>.size }

  /// How many words so many bits take: a multiple of 32 bytes.
  static func wordCount(bits: Int) -> Int { (bits &+ 255) / 256 &* (32 / wordSize) }

  @inline(never)
  static func clear(_ x: Words, _ count: Int) {
    UnsafeMutableRawPointer(x).initializeMemory(as: UInt8.self, repeating: 0, count: count &* wordSize)
  }

  @inline(never)
  static func copy(_ x: Words, to y: Words, _ count: Int) {
    UnsafeMutableRawPointer(y).copyMemory(from: x, byteCount: count &* wordSize)
  }

  // MARK: Bytes

  /// Reads `byteCount` bytes, big-endian, which are at most `count` words.
  @inline(never)
  static func load(_ bytes: UnsafeRawPointer, byteCount: Int, into x: Words, _ count: Int) {
    let memory = UnsafeMutableRawPointer(x)
    for i in 0..<byteCount {
      let byte = bytes.load(fromByteOffset: byteCount &- 1 &- i, as: UInt8.self)
      memory.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
    }
    (memory + byteCount).initializeMemory(as: UInt8.self, repeating: 0, count: count &* wordSize &- byteCount)
  }

  /// Writes the lowest `byteCount` bytes, big-endian.
  @inline(never)
  static func store(_ x: Words, into bytes: UnsafeMutableRawPointer, byteCount: Int) {
    let memory = UnsafeRawPointer(x)
    for i in 0..<byteCount {
      let byte = memory.load(fromByteOffset: byteCount &- 1 &- i, as: UInt8.self)
      bytes.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
    }
  }

  // MARK: Comparing

  /// 0 if the numbers are equal.
  @inline(never)
  static func difference(_ x: Words, _ y: Words, _ count: Int) -> Word {
    var sum: Word = 0
    for i in 0..<count { sum |= x[i] ^ y[i] }
    return sum
  }

  /// 0 if the number is 0.
  @inline(never)
  static func sum(_ x: Words, _ count: Int) -> Word {
    var sum: Word = 0
    for i in 0..<count { sum |= x[i] }
    return sum
  }

  /// 1 if x < y, else 0.
  @inline(never)
  static func isLess(_ x: Words, _ y: Words, _ count: Int) -> Word {
    var borrow: Carry = 0
    for i in 0..<count { _ = sbb(x[i], y[i], &borrow) }
    return word(borrow)
  }

  /// 0 if the number has at most so many bits.
  @inline(never)
  static func excess(_ x: Words, _ count: Int, bits: Int) -> Word {
    let first = bits / Word.bitWidth
    guard first < count else { return 0 }
    return (x[first] &>> Word(truncatingIfNeeded: bits % Word.bitWidth)) | sum(x + (first &+ 1), count &- first &- 1)
  }

  // MARK: Sums

  /// x -= y. Returns the borrow.
  @inline(never)
  static func subtract(_ x: Words, _ y: Words, _ count: Int) -> Word {
    var borrow: Carry = 0
    for i in 0..<count { x[i] = sbb(x[i], y[i], &borrow) }
    return word(borrow)
  }

  /// x += y, where `mask` is all ones. Returns the carry.
  @inline(never)
  static func add(_ x: Words, _ y: Words, _ mask: Word, _ count: Int) -> Word {
    var carry: Carry = 0
    for i in 0..<count { x[i] = adc(x[i], y[i] & mask, &carry) }
    return word(carry)
  }

  /// x -= 1 or another word. Returns the borrow.
  @inline(never)
  static func subtract(_ x: Words, word small: Word, _ count: Int) -> Word {
    var (borrow, subtrahend): (Carry, Word) = (0, small)
    for i in 0..<count {
      x[i] = sbb(x[i], subtrahend, &borrow)
      subtrahend = 0
    }
    return word(borrow)
  }

  // MARK: Products

  /// t += x·(y0 + y1·W) for two words, W being one word more than the largest. Two rows at a time halve what is read
  /// and written.
  ///
  /// - Parameter carry: is added, too.
  /// - Returns: the words t[count] and t[count + 1], of which only the first was read, and the carry above them.
  @inline(always)
  static func addTwoProducts(
    _ t: Words, _ x: Words, _ y0: Word, _ y1: Word, _ count: Int, carry: Word = 0
  ) -> (Word, Word, Carry) {
    var (first, c0, c1, i): (Word, Word, Word, Int) = (t[0], carry, 0, 0)
    while i < count & 3 {
      t[i] = mac(first, x[i], y0, &c0)
      first = mac(t[i &+ 1], x[i], y1, &c1)
      i &+= 1
    }
    while i < count {
      first = addEightProducts(t + i, x + i, y0, y1, first, &c0, &c1)
      i &+= 4
    }
    var carry: Carry = 0
    let low = adc(first, c0, &carry)
    return (low, adc(c1, 0, &carry), carry)
  }

  /// The same for four words of x: the low halves of the products of a row, then the high ones.
  ///
  /// - Parameters:
  ///   - first: what t[0] is by now.
  ///   - c0: belongs to t[0], then to t[4].
  ///   - c1: belongs to t[1], then to t[5].
  /// - Returns: what t[4] is by now.
  @inline(always)
  private static func addEightProducts(
    _ t: Words, _ x: Words, _ y0: Word, _ y1: Word, _ first: Word, _ c0: inout Word, _ c1: inout Word
  ) -> Word {
    var (t0, t1, t2, t3, t4) = (first, t[1], t[2], t[3], t[4])
    c0 = addFourProducts(&t0, &t1, &t2, &t3, x, y0, c0)
    t[0] = t0
    c1 = addFourProducts(&t1, &t2, &t3, &t4, x, y1, c1)
    t[1] = t1
    t[2] = t2
    t[3] = t3
    return t4
  }

  @inline(always)
  private static func addFourProducts(
    _ t0: inout Word, _ t1: inout Word, _ t2: inout Word, _ t3: inout Word, _ x: Words, _ y: Word, _ above: Word
  ) -> Word {
    let (p0, p1, p2, p3) = (
      wide(x[0]) &* wide(y), wide(x[1]) &* wide(y), wide(x[2]) &* wide(y), wide(x[3]) &* wide(y)
    )
    var carry: Carry = 0
    t0 = adc(t0, low(p0), &carry)
    t1 = adc(t1, low(p1), &carry)
    t2 = adc(t2, low(p2), &carry)
    t3 = adc(t3, low(p3), &carry)
    let top = word(carry)
    carry = 0
    t0 = adc(t0, above, &carry)
    t1 = adc(t1, high(p0), &carry)
    t2 = adc(t2, high(p1), &carry)
    t3 = adc(t3, high(p2), &carry)
    return adc(top, high(p3), &carry)
  }

  /// t = x·y, twice `count` words. They overlap in nothing.
  @inline(never)
  static func multiply(_ x: Words, _ y: Words, into t: Words, _ count: Int) {
    clear(t, count &+ 1)
    var i = 0
    while i < count {
      (t[i &+ count], t[i &+ count &+ 1], _) = addTwoProducts(t + i, x, y[i], y[i &+ 1], count)
      if i &+ 2 < count { t[i &+ count &+ 2] = 0 }
      i &+= 2
    }
  }

  /// t = x²: the products of different words once, doubled, and the squares of the words.
  @inline(never)
  static func square(_ x: Words, into t: Words, _ count: Int) {
    clear(t, 2 &* count)
    var i = 0
    while i < count {
      // Row i has one product more than the next one: that of x[i] and x[i + 1].
      var carry: Word = 0
      let place = t + (2 &* i &+ 1)
      place[0] = mac(place[0], x[i], x[i &+ 1], &carry)
      (t[i &+ count], t[i &+ count &+ 1], _) = addTwoProducts(
        place + 1, x + (i &+ 2), x[i], x[i &+ 1], count &- 2 &- i, carry: carry)
      i &+= 2
    }
    double(t, addingSquaresOf: x, count)
  }

  @inline(always)
  private static func double(_ t: Words, addingSquaresOf x: Words, _ count: Int) {
    let shift = Word(truncatingIfNeeded: Word.bitWidth &- 1)
    var (carry, top): (Carry, Word) = (0, 0)
    for i in 0..<count {
      let square = wide(x[i]) &* wide(x[i])
      let (lower, upper) = (t[2 &* i], t[2 &* i &+ 1])
      t[2 &* i] = adc(lower &<< 1 | top, low(square), &carry)
      t[2 &* i &+ 1] = adc(upper &<< 1 | lower &>> shift, high(square), &carry)
      top = upper &>> shift
    }
  }
}
