// Eight X25519 under one scalar, side by side. (RFC 7748)
//
// Five limbs of 51 bits. A limb may have a little more: what is multiplied must be below 2⁵², because the processor
// drops higher bits. A `Field25519x8` is carried: its limbs are below 2⁵¹ + 2¹⁸. What a product leaves is a `Limbs8`,
// whose limbs are below 2⁵⁹: it may be added or subtracted as it is, and is carried afterwards.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin

  struct Field25519x8: BitwiseCopyable {
    var limbs: Limbs8

    @inline(always) init(_ limbs: Limbs8) { self.limbs = limbs }

    @inline(always) static var one: Self { Self(Limbs8(Lanes(1), .zero, .zero, .zero, .zero)) }
    @inline(always) private static var limbMask: UInt64 { 1 &<< 51 &- 1 }

    /// Reads 32 bytes of each lane, the least significant first, without bit 255. (RFC 7748 §5)
    @inline(always) init(_ place: (Int) -> UnsafeRawPointer) {
      let mask = Lanes(Self.limbMask)
      let w0 = Lanes(word: 0, of: place, bigEndian: false)
      let w1 = Lanes(word: 1, of: place, bigEndian: false)
      let w2 = Lanes(word: 2, of: place, bigEndian: false)
      let w3 = Lanes(word: 3, of: place, bigEndian: false)
      limbs = Limbs8(
        w0 & mask, (w0 >> 51 | w1 << 13) & mask, (w1 >> 38 | w2 << 26) & mask, (w2 >> 25 | w3 << 39) & mask,
        w3 >> 12 & mask)
    }

    /// Carries each limb once, all at a time.
    @inline(always) init(carrying x: Limbs8) {
      let mask = Lanes(Self.limbMask)
      limbs = Limbs8(
        (x.a & mask).low(x.e >> 51, Lanes(19)), (x.b & mask) + (x.a >> 51), (x.c & mask) + (x.b >> 51),
        (x.d & mask) + (x.c >> 51), (x.e & mask) + (x.d >> 51))
    }

    // MARK: Products

    // A column is what belongs to one limb. The high half of a product begins at bit 52 and not 51, so it counts twice
    // at the next limb. Each column is summed up in one register, first what is doubled: that takes a sixth of the
    // instructions away that one register for each kind of half takes.

    /// The number of ten columns, in limbs below 2⁵⁹, because 2²⁵⁵ is 19.
    ///
    /// - Parameters:
    ///   - start: what column 0 began with, and half of what columns 1 to 4 begin with. It comes to the limbs.
    ///   - high: columns 5 to 9, which are below 2⁵⁵.
    ///   - low: adds columns 1 to 4 to something that counts twice.
    @inline(always) private static func folded(
      _ start: Limbs8, _ high: Limbs8, _ column0: Lanes,
      _ low: (
        column1: (Lanes) -> Lanes, column2: (Lanes) -> Lanes, column3: (Lanes) -> Lanes, column4: (Lanes) -> Lanes
      )
    ) -> Limbs8 {
      // 19 is 1 + 2 + 16. As a multiplication it would take eight instructions.
      func fold(_ low: Lanes, _ high: Lanes) -> Lanes { (low + high) + (high.rotated(1) + high.rotated(4)) }
      let (column1, column2) = (low.column1(start.b), low.column2(start.c))
      let (column3, column4) = (low.column3(start.d), low.column4(start.e))
      return Limbs8(
        fold(column0, high.a), fold(column1, high.b), fold(column2, high.c), fold(column3, high.d),
        fold(column4, high.e))
    }

    @inline(always) func times(_ other: Self, plus start: Limbs8 = .zero) -> Limbs8 {
      let (x, y, zero) = (limbs, other.limbs, Lanes.zero)
      let high = Limbs8(
        zero.high(x.a, y.e).high(x.b, y.d).high(x.c, y.c).high(x.d, y.b).high(x.e, y.a).doubled
          .low(x.b, y.e).low(x.c, y.d).low(x.d, y.c).low(x.e, y.b),
        zero.high(x.b, y.e).high(x.c, y.d).high(x.d, y.c).high(x.e, y.b).doubled
          .low(x.c, y.e).low(x.d, y.d).low(x.e, y.c),
        zero.high(x.c, y.e).high(x.d, y.d).high(x.e, y.c).doubled.low(x.d, y.e).low(x.e, y.d),
        zero.high(x.d, y.e).high(x.e, y.d).doubled.low(x.e, y.e), zero.high(x.e, y.e).doubled)
      return Self.folded(
        start, high, start.a.low(x.a, y.a),
        (
          { $0.high(x.a, y.a).doubled.low(x.a, y.b).low(x.b, y.a) },
          { $0.high(x.a, y.b).high(x.b, y.a).doubled.low(x.a, y.c).low(x.b, y.b).low(x.c, y.a) },
          {
            $0.high(x.a, y.c).high(x.b, y.b).high(x.c, y.a).doubled
              .low(x.a, y.d).low(x.b, y.c).low(x.c, y.b).low(x.d, y.a)
          },
          {
            $0.high(x.a, y.d).high(x.b, y.c).high(x.c, y.b).high(x.d, y.a).doubled
              .low(x.a, y.e).low(x.b, y.d).low(x.c, y.c).low(x.d, y.b).low(x.e, y.a)
          }
        ))
    }

    /// Products of two different limbs are doubled as sums: a doubled limb could pass 2⁵².
    @inline(always) func squared(plus start: Limbs8 = .zero) -> Limbs8 {
      let (x, zero) = (limbs, Lanes.zero)
      let high = Limbs8(
        zero.high(x.a, x.e).high(x.b, x.d).doubled.high(x.c, x.c).low(x.b, x.e).low(x.c, x.d).doubled,
        zero.high(x.b, x.e).high(x.c, x.d).doubled.low(x.c, x.e).doubled.low(x.d, x.d),
        zero.high(x.c, x.e).doubled.high(x.d, x.d).low(x.d, x.e).doubled,
        zero.high(x.d, x.e).doubled.doubled.low(x.e, x.e), zero.high(x.e, x.e).doubled)
      return Self.folded(
        start, high, start.a.low(x.a, x.a),
        (
          { $0.high(x.a, x.a).low(x.a, x.b).doubled },
          { $0.doubled.low(x.b, x.b) + zero.high(x.a, x.b).doubled.low(x.a, x.c).doubled },
          { $0.high(x.b, x.b).low(x.a, x.d).low(x.b, x.c).doubled + zero.high(x.a, x.c).doubled.doubled },
          {
            $0.doubled.low(x.c, x.c)
              + zero.high(x.a, x.d).high(x.b, x.c).doubled.low(x.a, x.e).low(x.b, x.d).doubled
          }
        ))
    }

    // For the inversion: not compiled into it, and in one place each, because every value takes room on the stack.
    // `make prove` shows of these two what they compute.

    /// self·other, where x is self and y the other, each limb of them.
    ///
    /// - Range: x < 2⁵¹ + 2¹⁸, y < 2⁵¹ + 2¹⁸; result < 2⁵¹ + 2¹³
    @inline(never) mutating func multiply(by other: Self) { self = Self(carrying: times(other)) }

    /// self^(2^count)
    ///
    /// - Range: x < 2⁵¹ + 2¹⁸; result < 2⁵¹ + 2¹³
    @inline(never) mutating func square(_ count: Int) {
      var r = self
      for _ in 0..<count { r = Self(carrying: r.squared()) }
      self = r
    }

    // MARK: Sums

    /// The sum of two numbers with limbs below 2⁶⁰.
    @inline(always) static func sum(_ x: Limbs8, _ y: Limbs8) -> Self { Self(carrying: x + y) }

    /// x + 512p - y, for limbs of both below 2⁵⁹: none becomes negative.
    @inline(always) static func difference(_ x: Limbs8, _ y: Limbs8) -> Self {
      let (lowest, other) = (Lanes((1 &<< 51 &- 19) &<< 9), Lanes((1 &<< 51 &- 1) &<< 9))
      return Self(carrying: x + Limbs8(lowest, other, other, other, other) - y)
    }

    /// 121665·self + y
    @inline(always) func times121665(plus y: Self) -> Self {
      let factor = Lanes(121665)
      func high(_ x: Lanes) -> Lanes { Lanes.zero.high(x, factor).doubled }
      return Self(
        carrying: Limbs8(
          y.limbs.a.low(limbs.a, factor).low(high(limbs.e), Lanes(19)), y.limbs.b.low(limbs.b, factor) + high(limbs.a),
          y.limbs.c.low(limbs.c, factor) + high(limbs.b), y.limbs.d.low(limbs.d, factor) + high(limbs.c),
          y.limbs.e.low(limbs.e, factor) + high(limbs.d)))
    }

    /// Exchanges `x` and `y` where the mask is all ones.
    @inline(always) static func exchange(_ mask: Lanes, _ x: inout Limbs8, _ y: inout Limbs8) {
      let difference = (x ^ y) & mask
      x = x ^ difference
      y = y ^ difference
    }

    /// Becomes 1/self by Fermat: self^(p - 2). 0 becomes 0.
    ///
    /// - Range: x < 2⁵¹ + 2¹⁸; result < 2⁵¹ + 2¹³
    @_optimize(size) @inline(never) mutating func invert() {
      var r = self
      r.square(1)
      var x11 = r
      r.square(2)
      r.multiply(by: self)
      x11.multiply(by: r)
      // ones50 is self^(2⁵⁰ - 1), and so on.
      var ones = x11
      ones.square(1)
      r.multiply(by: ones)
      ones = r
      r.square(5)
      r.multiply(by: ones)
      let ones10 = r
      r.square(10)
      r.multiply(by: ones10)
      ones = r
      r.square(20)
      r.multiply(by: ones)
      r.square(10)
      r.multiply(by: ones10)
      let ones50 = r
      r.square(50)
      r.multiply(by: ones50)
      ones = r
      r.square(100)
      r.multiply(by: ones)
      r.square(50)
      r.multiply(by: ones50)
      r.square(5)
      r.multiply(by: x11)
      self = r
    }

    /// The number below 2²⁵⁵ - 19, in limbs of 51 bits.
    @inline(always) var canonical: Limbs8 {
      let mask = Lanes(Self.limbMask)
      /// Carries from limb to limb, after `first` was added; drops what leaves the highest one.
      func rippled(_ x: Limbs8, adding first: Lanes) -> (Limbs8, over: Lanes) {
        let a = x.a + first
        let b = x.b + (a >> 51)
        let c = x.c + (b >> 51)
        let d = x.d + (c >> 51)
        let e = x.e + (d >> 51)
        return (Limbs8(a & mask, b & mask, c & mask, d & mask, e & mask), e >> 51)
      }
      // Twice, because the first fold may carry again; then the number is below 2²⁵⁵.
      let (once, over) = rippled(limbs, adding: .zero)
      let (twice, again) = rippled(once, adding: over.times19)
      let (small, _) = rippled(twice, adding: again.times19)
      // number + 19 reaches 2²⁵⁵ where the number is not below the prime.
      let (_, isLarge) = rippled(small, adding: Lanes(19))
      return rippled(small, adding: isLarge.times19).0
    }
  }

  /// Curves on eight points at a time, for processors with AVX-512 IFMA. The functions leave secrets in registers and
  /// up to 5 KB deep on the stack, which the caller wipes.
  public enum CurvesIFMA {
    /// X25519 of one scalar and eight u-coordinates.
    ///
    /// `make prove` shows what a step computes, and that between two steps limbs of x and z are in their ranges.
    ///
    /// - Parameters:
    ///   - scalar: 32 bytes, little-endian; clamped here. They must not change during the call.
    ///   - u: the first of `count` u-coordinates of 32 bytes, at any address.
    ///   - output: the first of as many outputs.
    ///   - stride: bytes from one u-coordinate to the next, and from one output to the next.
    ///   - count: 1…8.
    ///   - one: 1, in a way that the optimiser cannot see.
    /// - Returns: a bit for each lane, the first one's lowest: 1 if its output is all zero.
    /// - Range: x < 2⁵⁹, z < 2⁵⁹; result < 2⁵¹ + 2¹⁸
    /// - Timing: depends on `count`.
    @inline(never) @export(interface)
    public static func x25519(
      _ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer, into output: UnsafeMutableRawPointer, stride: Int, count: Int,
      one: UInt64
    ) -> UInt64 {
      // Lanes that are not needed compute what the first one does.
      let x1 = Field25519x8 { u + ($0 < count ? $0 &* stride : 0) }
      var (x2, z2, x3, z3) = (Field25519x8.one.limbs, Limbs8.zero, x1.limbs, Field25519x8.one.limbs)
      var previous: UInt64 = 0
      var position = 254
      while position >= 0 {
        let bit = clampedWord(scalar, position &>> 6) &>> UInt64(truncatingIfNeeded: position & 63)
        let mask = Lanes(0 &- ((previous ^ bit) & one))
        Field25519x8.exchange(mask, &x2, &x3)
        Field25519x8.exchange(mask, &z2, &z3)
        previous = bit
        step(x1, &x2, &z2, &x3, &z3)
        position &-= 1
      }
      // The three lowest bits of a clamped scalar are 0, so no exchange is outstanding.
      var result = Field25519x8(carrying: z2)
      result.invert()
      result.multiply(by: Field25519x8(carrying: x2))
      let x = result.canonical
      let words = (x.a | x.b << 51, x.b >> 13 | x.c << 38, x.c >> 26 | x.d << 25, x.d >> 39 | x.e << 12)
      let some = words.0 | words.1 | words.2 | words.3
      var zeros: UInt64 = 0
      for lane in 0..<count {
        let place = output + lane &* stride
        place.storeBytes(of: words.0[lane], as: UInt64.self)
        place.storeBytes(of: words.1[lane], toByteOffset: 8, as: UInt64.self)
        place.storeBytes(of: words.2[lane], toByteOffset: 16, as: UInt64.self)
        place.storeBytes(of: words.3[lane], toByteOffset: 24, as: UInt64.self)
        let word = some[lane]
        zeros |= (((word | (0 &- word)) &>> 63) ^ one) &<< UInt64(truncatingIfNeeded: lane)
      }
      return zeros
    }

    /// Word `index` of the clamped scalar. (RFC 7748 §5)
    @inline(always) static func clampedWord(_ scalar: UnsafeRawPointer, _ index: Int) -> UInt64 {
      let word = scalar.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
      if index == 0 { return word & ~7 }
      if index == 3 { return (word & 0x3fff_ffff_ffff_ffff) | 0x4000_0000_0000_0000 }
      return word
    }

    /// One step of the ladder: doubles (x2 : z2) and adds it to (x3 : z3), whose difference is x1. What is not
    /// multiplied next is not carried.
    @inline(always) private static func step(
      _ x1: Field25519x8, _ x2: inout Limbs8, _ z2: inout Limbs8, _ x3: inout Limbs8, _ z3: inout Limbs8
    ) {
      let a = Field25519x8.sum(x2, z2)
      let b = Field25519x8.difference(x2, z2)
      let da = Field25519x8.difference(x3, z3).times(a)
      let cb = Field25519x8.sum(x3, z3).times(b)
      let aa = Field25519x8(carrying: a.squared())
      let bb = Field25519x8(carrying: b.squared())
      x3 = Field25519x8.sum(da, cb).squared()
      z3 = Field25519x8(carrying: Field25519x8.difference(da, cb).squared()).times(x1)
      x2 = aa.times(bb)
      let e = Field25519x8.difference(aa.limbs, bb.limbs)
      z2 = e.times(e.times121665(plus: aa))
    }
  }
#endif
