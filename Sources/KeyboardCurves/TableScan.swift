// Entries of tables, chosen by secrets: every entry is read, and all but one are masked away. The sums are kept in
// vector registers; in memory they took 3.5 times as long.
//
// SPDX-License-Identifier: Apache-2.0

/// One digit of a comb with four combs of four teeth, sixteen bits apart: bits 64·comb + column, + 16, + 32, + 48 of
/// the signs.
struct CombDigit {
  /// 0…7: which of the comb's points.
  let index: UInt64
  /// All ones where the opposite point is meant.
  let isNegative: UInt64

  /// - Parameters:
  ///   - comb: 0…3, public.
  ///   - column: 0…15, public.
  @inline(always) init(_ signs: Limbs, comb: Int, column: Int, _ one: UInt64) {
    let bits = signs[comb] &>> UInt64(truncatingIfNeeded: column)
    let lower = (bits & 1) | ((bits &>> 15) & 2) | ((bits &>> 30) & 4)
    isNegative = maskIfEven(bits &>> 48, one)
    index = (lower ^ isNegative) & 7
  }
}

/// A table of words.
protocol WordTable {
  /// Words `index` and `index` + 1.
  func pair(_ index: Int) -> SIMD2<UInt64>
}

/// A table in the caller's memory.
struct TableInMemory: WordTable {
  let start: UnsafeRawPointer

  @inline(always) func pair(_ index: Int) -> SIMD2<UInt64> {
    (start + index &* 8).loadUnaligned(as: SIMD2<UInt64>.self)
  }
}

/// Copies entry `index` of `count` entries of 64 bytes. The first one begins at word `first`.
@inline(never)
func scan64<Table: WordTable>(
  _ table: Table, first: Int, count: Int, _ index: UInt64, into output: UnsafeMutableRawPointer, _ one: UInt64
) {
  var (a, b, c, d) = (SIMD2<UInt64>.zero, SIMD2<UInt64>.zero, SIMD2<UInt64>.zero, SIMD2<UInt64>.zero)
  for number in 0..<count {
    let mask = SIMD2(repeating: maskIfZero(UInt64(truncatingIfNeeded: number) ^ index, one))
    let word = first &+ number &* 8
    a |= table.pair(word) & mask
    b |= table.pair(word &+ 2) & mask
    c |= table.pair(word &+ 4) & mask
    d |= table.pair(word &+ 6) & mask
  }
  output.storeBytes(of: a, as: SIMD2<UInt64>.self)
  (output + 16).storeBytes(of: b, as: SIMD2<UInt64>.self)
  (output + 32).storeBytes(of: c, as: SIMD2<UInt64>.self)
  (output + 48).storeBytes(of: d, as: SIMD2<UInt64>.self)
}

/// The same for entries of 96 bytes.
@inline(never)
func scan96<Table: WordTable>(
  _ table: Table, first: Int, count: Int, _ index: UInt64, into output: UnsafeMutableRawPointer, _ one: UInt64
) {
  var (a, b, c) = (SIMD2<UInt64>.zero, SIMD2<UInt64>.zero, SIMD2<UInt64>.zero)
  var (d, e, f) = (SIMD2<UInt64>.zero, SIMD2<UInt64>.zero, SIMD2<UInt64>.zero)
  for number in 0..<count {
    let mask = SIMD2(repeating: maskIfZero(UInt64(truncatingIfNeeded: number) ^ index, one))
    let word = first &+ number &* 12
    a |= table.pair(word) & mask
    b |= table.pair(word &+ 2) & mask
    c |= table.pair(word &+ 4) & mask
    d |= table.pair(word &+ 6) & mask
    e |= table.pair(word &+ 8) & mask
    f |= table.pair(word &+ 10) & mask
  }
  output.storeBytes(of: a, as: SIMD2<UInt64>.self)
  (output + 16).storeBytes(of: b, as: SIMD2<UInt64>.self)
  (output + 32).storeBytes(of: c, as: SIMD2<UInt64>.self)
  (output + 48).storeBytes(of: d, as: SIMD2<UInt64>.self)
  (output + 64).storeBytes(of: e, as: SIMD2<UInt64>.self)
  (output + 80).storeBytes(of: f, as: SIMD2<UInt64>.self)
}
