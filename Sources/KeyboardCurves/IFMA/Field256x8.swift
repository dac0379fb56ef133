// Arithmetic modulo the primes of P-256 and SM2 on eight numbers side by side, in Montgomery form with R = 2²⁶⁰: x is
// held as x·R.
//
// Five limbs of 52 bits, each below 2⁵². A number is below 2p and need not be below p: R is sixteen times as large as
// the prime, so that a product of two numbers below 4p comes out below 2p without a last subtraction.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin

  /// The choice of the prime is no secret. It is a value and not a type, so that the code is there once.
  enum Prime: Int {
    case p256
    case sm2

    /// For each prime, in limbs: p, whose second limb is one more than that of the prime (see `reduced`); 2²⁵⁶ - p; 4p,
    /// with limbs so large that a number below 2p can be subtracted limb by limb; 1 and R, in Montgomery form.
    static let words: InlineArray<50, UInt64> = [
      0x000f_ffff_ffff_ffff, 0x0000_1000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0010_0000_0000, 0x0000_ffff_ffff_0000,
      0x0000_0000_0000_0001, 0x000f_f000_0000_0000, 0x000f_ffff_ffff_ffff, 0x000f_ffef_ffff_ffff, 0x0000_0000_0000_ffff,
      0x001f_ffff_ffff_fffc, 0x0010_3fff_ffff_fffe, 0x000f_ffff_ffff_ffff, 0x0010_003f_ffff_ffff, 0x0003_ffff_fffb_ffff,
      0x0000_0000_0000_0010, 0x000f_0000_0000_0000, 0x000f_ffff_ffff_ffff, 0x000f_feff_ffff_ffff, 0x0000_0000_000f_ffff,
      0x0000_0000_0000_0300, 0x000f_ffff_fff0_0000, 0x000f_fffe_ffff_fffb, 0x000f_dfff_ffff_ffff, 0x0000_0000_04ff_ffff,

      0x000f_ffff_ffff_ffff, 0x000f_f000_0000_1000, 0x000f_ffff_ffff_ffff, 0x000f_ffff_ffff_ffff, 0x0000_ffff_fffe_ffff,
      0x0000_0000_0000_0001, 0x0000_0fff_ffff_f000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0001_0000,
      0x001f_ffff_ffff_fffc, 0x001f_c000_0000_3ffe, 0x001f_ffff_ffff_fffe, 0x001f_ffff_ffff_fffe, 0x0003_ffff_fffb_fffe,
      0x0000_0000_0000_0010, 0x0000_ffff_ffff_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0010_0000,
      0x0000_0200_0000_0300, 0x000f_ffff_fff0_0000, 0x0000_0001_0000_0002, 0x0000_2000_0000_1000, 0x0000_0000_0400_0000,
    ]

    @inline(always) func word(_ index: Int) -> UInt64 { Self.words[unchecked: 25 &* rawValue &+ index] }

    @inline(always) private func lanes(_ index: Int) -> Lanes { Lanes(word(index)) }

    @inline(always) private func five(_ first: Int) -> Limbs8 {
      Limbs8(lanes(first), lanes(first &+ 1), lanes(first &+ 2), lanes(first &+ 3), lanes(first &+ 4))
    }

    @inline(always) var p: Limbs8 { five(0) }
    @inline(always) var complement: Limbs8 { five(5) }
    @inline(always) var fourfold: Limbs8 { five(10) }
    @inline(always) var one: Limbs8 { five(15) }
    @inline(always) var r: Limbs8 { five(20) }
  }

  /// Eight numbers modulo a prime, below 2p, in Montgomery form.
  struct Field256x8: BitwiseCopyable {
    var limbs: Limbs8
    let prime: Prime

    @inline(always) init(_ limbs: Limbs8, _ prime: Prime) {
      self.limbs = limbs
      self.prime = prime
    }

    @inline(always) private static var limbMask: Lanes { Lanes(1 &<< 52 &- 1) }

    // MARK: Products

    /// (x·y + m·p)/R for the m that makes it divisible, below (x/4p · y/4p + 1)·p. Five steps, each of which shifts out
    /// a limb. -1/p is 1 modulo 2⁵², so a step's m is the limb itself; and because the lowest limb of p is 2⁵² - 1, the
    /// product with it only carries another m, for which the second limb of p is one larger.
    @inline(always) private static func reduced(_ t: Columns, _ prime: Prime) -> Limbs8 {
      let (mask, p) = (limbMask, prime.p)
      var (s0, s1, s2, s3, s4) = (t.l0, t.l1 + t.h1, t.l2 + t.h2, t.l3 + t.h3, t.l4 + t.h4)
      var (s5, s6, s7, s8, s9) = (t.l5 + t.h5, t.l6 + t.h6, t.l7 + t.h7, t.l8 + t.h8, t.h9)
      func step(
        _ s0: Lanes, _ s1: inout Lanes, _ s2: inout Lanes, _ s3: inout Lanes, _ s4: inout Lanes, _ s5: inout Lanes
      ) {
        let m = s0 & mask
        s1 = (s1 + (s0 >> 52)).low(m, p.b)
        s2 = s2.high(m, p.b).low(m, p.c)
        s3 = s3.high(m, p.c).low(m, p.d)
        s4 = s4.high(m, p.d).low(m, p.e)
        s5 = s5.high(m, p.e)
      }
      step(s0, &s1, &s2, &s3, &s4, &s5)
      step(s1, &s2, &s3, &s4, &s5, &s6)
      step(s2, &s3, &s4, &s5, &s6, &s7)
      step(s3, &s4, &s5, &s6, &s7, &s8)
      step(s4, &s5, &s6, &s7, &s8, &s9)
      return rippled(Limbs8(s5, s6, s7, s8, s9))
    }

    /// Carries from limb to limb. Limbs may be negative, the number not.
    @inline(always) private static func rippled(_ x: Limbs8) -> Limbs8 {
      let mask = limbMask
      let b = x.b + x.a.shiftedSigned(52)
      let c = x.c + b.shiftedSigned(52)
      let d = x.d + c.shiftedSigned(52)
      let e = x.e + d.shiftedSigned(52)
      return Limbs8(x.a & mask, b & mask, c & mask, d & mask, e)
    }

    @inline(never) private static func product(_ x: Limbs8, _ y: Limbs8, _ prime: Prime) -> Limbs8 {
      reduced(Columns(x, y), prime)
    }

    @inline(never) private static func square(_ x: Limbs8, _ prime: Prime, times count: Int) -> Limbs8 {
      var r = x
      for _ in 0..<count { r = reduced(Columns(squareOf: r), prime) }
      return r
    }

    @inline(always) static func * (x: Self, y: Self) -> Self { x.with(product(x.limbs, y.limbs, x.prime)) }
    @inline(always) var squared: Self { squared(1) }
    /// self^(2^count), count ≥ 1
    @inline(always) func squared(_ count: Int) -> Self { with(Self.square(limbs, prime, times: count)) }

    @inline(always) private func with(_ limbs: Limbs8) -> Self { Self(limbs, prime) }

    // MARK: Sums

    /// The same number below 2p, of one below 16p whose limbs are not negative and below 2⁵⁶. What is above bit 256 is
    /// taken off and comes back as so many times 2²⁵⁶ - p.
    @inline(always) private static func folded(_ x: Limbs8, _ prime: Prime) -> Limbs8 {
      let q = x.e >> 48
      let back = prime.complement
      let e = x.e & Lanes(1 &<< 48 &- 1)
      return rippled(
        Limbs8(
          x.a.low(q, back.a), x.b.high(q, back.a).low(q, back.b), x.c.high(q, back.b).low(q, back.c),
          x.d.high(q, back.c).low(q, back.d), e.high(q, back.d).low(q, back.e)))
    }

    /// self + y and self - y, compiled where they are used: in the doubling and the addition of points. `+` and `-` are
    /// the same in one place.
    @inline(always) func plus(_ y: Self) -> Self { with(Self.folded(limbs + y.limbs, prime)) }
    @inline(always) func minus(_ y: Self) -> Self { with(Self.folded(limbs + prime.fourfold - y.limbs, prime)) }

    @inline(never) private static func sum(_ x: Limbs8, _ y: Limbs8, _ prime: Prime) -> Limbs8 {
      folded(x + y, prime)
    }
    @inline(always) static func + (x: Self, y: Self) -> Self { x.with(sum(x.limbs, y.limbs, x.prime)) }
    @inline(always) static func - (x: Self, y: Self) -> Self {
      x.with(sum(x.limbs, x.prime.fourfold - y.limbs, x.prime))
    }
    @inline(always) var doubled: Self { self + self }
    @inline(always) var tripled: Self { with(Self.folded(limbs + limbs + limbs, prime)) }

    /// -self where the mask is all ones.
    @inline(always) func negated(where mask: Lanes) -> Self {
      let opposite = Self.folded(prime.fourfold - limbs, prime)
      return with(limbs ^ ((limbs ^ opposite) & mask))
    }

    // MARK: Numbers

    @inline(always) static func one(_ prime: Prime) -> Self { Self(prime.one, prime) }

    /// Reads 32 bytes of each lane, the most significant first, into Montgomery form. They may be any number.
    @inline(always) init(_ place: (Int) -> UnsafeRawPointer, _ prime: Prime) {
      let mask = Self.limbMask
      let w0 = Lanes(word: 3, of: place, bigEndian: true)
      let w1 = Lanes(word: 2, of: place, bigEndian: true)
      let w2 = Lanes(word: 1, of: place, bigEndian: true)
      let w3 = Lanes(word: 0, of: place, bigEndian: true)
      let number = Limbs8(
        w0 & mask, (w0 >> 52 | w1 << 12) & mask, (w1 >> 40 | w2 << 24) & mask, (w2 >> 28 | w3 << 36) & mask, w3 >> 16)
      self.init(Self.product(number, prime.r, prime), prime)
    }

    /// Writes 32 bytes of each of the first lanes, the most significant first: the number below p, not in Montgomery
    /// form.
    @inline(never) func store(count: Int, to place: UnsafeMutableRawPointer, stride: Int) {
      let mask = Self.limbMask
      let one = Limbs8(Lanes(1), .zero, .zero, .zero, .zero)
      let number = Self.product(limbs, one, prime)
      // At most p. Less p, and p again where that is negative.
      var p = prime.p
      p.b = p.b - Lanes(1)
      let difference = Self.rippled(number - p)
      let x = Self.rippled(difference + (p & difference.e.shiftedSigned(63)))
      let words = (x.a | x.b << 52, x.b >> 12 | x.c << 40, x.c >> 24 | x.d << 28, x.d >> 36 | (x.e & mask) << 16)
      for lane in 0..<count {
        let place = place + lane &* stride
        place.storeBytes(of: words.3[lane].byteSwapped, as: UInt64.self)
        place.storeBytes(of: words.2[lane].byteSwapped, toByteOffset: 8, as: UInt64.self)
        place.storeBytes(of: words.1[lane].byteSwapped, toByteOffset: 16, as: UInt64.self)
        place.storeBytes(of: words.0[lane].byteSwapped, toByteOffset: 24, as: UInt64.self)
      }
    }

    /// 1/self, and 0 for 0, by Fermat: self^(p - 2).
    @_optimize(size) @inline(never) func inverted() -> Self {
      /// r^(2^count) · factor, in one place, because every value takes room on the stack.
      @inline(never) func raised(_ r: Self, _ count: Int, _ factor: Self) -> Self { r.squared(count) * factor }
      // onesN is self^(2^N - 1).
      let ones2 = raised(self, 1, self)
      let ones4 = raised(ones2, 2, ones2)
      let ones8 = raised(ones4, 4, ones4)
      var r = raised(ones8, 8, ones8)
      r = raised(r, 8, ones8)
      r = raised(r, 4, ones4)
      let ones30 = raised(r, 2, ones2)
      let ones31 = raised(ones30, 1, self)
      let ones32 = raised(ones31, 1, self)
      if prime == .p256 {
        // ffffffff 00000001 00000000 00000000 00000000 ffffffff ffffffff fffffffd
        r = raised(ones32, 32, self)
        r = raised(r, 128, ones32)
        r = raised(r, 32, ones32)
      } else {
        // fffffffe ffffffff ffffffff ffffffff ffffffff 00000000 ffffffff fffffffd
        r = ones31.squared
        for _ in 0..<4 { r = raised(r, 32, ones32) }
        r = raised(r, 64, ones32)
      }
      return raised(raised(r, 30, ones30), 2, self)
    }
  }
#endif
