// AES-NI: the last round of AES under a zero key is AES's S-box, an inversion followed by an affine map, and a
// permutation of the bytes. What SM4 wants of the inverse is then an affine map away, and an affine map of a byte is the
// sum of two look-ups, one for each half of it, in tables of sixteen bytes that lie in a register: `pshufb` looks up all
// bytes at once, and no address depends on them.

#if arch(x86_64)
  import Builtin
  import SM4Vector

  /// An affine map of bytes: the values for the low half (0…15, with the constant) and for the high half (0, 16, … 240).
  struct NibbleTable {
    let low: Word4
    let high: Word4
  }

  /// The maps' tables. A test derives all of them from GB/T 32907's S-box and AES's.
  extension NibbleTable {
    /// A1
    @inline(__always) static var enter: Self {
      Self(
        low: Word4(0xbc98_2400, 0xd3f7_4b6f, 0xd6f2_4e6a, 0xb99d_2105),
        high: Word4(0xae67_c900, 0x2ee7_4980, 0xe42d_834a, 0x64ad_03ca))
    }
    /// A1⁻¹
    @inline(__always) static var leave: Self {
      Self(
        low: Word4(0xd055_8500, 0x59dc_0c89, 0xf471_a124, 0x7df8_28ad),
        high: Word4(0xee88_6600, 0x1f79_97f1, 0xaec8_2640, 0x5f39_d7b1))
    }
    /// From AES's S-box to q with its constant.
    @inline(__always) static var qOfRound: Self {
      Self(
        low: Word4(0xe075_74e1, 0xcb5e_5fca, 0xb025_24b1, 0x9b0e_0f9a),
        high: Word4(0xed49_a400, 0x7dd9_3490, 0x15b1_5cf8, 0x8521_cc68))
    }
    /// To r, without a constant.
    @inline(__always) static var r: Self {
      Self(
        low: Word4(0x3a1a_fddd, 0x4a6a_8dad, 0x6040_a787, 0x1030_d7f7),
        high: Word4(0xcba6_6d00, 0x573a_f19c, 0xe984_4f22, 0x7518_d3be))
    }
    /// To p with the constant that a round leaves if q has its own: both q count, and cancel.
    @inline(__always) static var pOfRound: Self {
      Self(
        low: Word4(0xda6f_893c, 0x8134_d267, 0xd065_8336, 0x8b3e_d86d),
        high: Word4(0x26ef_c900, 0x2ae3_c50c, 0xfc35_13da, 0xf039_1fd6))
    }
    /// To what a byte of A1·L'(S) takes from itself, with the constant, and from the three after it.
    @inline(__always) static var key0: Self {
      Self(
        low: Word4(0x229a_59e1, 0x52ea_2991, 0xc47c_bf07, 0xb40c_cf77),
        high: Word4(0xefa6_4900, 0xeba2_4d04, 0x7138_d79e, 0x753c_d39a))
    }
    @inline(__always) static var key1: Self {
      Self(
        low: Word4(0x2dad_ca4a, 0x8000_67e7, 0x0080_e767, 0xad2d_4aca),
        high: Word4(0x4a4a_0000, 0x2d2d_6767, 0x8080_caca, 0xe7e7_adad))
    }
    @inline(__always) static var key2: Self {
      Self(
        low: Word4(0x3fd2_9d70, 0xc924_6b86, 0xb954_1bf6, 0x4fa2_ed00),
        high: Word4(0x6a98_f200, 0xcd3f_55a7, 0x7587_ed1f, 0xd220_4ab8))
    }
    @inline(__always) static var key3: Self {
      Self(
        low: Word4(0x1dd6_78b3, 0xa46f_c10a, 0xab60_ce05, 0x12d9_77bc),
        high: Word4(0xfff2_0d00, 0x101d_e2ef, 0xa1ac_535e, 0x4e43_bcb1))
    }
  }

  /// The halves of bytes, each in a byte of its own.
  struct Nibbles<Word: Words> {
    let low: Word
    let high: Word

    @inline(__always)
    init(_ bytes: Word) {
      let mask = Word(repeating: 0x0f0f_0f0f)
      low = bytes & mask
      high = (bytes &>> 4) & mask
    }
  }

  /// AES-NI on whatever width.
  protocol AES: InstructionSet {
    /// AES's S-box on every byte.
    static func substituted(_ x: Word) -> Word
    /// In each 128 bits, the bytes of `table` that the bytes of `indices` name.
    static func lookUp(_ indices: Word, in table: Word4) -> Word
  }

  extension AES {
    @inline(__always)
    static func mapped(_ nibbles: Nibbles<Word>, by table: NibbleTable) -> Word {
      lookUp(nibbles.low, in: table.low) ^ lookUp(nibbles.high, in: table.high)
    }

    @inline(__always)
    static func entered(_ x: Word) -> Word { mapped(Nibbles(x), by: .enter) }

    @inline(__always)
    static func left(_ x: Word) -> Word { mapped(Nibbles(x), by: .leave) }

    @inline(__always)
    static func images(of x: Word) -> (q: Word, r: Word) {
      let y = Nibbles(substituted(x))
      return (mapped(y, by: .qOfRound), mapped(y, by: .r))
    }

    @inline(__always)
    static func imagesWithSum(of x: Word) -> (p: Word, q: Word, r: Word) {
      let y = Nibbles(substituted(x))
      return (mapped(y, by: .pOfRound), mapped(y, by: .qOfRound), mapped(y, by: .r))
    }

    @inline(__always)
    static func keyImages(of x: Word) -> (Word, Word, Word, Word) {
      let y = Nibbles(substituted(x))
      return (mapped(y, by: .key0), mapped(y, by: .key1), mapped(y, by: .key2), mapped(y, by: .key3))
    }
  }

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
