// Registers of 32-bit words, on every width that the processors have.
//
// The standard library's SIMD operators are loops over lanes that the vectoriser may or may not recognise; these name
// LLVM's vector instructions directly. `@export(implementation)` compiles each of them in the module that uses it, and
// so for that module's instruction set: a `Word16` is one 512-bit register there and four of 128 bits elsewhere. No
// register is ever passed in a call from one module to another.
//
// SPDX-License-Identifier: Apache-2.0

/// Several 32-bit words in one register, four in each 128 bits.
public protocol Words: BitwiseCopyable {
  init(repeating word: UInt32)
  /// A word that is in all four lanes, in every lane.
  init(repeating word: Word4)
  /// Reads each 128 bits from a place of its own.
  init(gathering place: (Int) -> UnsafeRawPointer)
  /// Writes each 128 bits to a place of its own.
  func scatter(to place: (Int) -> UnsafeMutableRawPointer)

  static func ^ (a: Self, b: Self) -> Self
  static func & (a: Self, b: Self) -> Self
  static func &>> (a: Self, count: UInt32) -> Self
  func rotatedLeft(by count: UInt32) -> Self

  /// In each 128 bits: the words a0 b0 a1 b1.
  static func interleaveLowWords(_ a: Self, _ b: Self) -> Self
  /// In each 128 bits: the words a2 b2 a3 b3.
  static func interleaveHighWords(_ a: Self, _ b: Self) -> Self
  /// In each 128 bits: the words a0 a1 b0 b1.
  static func joinLowHalves(_ a: Self, _ b: Self) -> Self
  /// In each 128 bits: the words a2 a3 b2 b3.
  static func joinHighHalves(_ a: Self, _ b: Self) -> Self
}

extension Words {
  @inline(always) public static var byteCount: Int { MemoryLayout<Self>.size }
  @inline(always) public static var wordCount: Int { byteCount / MemoryLayout<UInt32>.size }
  @inline(always) public init(loadingFrom memory: UnsafeRawPointer) { self = memory.loadUnaligned(as: Self.self) }
  @inline(always) public func store(to memory: UnsafeMutableRawPointer) { memory.storeBytes(of: self, as: Self.self) }

  /// Transposes the 4 × 4 matrix of words in each 128 bits of the four: four blocks become four vectors of one word of
  /// each block, and back.
  @inline(always) public static func transpose(_ r0: inout Self, _ r1: inout Self, _ r2: inout Self, _ r3: inout Self) {
    let low01 = interleaveLowWords(r0, r1)
    let high01 = interleaveHighWords(r0, r1)
    let low23 = interleaveLowWords(r2, r3)
    let high23 = interleaveHighWords(r2, r3)
    r0 = joinLowHalves(low01, low23)
    r1 = joinHighHalves(low01, low23)
    r2 = joinLowHalves(high01, high23)
    r3 = joinHighHalves(high01, high23)
  }
}
