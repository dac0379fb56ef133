// Registers of 16-bit coefficients, on the widths that the processors have.
//
// As for Argon2's `Pairs`: the functions name LLVM's vector instructions directly, and are compiled in the module that
// uses them, for its instruction set.
//
// SPDX-License-Identifier: Apache-2.0

public import Builtin

/// Signed coefficients in one register, in halves of eight. (A register of eight has one half.)
public protocol Coefficients: BitwiseCopyable {
  init(repeating coefficient: Int16)
  /// Fills each half with a word of its own: four coefficients, twice.
  init(halves word: (Int) -> UInt64)

  static func &+ (a: Self, b: Self) -> Self
  static func &- (a: Self, b: Self) -> Self
  static func & (a: Self, b: Self) -> Self
  /// The sign comes down.
  static func &>> (a: Self, count: Int16) -> Self
  /// The lower halves of the products.
  static func lowProduct(_ a: Self, _ b: Self) -> Self
  /// The upper halves of the signed products.
  static func highProduct(_ a: Self, _ b: Self) -> Self

  /// In each half: a0 b0 a1 b1 a2 b2 a3 b3, and a4 b4 a5 b5 a6 b6 a7 b7.
  static func interleaved(_ a: Self, _ b: Self) -> (Self, Self)
  /// In each half: a0 a2 a4 a6 b0 b2 b4 b6, and a1 a3 a5 a7 b1 b3 b5 b7. Undoes `interleaved`.
  static func deinterleaved(_ a: Self, _ b: Self) -> (Self, Self)
  /// The first halves of both, and the second halves of both. Undoes itself. Of registers with one half: `a` and `b`.
  static func paired(_ a: Self, _ b: Self) -> (Self, Self)
}

extension Coefficients {
  @inline(always) public static var count: Int { MemoryLayout<Self>.size / 2 }
  @inline(always) public init(_ memory: UnsafeRawPointer, _ index: Int) {
    self = (memory + 2 &* index).loadUnaligned(as: Self.self)
  }
  @inline(always) public func store(_ memory: UnsafeMutableRawPointer, _ index: Int) {
    (memory + 2 &* index).storeBytes(of: self, as: Self.self)
  }
}

/// A register of 128 bits.
public struct EightCoefficients: Coefficients {
  public var lanes: Builtin.Vec8xInt16

  @inline(always) public init(_ lanes: Builtin.Vec8xInt16) { self.lanes = lanes }
  @inline(always) public init(repeating coefficient: Int16) {
    lanes = SIMD8<Int16>(repeating: coefficient)._storage._value
  }
  @inline(always) public init(halves word: (Int) -> UInt64) {
    lanes = Builtin.bitcast_Vec2xInt64_Vec8xInt16(SIMD2<UInt64>(repeating: word(0))._storage._value)
  }

  @inline(always) public static func &+ (a: Self, b: Self) -> Self { Self(Builtin.add_Vec8xInt16(a.lanes, b.lanes)) }
  @inline(always) public static func &- (a: Self, b: Self) -> Self { Self(Builtin.sub_Vec8xInt16(a.lanes, b.lanes)) }
  @inline(always) public static func & (a: Self, b: Self) -> Self { Self(Builtin.and_Vec8xInt16(a.lanes, b.lanes)) }
  @inline(always) public static func &>> (a: Self, count: Int16) -> Self {
    Self(Builtin.ashr_Vec8xInt16(a.lanes, Self(repeating: count).lanes))
  }

  @inline(always) public static func lowProduct(_ a: Self, _ b: Self) -> Self {
    Self(Builtin.mul_Vec8xInt16(a.lanes, b.lanes))
  }

  @inline(always) public static func highProduct(_ a: Self, _ b: Self) -> Self {
    let product = Builtin.mul_Vec8xInt32(
      Builtin.sext_Vec8xInt16_Vec8xInt32(a.lanes), Builtin.sext_Vec8xInt16_Vec8xInt32(b.lanes))
    let upper = Builtin.ashr_Vec8xInt32(product, SIMD8<Int32>(repeating: 16)._storage._value)
    return Self(Builtin.trunc_Vec8xInt32_Vec8xInt16(upper))
  }

