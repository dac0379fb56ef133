// GFNI: one instruction inverts each byte in the AES field, multiplies it by any matrix and adds a constant; another
// only multiplies.
//
// SPDX-License-Identifier: Apache-2.0

import Builtin

/// An instruction set with GFNI, on any width. A matrix is written as the instructions take it, the row for bit 7 in
/// the least significant byte.
public protocol GFNI: InstructionSet {
  /// M·x
  static func product(_ matrix: UInt64, _ x: Word) -> Word
  /// M·inv(x) ^ constant
  static func inverse(_ matrix: UInt64, _ x: Word, _ constant: InverseConstant) -> Word
}

/// What is added to M·inv(x). The constant is part of the instruction, so there is a case for each one that is used.
public enum InverseConstant {
  case zero
  /// 0x39 = A1·L(0xd3…d3): the S-box's constant as it comes out of a round.
  case round
  /// 0x80 = A1·L'(0xd3…d3): the same for a round of the key schedule.
  case keyRound
  /// 0xcb: the S-box's constant 0xd3 with its bits reversed.
  case reversed
}

/// The matrices. ConstantTests.swift derives all of them from GB/T 32907's S-box.
public enum Matrix {
  /// A1
  @export(implementation) public static var enter: UInt64 { 0x34ac_259e_022d_bc52 }
  /// A1⁻¹
  @export(implementation) public static var leave: UInt64 { 0x4710_1b24_4258_d265 }
  /// A1·(D + U)·A2
  @export(implementation) public static var q: UInt64 { 0x08c7_0d01_1920_4989 }
  /// A1·(1 + U)·A2
  @export(implementation) public static var r: UInt64 { 0xfcaa_beec_34ef_b4a1 }
  /// A1·(1 + D)·A2
  @export(implementation) public static var p: UInt64 { 0xf46d_b3ed_2dcf_fd28 }
  /// A1·L'k·A2, where L'k is what a byte of L' takes from the k-th byte after it.
  @export(implementation) public static var key0: UInt64 { 0xfcaa_35f5_2d64_b4b8 }
  @export(implementation) public static var key1: UInt64 { 0xd759_d78e_00d7_592d }
  @export(implementation) public static var key2: UInt64 { 0x7530_3d37_1eb6_2907 }
  @export(implementation) public static var key3: UInt64 { 0xb6c4_f7ad_8ee9_a8fb }
  /// V·A2, where V reverses the bits of a byte.
  @export(implementation) public static var reversed: UInt64 { 0x198b_6c1e_518e_2dd7 }
  /// A1·V
  @export(implementation) public static var enterReversed: UInt64 { 0x2c35_a479_40b4_3d4a }
}

extension GFNI {
  @inline(always) public static func entered(_ x: Word) -> Word { product(Matrix.enter, x) }
  @inline(always) public static func left(_ x: Word) -> Word { product(Matrix.leave, x) }

  @inline(always) public static func images(of x: Word) -> (q: Word, r: Word) {
    (inverse(Matrix.q, x, .round), inverse(Matrix.r, x, .zero))
  }

  @inline(always) public static func imagesWithSum(of x: Word) -> (p: Word, q: Word, r: Word) {
    (inverse(Matrix.p, x, .round), inverse(Matrix.q, x, .zero), inverse(Matrix.r, x, .zero))
  }

  @inline(always) public static func keyImages(of x: Word) -> (Word, Word, Word, Word) {
    (
      inverse(Matrix.key0, x, .keyRound), inverse(Matrix.key1, x, .zero), inverse(Matrix.key2, x, .zero),
      inverse(Matrix.key3, x, .zero)
    )
  }
}

// The instructions. Only a module with GFNI may call these: a path's `GFNI` conformance does, and nothing else.
#if arch(x86_64)
  extension Word4 {
    @export(implementation) @inline(__always)
    public func product(_ matrix: UInt64) -> Self {
      let rows = Builtin.bitcast_Vec2xInt64_Vec16xInt8(SIMD2<UInt64>(repeating: matrix)._storage._value)
      return Self(bytes: Builtin.int_x86_vgf2p8affineqb_128(bytes, rows, (0 as UInt8)._value))
    }

    @export(implementation) @inline(__always)
    public func inverse(_ matrix: UInt64, _ constant: InverseConstant) -> Self {
      let rows = Builtin.bitcast_Vec2xInt64_Vec16xInt8(SIMD2<UInt64>(repeating: matrix)._storage._value)
      return switch constant {
      case .zero: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_128(bytes, rows, (0 as UInt8)._value))
      case .round: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_128(bytes, rows, (0x39 as UInt8)._value))
      case .keyRound: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_128(bytes, rows, (0x80 as UInt8)._value))
      case .reversed: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_128(bytes, rows, (0xcb as UInt8)._value))
      }
    }
  }

  extension Word8 {
    @export(implementation) @inline(__always)
    public func product(_ matrix: UInt64) -> Self {
      let rows = Builtin.bitcast_Vec4xInt64_Vec32xInt8(SIMD4<UInt64>(repeating: matrix)._storage._value)
      return Self(bytes: Builtin.int_x86_vgf2p8affineqb_256(bytes, rows, (0 as UInt8)._value))
    }

    @export(implementation) @inline(__always)
    public func inverse(_ matrix: UInt64, _ constant: InverseConstant) -> Self {
      let rows = Builtin.bitcast_Vec4xInt64_Vec32xInt8(SIMD4<UInt64>(repeating: matrix)._storage._value)
      return switch constant {
      case .zero: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_256(bytes, rows, (0 as UInt8)._value))
      case .round: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_256(bytes, rows, (0x39 as UInt8)._value))
      case .keyRound: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_256(bytes, rows, (0x80 as UInt8)._value))
      case .reversed: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_256(bytes, rows, (0xcb as UInt8)._value))
      }
    }
  }

  extension Word16 {
    @export(implementation) @inline(__always)
    public func product(_ matrix: UInt64) -> Self {
      let rows = Builtin.bitcast_Vec8xInt64_Vec64xInt8(SIMD8<UInt64>(repeating: matrix)._storage._value)
      return Self(bytes: Builtin.int_x86_vgf2p8affineqb_512(bytes, rows, (0 as UInt8)._value))
    }

    @export(implementation) @inline(__always)
    public func inverse(_ matrix: UInt64, _ constant: InverseConstant) -> Self {
      let rows = Builtin.bitcast_Vec8xInt64_Vec64xInt8(SIMD8<UInt64>(repeating: matrix)._storage._value)
      return switch constant {
      case .zero: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_512(bytes, rows, (0 as UInt8)._value))
      case .round: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_512(bytes, rows, (0x39 as UInt8)._value))
      case .keyRound: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_512(bytes, rows, (0x80 as UInt8)._value))
      case .reversed: Self(bytes: Builtin.int_x86_vgf2p8affineinvqb_512(bytes, rows, (0xcb as UInt8)._value))
      }
    }
  }
#endif
