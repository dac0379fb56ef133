// Two powers modulo two secret primes, side by side: while one of two products waits for a digit, the other one is
// computed.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  /// The powers of two numbers, each modulo a number of its own, with secret exponents; for processors with AVX-512
  /// IFMA. Numbers are in the caller's memory, and come and go as words of 64 bits. In `memory` they are in pairs:
  ///
  ///     ├ −1/modulus (64 bytes) ┼ modulus ┼ power ┼ factor ┼ table (16) ┤
  ///
  /// Secrets are in that memory, in registers and up to 2 KB deep on the stack. The caller wipes all three.
  ///
  /// - Timing: depends on the counts of bits and words only. Every entry of the table is read each time.
  public struct TwoPowers {
    private let memory: UnsafeMutableRawPointer
    /// Digits of a number, and so steps of a product.
    private let digitCount: Int
    /// Bytes of a number.
    private let size: Int

    /// Four bits of the exponent at a time.
    private static var windowSize: Int { 4 }
    private static var entryCount: Int { 1 &<< windowSize }
    private static var headerSize: Int { 64 }

    /// Bytes of memory for numbers of up to 2048 bits.
    public static var byteCount: Int { headerSize + 2 * (3 + entryCount) * Digits40.size }

    /// - Parameters:
    ///   - bits: how many the moduli have at most; 1 … 2078.
    ///   - memory: `byteCount` bytes, aligned to 64.
    @inline(never) @export(interface)
    public init(bits: Int, at memory: UnsafeMutableRawPointer) {
      self.memory = memory
      digitCount = (bits &+ 53).dividedBy52  // two bits more: R is at least four times the modulus
      size = digitCount <= 20 ? Digits20.size : digitCount <= 32 ? Digits32.size : Digits40.size
    }

    /// R is 2 to the power of this.
    public var width: Int { 52 &* digitCount }

    private func pair(_ index: Int) -> UnsafeMutableRawPointer { memory + (Self.headerSize &+ 2 &* index &* size) }
    private var modulus: UnsafeMutableRawPointer { pair(0) }
    private var power: UnsafeMutableRawPointer { pair(1) }
    private var factor: UnsafeMutableRawPointer { pair(2) }
    private func entry(_ index: Int) -> UnsafeMutableRawPointer { pair(3 &+ index) }

    // MARK: Numbers

    /// What a side begins with, in `count` words each.
    ///
    /// - Parameters:
    ///   - side: 0 or 1.
    ///   - modulus: odd.
    ///   - base: below twice the modulus.
    ///   - one: R modulo the modulus.
    ///   - root: a number that becomes R² modulo the modulus in `squarings` squarings.
    @_optimize(size) @inline(never) @export(interface)
    public func begin(
      _ side: Int, modulus words: UnsafePointer<UInt64>, base: UnsafePointer<UInt64>, one: UnsafePointer<UInt64>,
      root: UnsafePointer<UInt64>, count: Int
    ) {
      load(words, count, into: modulus, side)
      load(one, count, into: entry(0), side)
      load(base, count, into: entry(1), side)
      load(root, count, into: entry(2), side)
      memory.storeBytes(of: minusInverse(words[0]), toByteOffset: 8 &* side, as: UInt64.self)
    }

    /// The number of a side, in `count` words: at most the modulus.
    @inline(never) @export(interface)
    public func end(_ side: Int, into words: UnsafeMutablePointer<UInt64>, count: Int) {
      let digits = (power + side &* size).assumingMemoryBound(to: UInt64.self)
      DigitWords.write(words, count, digitCount: digitCount) { digits[$0] }
    }

    @inline(never)
    private func load(_ words: UnsafePointer<UInt64>, _ count: Int, into pair: UnsafeMutableRawPointer, _ side: Int) {
      let digits = (pair + side &* size).assumingMemoryBound(to: UInt64.self)
      for index in 0..<size / 8 { digits[index] = DigitWords.digit(index, of: words, count) }
    }

    // MARK: Powers

    /// Computes both powers.
    ///
    /// - Parameters:
    ///   - exponents: two of `bits` bits, in words.
    ///   - squarings: see `begin`.
    @_optimize(size) @inline(never) @export(interface)
    public func run(
      _ exponents: (UnsafePointer<UInt64>, UnsafePointer<UInt64>), bits: Int, squarings: Int
    ) {
      for _ in 0..<squarings { multiply(entry(2), entry(2), into: entry(2)) }
      multiply(entry(1), entry(2), into: entry(1))
      for index in 2..<Self.entryCount { multiply(entry(index &- 1), entry(1), into: entry(index)) }
      var window = (bits &+ 3) &>> 2 &- 1  // windows of four bits, the last one's number
      select(exponents, window, into: power)
      while window > 0 {
        window &-= 1
        for _ in 0..<Self.windowSize { multiply(power, power, into: power) }
        select(exponents, window, into: factor)
        multiply(power, factor, into: power)
      }
      // Times 1: out of Montgomery's form.
      factor.initializeMemory(as: UInt8.self, repeating: 0, count: 2 &* size)
      factor.storeBytes(of: 1, as: UInt64.self)
      factor.storeBytes(of: 1, toByteOffset: size, as: UInt64.self)
      multiply(power, factor, into: power)
    }

    /// Copies an entry of the table for each side. All are read, and all but one are masked away.
    @inline(never)
    private func select(
      _ exponents: (UnsafePointer<UInt64>, UnsafePointer<UInt64>), _ window: Int, into target: UnsafeMutableRawPointer
    ) {
      let bit = window &* Self.windowSize
      for side in 0..<2 {
        let word = (side == 0 ? exponents.0 : exponents.1)[bit / 64] &>> UInt64(truncatingIfNeeded: bit % 64)
        let digit = Lanes(word & UInt64(truncatingIfNeeded: Self.entryCount &- 1))
        TableScan.copy(
          entry(0) + side &* size, size: size, step: 2 &* size, count: Self.entryCount, digit,
          into: target + side &* size)
      }
    }

    /// z = x·y/R on both sides, modulo n of each. z may be x or y.
    ///
    /// - Range: x < 2n, y < 2n, 4n ≤ R; result < 2n
    @inline(never)
    private func multiply(_ x: UnsafeRawPointer, _ y: UnsafeRawPointer, into z: UnsafeMutableRawPointer) {
      switch digitCount {
      case ...20: multiply20(x, y, into: z)
      case ...32: multiply32(x, y, into: z)
      default: multiply40(x, y, into: z)
      }
    }

    @inline(never)
    private func multiply20(_ x: UnsafeRawPointer, _ y: UnsafeRawPointer, into z: UnsafeMutableRawPointer) {
      multiply(x, y, into: z, Digits20.self)
    }
    @inline(never)
    private func multiply32(_ x: UnsafeRawPointer, _ y: UnsafeRawPointer, into z: UnsafeMutableRawPointer) {
      multiply(x, y, into: z, Digits32.self)
    }
    @inline(never)
    private func multiply40(_ x: UnsafeRawPointer, _ y: UnsafeRawPointer, into z: UnsafeMutableRawPointer) {
      multiply(x, y, into: z, Digits40.self)
    }

    @inline(always)
    private func multiply<Upper>(
      _ x: UnsafeRawPointer, _ y: UnsafeRawPointer, into z: UnsafeMutableRawPointer, _: Joined<Lanes, Upper>.Type
    ) {
      let size = Product<Upper>.Number.size
      var first = Product<Upper>(x, modulus: modulus, factor: memory)
      var second = Product<Upper>(x + size, modulus: modulus + size, factor: memory + 8)
      for index in 0..<digitCount {
        first.step(y + 8 &* index)
        second.step(y + (size &+ 8 &* index))
      }
      first.store(z)
      second.store(z + size)
    }
  }
#endif
