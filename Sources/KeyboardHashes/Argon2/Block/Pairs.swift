// Registers of 64-bit words, on the widths that the processors have.
//
// As for SM4's `Words`: the functions name LLVM's vector instructions directly, and are compiled in the module that
// uses them, for its instruction set.
//
// SPDX-License-Identifier: Apache-2.0

public import Builtin

/// Pairs of 64-bit words in one register. Each pair belongs to a permutation of its own.
public protocol Pairs: BitwiseCopyable {
  /// Reads each pair from a place of its own.
  init(gathering place: (Int) -> UnsafeRawPointer)

  static func ^ (a: Self, b: Self) -> Self
  static func &+ (a: Self, b: Self) -> Self
  /// The products of the lower halves of the words.
  static func lowProduct(_ a: Self, _ b: Self) -> Self
  func rotatedRight(by count: UInt64) -> Self
  /// In each pair: the second word of `a`, then the first of `b`.
  static func joined(_ a: Self, _ b: Self) -> Self
}

extension Pairs {
  @inline(always) public static var byteCount: Int { MemoryLayout<Self>.size }
  @inline(always) public static var pairCount: Int { byteCount / MemoryLayout<Pair>.size }
  @inline(always) public init(loadingFrom memory: UnsafeRawPointer) { self = memory.loadUnaligned(as: Self.self) }
  @inline(always) public func store(to memory: UnsafeMutableRawPointer) { memory.storeBytes(of: self, as: Self.self) }
}

/// One pair: a register of 128 bits.
public struct Pair: Pairs {
  public var words: Builtin.Vec2xInt64

  @inline(always) public init(_ words: Builtin.Vec2xInt64) { self.words = words }
  @inline(always) public init(repeating word: UInt64) { words = SIMD2<UInt64>(repeating: word)._storage._value }
  @inline(always) public init(gathering place: (Int) -> UnsafeRawPointer) { self.init(loadingFrom: place(0)) }

  @inline(always) public static func ^ (a: Self, b: Self) -> Self { Self(Builtin.xor_Vec2xInt64(a.words, b.words)) }
  @inline(always) public static func &+ (a: Self, b: Self) -> Self { Self(Builtin.add_Vec2xInt64(a.words, b.words)) }

  @inline(always) public static func lowProduct(_ a: Self, _ b: Self) -> Self {
    let low = Self(repeating: 0xffff_ffff).words
    return Self(Builtin.mul_Vec2xInt64(Builtin.and_Vec2xInt64(a.words, low), Builtin.and_Vec2xInt64(b.words, low)))
  }

  @inline(always) public func rotatedRight(by count: UInt64) -> Self {
    Self(Builtin.int_fshr_Vec2xInt64(words, words, Self(repeating: count).words))
  }

  @inline(always) public static func joined(_ a: Self, _ b: Self) -> Self {
    let order = SIMD2<UInt32>(1, 2)._storage._value
    return Self(Builtin.shufflevector_Vec2xInt64_Vec2xInt32(a.words, b.words, order))
  }
}

/// Two pairs: a register of 256 bits where the instruction set has one.
public struct TwoPairs: Pairs {
  public var words: Builtin.Vec4xInt64

  @inline(always) public init(_ words: Builtin.Vec4xInt64) { self.words = words }
  @inline(always) public init(repeating word: UInt64) { words = SIMD4<UInt64>(repeating: word)._storage._value }

  @inline(always) public init(gathering place: (Int) -> UnsafeRawPointer) {
    let (low, high) = (Pair(loadingFrom: place(0)), Pair(loadingFrom: place(1)))
    let order = SIMD4<UInt32>(0, 1, 2, 3)._storage._value
    words = Builtin.shufflevector_Vec2xInt64_Vec4xInt32(low.words, high.words, order)
  }

  @inline(always) public static func ^ (a: Self, b: Self) -> Self { Self(Builtin.xor_Vec4xInt64(a.words, b.words)) }
  @inline(always) public static func &+ (a: Self, b: Self) -> Self { Self(Builtin.add_Vec4xInt64(a.words, b.words)) }

  @inline(always) public static func lowProduct(_ a: Self, _ b: Self) -> Self {
    let low = Self(repeating: 0xffff_ffff).words
    return Self(Builtin.mul_Vec4xInt64(Builtin.and_Vec4xInt64(a.words, low), Builtin.and_Vec4xInt64(b.words, low)))
  }

  @inline(always) public func rotatedRight(by count: UInt64) -> Self {
    Self(Builtin.int_fshr_Vec4xInt64(words, words, Self(repeating: count).words))
  }

  @inline(always) public static func joined(_ a: Self, _ b: Self) -> Self {
    let order = SIMD4<UInt32>(1, 4, 3, 6)._storage._value
    return Self(Builtin.shufflevector_Vec4xInt64_Vec4xInt32(a.words, b.words, order))
  }
}
