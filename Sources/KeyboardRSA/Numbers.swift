// Long numbers in the caller's memory: words, the lowest first. How many there are is public, what is in them is not.
//
// Counts are multiples of four where a product or a modulus is concerned. Products are summed up by columns: a word of
// the result is written once, and each product takes five instructions.
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

  /// t = x·y, twice `count` words. They overlap in nothing.
  @inline(never)
  static func multiply(_ x: Words, _ y: Words, into t: Words, _ count: Int) {
    var sum = Column()
    for i in 0..<count {
      sum.addProducts(x, y + i, i &+ 1)
      t[i] = sum.next()
    }
    for i in 1..<count {
      sum.addProducts(x + i, y + (count &- 1), count &- i)
      t[count &- 1 &+ i] = sum.next()
    }
    t[2 &* count &- 1] = sum.next()
  }

  /// t = x²: the products of different words once, doubled, and the squares of the words.
  @inline(never)
  static func square(_ x: Words, into t: Words, _ count: Int) {
    var sum = Column()
    for i in 0..<2 &* count &- 1 {
      let first = max(0, i &- count &+ 1)
      var products = Column()
      products.addProducts(x + first, x + (i &- first), (i &+ 1) / 2 &- first)
      sum.add(products)
      sum.add(products)
      if i & 1 == 0 { sum.addProduct(x[i / 2], x[i / 2]) }
      t[i] = sum.next()
    }
    t[2 &* count &- 1] = sum.next()
  }
}

/// The sum of a column of products: three words, the lowest first. A product by columns reads each word where it is,
/// and writes each word of the result once.
struct Column {
  private var low: Word = 0
  private var middle: Word = 0
  private var high: Word = 0

  @inline(always)
  mutating func addProduct(_ x: Word, _ y: Word) {
    let product = wide(x) &* wide(y)
    var carry: Carry = 0
    low = adc(low, KeyboardRSA.low(product), &carry)
    middle = adc(middle, KeyboardRSA.high(product), &carry)
    high = adc(high, 0, &carry)
  }

  /// Adds x[0]·y[0] + x[1]·y[-1] + …, so many products.
  @inline(always)
  mutating func addProducts(_ x: Words, _ y: Words, _ count: Int) {
    var i = 0
    while i < count & 3 {
      addProduct(x[i], y[0 &- i])
      i &+= 1
    }
    while i < count {
      addProduct(x[i], y[0 &- i])
      addProduct(x[i &+ 1], y[-1 &- i])
      addProduct(x[i &+ 2], y[-2 &- i])
      addProduct(x[i &+ 3], y[-3 &- i])
      i &+= 4
    }
  }

  /// The same for two columns, of which the upper one has y[1] where the lower one has y[0]. The count is even.
  @inline(always)
  static func addProducts(_ x: Words, _ y: Words, _ count: Int, to lower: inout Column, _ upper: inout Column) {
    var i = 0
    while i < count {
      lower.addProduct(x[i], y[0 &- i])
      upper.addProduct(x[i], y[1 &- i])
      lower.addProduct(x[i &+ 1], y[-1 &- i])
      upper.addProduct(x[i &+ 1], y[0 &- i])
      i &+= 2
    }
  }

  @inline(always)
  mutating func add(_ other: Column) {
    var carry: Carry = 0
    low = adc(low, other.low, &carry)
    middle = adc(middle, other.middle, &carry)
    high = adc(high, other.high, &carry)
  }

  @inline(always)
  mutating func add(_ word: Word) {
    var carry: Carry = 0
    low = adc(low, word, &carry)
    middle = adc(middle, 0, &carry)
    high = adc(high, 0, &carry)
  }

  /// The lowest word.
  @inline(always) var word: Word { low }

  /// Goes on to the next column: returns the lowest word, and moves the others down.
  @inline(always)
  mutating func next() -> Word {
    defer { (low, middle, high) = (middle, high, 0) }
    return low
  }
}
