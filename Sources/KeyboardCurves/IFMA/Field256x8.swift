// Arithmetic modulo the primes of P-256 and SM2 on eight numbers side by side, in Montgomery form with R = 2²⁶⁰: x is
// held as x·R.
//
// Five limbs of 52 bits, each below 2⁵². A number need not be below p: R is sixteen times as large as the prime, so
// that the product of a number below a·p and one below b·p comes out below (a·b/16 + 1)·p without a last subtraction.
// What is said of sizes below is in p.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin

  /// The choice of the prime is not secret. It is a value and not a type, so that the code is there once.
  enum Prime: Int {
    case p256
    case sm2

    /// For each prime, in limbs: p, whose second limb is one more than that of the prime (see `reduced`); 2²⁵⁶ - p; 8p,
    /// with limbs so large that twice a number below 3p can be subtracted limb by limb; 1 and R, in Montgomery form.
    static let words: InlineArray<50, UInt64> = [
      0x000f_ffff_ffff_ffff, 0x0000_1000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0010_0000_0000, 0x0000_ffff_ffff_0000,
      0x0000_0000_0000_0001, 0x000f_f000_0000_0000, 0x000f_ffff_ffff_ffff, 0x000f_ffef_ffff_ffff, 0x0000_0000_0000_ffff,
      0x003f_ffff_ffff_fff8, 0x0020_7fff_ffff_fffc, 0x001f_ffff_ffff_fffe, 0x0020_007f_ffff_fffe, 0x0007_ffff_fff7_fffe,
      0x0000_0000_0000_0010, 0x000f_0000_0000_0000, 0x000f_ffff_ffff_ffff, 0x000f_feff_ffff_ffff, 0x0000_0000_000f_ffff,
      0x0000_0000_0000_0300, 0x000f_ffff_fff0_0000, 0x000f_fffe_ffff_fffb, 0x000f_dfff_ffff_ffff, 0x0000_0000_04ff_ffff,

      0x000f_ffff_ffff_ffff, 0x000f_f000_0000_1000, 0x000f_ffff_ffff_ffff, 0x000f_ffff_ffff_ffff, 0x0000_ffff_fffe_ffff,
      0x0000_0000_0000_0001, 0x0000_0fff_ffff_f000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0001_0000,
      0x003f_ffff_ffff_fff8, 0x003f_8000_0000_7ffc, 0x003f_ffff_ffff_fffc, 0x003f_ffff_ffff_fffc, 0x0007_ffff_fff7_fffc,
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
    @inline(always) var eightfold: Limbs8 { five(10) }
    @inline(always) var one: Limbs8 { five(15) }
    @inline(always) var r: Limbs8 { five(20) }
  }

  /// Where eight numbers modulo a prime are, in Montgomery form. Aligned to 64 bytes: a vector that crosses a line of
  /// the cache takes twice as long, and Swift's values on the stack are aligned to 16.
  typealias Place8 = UnsafeMutablePointer<Limbs8>

  /// Arithmetic modulo a prime, from memory to memory. A result may be where an operand is.
  ///
  /// `make prove` shows of the functions that state a range what they compute.
  struct Field256x8 {
    let prime: Prime

    @inline(always) init(_ prime: Prime) { self.prime = prime }

    @inline(always) private static var limbMask: Lanes { Lanes(1 &<< 52 &- 1) }

    // MARK: Products

    /// (x·y + m·p)/R for the m that makes it divisible, doubled so many times. Five steps, each of which shifts out
    /// a limb. -1/p is 1 modulo 2⁵², so a step's m is the limb itself; and because the lowest limb of p is 2⁵² - 1, the
    /// product with it only carries another m, for which the second limb of p is one larger.
    @inline(always) private func reduced(_ t: Columns, doublings: UInt64 = 0) -> Limbs8 {
      let (mask, p) = (Self.limbMask, prime.p)
      let s0 = t.s0
      var (s1, s2, s3, s4, s5, s6, s7, s8, s9) = (t.s1, t.s2, t.s3, t.s4, t.s5, t.s6, t.s7, t.s8, t.s9)
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
      return Self.rippled(Limbs8(s5 << doublings, s6 << doublings, s7 << doublings, s8 << doublings, s9 << doublings))
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

    /// x·y, or with one doubling 2·x·y.
    ///
    /// - Range: x < 16p, y < 16p; result < x·y/16p + p
    /// - Range of 2·x·y: x < 16p, y < 16p; result < x·y/8p + 2p
    @inline(never) func multiply(_ x: Place8, _ y: Place8, doublings: UInt64 = 0, into result: Place8) {
      result.pointee = reduced(Columns(x.pointee, y.pointee), doublings: doublings)
    }

    /// x^(2^count), count ≥ 1; or with one doubling 2·x².
    ///
    /// - Range: x < 14p; result < x²/16p + p
    /// - Range of 2·x²: x < 16p; result < x²/8p + 2p
    @inline(never) func square(_ x: Place8, times count: Int = 1, doublings: UInt64 = 0, into result: Place8) {
      var r = x.pointee
      for _ in 0..<count { r = reduced(Columns(squareOf: r), doublings: doublings) }
      result.pointee = r
    }

    // MARK: Sums

    /// The same number below 2p, of one below 16p whose limbs are not negative and below 2⁵⁶. What is above bit 256 is
    /// taken off and comes back as so many times 2²⁵⁶ - p.
    @inline(always) private func folded(_ x: Limbs8) -> Limbs8 {
      let q = x.e >> 48
      let back = prime.complement
      let e = x.e & Lanes(1 &<< 48 &- 1)
      return Self.rippled(
        Limbs8(
          x.a.low(q, back.a), x.b.high(q, back.a).low(q, back.b), x.c.high(q, back.b).low(q, back.c),
          x.d.high(q, back.c).low(q, back.d), e.high(q, back.d).low(q, back.e)))
    }

    /// x - y, or with one doubling x - 2y. Of a y of nearly 8p, the highest limb of x + 8p - y could be negative.
    ///
    /// - Range: x < 8p, y < 7p; result < 2p
    /// - Range of x - 2·y: x < 8p, y < 3p; result < 2p
    @inline(never) func subtract(_ x: Place8, _ y: Place8, doublings: UInt64 = 0, into result: Place8) {
      let y = y.pointee
      result.pointee = folded(
        x.pointee + prime.eightfold
          - Limbs8(y.a << doublings, y.b << doublings, y.c << doublings, y.d << doublings, y.e << doublings))
    }

    /// x - y + 8p, which may only be multiplied.
    ///
    /// - Range: x < 8p, y < 8p; result ≤ x + 8p
    @inline(never) func subtractLoosely(_ x: Place8, _ y: Place8, into result: Place8) {
      result.pointee = Self.rippled(x.pointee + prime.eightfold - y.pointee)
    }

    /// 3·(x + y), which may only be multiplied.
    ///
    /// - Range: x < 2p, y < 2p; result ≤ 3·x + 3·y
    @inline(never) func addTripled(_ x: Place8, _ y: Place8, into result: Place8) {
      let sum = x.pointee + y.pointee
      result.pointee = Self.rippled(sum + sum + sum)
    }

    /// -x where the mask is all ones.
    ///
    /// - Range: x < 2p; result < 2p
    @inline(never) func negate(_ x: Place8, where mask: UInt64) {
      let number = x.pointee
      x.pointee = number ^ ((number ^ folded(prime.eightfold - number)) & Lanes(mask))
    }

    // MARK: Numbers

    /// Reads 32 bytes of each lane, the most significant first, into Montgomery form. They may be any number.
    @inline(always) func load(_ place: (Int) -> UnsafeRawPointer, into result: Place8) {
      let mask = Self.limbMask
      let w0 = Lanes(word: 3, of: place, bigEndian: true)
      let w1 = Lanes(word: 2, of: place, bigEndian: true)
      let w2 = Lanes(word: 1, of: place, bigEndian: true)
      let w3 = Lanes(word: 0, of: place, bigEndian: true)
      let number = Limbs8(
        w0 & mask, (w0 >> 52 | w1 << 12) & mask, (w1 >> 40 | w2 << 24) & mask, (w2 >> 28 | w3 << 36) & mask, w3 >> 16)
      result.pointee = reduced(Columns(number, prime.r))
    }

    /// Writes 32 bytes of each of the first lanes, the most significant first: the number below p, not in Montgomery
    /// form.
    @inline(never) func store(_ number: Place8, count: Int, to place: UnsafeMutableRawPointer, stride: Int) {
      let mask = Self.limbMask
      let one = Limbs8(Lanes(1), .zero, .zero, .zero, .zero)
      // At most p. Less p, and p again where that is negative.
      var p = prime.p
      p.b = p.b - Lanes(1)
      let difference = Self.rippled(reduced(Columns(number.pointee, one)) - p)
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

    /// Replaces a number by 1/number, and 0 by 0, by Fermat: number^(p - 2).
    ///
    /// - Range: x < 3p; result < 2p
    /// - Parameter work: eight places.
    @_optimize(size) @inline(never) func invert(_ number: Place8, work: Place8) {
      let (r, factor) = (work, work + 1)
      // onesN is number^(2^N - 1).
      let (ones2, ones4, ones8, ones30, ones31, ones32) = (work + 2, work + 3, work + 4, work + 5, work + 6, work + 7)
      /// r^(2^count) · factor.
      func raise(_ r: Place8, _ count: Int, _ factor: Place8, into result: Place8) {
        square(r, times: count, into: result)
        multiply(result, factor, into: result)
      }
      factor.pointee = number.pointee
      raise(factor, 1, factor, into: ones2)
      raise(ones2, 2, ones2, into: ones4)
      raise(ones4, 4, ones4, into: ones8)
      raise(ones8, 8, ones8, into: r)
      raise(r, 8, ones8, into: r)
      raise(r, 4, ones4, into: r)
      raise(r, 2, ones2, into: ones30)
      raise(ones30, 1, factor, into: ones31)
      raise(ones31, 1, factor, into: ones32)
      if prime == .p256 {
        // ffffffff 00000001 00000000 00000000 00000000 ffffffff ffffffff fffffffd
        raise(ones32, 32, factor, into: r)
        raise(r, 128, ones32, into: r)
        raise(r, 32, ones32, into: r)
      } else {
        // fffffffe ffffffff ffffffff ffffffff ffffffff 00000000 ffffffff fffffffd
        square(ones31, into: r)
        for _ in 0..<4 { raise(r, 32, ones32, into: r) }
        raise(r, 64, ones32, into: r)
      }
      raise(r, 30, ones30, into: r)
      raise(r, 2, factor, into: number)
    }
  }
#endif