  @inline(always) public static func interleaved(_ a: Self, _ b: Self) -> (Self, Self) {
    (shuffle(a, b, SIMD8(0, 8, 1, 9, 2, 10, 3, 11)), shuffle(a, b, SIMD8(4, 12, 5, 13, 6, 14, 7, 15)))
  }

  @inline(always) public static func deinterleaved(_ a: Self, _ b: Self) -> (Self, Self) {
    (shuffle(a, b, SIMD8(0, 2, 4, 6, 8, 10, 12, 14)), shuffle(a, b, SIMD8(1, 3, 5, 7, 9, 11, 13, 15)))
  }

  @inline(always) public static func paired(_ a: Self, _ b: Self) -> (Self, Self) { (a, b) }

  /// Lane i of the result is lane `order[i]` of `a` (0…7) or `b` (8…15).
  @export(implementation) @inline(__always)
  public static func shuffle(_ a: Self, _ b: Self, _ order: SIMD8<UInt32>) -> Self {
    Self(Builtin.shufflevector_Vec8xInt16_Vec8xInt32(a.lanes, b.lanes, order._storage._value))
  }
}

/// A register of 256 bits where the instruction set has one.
public struct SixteenCoefficients: Coefficients {
  public var lanes: Builtin.Vec16xInt16

  @inline(always) public init(_ lanes: Builtin.Vec16xInt16) { self.lanes = lanes }
  @inline(always) public init(repeating coefficient: Int16) {
    lanes = SIMD16<Int16>(repeating: coefficient)._storage._value
  }
  @inline(always) public init(halves word: (Int) -> UInt64) {
    let (first, second) = (word(0), word(1))
    lanes = Builtin.bitcast_Vec4xInt64_Vec16xInt16(SIMD4<UInt64>(first, first, second, second)._storage._value)
  }

  @inline(always) public static func &+ (a: Self, b: Self) -> Self { Self(Builtin.add_Vec16xInt16(a.lanes, b.lanes)) }
  @inline(always) public static func &- (a: Self, b: Self) -> Self { Self(Builtin.sub_Vec16xInt16(a.lanes, b.lanes)) }
  @inline(always) public static func & (a: Self, b: Self) -> Self { Self(Builtin.and_Vec16xInt16(a.lanes, b.lanes)) }
  @inline(always) public static func &>> (a: Self, count: Int16) -> Self {
    Self(Builtin.ashr_Vec16xInt16(a.lanes, Self(repeating: count).lanes))
  }

  @inline(always) public static func lowProduct(_ a: Self, _ b: Self) -> Self {
    Self(Builtin.mul_Vec16xInt16(a.lanes, b.lanes))
  }

  @inline(always) public static func highProduct(_ a: Self, _ b: Self) -> Self {
    let product = Builtin.mul_Vec16xInt32(
      Builtin.sext_Vec16xInt16_Vec16xInt32(a.lanes), Builtin.sext_Vec16xInt16_Vec16xInt32(b.lanes))
    let upper = Builtin.ashr_Vec16xInt32(product, SIMD16<Int32>(repeating: 16)._storage._value)
    return Self(Builtin.trunc_Vec16xInt32_Vec16xInt16(upper))
  }

  @inline(always) public static func interleaved(_ a: Self, _ b: Self) -> (Self, Self) {
    (
      shuffle(a, b, SIMD16(0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27)),
      shuffle(a, b, SIMD16(4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31))
    )
  }

  @inline(always) public static func deinterleaved(_ a: Self, _ b: Self) -> (Self, Self) {
    (
      shuffle(a, b, SIMD16(0, 2, 4, 6, 16, 18, 20, 22, 8, 10, 12, 14, 24, 26, 28, 30)),
      shuffle(a, b, SIMD16(1, 3, 5, 7, 17, 19, 21, 23, 9, 11, 13, 15, 25, 27, 29, 31))
    )
  }

  @inline(always) public static func paired(_ a: Self, _ b: Self) -> (Self, Self) {
    (
      shuffle(a, b, SIMD16(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)),
      shuffle(a, b, SIMD16(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
    )
  }

  /// Lane i of the result is lane `order[i]` of `a` (0…15) or `b` (16…31).
  @export(implementation) @inline(__always)
  public static func shuffle(_ a: Self, _ b: Self, _ order: SIMD16<UInt32>) -> Self {
    Self(Builtin.shufflevector_Vec16xInt16_Vec16xInt32(a.lanes, b.lanes, order._storage._value))
  }
}
