// Eight words: a register of 256 bits where the instruction set has one.

public import Builtin

/// Eight 32-bit words side by side.
public struct Word8: Words {
  public var lanes: Builtin.Vec8xInt32

  @export(implementation) @inline(__always)
  public init(_ lanes: Builtin.Vec8xInt32) { self.lanes = lanes }

  @export(implementation) @inline(__always)
  public init(repeating word: UInt32) { lanes = SIMD8<UInt32>(repeating: word)._storage._value }

  @export(implementation) @inline(__always)
  public init(repeatingFirstOf words: Word4) {
    lanes = Builtin.shufflevector_Vec4xInt32_Vec8xInt32(words.lanes, words.lanes, SIMD8<UInt32>()._storage._value)
  }

  @export(implementation) @inline(__always)
  public init(loadingFrom memory: UnsafeRawPointer) {
    lanes = memory.loadUnaligned(as: SIMD8<UInt32>.self)._storage._value
  }

  @export(implementation) @inline(__always)
  public func store(to memory: UnsafeMutableRawPointer) {
    var words = SIMD8<UInt32>()
    words._storage._value = lanes
    memory.storeBytes(of: words, as: SIMD8<UInt32>.self)
  }

  @export(implementation) @inline(__always)
  public init(gathering place: (Int) -> UnsafeRawPointer) {
    self.init(Word4(loadingFrom: place(0)), Word4(loadingFrom: place(1)))
  }

  @export(implementation) @inline(__always)
  public func scatter(to place: (Int) -> UnsafeMutableRawPointer) {
    lowHalf.store(to: place(0))
    highHalf.store(to: place(1))
  }

  @export(implementation) @inline(__always)
  public init(_ low: Word4, _ high: Word4) {
    let order = SIMD8<UInt32>(0, 1, 2, 3, 4, 5, 6, 7)
    lanes = Builtin.shufflevector_Vec4xInt32_Vec8xInt32(low.lanes, high.lanes, order._storage._value)
  }

  @export(implementation) @inline(__always)
  public var lowHalf: Word4 {
    Word4(Builtin.shufflevector_Vec8xInt32_Vec4xInt32(lanes, lanes, SIMD4<UInt32>(0, 1, 2, 3)._storage._value))
  }

  @export(implementation) @inline(__always)
  public var highHalf: Word4 {
    Word4(Builtin.shufflevector_Vec8xInt32_Vec4xInt32(lanes, lanes, SIMD4<UInt32>(4, 5, 6, 7)._storage._value))
  }

  @export(implementation) @inline(__always)
  public static func ^ (a: Self, b: Self) -> Self { Self(Builtin.xor_Vec8xInt32(a.lanes, b.lanes)) }

  @export(implementation) @inline(__always)
  public static func & (a: Self, b: Self) -> Self { Self(Builtin.and_Vec8xInt32(a.lanes, b.lanes)) }

  @export(implementation) @inline(__always)
  public static func | (a: Self, b: Self) -> Self { Self(Builtin.or_Vec8xInt32(a.lanes, b.lanes)) }

  @export(implementation) @inline(__always)
  public static func &<< (a: Self, count: UInt32) -> Self {
    Self(Builtin.shl_Vec8xInt32(a.lanes, Self(repeating: count).lanes))
  }

  @export(implementation) @inline(__always)
  public static func &>> (a: Self, count: UInt32) -> Self {
    Self(Builtin.lshr_Vec8xInt32(a.lanes, Self(repeating: count).lanes))
  }

  /// Lane i of the result is lane `order[i]` of `a` (0…7) or `b` (8…15).
  @export(implementation) @inline(__always)
  public static func shuffle(_ a: Self, _ b: Self, _ order: SIMD8<UInt32>) -> Self {
    Self(Builtin.shufflevector_Vec8xInt32_Vec8xInt32(a.lanes, b.lanes, order._storage._value))
  }

  @export(implementation) @inline(__always)
  public static func interleaveLowWords(_ a: Self, _ b: Self) -> Self { shuffle(a, b, SIMD8(0, 8, 1, 9, 4, 12, 5, 13)) }

  @export(implementation) @inline(__always)
  public static func interleaveHighWords(_ a: Self, _ b: Self) -> Self {
    shuffle(a, b, SIMD8(2, 10, 3, 11, 6, 14, 7, 15))
  }

  @export(implementation) @inline(__always)
  public static func joinLowHalves(_ a: Self, _ b: Self) -> Self { shuffle(a, b, SIMD8(0, 1, 8, 9, 4, 5, 12, 13)) }

  @export(implementation) @inline(__always)
  public static func joinHighHalves(_ a: Self, _ b: Self) -> Self { shuffle(a, b, SIMD8(2, 3, 10, 11, 6, 7, 14, 15)) }
}
