// GFNI on 512-bit registers, and on 128-bit ones for few blocks; AVX-512 sums three words in one instruction.

#if arch(x86_64)
  import Builtin
  import KeyboardSM4Vector

  /// Sixteen words at once.
  enum Wide: GFNI {
    typealias Word = Word16

    @inline(__always)
    static func sum(_ a: Word, _ b: Word, _ c: Word) -> Word {
      Word(Builtin.int_x86_avx512_pternlog_d_512(a.lanes, b.lanes, c.lanes, (0x96 as UInt32)._value))
    }

    @inline(__always)
    static func sums(
      _ a: Word, _ b: Word, _ c: Word, _ d: Word, _ e: Word, andWith others: Word
    ) -> (sum: Word, withOthers: Word) {
      let all = sum(sum(a ^ others, b, c), d, e)
      return (all ^ others, all)
    }

    @inline(__always)
    static func product(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec64xInt8_Vec16xInt32(
          Builtin.int_x86_vgf2p8affineqb_512(bytes(x), repeated(matrix), (0 as UInt8)._value)))
    }

    @inline(__always)
    static func inverse(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec64xInt8_Vec16xInt32(
          Builtin.int_x86_vgf2p8affineinvqb_512(bytes(x), repeated(matrix), (0 as UInt8)._value)))
    }

    @inline(__always)
    static func inverseOfRound(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec64xInt8_Vec16xInt32(
          Builtin.int_x86_vgf2p8affineinvqb_512(bytes(x), repeated(matrix), (0x39 as UInt8)._value)))
    }

    @inline(__always)
    static func inverseOfKeyRound(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec64xInt8_Vec16xInt32(
          Builtin.int_x86_vgf2p8affineinvqb_512(bytes(x), repeated(matrix), (0x80 as UInt8)._value)))
    }

    /// With a rotation by any count in one instruction, L' is best made of whole words. Only their bytes lie in the
    /// wrong order for that; but a matrix can hand out the bits of each byte reversed, so that the whole word is, and
    /// rotations to the left become rotations to the right.
    @inline(__always)
    static func keyMixed(_ x: Word) -> Word {
      let reversed = inverseReversed(x)
      return product(
        Matrix.enterReversed, sum(reversed, reversed.rotatedLeft(by: 32 - 13), reversed.rotatedLeft(by: 32 - 23)))
    }

    /// S(X), the bits of each byte in the opposite order; 0xcb is 0xd3 so.
    @inline(__always)
    private static func inverseReversed(_ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec64xInt8_Vec16xInt32(
          Builtin.int_x86_vgf2p8affineinvqb_512(bytes(x), repeated(Matrix.reversed), (0xcb as UInt8)._value)))
    }

    @inline(__always)
    private static func bytes(_ x: Word) -> Builtin.Vec64xInt8 { Builtin.bitcast_Vec16xInt32_Vec64xInt8(x.lanes) }

    @inline(__always)
    private static func repeated(_ matrix: UInt64) -> Builtin.Vec64xInt8 {
      Builtin.bitcast_Vec8xInt64_Vec64xInt8(SIMD8<UInt64>(repeating: matrix)._storage._value)
    }
  }

  /// Four words at once.
  enum Narrow: GFNI {
    typealias Word = Word4

    @inline(__always)
    static func sum(_ a: Word, _ b: Word, _ c: Word) -> Word {
      Word(Builtin.int_x86_avx512_pternlog_d_128(a.lanes, b.lanes, c.lanes, (0x96 as UInt32)._value))
    }

    @inline(__always)
    static func sums(
      _ a: Word, _ b: Word, _ c: Word, _ d: Word, _ e: Word, andWith others: Word
    ) -> (sum: Word, withOthers: Word) {
      let all = sum(sum(a ^ others, b, c), d, e)
      return (all ^ others, all)
    }

    @inline(__always)
    static func product(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec16xInt8_Vec4xInt32(
          Builtin.int_x86_vgf2p8affineqb_128(bytes(x), repeated(matrix), (0 as UInt8)._value)))
    }

    @inline(__always)
    static func inverse(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec16xInt8_Vec4xInt32(
          Builtin.int_x86_vgf2p8affineinvqb_128(bytes(x), repeated(matrix), (0 as UInt8)._value)))
    }

    @inline(__always)
    static func inverseOfRound(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec16xInt8_Vec4xInt32(
          Builtin.int_x86_vgf2p8affineinvqb_128(bytes(x), repeated(matrix), (0x39 as UInt8)._value)))
    }

    @inline(__always)
    static func inverseOfKeyRound(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec16xInt8_Vec4xInt32(
          Builtin.int_x86_vgf2p8affineinvqb_128(bytes(x), repeated(matrix), (0x80 as UInt8)._value)))
    }

    @inline(__always)
    private static func bytes(_ x: Word) -> Builtin.Vec16xInt8 { Builtin.bitcast_Vec4xInt32_Vec16xInt8(x.lanes) }

    @inline(__always)
    private static func repeated(_ matrix: UInt64) -> Builtin.Vec16xInt8 {
      Builtin.bitcast_Vec2xInt64_Vec16xInt8(SIMD2<UInt64>(repeating: matrix)._storage._value)
    }
  }
#endif
