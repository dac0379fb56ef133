// Eight numbers of 64 bits, one for each of eight computations that are done side by side; and AVX-512 IFMA's
// multiplication, which adds half of a product of 104 bits.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin

  /// One word of eight computations. Nothing traps, and no operation depends on what a lane holds.
  struct Lanes: BitwiseCopyable {
    var words: Builtin.Vec8xInt64

    @inline(always) init(_ words: Builtin.Vec8xInt64) { self.words = words }
    @inline(always) init(_ word: UInt64) { words = SIMD8<UInt64>(repeating: word)._storage._value }

    /// Word `index` of each of eight places in memory, at any address.
    @inline(always) init(word index: Int, of place: (Int) -> UnsafeRawPointer, bigEndian: Bool) {
      var lanes = SIMD8<UInt64>()
      for lane in 0..<8 {
        let word = place(lane).loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
        lanes[lane] = bigEndian ? word.byteSwapped : word
      }
      words = lanes._storage._value
    }

    @inline(always) static var zero: Lanes { Lanes(0) }

    @inline(always) static func + (x: Lanes, y: Lanes) -> Lanes { Lanes(Builtin.add_Vec8xInt64(x.words, y.words)) }
    @inline(always) static func - (x: Lanes, y: Lanes) -> Lanes { Lanes(Builtin.sub_Vec8xInt64(x.words, y.words)) }
    @inline(always) static func & (x: Lanes, y: Lanes) -> Lanes { Lanes(Builtin.and_Vec8xInt64(x.words, y.words)) }
    @inline(always) static func | (x: Lanes, y: Lanes) -> Lanes { Lanes(Builtin.or_Vec8xInt64(x.words, y.words)) }
    @inline(always) static func ^ (x: Lanes, y: Lanes) -> Lanes { Lanes(Builtin.xor_Vec8xInt64(x.words, y.words)) }

    @inline(always) static func << (x: Lanes, count: UInt64) -> Lanes {
      Lanes(Builtin.shl_Vec8xInt64(x.words, Lanes(count).words))
    }
    @inline(always) static func >> (x: Lanes, count: UInt64) -> Lanes {
      Lanes(Builtin.lshr_Vec8xInt64(x.words, Lanes(count).words))
    }
    /// Keeps the sign.
    @inline(always) func shiftedSigned(_ count: UInt64) -> Lanes {
      Lanes(Builtin.ashr_Vec8xInt64(words, Lanes(count).words))
    }

    /// The bits that leave at the top come back at the bottom. Where there are none, it is a shift that the compiler
    /// does not know: it makes one multiplication of shifts and sums.
    @inline(always) func rotated(_ count: UInt64) -> Lanes {
      Lanes(Builtin.int_fshl_Vec8xInt64(words, words, Lanes(count).words))
    }

    /// self + the low, or the high, 52 bits of x·y, of which only the lowest 52 bits each count.
    @inline(always) func low(_ x: Lanes, _ y: Lanes) -> Lanes {
      Lanes(Builtin.int_x86_avx512_vpmadd52l_uq_512(words, x.words, y.words))
    }
    @inline(always) func high(_ x: Lanes, _ y: Lanes) -> Lanes {
      Lanes(Builtin.int_x86_avx512_vpmadd52h_uq_512(words, x.words, y.words))
    }

    @inline(always) var doubled: Lanes { self + self }
    @inline(always) var times19: Lanes { (self << 4) + self.doubled + self }

    /// The word of one lane.
    @inline(always) subscript(lane: Int) -> UInt64 {
      unsafeBitCast(words, to: SIMD8<UInt64>.self)[lane]
    }
  }

  /// The ten columns of a product of two numbers of five limbs of 52 bits, nothing carried: what belongs to one limb.
  struct Columns {
    var s0, s1, s2, s3, s4, s5, s6, s7, s8, s9: Lanes

    @inline(always) init(_ x: Limbs8, _ y: Limbs8) {
      let zero = Lanes.zero
      s0 = zero.low(x.a, y.a)
      s1 = zero.high(x.a, y.a).low(x.a, y.b).low(x.b, y.a)
      s2 = zero.high(x.a, y.b).high(x.b, y.a).low(x.a, y.c).low(x.b, y.b).low(x.c, y.a)
      s3 = zero.high(x.a, y.c).high(x.b, y.b).high(x.c, y.a).low(x.a, y.d).low(x.b, y.c).low(x.c, y.b).low(x.d, y.a)
      s4 = zero.high(x.a, y.d).high(x.b, y.c).high(x.c, y.b).high(x.d, y.a)
        .low(x.a, y.e).low(x.b, y.d).low(x.c, y.c).low(x.d, y.b).low(x.e, y.a)
      s5 = zero.high(x.a, y.e).high(x.b, y.d).high(x.c, y.c).high(x.d, y.b).high(x.e, y.a)
        .low(x.b, y.e).low(x.c, y.d).low(x.d, y.c).low(x.e, y.b)
      s6 = zero.high(x.b, y.e).high(x.c, y.d).high(x.d, y.c).high(x.e, y.b).low(x.c, y.e).low(x.d, y.d).low(x.e, y.c)
      s7 = zero.high(x.c, y.e).high(x.d, y.d).high(x.e, y.c).low(x.d, y.e).low(x.e, y.d)
      s8 = zero.high(x.d, y.e).high(x.e, y.d).low(x.e, y.e)
      s9 = zero.high(x.e, y.e)
    }

    /// The columns of a square. Products of two different limbs are doubled as sums.
    @inline(always) init(squareOf x: Limbs8) {
      let zero = Lanes.zero
      s0 = zero.low(x.a, x.a)
      s1 = zero.low(x.a, x.b).doubled.high(x.a, x.a)
      s2 = zero.high(x.a, x.b).low(x.a, x.c).doubled.low(x.b, x.b)
      s3 = zero.high(x.a, x.c).low(x.a, x.d).low(x.b, x.c).doubled.high(x.b, x.b)
      s4 = zero.high(x.a, x.d).high(x.b, x.c).low(x.a, x.e).low(x.b, x.d).doubled.low(x.c, x.c)
      s5 = zero.high(x.a, x.e).high(x.b, x.d).low(x.b, x.e).low(x.c, x.d).doubled.high(x.c, x.c)
      s6 = zero.high(x.b, x.e).high(x.c, x.d).low(x.c, x.e).doubled.low(x.d, x.d)
      s7 = zero.high(x.c, x.e).low(x.d, x.e).doubled.high(x.d, x.d)
      s8 = zero.high(x.d, x.e).doubled.low(x.e, x.e)
      s9 = zero.high(x.e, x.e)
    }
  }

  /// Eight numbers of five limbs; `a` is the least significant one. The limbs have 51 or 52 bits: see `Field25519x8`
  /// and `Field256x8`.
  struct Limbs8: BitwiseCopyable {
    var a, b, c, d, e: Lanes

    @inline(always) init(_ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes, _ e: Lanes) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
    }

    @inline(always) static var zero: Limbs8 { Limbs8(.zero, .zero, .zero, .zero, .zero) }

    @inline(always) static func & (x: Limbs8, mask: Lanes) -> Limbs8 {
      Limbs8(x.a & mask, x.b & mask, x.c & mask, x.d & mask, x.e & mask)
    }
    @inline(always) static func | (x: Limbs8, y: Limbs8) -> Limbs8 {
      Limbs8(x.a | y.a, x.b | y.b, x.c | y.c, x.d | y.d, x.e | y.e)
    }
    @inline(always) static func ^ (x: Limbs8, y: Limbs8) -> Limbs8 {
      Limbs8(x.a ^ y.a, x.b ^ y.b, x.c ^ y.c, x.d ^ y.d, x.e ^ y.e)
    }
    /// Limb by limb; nothing is carried.
    @inline(always) static func + (x: Limbs8, y: Limbs8) -> Limbs8 {
      Limbs8(x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d, x.e + y.e)
    }
    @inline(always) static func - (x: Limbs8, y: Limbs8) -> Limbs8 {
      Limbs8(x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d, x.e - y.e)
    }
  }
#endif
