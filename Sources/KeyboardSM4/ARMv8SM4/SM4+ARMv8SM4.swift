// The path for arm64 with SM4's own instructions: a block in a register, four of them in flight. The schedule is the
// standard's round keys, in the order in which they are used.

#if arch(arm64)
  import KeyboardSM4Vector

  public enum ARMv8SM4 {
    @inline(never) @export(interface)
    public static func expandKey(
      _ key: UnsafeRawPointer, decrypting: Bool, into schedule: UnsafeMutableRawPointer
    ) {
      expandKeys(One<Word4>.self, { _ in key }) { turn, _, roundKeys in
        if decrypting {
          roundKeys.wordsReversed.store(to: schedule + 16 &* (7 &- turn))
        } else {
          roundKeys.store(to: schedule + 16 &* turn)
        }
      }
    }

    @inline(never) @export(interface)
    public static func crypt(
      _ schedule: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
    ) {
      let roundKeys = RoundKeys(schedule)
      let whole = blockCount & ~3
      var block = 0
      while block < whole {
        roundKeys.crypt(Four<Word4>.self, input + 16 &* block, output + 16 &* block)
        block &+= 4
      }
      while block < blockCount {
        roundKeys.crypt(One<Word4>.self, input + 16 &* block, output + 16 &* block)
        block &+= 1
      }
    }
  }

  /// A schedule, in eight registers from the first block to the last.
  private struct RoundKeys {
    let k0, k1, k2, k3, k4, k5, k6, k7: Word4

    @inline(__always)
    init(_ schedule: UnsafeRawPointer) {
      k0 = Word4(loadingFrom: schedule)
      k1 = Word4(loadingFrom: schedule + 16)
      k2 = Word4(loadingFrom: schedule + 32)
      k3 = Word4(loadingFrom: schedule + 48)
      k4 = Word4(loadingFrom: schedule + 64)
      k5 = Word4(loadingFrom: schedule + 80)
      k6 = Word4(loadingFrom: schedule + 96)
      k7 = Word4(loadingFrom: schedule + 112)
    }

    /// A row of blocks, side by side.
    @inline(__always)
    func crypt<Blocks: Row>(
      _: Blocks.Type, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
    ) where Blocks.Element == Word4 {
      var blocks = Blocks { Word4(loadingBigEndianFrom: input + 16 &* $0) }
      blocks.forEach { $1.fourRounds(k0) }
      blocks.forEach { $1.fourRounds(k1) }
      blocks.forEach { $1.fourRounds(k2) }
      blocks.forEach { $1.fourRounds(k3) }
      blocks.forEach { $1.fourRounds(k4) }
      blocks.forEach { $1.fourRounds(k5) }
      blocks.forEach { $1.fourRounds(k6) }
      blocks.forEach { $1.fourRounds(k7) }
      blocks.forEach { $1.storeReversed(to: output + 16 &* $0) }
    }
  }
#endif
