// AES-NI, on 128 bits and, with AVX2, on 256: `aesenclast` under a zero key is AES's S-box and a permutation of the
// bytes.

#if arch(x86_64)
  import Builtin
  import KeyboardSM4Vector

  /// Four words at once.
  enum Narrow: AES {
    typealias Word = Word4

    @inline(__always)
    static func substituted(_ x: Word) -> Word { lastRound(lookUp(rowsShiftedBack, in: x)) }

    /// The inverse of the permutation ShiftRows, which comes with `aesenclast` and is not wanted.
    @inline(__always)
    static var rowsShiftedBack: Word { Word(0x070a_0d00, 0x0b0e_0104, 0x0f02_0508, 0x0306_090c) }

    @inline(__always)
    static func lastRound(_ x: Word) -> Word {
      let zeroKey = SIMD2<UInt64>()
      let block = Builtin.bitcast_Vec4xInt32_Vec2xInt64(x.lanes)
      return Word(
        Builtin.bitcast_Vec2xInt64_Vec4xInt32(
          Builtin.int_x86_aesni_aesenclast(block, zeroKey._storage._value)))
    }

    @inline(__always)
    static func lookUp(_ indices: Word, in table: Word4) -> Word {
      Word(
        Builtin.bitcast_Vec16xInt8_Vec4xInt32(
          Builtin.int_x86_ssse3_pshuf_b_128(
            Builtin.bitcast_Vec4xInt32_Vec16xInt8(table.lanes), Builtin.bitcast_Vec4xInt32_Vec16xInt8(indices.lanes))))
    }
  }

  /// Eight words at once; AES's instruction takes half of them.
  enum Wide: AES {
    typealias Word = Word8

    @inline(__always)
    static func substituted(_ x: Word) -> Word {
      let order = repeated(Narrow.rowsShiftedBack)
      let y = shuffled(x, by: order)
      return Word(Narrow.lastRound(y.lowHalf), Narrow.lastRound(y.highHalf))
    }

    @inline(__always)
    static func lookUp(_ indices: Word, in table: Word4) -> Word { shuffled(repeated(table), by: indices) }

    @inline(__always)
    private static func shuffled(_ bytes: Word, by order: Word) -> Word {
      Word(
        Builtin.bitcast_Vec32xInt8_Vec8xInt32(
          Builtin.int_x86_avx2_pshuf_b(
            Builtin.bitcast_Vec8xInt32_Vec32xInt8(bytes.lanes), Builtin.bitcast_Vec8xInt32_Vec32xInt8(order.lanes))))
    }

    @inline(__always)
    private static func repeated(_ words: Word4) -> Word { Word(words, words) }
  }
#endif
