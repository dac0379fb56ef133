// NEON with AES's instructions: `aese` adds its two operands, replaces every byte by AES's S-box's, and then moves row
// i of bytes, the i-th byte of every word, i words down (ShiftRows). That last step is not wanted.
//
// Where all words are alike it does nothing; one key's schedule undoes it with a look-up before. Blocks and lanes are
// kept *skewed* instead, row i of bytes i words up, so that `aese` puts them straight. What a round adds must then be
// skewed again, but two of its terms are looked up or rotated anyway, and one look-up does both. Skewed words add as
// straight ones do, and one that stands in all four lanes is skewed as it is.

#if arch(arm64)
  import Builtin
  import KeyboardSM4Vector

  /// Four words at once, as they are.
  enum Straight: AES {
    typealias Word = Word4

    @inline(__always)
    static func substituted(_ x: Word) -> Word {
      substitutedAndMoved(Skewed.skewed(x), Word(repeating: 0))
    }

    /// AES's S-box on every byte of the sum of two, then ShiftRows.
    @inline(__always)
    static func substitutedAndMoved(_ x: Word, _ y: Word) -> Word {
      Word(bytes: Builtin.int_aarch64_crypto_aese(x.bytes, y.bytes))
    }

    @inline(__always)
    static func lookUp(_ indices: Word, in table: Word4) -> Word {
      Word(bytes: Builtin.int_aarch64_neon_tbl1_Vec16xInt8(table.bytes, indices.bytes))
    }

    @inline(__always)
    static func nibbles(of bytes: Word) -> Nibbles<Word> {
      let four = SIMD16<UInt8>(repeating: 4)._storage._value
      return Nibbles(
        low: bytes & Word(repeating: 0x0f0f_0f0f), high: Word(bytes: Builtin.lshr_Vec16xInt8(bytes.bytes, four)))
    }
  }

  /// Four words at once, skewed.
  enum Skewed: AES {
    typealias Word = Word4

    /// Byte r of word c is byte r of word c - r: the inverse of ShiftRows.
    @inline(__always)
    static func skewed(_ x: Word) -> Word {
      lookUp(Word(0x070a_0d00, 0x0b0e_0104, 0x0f02_0508, 0x0306_090c), in: x)
    }

    /// … of x <<< 8, and of x <<< 24.
    @inline(__always)
    static func skewedRotatedBy8(_ x: Word) -> Word {
      lookUp(Word(0x0609_0c03, 0x0a0d_0007, 0x0e01_040b, 0x0205_080f), in: x)
    }
    @inline(__always)
    static func skewedRotatedBy24(_ x: Word) -> Word {
      lookUp(Word(0x040b_0e01, 0x080f_0205, 0x0c03_0609, 0x0007_0a0d), in: x)
    }

    /// ShiftRows: byte r of word c is byte r of word c + r.
    @inline(__always)
    static func straightened(_ x: Word) -> Word {
      lookUp(Word(0x0f0a_0500, 0x030e_0904, 0x0702_0d08, 0x0b06_010c), in: x)
    }

    @inline(__always)
    static func entered(_ x: Word) -> Word { skewed(Straight.entered(x)) }

    @inline(__always)
    static func left(_ x: Word) -> Word { Straight.left(straightened(x)) }

    /// Straight, as all images are here.
    @inline(__always)
    static func substituted(_ x: Word) -> Word { Straight.substitutedAndMoved(x, Word(repeating: 0)) }

    @inline(__always)
    static func round(_ a: inout Word, _ b: Word, _ c: Word, _ d: Word, key: Word) {
      let y = nibbles(of: Straight.substitutedAndMoved(b ^ c, d))
      let q = mapped(y, by: .qOfRound)
      let w = mapped(y, by: .r) ^ q.rotatedBy16
      a = a ^ key ^ skewed(q ^ w) ^ skewedRotatedBy8(w)
    }

    @inline(__always)
    static func roundAlone(_ a: inout Word, _ b: Word, _ c: Word, _ d: Word, key: Word, x: inout Word) {
      round(&a, b, c, d, key: key)
    }

    @inline(__always)
    static func keyMixed(_ x: Word) -> Word {
      let (y0, y1, y2, y3) = keyImages(of: x)
      return skewed(y0 ^ y2.rotatedBy16) ^ skewedRotatedBy24(y1) ^ skewedRotatedBy8(y3)
    }

    @inline(__always)
    static func lookUp(_ indices: Word, in table: Word4) -> Word { Straight.lookUp(indices, in: table) }

    @inline(__always)
    static func nibbles(of bytes: Word) -> Nibbles<Word> { Straight.nibbles(of: bytes) }
  }

  extension Word4 {
    @inline(__always)
    var bytes: Builtin.Vec16xInt8 { Builtin.bitcast_Vec4xInt32_Vec16xInt8(lanes) }

    @inline(__always)
    init(bytes: Builtin.Vec16xInt8) { self.init(Builtin.bitcast_Vec16xInt8_Vec4xInt32(bytes)) }

    /// Each word's halves exchanged: one instruction.
    @inline(__always)
    var rotatedBy16: Self { bytesShuffled(SIMD16(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)) }
  }
#endif
