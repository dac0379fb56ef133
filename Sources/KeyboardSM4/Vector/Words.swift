// Registers of 32-bit words, on every width that the processors have.
//
// The standard library's SIMD operators are loops over lanes that the vectoriser may or may not find again; these reach
// LLVM's vector instructions directly. Each is written out in the module that uses it (`@export(implementation)`), and
// so becomes whatever that module's instruction set has: one 512-bit instruction there, four of 128 bits elsewhere.
// Nothing of a register ever crosses a module in a call.

/// Several 32-bit words side by side, four to each 128 bits.
public protocol Words {
  init(repeating word: UInt32)
  /// The first of four words everywhere.
  init(repeatingFirstOf words: Word4)
  init(loadingFrom memory: UnsafeRawPointer)
  func store(to memory: UnsafeMutableRawPointer)

  /// From as many places as it has 128 bits, and back.
  init(gathering place: (Int) -> UnsafeRawPointer)
  func scatter(to place: (Int) -> UnsafeMutableRawPointer)

  static func ^ (a: Self, b: Self) -> Self
  static func & (a: Self, b: Self) -> Self
  static func | (a: Self, b: Self) -> Self
  static func &<< (a: Self, count: UInt32) -> Self
  static func &>> (a: Self, count: UInt32) -> Self

  /// In each 128 bits: the words a0 b0 a1 b1 of the two.
  static func interleaveLowWords(_ a: Self, _ b: Self) -> Self
  /// In each 128 bits: the words a2 b2 a3 b3.
  static func interleaveHighWords(_ a: Self, _ b: Self) -> Self
  /// In each 128 bits: the words a0 a1 b0 b1.
  static func joinLowHalves(_ a: Self, _ b: Self) -> Self
  /// In each 128 bits: the words a2 a3 b2 b3.
  static func joinHighHalves(_ a: Self, _ b: Self) -> Self
}

extension Words {
  @export(implementation) @inline(__always)
  public static var byteCount: Int { MemoryLayout<Self>.size }

  @export(implementation) @inline(__always)
  public func rotatedLeft(by count: UInt32) -> Self { self &<< count | self &>> (32 &- count) }

  /// Transposes the 4 × 4 matrix of words in each 128 bits of the four: four blocks become four vectors of one word of
  /// each block, and back.
  @export(implementation) @inline(__always)
  public static func transpose(_ r0: inout Self, _ r1: inout Self, _ r2: inout Self, _ r3: inout Self) {
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
