// Montgomery's multiplication of eight pairs of numbers modulo one number: each lane of a register has a digit of
// another pair. Digits are taken four at a time, so that sixteen products of two digits need eight numbers of memory.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  /// Four digits of each of eight numbers, the lowest in `a`.
  struct FourDigits {
    var a, b, c, d: Lanes

    @inline(always) init(_ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }
    /// - Parameter place: aligned to 64.
    @inline(always) init(_ place: UnsafeRawPointer) {
      self.init(Lanes(place), Lanes(place + 64), Lanes(place + 128), Lanes(place + 192))
    }
    /// Four digits in words, the same in each lane.
    @inline(always) init(words place: UnsafeRawPointer) {
      self.init(
        Lanes(wordAt: place), Lanes(wordAt: place + 8), Lanes(wordAt: place + 16), Lanes(wordAt: place + 24))
    }
    @inline(always) func store(_ place: UnsafeMutableRawPointer) {
      a.store(place)
      b.store(place + 64)
      c.store(place + 128)
      d.store(place + 192)
    }

    @inline(always) static var zero: Self { Self(.zero, .zero, .zero, .zero) }
    @inline(always) static var size: Int { 4 &* Lanes.size }
    @inline(always) static func + (x: Self, y: Self) -> Self { Self(x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d) }
  }

  /// Eight columns of a product of four digits and four, nothing carried.
  struct EightColumns {
    private(set) var lower, upper: FourDigits

    @inline(always) static var zero: Self { Self(lower: .zero, upper: .zero) }

    @inline(always) mutating func add(_ x: FourDigits, times y: FourDigits) {
      lower.a = lower.a.low(x.a, y.a)
      lower.b = lower.b.low(x.a, y.b).low(x.b, y.a).high(x.a, y.a)
      lower.c = lower.c.low(x.a, y.c).low(x.b, y.b).low(x.c, y.a).high(x.a, y.b).high(x.b, y.a)
      lower.d = lower.d.low(x.a, y.d).low(x.b, y.c).low(x.c, y.b).low(x.d, y.a)
        .high(x.a, y.c).high(x.b, y.b).high(x.c, y.a)
      upper.a = upper.a.high(x.a, y.d).high(x.b, y.c).high(x.c, y.b).high(x.d, y.a)
        .low(x.b, y.d).low(x.c, y.c).low(x.d, y.b)
      upper.b = upper.b.high(x.b, y.d).high(x.c, y.c).high(x.d, y.b).low(x.c, y.d).low(x.d, y.c)
      upper.c = upper.c.high(x.c, y.d).high(x.d, y.c).low(x.d, y.d)
      upper.d = upper.d.high(x.d, y.d)
    }

    @inline(always) mutating func add(_ x: FourDigits) { lower = lower + x }

    @inline(always) mutating func double() {
      lower = lower + lower
      upper = upper + upper
    }

    /// Doubles, and adds the square of four digits.
    @inline(always) mutating func double(adding x: FourDigits) {
      lower.b = lower.b.low(x.a, x.b)
      lower.c = lower.c.low(x.a, x.c).high(x.a, x.b)
      lower.d = lower.d.low(x.a, x.d).low(x.b, x.c).high(x.a, x.c)
      upper.a = upper.a.high(x.a, x.d).high(x.b, x.c).low(x.b, x.d)
      upper.b = upper.b.high(x.b, x.d).low(x.c, x.d)
      upper.c = upper.c.high(x.c, x.d)
      double()
      lower.a = lower.a.low(x.a, x.a)
      lower.b = lower.b.high(x.a, x.a)
      lower.c = lower.c.low(x.b, x.b)
      lower.d = lower.d.high(x.b, x.b)
      upper.a = upper.a.low(x.c, x.c)
      upper.b = upper.b.high(x.c, x.c)
      upper.c = upper.c.low(x.d, x.d)
      upper.d = upper.d.high(x.d, x.d)
    }

    /// Adds the multiple of a modulus that makes the four lower columns 0, and carries out of them.
    ///
    /// - Parameters:
    ///   - n: the four lowest digits of the modulus.
    ///   - factor: -1/modulus modulo 2⁵².
    /// - Returns: the multiple.
    @inline(always) mutating func cancel(_ n: FourDigits, _ factor: Lanes) -> FourDigits {
      func multiple(_ column: Lanes) -> Lanes { Lanes.zero.low(column, factor) }
      /// What a column carries. Its sum with the multiple ends with 52 bits that are 0, so it is one more if they were
      /// not 0 before.
      func carry(_ column: Lanes) -> Lanes { (column + .digitMask) >> 52 }
      let a = multiple(lower.a)
      lower.b = (lower.b + carry(lower.a)).low(n.b, a) + Lanes.zero.high(n.a, a)
      let b = multiple(lower.b)
      lower.c = (lower.c.low(n.c, a).high(n.b, a) + carry(lower.b)).low(n.b, b) + Lanes.zero.high(n.a, b)
      let c = multiple(lower.c)
      lower.d =
        (lower.d.low(n.d, a).high(n.c, a).low(n.c, b).high(n.b, b) + carry(lower.c)).low(n.b, c)
        + Lanes.zero.high(n.a, c)
      let d = multiple(lower.d)
      upper.a = (upper.a + carry(lower.d)).high(n.d, a).low(n.d, b).high(n.c, b).low(n.c, c).high(n.b, c)
        .low(n.b, d).high(n.a, d)
      upper.b = upper.b.high(n.d, b).low(n.d, c).high(n.c, c).low(n.c, d).high(n.b, d)
      upper.c = upper.c.high(n.d, c).low(n.d, d).high(n.c, d)
      upper.d = upper.d.high(n.d, d)
      return FourDigits(a, b, c, d)
    }

    /// The four lower columns, carried from digit to digit.
    @inline(always) func carried(_ carry: inout Lanes) -> FourDigits {
      let a = lower.a + carry
      let b = lower.b + (a >> 52)
      let c = lower.c + (b >> 52)
      let d = lower.d + (c >> 52)
      carry = d >> 52
      return FourDigits(a & .digitMask, b & .digitMask, c & .digitMask, d & .digitMask)
    }
  }

  /// A modulus for eight pairs of numbers, which are in memory: eight lanes a digit.
  struct EightProducts {
    /// The modulus in words, a digit each.
    let modulus: UnsafeRawPointer
    /// -1/modulus modulo 2⁵².
    let factor: UInt64
    /// As much memory as eight numbers have.
    let multiples: UnsafeMutableRawPointer
    /// Groups of four digits. R is 2 to the power of 208 for each, and at least four times the modulus.
    let groups: Int

    /// z = x·y/R, below twice the modulus n. With `isSquare`, y is x. z may be x or y.
    ///
    /// - Range: x < 2n, y < 2n, 4n ≤ R; result < 2n
    /// - Timing: depends on `groups` and `isSquare` only.
    @inline(never)
    func multiply(
      _ x: UnsafeRawPointer, _ y: UnsafeRawPointer, into z: UnsafeMutableRawPointer, isSquare: Bool = false
    ) {
      let (factor, size) = (Lanes(factor), FourDigits.size)
      var (upper, carry) = (FourDigits.zero, Lanes.zero)
      for column in 0..<2 &* groups {
        var sum = EightColumns.zero
        let first = max(0, column &- groups &+ 1)
        var index = first
        // Of a square, products of two different groups are summed up once, and doubled.
        let end = isSquare ? (column &+ 1) / 2 : column &- first &+ 1
        while index < end {
          sum.add(FourDigits(x + index &* size), times: FourDigits(y + (column &- index) &* size))
          index &+= 1
        }
        if isSquare {
          if column & 1 == 0 { sum.double(adding: FourDigits(x + index &* size)) } else { sum.double() }
        }
        sum.add(upper)
        index = first
        while index < min(column, groups) {
          sum.add(FourDigits(multiples + index &* size), times: FourDigits(words: modulus + (column &- index) &* 32))
          index &+= 1
        }
        if column < groups {
          sum.cancel(FourDigits(words: modulus), factor).store(multiples + column &* size)
        } else {
          sum.carried(&carry).store(z + (column &- groups) &* size)
        }
        upper = sum.upper
      }
    }
  }
#endif
