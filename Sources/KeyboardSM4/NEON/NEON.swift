// The path for arm64 with AES's instructions: 4 blocks or keys in four registers; three such sets of blocks in flight,
// or two of keys. A fourth would not leave registers for the tables.
//
// `aese` adds its two operands, replaces every byte by AES's S-box's, and then moves row i of bytes, the i-th byte of
// every word, i words down (ShiftRows). SM4 does not want that last step. Where all words are alike, as in one key's
// schedule, it does nothing. Blocks and lanes are kept *skewed*, row i of bytes i words up, so that `aese` puts them
// straight. What a round adds must then be skewed again, but two of its terms are looked up or rotated anyway, and one
// look-up does both. Skewed words add as straight ones do, and a word that is in all four lanes is the same skewed.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(arm64)
  import Builtin
  public import KeyboardSM4Vector

  public enum NEON {
    @inline(never) @export(interface)
    public static func expandKey(_ key: UnsafeRawPointer, decrypting: Bool, into schedule: UnsafeMutableRawPointer) {
      Straight.expandKey(key, decrypting: decrypting, into: schedule)
    }

    @inline(never) @export(interface)
    public static func crypt(
      _ schedule: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
    ) {
      var text = Text(schedule, input, output, blockCount: blockCount)
      text.crypt(few: One<Quad<Skewed>>.self, some: Two<Quad<Skewed>>.self, many: Three<Quad<Skewed>>.self)
    }

    @inline(never) @export(interface)
    public static func decryptLanes(
      _ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer
    ) {
      Two<Quad<Skewed>>.decrypt(jobs, count: count, scratch: scratch, keys: Two<LaneKeys<Skewed>>.self)
    }
  }

  /// Four words at once, as they are.
  enum Straight: AES {
    typealias Word = Word4

    /// For a word in all four lanes.
    @inline(always)
    static func substituted(_ x: Word4) -> Word4 { substitutedAndMoved(x, Word4(repeating: 0)) }

    /// AES's S-box on every byte of the sum of two, then ShiftRows.
    @inline(always) static func substitutedAndMoved(_ x: Word4, _ y: Word4) -> Word4 {
      Word4(bytes: Builtin.int_aarch64_crypto_aese(x.bytes, y.bytes))
    }

    @inline(always) static func lookUp(_ indices: Word4, in table: Word4) -> Word4 {
      Word4(bytes: Builtin.int_aarch64_neon_tbl1_Vec16xInt8(table.bytes, indices.bytes))
    }

    @inline(always) static func nibbles(of bytes: Word4) -> Nibbles {
      let four = SIMD16<UInt8>(repeating: 4)._storage._value
      let high = Word4(bytes: Builtin.lshr_Vec16xInt8(bytes.bytes, four))
      return (low: bytes & Word4(repeating: 0x0f0f_0f0f), high: high)
    }
  }

  /// Four words at once, skewed.
  enum Skewed: AES {
    typealias Word = Word4

    /// Byte r of word c is byte r of word c - r: the inverse of ShiftRows.
    @inline(always) static func skewed(_ x: Word4) -> Word4 {
      lookUp(Word4(0x070a_0d00, 0x0b0e_0104, 0x0f02_0508, 0x0306_090c), in: x)
    }

    /// … of x <<< 8, and of x <<< 24.
    @inline(always) static func skewedRotatedBy8(_ x: Word4) -> Word4 {
      lookUp(Word4(0x0609_0c03, 0x0a0d_0007, 0x0e01_040b, 0x0205_080f), in: x)
    }
    @inline(always) static func skewedRotatedBy24(_ x: Word4) -> Word4 {
      lookUp(Word4(0x040b_0e01, 0x080f_0205, 0x0c03_0609, 0x0007_0a0d), in: x)
    }

    /// ShiftRows: byte r of word c is byte r of word c + r.
    @inline(always) static func straightened(_ x: Word4) -> Word4 {
      lookUp(Word4(0x0f0a_0500, 0x030e_0904, 0x0702_0d08, 0x0b06_010c), in: x)
    }

    @inline(always) static func entered(_ x: Word4) -> Word4 { skewed(Straight.entered(x)) }
    @inline(always) static func left(_ x: Word4) -> Word4 { Straight.left(straightened(x)) }

    /// Straight, as all images are here.
    @inline(always)
    static func substituted(_ x: Word4) -> Word4 { Straight.substitutedAndMoved(x, Word4(repeating: 0)) }

    @inline(always) static func round(_ a: inout Word4, _ b: Word4, _ c: Word4, _ d: Word4, key: Word4) {
      let y = nibbles(of: Straight.substitutedAndMoved(b ^ c, d))
      let q = mapped(y, by: .qOfRound)
      let w = mapped(y, by: .r) ^ q.rotatedBy16
      a = a ^ key ^ skewed(q ^ w) ^ skewedRotatedBy8(w)
    }

    @inline(always)
    static func roundAlone(_ a: inout Word4, _ b: Word4, _ c: Word4, _ d: Word4, key: Word4, x: inout Word4) {
      round(&a, b, c, d, key: key)
    }

    @inline(always) static func keyMixed(_ x: Word4) -> Word4 {
      let (y0, y1, y2, y3) = keyImages(of: x)
      return skewed(y0 ^ y2.rotatedBy16) ^ skewedRotatedBy24(y1) ^ skewedRotatedBy8(y3)
    }

    @inline(always)
    static func lookUp(_ indices: Word4, in table: Word4) -> Word4 { Straight.lookUp(indices, in: table) }

    @inline(always) static func nibbles(of bytes: Word4) -> Nibbles { Straight.nibbles(of: bytes) }
  }

  extension Word4 {
    /// Each word's halves exchanged: one instruction.
    @inline(always)
    var rotatedBy16: Self { bytesShuffled(SIMD16(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)) }
  }
#endif
