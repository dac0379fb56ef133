// Sixteen words: a register of 512 bits where the instruction set has one.
//
// SPDX-License-Identifier: Apache-2.0

public import Builtin

/// Sixteen 32-bit words in one register.
public struct Word16: Words {
  public var lanes: Builtin.Vec16xInt32

  @inline(always) public init(_ lanes: Builtin.Vec16xInt32) { self.lanes = lanes }
  @inline(always) public init(bytes: Builtin.Vec64xInt8) { lanes = Builtin.bitcast_Vec64xInt8_Vec16xInt32(bytes) }
  @inline(always) public var bytes: Builtin.Vec64xInt8 { Builtin.bitcast_Vec16xInt32_Vec64xInt8(lanes) }
  @inline(always) public init(repeating word: UInt32) { lanes = SIMD16<UInt32>(repeating: word)._storage._value }

  @inline(always) public init(repeating word: Word4) {
    let first = SIMD16<UInt32>()._storage._value
    lanes = Builtin.shufflevector_Vec4xInt32_Vec16xInt32(word.lanes, word.lanes, first)
  }

  @inline(always) public init(gathering place: (Int) -> UnsafeRawPointer) {
    let low = Word8(Word4(loadingFrom: place(0)), Word4(loadingFrom: place(1)))
    let high = Word8(Word4(loadingFrom: place(2)), Word4(loadingFrom: place(3)))
    let order = SIMD16<UInt32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)._storage._value
    lanes = Builtin.shufflevector_Vec8xInt32_Vec16xInt32(low.lanes, high.lanes, order)
  }

  @inline(always) public func scatter(to place: (Int) -> UnsafeMutableRawPointer) {
    quarter(SIMD4(0, 1, 2, 3)).store(to: place(0))
    quarter(SIMD4(4, 5, 6, 7)).store(to: place(1))
    quarter(SIMD4(8, 9, 10, 11)).store(to: place(2))
    quarter(SIMD4(12, 13, 14, 15)).store(to: place(3))
  }

  @export(implementation) @inline(__always)
  public func quarter(_ order: SIMD4<UInt32>) -> Word4 {
    Word4(Builtin.shufflevector_Vec16xInt32_Vec4xInt32(lanes, lanes, order._storage._value))
  }

  @inline(always) public static func ^ (a: Self, b: Self) -> Self { Self(Builtin.xor_Vec16xInt32(a.lanes, b.lanes)) }
  @inline(always) public static func & (a: Self, b: Self) -> Self { Self(Builtin.and_Vec16xInt32(a.lanes, b.lanes)) }

  @inline(always) public static func &>> (a: Self, count: UInt32) -> Self {
    Self(Builtin.lshr_Vec16xInt32(a.lanes, Self(repeating: count).lanes))
  }

  @inline(always) public func rotatedLeft(by count: UInt32) -> Self {
    Self(Builtin.int_fshl_Vec16xInt32(lanes, lanes, Self(repeating: count).lanes))
  }

  /// Lane i of the result is lane `order[i]` of `a` (0…15) or `b` (16…31).
  @export(implementation) @inline(__always)
  public static func shuffle(_ a: Self, _ b: Self, _ order: SIMD16<UInt32>) -> Self {
    Self(Builtin.shufflevector_Vec16xInt32_Vec16xInt32(a.lanes, b.lanes, order._storage._value))
  }

  @inline(always) public static func interleaveLowWords(_ a: Self, _ b: Self) -> Self {
    shuffle(a, b, SIMD16(0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29))
  }

  @inline(always) public static func interleaveHighWords(_ a: Self, _ b: Self) -> Self {
    shuffle(a, b, SIMD16(2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31))
  }

  @inline(always) public static func joinLowHalves(_ a: Self, _ b: Self) -> Self {
    shuffle(a, b, SIMD16(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29))
  }

  @inline(always) public static func joinHighHalves(_ a: Self, _ b: Self) -> Self {
    shuffle(a, b, SIMD16(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
  }
}
