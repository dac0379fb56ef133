// SM4's own instructions, of ARMv8.2: four rounds in one, and four round keys in one. They take words as the standard
// writes them, most significant byte first in memory.

#if arch(arm64)
  import Builtin
  import KeyboardSM4Vector

  extension Word4 {
    /// Four words of a key, or of a text, as the standard reads them.
    @inline(__always)
    init(loadingBigEndianFrom memory: UnsafeRawPointer) {
      self = Word4(loadingFrom: memory).bytesShuffled(SIMD16(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12))
    }

    /// Stores the words last to first, each with its most significant byte first, as the cipher ends: all 16 bytes the
    /// other way round. A look-up does that in one instruction, of shuffles it takes two. (GB/T 32907-2016 §7.1)
    @inline(__always)
    func storeReversed(to memory: UnsafeMutableRawPointer) {
      lookedUp(Word4(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203)).store(to: memory)
    }

    /// The four words last to first.
    @inline(__always)
    var wordsReversed: Self { lookedUp(Word4(0x0f0e_0d0c, 0x0b0a_0908, 0x0706_0504, 0x0302_0100)) }

    /// The bytes that those of `indices` name.
    @inline(__always)
    private func lookedUp(_ indices: Word4) -> Word4 {
      Word4(
        Builtin.bitcast_Vec16xInt8_Vec4xInt32(
          Builtin.int_aarch64_neon_tbl1_Vec16xInt8(
            Builtin.bitcast_Vec4xInt32_Vec16xInt8(lanes), Builtin.bitcast_Vec4xInt32_Vec16xInt8(indices.lanes))))
    }

    /// Four rounds, with a round key in each lane of `roundKeys`.
    @inline(__always)
    mutating func fourRounds(_ roundKeys: Word4) {
      lanes = Builtin.int_aarch64_crypto_sm4e(lanes, roundKeys.lanes)
    }

    /// The next four round keys.
    @inline(__always)
    mutating func fourKeyRounds(_ constants: Word4) {
      lanes = Builtin.int_aarch64_crypto_sm4ekey(lanes, constants.lanes)
    }
  }

  /// The key schedules of a row of keys, side by side. (§7.3)
  ///
  /// - Parameter body: is handed, eight times, a key's number and four round keys, the turn's number and whose they
  ///   are.
  @inline(__always)
  func expandKeys<Keys: Row>(
    _: Keys.Type, _ key: (Int) -> UnsafeRawPointer, _ body: (_ turn: Int, _ number: Int, Word4) -> Void
  ) where Keys.Element == Word4 {
    let systemParameter = Word4(0xa3b1_bac6, 0x56aa_3350, 0x677d_9197, 0xb270_22dc)  // FK
    var keys = Keys { Word4(loadingBigEndianFrom: key($0)) ^ systemParameter }
    // CK: byte j of word i is 7(4i + j) mod 256.
    var constants = Word4(0x0007_0e15, 0x1c23_2a31, 0x383f_464d, 0x545b_6269)
    for turn in 0..<8 {
      keys.forEach { number, words in
        words.fourKeyRounds(constants)
        body(turn, number, words)
      }
      constants = constants.addingBytes(4 * 28)
    }
  }
#endif
