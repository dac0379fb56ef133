// Four words: a register of 128 bits. Every processor that Swift runs on has those, so no flag is needed.
//
// SPDX-License-Identifier: Apache-2.0

public import Builtin

/// Four 32-bit words in one register.
public struct Word4: Words {
  public var lanes: Builtin.Vec4xInt32

  @inline(always) public init(_ lanes: Builtin.Vec4xInt32) { self.lanes = lanes }
  @inline(always) public init(bytes: Builtin.Vec16xInt8) { lanes = Builtin.bitcast_Vec16xInt8_Vec4xInt32(bytes) }
  @inline(always) public var bytes: Builtin.Vec16xInt8 { Builtin.bitcast_Vec4xInt32_Vec16xInt8(lanes) }

  @inline(always)
  public init(_ w0: UInt32, _ w1: UInt32, _ w2: UInt32, _ w3: UInt32) { lanes = SIMD4(w0, w1, w2, w3)._storage._value }

  @inline(always) public init(repeating word: UInt32) { self.init(word, word, word, word) }

  @inline(always) public init(repeating word: Word4) { self = word }

  @inline(always) public init(gathering place: (Int) -> UnsafeRawPointer) { self.init(loadingFrom: place(0)) }
  @inline(always) public func scatter(to place: (Int) -> UnsafeMutableRawPointer) { store(to: place(0)) }
  @inline(always) public static func ^ (a: Self, b: Self) -> Self { Self(Builtin.xor_Vec4xInt32(a.lanes, b.lanes)) }
  @inline(always) public static func & (a: Self, b: Self) -> Self { Self(Builtin.and_Vec4xInt32(a.lanes, b.lanes)) }

  @inline(always) public static func &>> (a: Self, count: UInt32) -> Self {
    Self(Builtin.lshr_Vec4xInt32(a.lanes, Self(repeating: count).lanes))
  }

  @inline(always) public func rotatedLeft(by count: UInt32) -> Self {
    Self(Builtin.int_fshl_Vec4xInt32(lanes, lanes, Self(repeating: count).lanes))
  }

  /// Lane i of the result is lane `order[i]` of `a` (0…3) or `b` (4…7).
  @export(implementation) @inline(__always)
  public static func shuffle(_ a: Self, _ b: Self, _ order: SIMD4<UInt32>) -> Self {
    Self(Builtin.shufflevector_Vec4xInt32_Vec4xInt32(a.lanes, b.lanes, order._storage._value))
  }

  @inline(always)
  public static func interleaveLowWords(_ a: Self, _ b: Self) -> Self { shuffle(a, b, SIMD4(0, 4, 1, 5)) }

  @inline(always)
  public static func interleaveHighWords(_ a: Self, _ b: Self) -> Self { shuffle(a, b, SIMD4(2, 6, 3, 7)) }

  @inline(always) public static func joinLowHalves(_ a: Self, _ b: Self) -> Self { shuffle(a, b, SIMD4(0, 1, 4, 5)) }
  @inline(always) public static func joinHighHalves(_ a: Self, _ b: Self) -> Self { shuffle(a, b, SIMD4(2, 3, 6, 7)) }
}

extension Word4 {
  /// Lane i becomes lane i − 1; lane 0 becomes lane 3.
  @inline(always) public var rotatedByOneLane: Self { Self.shuffle(self, self, SIMD4(1, 2, 3, 0)) }
  @inline(always) public var rotatedByTwoLanes: Self { Self.shuffle(self, self, SIMD4(2, 3, 0, 1)) }
  @inline(always) public var rotatedByThreeLanes: Self { Self.shuffle(self, self, SIMD4(3, 0, 1, 2)) }
  @inline(always) public var lanesReversed: Self { Self.shuffle(self, self, SIMD4(3, 2, 1, 0)) }

  /// Stores the first word.
  @inline(always) public func storeFirst(to memory: UnsafeMutablePointer<UInt32>) {
    memory.pointee = UInt32(Builtin.extractelement_Vec4xInt32_Int32(lanes, (0 as Int32)._value))
  }

  /// Byte i of the result is byte `order[i]`.
  @export(implementation) @inline(__always)
  public func bytesShuffled(_ order: SIMD16<UInt32>) -> Self {
    Self(bytes: Builtin.shufflevector_Vec16xInt8_Vec16xInt32(bytes, bytes, order._storage._value))
  }
}
