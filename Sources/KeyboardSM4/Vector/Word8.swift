// Eight words: a register of 256 bits where the instruction set has one.
//
// SPDX-License-Identifier: Apache-2.0

public import Builtin

/// Eight 32-bit words in one register.
public struct Word8: Words {
  public var lanes: Builtin.Vec8xInt32

  @inline(always) public init(_ lanes: Builtin.Vec8xInt32) { self.lanes = lanes }
  @inline(always) public init(bytes: Builtin.Vec32xInt8) { lanes = Builtin.bitcast_Vec32xInt8_Vec8xInt32(bytes) }
  @inline(always) public var bytes: Builtin.Vec32xInt8 { Builtin.bitcast_Vec8xInt32_Vec32xInt8(lanes) }
  @inline(always) public init(repeating word: UInt32) { lanes = SIMD8<UInt32>(repeating: word)._storage._value }

  @inline(always) public init(_ low: Word4, _ high: Word4) {
    let order = SIMD8<UInt32>(0, 1, 2, 3, 4, 5, 6, 7)._storage._value
    lanes = Builtin.shufflevector_Vec4xInt32_Vec8xInt32(low.lanes, high.lanes, order)
  }

  @export(implementation) @inline(__always)
  public func half(_ order: SIMD4<UInt32>) -> Word4 {
    Word4(Builtin.shufflevector_Vec8xInt32_Vec4xInt32(lanes, lanes, order._storage._value))
  }

  @inline(always) public var lowHalf: Word4 { half(SIMD4(0, 1, 2, 3)) }
  @inline(always) public var highHalf: Word4 { half(SIMD4(4, 5, 6, 7)) }

  @inline(always) public init(repeating word: Word4) {
    let first = SIMD8<UInt32>()._storage._value
    lanes = Builtin.shufflevector_Vec4xInt32_Vec8xInt32(word.lanes, word.lanes, first)
  }

  @inline(always) public init(gathering place: (Int) -> UnsafeRawPointer) {
    self.init(Word4(loadingFrom: place(0)), Word4(loadingFrom: place(1)))
  }

  @inline(always) public func scatter(to place: (Int) -> UnsafeMutableRawPointer) {
    lowHalf.store(to: place(0))
    highHalf.store(to: place(1))
  }

  @inline(always) public static func ^ (a: Self, b: Self) -> Self { Self(Builtin.xor_Vec8xInt32(a.lanes, b.lanes)) }
  @inline(always) public static func & (a: Self, b: Self) -> Self { Self(Builtin.and_Vec8xInt32(a.lanes, b.lanes)) }

  @inline(always) public static func &>> (a: Self, count: UInt32) -> Self {
    Self(Builtin.lshr_Vec8xInt32(a.lanes, Self(repeating: count).lanes))
  }

  @inline(always) public func rotatedLeft(by count: UInt32) -> Self {
    Self(Builtin.int_fshl_Vec8xInt32(lanes, lanes, Self(repeating: count).lanes))
  }

  /// Lane i of the result is lane `order[i]` of `a` (0…7) or `b` (8…15).
  @export(implementation) @inline(__always)
  public static func shuffle(_ a: Self, _ b: Self, _ order: SIMD8<UInt32>) -> Self {
    Self(Builtin.shufflevector_Vec8xInt32_Vec8xInt32(a.lanes, b.lanes, order._storage._value))
  }

  @inline(always)
  public static func interleaveLowWords(_ a: Self, _ b: Self) -> Self { shuffle(a, b, SIMD8(0, 8, 1, 9, 4, 12, 5, 13)) }

  @inline(always) public static func interleaveHighWords(_ a: Self, _ b: Self) -> Self {
    shuffle(a, b, SIMD8(2, 10, 3, 11, 6, 14, 7, 15))
  }

  @inline(always)
  public static func joinLowHalves(_ a: Self, _ b: Self) -> Self { shuffle(a, b, SIMD8(0, 1, 8, 9, 4, 5, 12, 13)) }

  @inline(always)
  public static func joinHighHalves(_ a: Self, _ b: Self) -> Self { shuffle(a, b, SIMD8(2, 3, 10, 11, 6, 7, 14, 15)) }
}
