// The words that the portable path computes on: one UInt32, or four in a 128-bit register.
//
// SPDX-License-Identifier: Apache-2.0

import Builtin
import KeyboardSM4Vector

/// Bits that are combined all at once. The S-box circuit is written once over this, for every width.
protocol BitVector {
  static func ^ (a: Self, b: Self) -> Self
  static func & (a: Self, b: Self) -> Self
}

/// One or more 32-bit words side by side, each a word of GB/T 32907: most significant byte first.
protocol WordVector: BitVector {
  init(repeating word: UInt32)
  static func | (a: Self, b: Self) -> Self
  static func &<< (a: Self, count: UInt32) -> Self
  static func &>> (a: Self, count: UInt32) -> Self
  func rotatedLeft(by count: UInt32) -> Self
}

extension UInt32: WordVector {
  @inline(always) init(repeating word: UInt32) { self = word }
  @inline(always) func rotatedLeft(by count: UInt32) -> Self { self &<< count | self &>> (32 &- count) }
}

extension Word4: WordVector {
  @inline(always) static func | (a: Self, b: Self) -> Self { Self(Builtin.or_Vec4xInt32(a.lanes, b.lanes)) }

  @inline(always) static func &<< (a: Self, count: UInt32) -> Self {
    Self(Builtin.shl_Vec4xInt32(a.lanes, Self(repeating: count).lanes))
  }
}

extension Word4 {
  /// Each lane all ones where its most significant bit is one, else zero.
  @inline(always) var signMask: Self { Self(Builtin.ashr_Vec4xInt32(lanes, Self(repeating: 31).lanes)) }

  /// Transposes the 4 × 4 matrix of bytes in the register; its own inverse. Four words become four lanes that hold one
  /// byte of each word.
  @inline(always) var byteTransposed: Self { halvesInterleaved.halvesInterleaved }

  /// The low eight bytes alternating with the high eight: what the baseline of x86-64 can do in one instruction.
  @inline(always) private var halvesInterleaved: Self {
    bytesShuffled(SIMD16(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15))
  }

  /// Each lane's bytes in the opposite order.
  @inline(always) var byteSwapped: Self {
    let even = (self & Self(repeating: 0x00ff_00ff)).rotatedLeft(by: 24)
    let odd = self.rotatedLeft(by: 8) & Self(repeating: 0x00ff_00ff)
    return even | odd
  }
}
