// Long numbers in the caller's memory: words, the lowest first. How many there are is public, what is in them is not.
//
// Counts are multiples of four where a product or a modulus is concerned.
//
// - Timing: everything here depends on the counts only.
//
// SPDX-License-Identifier: Apache-2.0

/// Sums, products and comparisons of numbers of `count` words.
enum Numbers {
  static var wordSize: Int { MemoryLayout<Word>.size }

  /// How many words so many bits take: a multiple of 32 bytes.
  static func wordCount(bits: Int) -> Int { (bits &+ 255) &>> 8 &* (32 / wordSize) }

  @_optimize(speed) @inline(never)
  static func clear(_ x: Words, _ count: Int) {
    UnsafeMutableRawPointer(x).initializeMemory(as: UInt8.self, repeating: 0, count: count &* wordSize)
  }

  @_optimize(speed) @inline(never)
  static func copy(_ x: Words, to y: Words, _ count: Int) {
    UnsafeMutableRawPointer(y).copyMemory(from: x, byteCount: count &* wordSize)
  }

  // MARK: Bytes

  /// Reads `byteCount` bytes, big-endian, which are at most `count` words.
  @_optimize(speed) @inline(never)
  static func load(_ bytes: UnsafeRawPointer, byteCount: Int, into x: Words, _ count: Int) {
    let memory = UnsafeMutableRawPointer(x)
    for i in 0..<byteCount {
      let byte = bytes.load(fromByteOffset: byteCount &- 1 &- i, as: UInt8.self)
      memory.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
    }
    (memory + byteCount).initializeMemory(as: UInt8.self, repeating: 0, count: count &* wordSize &- byteCount)
  }

  /// Writes the lowest `byteCount` bytes, big-endian.
  @_optimize(speed) @inline(never)
  static func store(_ x: Words, into bytes: UnsafeMutableRawPointer, byteCount: Int) {
    let memory = UnsafeRawPointer(x)
    for i in 0..<byteCount {
      let byte = memory.load(fromByteOffset: byteCount &- 1 &- i, as: UInt8.self)
      bytes.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
    }
  }

  // MARK: Comparing

  /// 0 if the numbers are equal.
  @_optimize(speed) @inline(never)
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
    let (first, bit) = place(ofBit: bits)
    guard first < count else { return 0 }
    return (x[first] &>> bit) | sum(x + (first &+ 1), count &- first &- 1)
  }

  // MARK: Sums

  /// x -= y. Returns the borrow.
  @_optimize(speed) @inline(never)
  static func subtract(_ x: Words, _ y: Words, _ count: Int) -> Word {
    var borrow: Carry = 0
    for i in 0..<count { x[i] = sbb(x[i], y[i], &borrow) }
    return word(borrow)
  }

  /// x += y, where `mask` is all ones. Returns the carry. R is 2 to the bits of `count` words.
  ///
  /// - Range: x < R, y < R; carry < 2
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
}
