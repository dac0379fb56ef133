// The path for processors with GFNI and AVX-512: 16 blocks or keys in four registers; five such sets of blocks in
// flight, or four of keys.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import Builtin
  public import KeyboardSM4Vector

  public enum GFNI512 {
    @inline(never) @export(interface)
    public static func expandKey(_ key: UnsafeRawPointer, decrypting: Bool, into schedule: UnsafeMutableRawPointer) {
      Narrow.expandKey(key, decrypting: decrypting, into: schedule)
    }

    @inline(never) @export(interface)
    public static func crypt(
      _ schedule: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
    ) {
      var text = Text(schedule, input, output, blockCount: blockCount)
      text.crypt(few: One<Quad<Narrow>>.self, some: One<Quad<Wide>>.self, many: Five<Quad<Wide>>.self)
    }

    @inline(never) @export(interface)
    public static func decryptLanes(
      _ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer
    ) {
      Four<Quad<Wide>>.decrypt(jobs, count: count, scratch: scratch, keys: Four<LaneKeys<Wide>>.self)
    }

    /// The most blocks that `encryptFew` takes.
    @export(implementation)
    public static var fewBlocks: Int { Word4.wordCount }

    /// Encrypts 1…`fewBlocks` blocks under a key for one use.
    @inline(never) @export(interface)
    public static func encryptFew(
      _ key: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
    ) {
      guard blockCount > 1 else { return Narrow.encryptOne(key, input, output) }
      var keys = FreshKeys<Narrow, Word4>(key)
      One<Quad<Narrow>>.crypt(
        TextPlaces<Narrow>(input, output, byteCount: blockCount &* Standard.blockByteCount), &keys)
    }

    /// Decrypts a block under a key for one use.
    @inline(never) @export(interface)
    public static func decryptOne(
      _ key: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer,
      scratch: UnsafeMutableRawPointer
    ) {
      Narrow.decryptOne(key, input, output, scratch: scratch)
    }
  }

  /// AVX-512 sums three words in one instruction, ternary logic: 0x96 is the truth table of a ^ b ^ c.
  protocol TernarySum: GFNI {}

  extension TernarySum {
    @inline(always) static func sums(
      _ a: Word, _ b: Word, _ c: Word, _ d: Word, _ e: Word, andWith others: Word
    ) -> (sum: Word, withOthers: Word) {
      let all = sum(sum(a ^ others, b, c), d, e)
      return (all ^ others, all)
    }

    /// The next `x` is this one without `b`, its oldest word, and with the new one: the chain is T and two sums.
    @inline(always) static func roundAlone(
      _ a: inout Word, _ b: Word, _ c: Word, _ d: Word, key: Word, x: inout Word
    ) {
      let (p, q, r) = imagesWithSum(of: x)
      let early = sum(a ^ key, b, x)
      let next = sum(sum(early, p, q.rotatedLeft(by: 16)), q.rotatedLeft(by: 24), r.rotatedLeft(by: 8))
      a = sum(next, x, b)
      x = next
    }
  }

  /// Sixteen words at once.
  enum Wide: TernarySum {
    typealias Word = Word16

    @inline(always) static func product(_ matrix: UInt64, _ x: Word16) -> Word16 { x.product(matrix) }

    @inline(always) static func inverse(_ matrix: UInt64, _ x: Word16, _ constant: InverseConstant) -> Word16 {
      x.inverse(matrix, constant)
    }

    @inline(always) static func sum(_ a: Word16, _ b: Word16, _ c: Word16) -> Word16 {
      Word16(Builtin.int_x86_avx512_pternlog_d_512(a.lanes, b.lanes, c.lanes, (0x96 as UInt32)._value))
    }

    /// Whole words at a time, because AVX-512 rotates by any count in one instruction. The bytes of a word are in the
    /// wrong order for that; but a matrix can reverse the bits of each byte, so that the whole word is reversed, and
    /// rotations to the left become rotations to the right.
    @inline(always) static func keyMixed(_ x: Word16) -> Word16 {
      let reversed = x.inverse(Matrix.reversed, .reversed)
      return product(
        Matrix.enterReversed, sum(reversed, reversed.rotatedLeft(by: 32 - 13), reversed.rotatedLeft(by: 32 - 23)))
    }
  }

  /// Four words at once.
  enum Narrow: TernarySum {
    typealias Word = Word4

    @inline(always) static func product(_ matrix: UInt64, _ x: Word4) -> Word4 { x.product(matrix) }

    @inline(always) static func inverse(_ matrix: UInt64, _ x: Word4, _ constant: InverseConstant) -> Word4 {
      x.inverse(matrix, constant)
    }

    @inline(always) static func sum(_ a: Word4, _ b: Word4, _ c: Word4) -> Word4 {
      Word4(Builtin.int_x86_avx512_pternlog_d_128(a.lanes, b.lanes, c.lanes, (0x96 as UInt32)._value))
    }
  }
#endif
