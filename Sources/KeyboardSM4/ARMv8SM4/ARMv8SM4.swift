// The path for arm64 with SM4's own instructions, of ARMv8.2: four rounds in one, and four round keys in one. A block
// in a register, four of them in flight, or four keys. The schedule is the standard's round keys, in the order in which
// they are used. The instructions take words as the standard writes them, most significant byte first in memory.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(arm64)
  import Builtin
  public import KeyboardSM4Vector

  public enum ARMv8SM4 {
    @inline(never) @export(interface)
    public static func expandKey(_ key: UnsafeRawPointer, decrypting: Bool, into schedule: UnsafeMutableRawPointer) {
      expandKeys(One<Word4>.self, { _ in key }) { turn, _, roundKeys in
        if decrypting {
          roundKeys.wordsReversed.store(to: schedule + (lastTurn &- turn) &* Word4.byteCount)
        } else {
          roundKeys.store(to: schedule + turn &* Word4.byteCount)
        }
      }
    }

    @inline(never) @export(interface)
    public static func crypt(
      _ schedule: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
    ) {
      let roundKeys = RoundKeyRegisters(schedule)
      let end = input + blockCount &* Word4.byteCount
      var (input, output) = (input, output)
      while end - input >= Four<Word4>.count &* Word4.byteCount {
        roundKeys.crypt(Four<Word4>.self, input, output)
        input += Four<Word4>.count &* Word4.byteCount
        output += Four<Word4>.count &* Word4.byteCount
      }
      while input != end {
        roundKeys.crypt(One<Word4>.self, input, output)
        input += Word4.byteCount
        output += Word4.byteCount
      }
    }

    @inline(never) @export(interface)
    public static func decryptLanes(
      _ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer
    ) {
      let schedules = scratch + Standard.blockByteCount
      LaneGroups.withMemory(groupSize: Four<Word4>.count, discarded: scratch) { divide in
        for first in stride(from: 0, to: count, by: Four<Word4>.count) {
          let lanes = divide(jobs + first, min(count &- first, Four<Word4>.count))
          expandKeys(Four<Word4>.self, { lanes[0][$0].key }) { turn, lane, roundKeys in
            roundKeys.wordsReversed.store(to: schedules + place(lastTurn &- turn, of: lane))
          }
          repeat {
            var texts = Four { Word4(loadingBigEndianFrom: lanes[0][$0].text) }
            for turn in 0...lastTurn {
              texts.forEach { $1.fourRounds(Word4(loadingFrom: schedules + place(turn, of: $0))) }
            }
            texts.forEach { $1.storeReversed(to: lanes[0][$0].output) }
          } while lanes.hasMore && lanes.advance()
        }
      }
    }
  }

  /// Four rounds are a turn.
  @inline(always) private var lastTurn: Int { Standard.roundCount / 4 &- 1 }

  /// Where four round keys of a lane are.
  @inline(always)
  private func place(_ turn: Int, of lane: Int) -> Int { (lane &* (lastTurn &+ 1) &+ turn) &* Word4.byteCount }

  /// The key schedules of a row of keys, side by side. (§7.3)
  ///
  /// - Parameter body: takes, for each turn and each key of the row, four round keys.
  @inline(always) private func expandKeys<Keys: Row>(
    _: Keys.Type, _ key: (Int) -> UnsafeRawPointer, _ body: (_ turn: Int, _ number: Int, Word4) -> Void
  ) where Keys.Element == Word4 {
    let parameter = Word4(Standard.systemParameter)
    var keys = Keys { Word4(loadingBigEndianFrom: key($0)) ^ parameter }
    var constants = Word4(Standard.firstKeyConstants)
    for turn in 0...lastTurn {
      keys.forEach { number, words in
        words.fourKeyRounds(constants)
        body(turn, number, words)
      }
      constants = constants.addingBytes(4 * 28)
    }
  }

  /// A schedule, in eight registers from the first block to the last.
  private struct RoundKeyRegisters {
    let k0, k1, k2, k3, k4, k5, k6, k7: Word4

    @inline(always) init(_ schedule: UnsafeRawPointer) {
      func four(_ turn: Int) -> Word4 { Word4(loadingFrom: schedule + turn &* Word4.byteCount) }
      (k0, k1, k2, k3) = (four(0), four(1), four(2), four(3))
      (k4, k5, k6, k7) = (four(4), four(5), four(6), four(7))
    }

    /// A row of blocks, side by side.
    @inline(always) func crypt<Blocks: Row>(
      _: Blocks.Type, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
    ) where Blocks.Element == Word4 {
      var blocks = Blocks { Word4(loadingBigEndianFrom: input + $0 &* Word4.byteCount) }
      blocks.forEach { $1.fourRounds(k0) }
      blocks.forEach { $1.fourRounds(k1) }
      blocks.forEach { $1.fourRounds(k2) }
      blocks.forEach { $1.fourRounds(k3) }
      blocks.forEach { $1.fourRounds(k4) }
      blocks.forEach { $1.fourRounds(k5) }
      blocks.forEach { $1.fourRounds(k6) }
      blocks.forEach { $1.fourRounds(k7) }
      blocks.forEach { $1.storeReversed(to: output + $0 &* Word4.byteCount) }
    }
  }

  extension Word4 {
    @inline(always)
    fileprivate init(_ words: (UInt32, UInt32, UInt32, UInt32)) { self.init(words.0, words.1, words.2, words.3) }

    /// Four words of a key, or of a text, as the standard reads them.
    @inline(always) fileprivate init(loadingBigEndianFrom memory: UnsafeRawPointer) {
      self = Word4(loadingFrom: memory).bytesShuffled(SIMD16(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12))
    }

    /// Stores the words last to first, each with its most significant byte first, as the cipher ends: all 16 bytes in
    /// the opposite order. A look-up does that in one instruction, shuffles take two. (GB/T 32907-2016 §7.1)
    @inline(always) fileprivate func storeReversed(to memory: UnsafeMutableRawPointer) {
      lookedUp(Word4(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203)).store(to: memory)
    }

    /// The four words last to first.
    @inline(always)
    fileprivate var wordsReversed: Self { lookedUp(Word4(0x0f0e_0d0c, 0x0b0a_0908, 0x0706_0504, 0x0302_0100)) }

    /// The bytes that those of `indices` name.
    @inline(always) private func lookedUp(_ indices: Word4) -> Word4 {
      Word4(bytes: Builtin.int_aarch64_neon_tbl1_Vec16xInt8(bytes, indices.bytes))
    }

    /// Four rounds, with a round key in each lane of `roundKeys`.
    @inline(always) fileprivate mutating func fourRounds(_ roundKeys: Word4) {
      lanes = Builtin.int_aarch64_crypto_sm4e(lanes, roundKeys.lanes)
    }

    /// The next four round keys.
    @inline(always) fileprivate mutating func fourKeyRounds(_ constants: Word4) {
      lanes = Builtin.int_aarch64_crypto_sm4ekey(lanes, constants.lanes)
    }
  }
#endif
