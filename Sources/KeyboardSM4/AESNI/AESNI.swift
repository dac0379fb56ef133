// The path for processors with AES-NI and AVX2: 8 blocks or keys in four registers; three such sets of blocks in
// flight, or two of keys. `aesenclast` under a zero key is AES's S-box and a permutation of the bytes.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin
  public import KeyboardSM4Vector

  public enum AESNI {
    @inline(never) @export(interface)
    public static func expandKey(_ key: UnsafeRawPointer, decrypting: Bool, into schedule: UnsafeMutableRawPointer) {
      Alike.expandKey(key, decrypting: decrypting, into: schedule)
    }

    @inline(never) @export(interface)
    public static func crypt(
      _ schedule: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
    ) {
      var text = Text(schedule, input, output, blockCount: blockCount)
      text.crypt(few: One<Quad<Narrow>>.self, some: Two<Quad<Wide>>.self, many: Three<Quad<Wide>>.self)
    }

    @inline(never) @export(interface)
    public static func decryptLanes(
      _ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer
    ) {
      Two<Quad<Wide>>.decrypt(jobs, count: count, scratch: scratch, keys: Two<LaneKeys<Wide>>.self)
    }
  }

  /// A word in all four lanes, which ShiftRows does not change.
  enum Alike: AES {
    typealias Word = Word4

    @inline(always) static func substituted(_ x: Word4) -> Word4 { Narrow.lastRound(x) }

    @inline(always)
    static func lookUp(_ indices: Word4, in table: Word4) -> Word4 { Narrow.lookUp(indices, in: table) }
  }

  /// Four words at once.
  enum Narrow: AES {
    typealias Word = Word4

    @inline(always) static func substituted(_ x: Word4) -> Word4 { lastRound(lookUp(rowsShiftedBack, in: x)) }

    /// The inverse of the permutation ShiftRows, which `aesenclast` does and SM4 does not want.
    @inline(always) static var rowsShiftedBack: Word4 { Word4(0x070a_0d00, 0x0b0e_0104, 0x0f02_0508, 0x0306_090c) }

    @inline(always) static func lastRound(_ x: Word4) -> Word4 {
      let block = Builtin.bitcast_Vec4xInt32_Vec2xInt64(x.lanes)
      let zeroKey = SIMD2<UInt64>()._storage._value
      return Word4(Builtin.bitcast_Vec2xInt64_Vec4xInt32(Builtin.int_x86_aesni_aesenclast(block, zeroKey)))
    }

    @inline(always) static func lookUp(_ indices: Word4, in table: Word4) -> Word4 {
      Word4(bytes: Builtin.int_x86_ssse3_pshuf_b_128(table.bytes, indices.bytes))
    }
  }

  /// Eight words at once; AES's instruction takes half of them.
  enum Wide: AES {
    typealias Word = Word8

    @inline(always) static func substituted(_ x: Word8) -> Word8 {
      let y = shuffled(x, by: repeated(Narrow.rowsShiftedBack))
      return Word8(Narrow.lastRound(y.lowHalf), Narrow.lastRound(y.highHalf))
    }

    @inline(always)
    static func lookUp(_ indices: Word8, in table: Word4) -> Word8 { shuffled(repeated(table), by: indices) }

    @inline(always) private static func shuffled(_ bytes: Word8, by order: Word8) -> Word8 {
      Word8(bytes: Builtin.int_x86_avx2_pshuf_b(bytes.bytes, order.bytes))
    }

    @inline(always) private static func repeated(_ words: Word4) -> Word8 { Word8(words, words) }
  }
#endif
