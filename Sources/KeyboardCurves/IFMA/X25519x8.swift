// Eight X25519 under one scalar, side by side. (RFC 7748)
//
// Five limbs of 51 bits. A limb may have a little more: what is multiplied must be below 2⁵², because the processor
// drops higher bits. After `carried` a limb is below 2⁵¹ + 2¹⁰, so sums and differences are carried before they are
// multiplied.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin

  struct Field25519x8: BitwiseCopyable {
    var limbs: Limbs8

    @inline(always) init(_ limbs: Limbs8) { self.limbs = limbs }

    @inline(always) static var zero: Self { Self(.zero) }
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

    /// Carries each limb once, all at a time. For limbs below 2⁶¹.
    @inline(always) private static func carried(_ x: Limbs8) -> Self {
      let mask = Lanes(limbMask)
      return Self(
        Limbs8(
          (x.a & mask) + (x.e >> 51).times19, (x.b & mask) + (x.a >> 51), (x.c & mask) + (x.b >> 51),
          (x.d & mask) + (x.c >> 51), (x.e & mask) + (x.d >> 51)))
    }

    /// 2²⁵⁵ is 19. The high half of a product of 52 bits begins at bit 52, so it counts twice at the next limb.
    @inline(always) private static func reduced(_ t: Columns) -> Self {
      carried(
        Limbs8(
          t.l0 + (t.l5 + t.h5.doubled).times19, t.l1 + t.h1.doubled + (t.l6 + t.h6.doubled).times19,
          t.l2 + t.h2.doubled + (t.l7 + t.h7.doubled).times19, t.l3 + t.h3.doubled + (t.l8 + t.h8.doubled).times19,
          t.l4 + t.h4.doubled + t.h9.doubled.times19))
    }

    /// Compiled where it is used: for the ladder.
    @inline(always) func times(_ y: Self) -> Self { Self.reduced(Columns(limbs, y.limbs)) }
    @inline(always) var squaredHere: Self { Self.reduced(Columns(squareOf: limbs)) }

    @inline(never) static func * (x: Self, y: Self) -> Self { x.times(y) }

    /// self^(2^count), count ≥ 1
    @inline(never) func squared(_ count: Int) -> Self {
      var r = self
      for _ in 0..<count { r = r.squaredHere }
      return r
    }

    @inline(always) static func + (x: Self, y: Self) -> Self { carried(x.limbs + y.limbs) }

    /// x + 4p - y: no limb becomes negative.
    @inline(always) static func - (x: Self, y: Self) -> Self {
      let (lowest, other) = (Lanes(0x1f_ffff_ffff_ffb4), Lanes(0x1f_ffff_ffff_fffc))
      return carried(x.limbs + Limbs8(lowest, other, other, other, other) - y.limbs)
    }

    /// 121665·self + y
    @inline(always) func times121665(plus y: Self) -> Self {
      let factor = Lanes(121665)
      func high(_ x: Lanes) -> Lanes { Lanes.zero.high(x, factor).doubled }
      return Self.carried(
        Limbs8(
          y.limbs.a.low(limbs.a, factor) + high(limbs.e).times19, y.limbs.b.low(limbs.b, factor) + high(limbs.a),
          y.limbs.c.low(limbs.c, factor) + high(limbs.b), y.limbs.d.low(limbs.d, factor) + high(limbs.c),
          y.limbs.e.low(limbs.e, factor) + high(limbs.d)))
    }

    /// Exchanges `x` and `y` where the mask is all ones.
    @inline(always) static func exchange(_ mask: Lanes, _ x: inout Self, _ y: inout Self) {
      let difference = (x.limbs ^ y.limbs) & mask
      x.limbs = x.limbs ^ difference
      y.limbs = y.limbs ^ difference
    }

    /// 1/self by Fermat: self^(p - 2). 0 gives 0.
    @_optimize(size) @inline(never) func inverted() -> Self {
      let x2 = squared(1)
      let x9 = x2.squared(2) * self
      let x11 = x9 * x2
      // ones5 is self^(2⁵ - 1), and so on.
      let ones5 = x11.squared(1) * x9
      let ones10 = ones5.squared(5) * ones5
      let ones20 = ones10.squared(10) * ones10
      let ones40 = ones20.squared(20) * ones20
      let ones50 = ones40.squared(10) * ones10
      let ones100 = ones50.squared(50) * ones50
      let ones200 = ones100.squared(100) * ones100
      let ones250 = ones200.squared(50) * ones50
      return ones250.squared(5) * x11
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
  /// up to 17 KB deep on the stack, which the caller wipes.
  public enum CurvesIFMA {
    /// X25519 of one scalar and eight u-coordinates.
    ///
    /// - Parameters:
    ///   - scalar: 32 bytes, little-endian; clamped here. They must not change during the call.
    ///   - u: the first of `count` u-coordinates of 32 bytes, at any address.
    ///   - output: the first of as many outputs.
    ///   - stride: bytes from one u-coordinate to the next, and from one output to the next.
    ///   - count: 1…8.
    ///   - one: 1, in a way that the optimiser cannot see.
    /// - Returns: a bit for each lane, the first one's lowest: 1 if its output is all zero.
    /// - Timing: depends on `count`.
    @inline(never) @export(interface)
    public static func x25519(
      _ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer, into output: UnsafeMutableRawPointer, stride: Int, count: Int,
      one: UInt64
    ) -> UInt64 {
      // Lanes that are not needed compute what the first one does.
      let x1 = Field25519x8 { u + ($0 < count ? $0 &* stride : 0) }
      var (x2, z2, x3, z3) = (Field25519x8.one, Field25519x8.zero, x1, Field25519x8.one)
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
      let x = (x2 * z2.inverted()).canonical
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
    @inline(always) private static func clampedWord(_ scalar: UnsafeRawPointer, _ index: Int) -> UInt64 {
      let word = scalar.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
      if index == 0 { return word & ~7 }
      if index == 3 { return (word & 0x3fff_ffff_ffff_ffff) | 0x4000_0000_0000_0000 }
      return word
    }

    /// One step of the ladder: doubles (x2 : z2) and adds it to (x3 : z3), whose difference is x1.
    @inline(always) private static func step(
      _ x1: Field25519x8, _ x2: inout Field25519x8, _ z2: inout Field25519x8, _ x3: inout Field25519x8,
      _ z3: inout Field25519x8
    ) {
      let a = x2 + z2
      let b = x2 - z2
      let da = (x3 - z3) * a
      let cb = (x3 + z3) * b
      let aa = a.squared(1)
      let bb = b.squared(1)
      x3 = (da + cb).squared(1)
      z3 = (da - cb).squared(1) * x1
      x2 = aa * bb
      let e = aa - bb
      z2 = e * e.times121665(plus: aa)
    }
  }
#endif
