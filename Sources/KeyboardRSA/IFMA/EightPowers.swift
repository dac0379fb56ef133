// Powers of eight numbers with one exponent, modulo one number: for many texts under one private key.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  /// Eight powers, for processors with AVX-512 IFMA. Numbers are in the caller's memory, and come and go as words of 64
  /// bits. In `memory` they are eight at a time, but for the modulus, which is the same in all lanes:
  ///
  ///     ├ modulus, −1/modulus (704 bytes) ┼ multiples ┼ power ┼ factor ┼ table (16) ┤
  ///
  /// Secrets are in that memory, in registers and up to 2 KB deep on the stack. The caller wipes all three.
  ///
  /// - Timing: depends on the counts of bits and words, and on a public exponent. Every entry of the table is read each
  ///   time.
  public struct EightPowers {
    private let memory: UnsafeMutableRawPointer
    private let groups: Int

    private static var windowSize: Int { 4 }
    private static var entryCount: Int { 1 &<< windowSize }
    private static var headerSize: Int { 704 }
    private static var factorOffset: Int { 640 }

    /// Eight. Not known where it is called, so that no loop over lanes is compiled eight times.
    @inline(never) @export(interface)
    public static var laneCount: Int { 8 }

    /// Bytes of memory for secret exponents and numbers of up to 2048 bits, or public ones and twice as many.
    public static var byteCount: Int { headerSize + (3 + entryCount) * 10 * FourDigits.size }

    /// - Parameters:
    ///   - bits: how many the modulus has at most: 1 … 4158.
    ///   - memory: `byteCount` bytes, aligned to 64.
    @inline(never) @export(interface)
    public init(bits: Int, at memory: UnsafeMutableRawPointer) {
      self.memory = memory
      groups = (bits &+ 209).dividedBy52 &>> 2  // two bits more: R is at least four times the modulus
    }

    /// R is 2 to the power of this.
    public var width: Int { 208 &* groups }

    private var size: Int { groups &* FourDigits.size }
    private func number(_ index: Int) -> UnsafeMutableRawPointer { memory + (Self.headerSize &+ index &* size) }
    private var power: UnsafeMutableRawPointer { number(1) }
    private var factor: UnsafeMutableRawPointer { number(2) }
    private func entry(_ index: Int) -> UnsafeMutableRawPointer { number(3 &+ index) }

    // MARK: Numbers

    /// What eight powers begin with, in `count` words each; then `load` for each lane.
    ///
    /// - Parameters:
    ///   - modulus: odd.
    ///   - one: R modulo the modulus; for a public exponent, any number.
    ///   - root: a number that becomes R² modulo the modulus in `squarings` squarings.
    @_optimize(size) @inline(never) @export(interface)
    public func begin(
      modulus: UnsafePointer<UInt64>, one: UnsafePointer<UInt64>, root: UnsafePointer<UInt64>, count: Int
    ) {
      store(modulus, count, into: memory, step: 8)
      memory.storeBytes(of: minusInverse(modulus[0]), toByteOffset: Self.factorOffset, as: UInt64.self)
      store(one, count, inAllLanesOf: entry(0))
      store(root, count, inAllLanesOf: entry(2))
    }

    /// The number whose power is computed in a lane: below twice the modulus. Every lane needs one.
    @inline(never) @export(interface)
    public func load(_ words: UnsafePointer<UInt64>, count: Int, lane: Int) {
      store(words, count, into: entry(1) + 8 &* lane, step: Lanes.size)
    }

    /// The power of a lane, in `count` words: after `raise(to:)` at most the modulus, after `raise(toPublic:)` below
    /// twice the modulus. Then the highest bit may be cut off, once in 2³² times.
    @inline(never) @export(interface)
    public func end(_ lane: Int, into words: UnsafeMutablePointer<UInt64>, count: Int) {
      let digits = UnsafeRawPointer(power + 8 &* lane)
      DigitWords.write(words, count, digitCount: 4 &* groups) {
        digits.load(fromByteOffset: $0 &* Lanes.size, as: UInt64.self)
      }
    }

    @inline(never)
    private func store(
      _ words: UnsafePointer<UInt64>, _ count: Int, into place: UnsafeMutableRawPointer, step: Int
    ) {
      for index in 0..<4 &* groups {
        place.storeBytes(of: DigitWords.digit(index, of: words, count), toByteOffset: index &* step, as: UInt64.self)
      }
    }

    @inline(never)
    private func store(_ words: UnsafePointer<UInt64>, _ count: Int, inAllLanesOf number: UnsafeMutableRawPointer) {
      for index in 0..<4 &* groups {
        Lanes(DigitWords.digit(index, of: words, count)).store(number + index &* Lanes.size)
      }
    }

    // MARK: Powers

    /// z = x·y/R in all lanes.
    @inline(never)
    private func multiply(
      _ x: UnsafeRawPointer, _ y: UnsafeRawPointer, into z: UnsafeMutableRawPointer, isSquare: Bool = false
    ) {
      EightProducts(
        modulus: memory, factor: memory.load(fromByteOffset: Self.factorOffset, as: UInt64.self),
        multiples: number(0), groups: groups
      ).multiply(x, y, into: z, isSquare: isSquare)
    }

    @inline(never)
    private func square(_ x: UnsafeMutableRawPointer, _ times: Int) {
      for _ in 0..<times { multiply(x, x, into: x, isSquare: true) }
    }

    /// Computes the powers with a secret exponent.
    ///
    /// - Parameters:
    ///   - exponent: of `bits` bits, in words.
    ///   - squarings: see `begin`.
    @_optimize(size) @inline(never) @export(interface)
    public func raise(to exponent: UnsafePointer<UInt64>, bits: Int, squarings: Int) {
      square(entry(2), squarings)
      multiply(entry(1), entry(2), into: entry(1))
      for index in 2..<Self.entryCount { multiply(entry(index &- 1), entry(1), into: entry(index)) }
      var window = (bits &+ 3) &>> 2 &- 1  // windows of four bits, the last one's number
      select(exponent, window, into: power)
      while window > 0 {
        window &-= 1
        square(power, Self.windowSize)
        select(exponent, window, into: factor)
        multiply(power, factor, into: power)
      }
      // Times 1: out of Montgomery's form.
      factor.initializeMemory(as: UInt8.self, repeating: 0, count: size)
      Lanes(1).store(factor)
      multiply(power, factor, into: power)
    }

    /// Computes the powers with a public exponent, which is odd and at least 3.
    ///
    /// - Parameter squarings: see `begin`.
    @_optimize(size) @inline(never) @export(interface)
    public func raise(toPublic exponent: UInt64, squarings: Int) {
      square(entry(2), squarings)
      multiply(entry(1), entry(2), into: factor)
      power.copyMemory(from: factor, byteCount: size)
      var bit = 63 &- exponent.leadingZeroBitCount
      while bit > 0 {
        bit &-= 1
        square(power, 1)
        if exponent &>> UInt64(truncatingIfNeeded: bit) & 1 == 0 { continue }
        // The last factor is not in Montgomery's form, and so the result is not.
        multiply(power, bit == 0 ? entry(1) : factor, into: power)
      }
    }

    /// Copies an entry of the table. All are read, and all but one are masked away.
    @inline(never)
    private func select(_ exponent: UnsafePointer<UInt64>, _ window: Int, into target: UnsafeMutableRawPointer) {
      let bit = window &* Self.windowSize
      let word = exponent[bit / 64] &>> UInt64(truncatingIfNeeded: bit % 64)
      let digit = Lanes(word & UInt64(truncatingIfNeeded: Self.entryCount &- 1))
      TableScan.copy(entry(0), size: size, step: size, count: Self.entryCount, digit, into: target)
    }
  }
#endif
