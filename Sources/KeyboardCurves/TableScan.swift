// Entries of tables, chosen by secrets: every entry is read, and all but one are masked away. The sums are kept in
// vector registers; in memory they took 3.5 times as long.
//
// SPDX-License-Identifier: Apache-2.0

/// One digit of a comb with eight combs of four teeth, eight bits apart: bits 32·comb + column, + 8, + 16, + 24 of the
/// signs.
struct CombDigit {
  /// 0…7: which of the comb's points.
  let index: UInt64
  /// All ones where the opposite point is meant.
  let isNegative: UInt64

  /// - Parameters:
  ///   - comb: 0…7, public.
  ///   - column: 0…7, public.
  @inline(always) init(_ signs: Limbs, comb: Int, column: Int, _ one: UInt64) {
    let bits = signs[comb &>> 1] &>> UInt64(truncatingIfNeeded: (comb & 1) &* 32 &+ column)
    let lower = (bits & 1) | ((bits &>> 7) & 2) | ((bits &>> 14) & 4)
    isNegative = maskIfEven(bits &>> 24, one)
    index = (lower ^ isNegative) & 7
  }
}

/// Copies entry `index` of a table of entries of 64 bytes.
@inline(never)
func scan64(
  _ output: UnsafeMutableRawPointer, _ table: UnsafeRawPointer, count: Int, _ index: UInt64, _ one: UInt64
) {
  typealias Vector = SIMD2<UInt64>
  var (a, b, c, d) = (Vector.zero, Vector.zero, Vector.zero, Vector.zero)
  var entry = table
  for number in 0..<count {
    let mask = Vector(repeating: maskIfZero(UInt64(truncatingIfNeeded: number) ^ index, one))
    a |= entry.loadUnaligned(as: Vector.self) & mask
    b |= (entry + 16).loadUnaligned(as: Vector.self) & mask
    c |= (entry + 32).loadUnaligned(as: Vector.self) & mask
    d |= (entry + 48).loadUnaligned(as: Vector.self) & mask
    entry += 64
  }
  output.storeBytes(of: a, as: Vector.self)
  (output + 16).storeBytes(of: b, as: Vector.self)
  (output + 32).storeBytes(of: c, as: Vector.self)
  (output + 48).storeBytes(of: d, as: Vector.self)
}

/// Copies entry `index` of a table of entries of 96 bytes.
@inline(never)
func scan96(
  _ output: UnsafeMutableRawPointer, _ table: UnsafeRawPointer, count: Int, _ index: UInt64, _ one: UInt64
) {
  typealias Vector = SIMD2<UInt64>
  var (a, b, c) = (Vector.zero, Vector.zero, Vector.zero)
  var (d, e, f) = (Vector.zero, Vector.zero, Vector.zero)
  var entry = table
  for number in 0..<count {
    let mask = Vector(repeating: maskIfZero(UInt64(truncatingIfNeeded: number) ^ index, one))
    a |= entry.loadUnaligned(as: Vector.self) & mask
    b |= (entry + 16).loadUnaligned(as: Vector.self) & mask
    c |= (entry + 32).loadUnaligned(as: Vector.self) & mask
    d |= (entry + 48).loadUnaligned(as: Vector.self) & mask
    e |= (entry + 64).loadUnaligned(as: Vector.self) & mask
    f |= (entry + 80).loadUnaligned(as: Vector.self) & mask
    entry += 96
  }
  output.storeBytes(of: a, as: Vector.self)
  (output + 16).storeBytes(of: b, as: Vector.self)
  (output + 32).storeBytes(of: c, as: Vector.self)
  (output + 48).storeBytes(of: d, as: Vector.self)
  (output + 64).storeBytes(of: e, as: Vector.self)
  (output + 80).storeBytes(of: f, as: Vector.self)
}
