// The path for processors with GFNI and AVX2: 8 blocks or keys in four registers; three such sets of blocks in flight,
// or two of keys.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  public import KeyboardSM4Vector

  public enum GFNI256 {
    @inline(never) @export(interface)
    public static func expandKey(_ key: UnsafeRawPointer, decrypting: Bool, into schedule: UnsafeMutableRawPointer) {
      Narrow.expandKey(key, decrypting: decrypting, into: schedule)
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

  /// Eight words at once.
  enum Wide: GFNI {
    typealias Word = Word8

    @inline(always) static func product(_ matrix: UInt64, _ x: Word8) -> Word8 { x.product(matrix) }

    @inline(always) static func inverse(_ matrix: UInt64, _ x: Word8, _ constant: InverseConstant) -> Word8 {
      x.inverse(matrix, constant)
    }
  }

  /// Four words at once.
  enum Narrow: GFNI {
    typealias Word = Word4

    @inline(always) static func product(_ matrix: UInt64, _ x: Word4) -> Word4 { x.product(matrix) }

    @inline(always) static func inverse(_ matrix: UInt64, _ x: Word4, _ constant: InverseConstant) -> Word4 {
      x.inverse(matrix, constant)
    }
  }
#endif
