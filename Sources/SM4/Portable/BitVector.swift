// The words that the portable path computes on: one UInt32, or four in a 128-bit register.
//
// The standard library's SIMD operators are loops over lanes that the vectoriser may or may not find again; these reach
// LLVM's vector instructions directly, so that a debug build too is one instruction an operator, and nothing is left to
// luck. Every processor that Swift runs on has 128-bit registers; no flag is needed.

import Builtin

/// Bits that are combined all at once: the S-box circuit is written once over this and serves every width.
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
}

extension WordVector {
  @inline(__always)
  func rotatedLeft(by count: UInt32) -> Self { self &<< count | self &>> (32 &- count) }
}

extension UInt32: WordVector {
  @inline(__always)
  init(repeating word: UInt32) { self = word }
}

/// Four 32-bit words in one register.
struct Word4: WordVector {
  var lanes: Builtin.Vec4xInt32

  @inline(__always)
  init(_ lanes: Builtin.Vec4xInt32) { self.lanes = lanes }

  @inline(__always)
  init(_ w0: UInt32, _ w1: UInt32, _ w2: UInt32, _ w3: UInt32) { lanes = SIMD4(w0, w1, w2, w3)._storage._value }

  @inline(__always)
  init(repeating word: UInt32) { self.init(word, word, word, word) }

  @inline(__always)
  init(loadingFrom memory: UnsafeRawPointer) { lanes = memory.loadUnaligned(as: SIMD4<UInt32>.self)._storage._value }

  @inline(__always)
  func store(to memory: UnsafeMutableRawPointer) {
    var words = SIMD4<UInt32>()
    words._storage._value = lanes
    memory.storeBytes(of: words, as: SIMD4<UInt32>.self)
  }

  @inline(__always)
  static func ^ (a: Self, b: Self) -> Self { Self(Builtin.xor_Vec4xInt32(a.lanes, b.lanes)) }

  @inline(__always)
  static func & (a: Self, b: Self) -> Self { Self(Builtin.and_Vec4xInt32(a.lanes, b.lanes)) }

  @inline(__always)
  static func | (a: Self, b: Self) -> Self { Self(Builtin.or_Vec4xInt32(a.lanes, b.lanes)) }

  @inline(__always)
  static func &<< (a: Self, count: UInt32) -> Self {
    Self(Builtin.shl_Vec4xInt32(a.lanes, Self(repeating: count).lanes))
  }

  @inline(__always)
  static func &>> (a: Self, count: UInt32) -> Self {
    Self(Builtin.lshr_Vec4xInt32(a.lanes, Self(repeating: count).lanes))
  }

  /// Each lane all ones where its most significant bit is one, else zero.
  @inline(__always)
  var signMask: Self { Self(Builtin.ashr_Vec4xInt32(lanes, Self(repeating: 31).lanes)) }
}

// MARK: - Shuffles

extension Word4 {
  // LLVM wants the order of a shuffle as a literal, hence one function for each: lanes 0…3 are a's, 4…7 are b's.

  /// The lanes moved down by one, two or three places, those that fall out coming back at the top.
  @inline(__always)
  var rotatedByOneLane: Self {
    Self(Builtin.shufflevector_Vec4xInt32_Vec4xInt32(lanes, lanes, SIMD4<UInt32>(1, 2, 3, 0)._storage._value))
  }

  @inline(__always)
  var rotatedByTwoLanes: Self {
    Self(Builtin.shufflevector_Vec4xInt32_Vec4xInt32(lanes, lanes, SIMD4<UInt32>(2, 3, 0, 1)._storage._value))
  }

  @inline(__always)
  var rotatedByThreeLanes: Self {
    Self(Builtin.shufflevector_Vec4xInt32_Vec4xInt32(lanes, lanes, SIMD4<UInt32>(3, 0, 1, 2)._storage._value))
  }

  @inline(__always)
  private static func lowLanes(_ a: Self, _ b: Self) -> Self {
    Self(Builtin.shufflevector_Vec4xInt32_Vec4xInt32(a.lanes, b.lanes, SIMD4<UInt32>(0, 4, 1, 5)._storage._value))
  }

  @inline(__always)
  private static func highLanes(_ a: Self, _ b: Self) -> Self {
    Self(Builtin.shufflevector_Vec4xInt32_Vec4xInt32(a.lanes, b.lanes, SIMD4<UInt32>(2, 6, 3, 7)._storage._value))
  }

  @inline(__always)
  private static func lowPairs(_ a: Self, _ b: Self) -> Self {
    Self(Builtin.shufflevector_Vec4xInt32_Vec4xInt32(a.lanes, b.lanes, SIMD4<UInt32>(0, 1, 4, 5)._storage._value))
  }

  @inline(__always)
  private static func highPairs(_ a: Self, _ b: Self) -> Self {
    Self(Builtin.shufflevector_Vec4xInt32_Vec4xInt32(a.lanes, b.lanes, SIMD4<UInt32>(2, 3, 6, 7)._storage._value))
  }

  /// Transposes a 4 × 4 matrix of words: four blocks become four vectors of one word of each block, and back.
  @inline(__always)
  static func transpose(_ r0: inout Self, _ r1: inout Self, _ r2: inout Self, _ r3: inout Self) {
    let low01 = lowLanes(r0, r1)
    let high01 = highLanes(r0, r1)
    let low23 = lowLanes(r2, r3)
    let high23 = highLanes(r2, r3)
    r0 = lowPairs(low01, low23)
    r1 = highPairs(low01, low23)
    r2 = lowPairs(high01, high23)
    r3 = highPairs(high01, high23)
  }

  /// Transposes the 4 × 4 matrix of bytes in the register; its own inverse. Four words become four lanes that hold one
  /// byte of each word.
  @inline(__always)
  var byteTransposed: Self { halvesInterleaved.halvesInterleaved }

  /// The low eight bytes alternating with the high eight: what the baseline of x86-64 can do in one instruction.
  @inline(__always)
  private var halvesInterleaved: Self {
    let bytes = Builtin.bitcast_Vec4xInt32_Vec16xInt8(lanes)
    let order = SIMD16<UInt32>(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)._storage._value
    return Self(
      Builtin.bitcast_Vec16xInt8_Vec4xInt32(Builtin.shufflevector_Vec16xInt8_Vec16xInt32(bytes, bytes, order)))
  }

  /// Each lane's bytes in the opposite order.
  @inline(__always)
  var byteSwapped: Self {
    let even = (self & Self(repeating: 0x00ff_00ff)).rotatedLeft(by: 24)
    let odd = self.rotatedLeft(by: 8) & Self(repeating: 0x00ff_00ff)
    return even | odd
  }
}
