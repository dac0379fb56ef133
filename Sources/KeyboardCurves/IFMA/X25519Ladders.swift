// Two ladders of X25519 under one scalar, side by side: each has four lanes. (RFC 7748)
//
// A step of the ladder is ten products. They are made four at a time, in three rounds. With A = x2 + z2, B = x2 - z2,
// C = x3 + z3 and D = x3 - z3, where (x2 : z2) is what the step doubles:
//
//     lane                     0          1              2             3
//     first round              A·A        B·B            C·B           D·A
//     sums and differences     f = A²+B²  e = A²-B²      s = CB+DA     t = CB-DA
//     second round             f·f        e·e            s·s           t·t
//     third round              f·e        243331·e²      0             u·t²
//
// Then x2 = f² - e², z2 = 2(f·e + 243331·e²), x3 = 2s² and z3 = 2u·t². The first pair is four times that of RFC 7748,
// whose x2 is A²·B², and whose z2 is e·(A² + 121665·e), where 2A² = f + e. The second pair is twice the RFC's.
//
// Ladders in four lanes: H. Hisil, B. Egrice, M. Yassi, "Fast 4 way vectorized ladder for the complete set of
// Montgomery curves", eprint 2020/388; K. Nath, P. Sarkar, "Efficient 4-way Vectorizations of the Montgomery Ladder",
// eprint 2020/378.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin

  extension Lanes {
    /// The same four words in both halves.
    @inline(always) init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
      words = SIMD8(a, b, c, d, a, b, c, d)._storage._value
    }

    /// In both halves, the lanes of `x` (0…3) and `y` (4…7) that the constants name.
    @inline(always) fileprivate static func chosen(
      _ x: Lanes, _ y: Lanes, _ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32
    ) -> Lanes {
      @inline(always) func place(_ lane: Int32, inHalf half: Int32) -> Int32 {
        (lane < 4 ? lane : lane &+ 4) &+ half &* 4
      }
      let order = SIMD8(
        place(a, inHalf: 0), place(b, inHalf: 0), place(c, inHalf: 0), place(d, inHalf: 0),
        place(a, inHalf: 1), place(b, inHalf: 1), place(c, inHalf: 1), place(d, inHalf: 1))
      return Lanes(Builtin.shufflevector_Vec8xInt64_Vec8xInt32(x.words, y.words, order._storage._value))
    }

    /// In both halves, the lanes that `order` names (0…3). It may be secret: it is in a register.
    @inline(always) fileprivate func permuted(_ order: Lanes) -> Lanes {
      let halves = Lanes(SIMD8<UInt64>(0, 0, 0, 0, 4, 4, 4, 4)._storage._value)
      return Lanes(Builtin.int_x86_avx512_permvar_di_512(words, (order | halves).words))
    }
  }

  extension Limbs8 {
    @inline(always) func map(_ function: (Lanes) -> Lanes) -> Limbs8 {
      Limbs8(function(a), function(b), function(c), function(d), function(e))
    }

    @inline(always) static func zip(_ x: Limbs8, _ y: Limbs8, _ function: (Lanes, Lanes) -> Lanes) -> Limbs8 {
      Limbs8(function(x.a, y.a), function(x.b, y.b), function(x.c, y.c), function(x.d, y.d), function(x.e, y.e))
    }

    /// Exchanges neighbours.
    @inline(always) var crossed: Limbs8 { map { Lanes.chosen($0, $0, 1, 0, 3, 2) } }
  }

  extension Field25519x8 {
    /// x + y in lanes 0 and 2, and x - y in lanes 1 and 3, of which none becomes negative.
    @inline(always) fileprivate static func pairs(_ x: Limbs8, _ y: Limbs8) -> Self {
      Self(carrying: Limbs8.zip(x + y, x - y) { Lanes.chosen($0, $1, 0, 5, 2, 7) })
    }

    /// 2¹¹·p, more than what is subtracted.
    @inline(always) fileprivate static var multiple: Limbs8 {
      let (lowest, other) = (Lanes((1 &<< 51 &- 19) &<< 11), Lanes((1 &<< 51 &- 1) &<< 11))
      return Limbs8(lowest, other, other, other, other)
    }

    /// What products begin with from which others are subtracted: the multiple in lanes 0 and 2, and half of it in the
    /// columns that count twice.
    @inline(always) fileprivate static var start: Limbs8 {
      let (lowest, half) = ((1 &<< 51 &- 19) &<< 11 as UInt64, (1 &<< 51 &- 1) &<< 10 as UInt64)
      let other = Lanes(half, 0, half, 0)
      return Limbs8(Lanes(lowest, 0, lowest, 0), other, other, other, other)
    }
  }

  extension CurvesIFMA {
    /// Bytes of the numbers that `ladders` takes and leaves: five limbs, of eight lanes each.
    public static var ladderSize: Int { 5 &* 64 }

    /// Multiplies two points by one scalar.
    ///
    /// `make prove` shows what a step computes, and that between two steps limbs of x and z are in their ranges.
    ///
    /// - Parameters:
    ///   - scalar: 32 bytes, little-endian; clamped here. They must not change during the call.
    ///   - numbers: `ladderSize` bytes, limb by limb, eight words each: word 3 is that of the first u-coordinate, word
    ///     7 that of the second, in limbs of 51 bits; words 1 and 5 of the lowest limb are 243331, all others 0. Gets
    ///     the products as fractions: word 0 is the first one's numerator, word 1 its denominator, words 4 and 5 are
    ///     the second's; in limbs below 2⁵¹ + 2¹⁸.
    ///   - one: 1, in a way that the optimiser cannot see.
    /// - Range: u < 2⁵¹, x < 2⁶³ + 2⁶⁰, z < 2⁶⁰; result < 2⁵¹ + 2¹⁸
    /// - Timing: constant.
    @inline(never) @export(interface)
    public static func ladders(_ scalar: UnsafeRawPointer, _ numbers: UnsafeMutableRawPointer, one: UInt64) {
      func row(_ limb: Int) -> Lanes {
        Lanes((numbers + limb &* 64).loadUnaligned(as: SIMD8<UInt64>.self)._storage._value)
      }
      let (factors, start, zero) = (Limbs8(row(0), row(1), row(2), row(3), row(4)), Field25519x8.start, Lanes.zero)
      // x2, x2, x3, x3, and z2, z2, z3, z3: of the point at infinity, and of u.
      var x = Field25519x8.multiple + factors.map { Lanes.chosen(zero, $0, 0, 0, 7, 7) }
      x.a = x.a + Lanes(1, 1, 0, 0)
      var z = Limbs8(Lanes(0, 0, 1, 1), zero, zero, zero, zero)
      var previous: UInt64 = 0
      var position = 254
      while position >= 0 {
        let bit = clampedWord(scalar, position &>> 6) &>> UInt64(truncatingIfNeeded: position & 63)
        // The exchange takes C and D as A and B. C·B and D·A become each other, and t becomes -t, which is squared.
        let exchange = Lanes(2, 2, 0, 0) & Lanes(0 &- ((previous ^ bit) & one))
        previous = bit
        step(&x, &z, factors, start, exchange)
        position &-= 1
      }
      // The three lowest bits of a clamped scalar are 0, so no exchange is outstanding.
      let result = Field25519x8(
        carrying: Limbs8.zip(x, z) { $0 & Lanes(.max, 0, 0, 0) | $1 & Lanes(0, .max, 0, 0) }
      ).limbs
      func store(_ lanes: Lanes, _ limb: Int) {
        (numbers + limb &* 64).storeBytes(
          of: unsafeBitCast(lanes.words, to: SIMD8<UInt64>.self), as: SIMD8<UInt64>.self)
      }
      store(result.a, 0)
      store(result.b, 1)
      store(result.c, 2)
      store(result.d, 3)
      store(result.e, 4)
    }

    /// A step of both ladders. Limbs of z are below 2⁶⁰, and x has enough that z can be subtracted.
    @inline(always) private static func step(
      _ x: inout Limbs8, _ z: inout Limbs8, _ factors: Limbs8, _ start: Limbs8, _ exchange: Lanes
    ) {
      let sums = Field25519x8.pairs(x, z).limbs
      let (left, right) = (exchange ^ Lanes(0, 1, 2, 3), exchange ^ Lanes(0, 1, 1, 0))
      let first = Field25519x8(sums.map { $0.permuted(left) })
        .times(Field25519x8(sums.map { $0.permuted(right) }), plus: start)
      let second = Field25519x8.pairs(first.crossed, first)
      let squares = second.squared(plus: start)
      let third = Field25519x8(Limbs8.zip(second.limbs, factors) { Lanes.chosen($0, $1, 0, 5, 6, 7) })
        .times(
          Field25519x8(
            Limbs8.zip(second.limbs.crossed, Field25519x8(carrying: squares).limbs) {
              Lanes.chosen($0, $1, 0, 5, 6, 7)
            }))
      let (f, e) = (
        squares.map { Lanes.chosen($0, $0, 0, 0, 2, 2) }, squares.map { Lanes.chosen($0, $0, 1, 1, 2, 2) }
      )
      x = Limbs8.zip(f - e, f + e) { Lanes.chosen($0, $1, 0, 1, 6, 7) }
      let sum = third + third.crossed
      z = sum + sum
    }
  }
#endif
