// GFNI on 256-bit registers, and on 128-bit ones for few blocks.

#if arch(x86_64)
  import Builtin
  import KeyboardSM4Vector

  /// Eight words at once.
  enum Wide: GFNI {
    typealias Word = Word8

    @inline(__always)
    static func product(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec32xInt8_Vec8xInt32(
          Builtin.int_x86_vgf2p8affineqb_256(bytes(x), repeated(matrix), (0 as UInt8)._value)))
    }

    @inline(__always)
    static func inverse(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec32xInt8_Vec8xInt32(
          Builtin.int_x86_vgf2p8affineinvqb_256(bytes(x), repeated(matrix), (0 as UInt8)._value)))
    }

    @inline(__always)
    static func inverseOfRound(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec32xInt8_Vec8xInt32(
          Builtin.int_x86_vgf2p8affineinvqb_256(bytes(x), repeated(matrix), (0x39 as UInt8)._value)))
    }

    @inline(__always)
    static func inverseOfKeyRound(_ matrix: UInt64, _ x: Word) -> Word {
      Word(
        Builtin.bitcast_Vec32xInt8_Vec8xInt32(
          Builtin.int_x86_vgf2p8affineinvqb_256(bytes(x), repeated(matrix), (0x80 as UInt8)._value)))
    }

    @inline(__always)
    private static func bytes(_ x: Word) -> Builtin.Vec32xInt8 { Builtin.bitcast_Vec8xInt32_Vec32xInt8(x.lanes) }

    @inline(__always)
    private static func repeated(_ matrix: UInt64) -> Builtin.Vec32xInt8 {
      Builtin.bitcast_Vec4xInt64_Vec32xInt8(SIMD4<UInt64>(repeating: matrix)._storage._value)
    }
  }

  /// Four words at once.
  enum Narrow: GFNI {
    typealias Word = Word4

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
