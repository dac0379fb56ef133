// Every key shows every character equally often.
// SPDX-License-Identifier: Apache-2.0
//
// How far a count may differ from the expected one: for χ² with k degrees of freedom and any t > 0,
//
//     P(χ² ≥ k + 2√(kt) + 2t) ≤ e^−t                         (Laurent & Massart 2000, lemma 1)
//
// This file asks fewer than 1,000 such questions, and t = 30 gives each less than 10⁻¹³: a false alarm in less than one
// of 10⁹ runs (10¹⁰, which leaves room because Pearson's statistic is χ² only in the limit; each cell expects over a
// hundred hits, most of them a thousand). The hits at a place are independent from opening to opening, although
// neighbouring orders have different parities: whatever the old order, the new one is uniform in any n − 2 places
// (`ShownOrder`).

import KeyboardCodes
import Testing

@testable import KeyboardLayout
@testable import KeyboardMemory

func isUniform(_ counts: some Collection<Int>, expecting shares: [Double]? = nil) -> Bool {
  let total = Double(counts.reduce(0, +))
  let shares = shares ?? counts.map { _ in 1 / Double(counts.count) }
  let chiSquare = zip(counts, shares).reduce(0.0) { sum, cell in
    let expected = total * cell.1
    return sum + (Double(cell.0) - expected) * (Double(cell.0) - expected) / expected
  }
  let freedom = Double(counts.count - 1)
  return chiSquare < freedom + 2 * (freedom * 30).squareRoot() + 60
}

@Test func theBoundFindsASmallBias() {
  #expect(isUniform([1000, 1010, 990, 1000]))
  // 100,000 openings, with one character of 68 too often and another too seldom.
  var counts = [Int](repeating: 1470, count: 68)
  counts[0] += 147
  counts[1] -= 147
  #expect(isUniform(counts), "a tenth more can happen by chance")
  counts[0] += 294
  counts[1] -= 294
  #expect(!isUniform(counts), "three tenths more cannot")
}

/// How often each character was at each place, row by row.
private func counts<Source: RandomSource & ~Copyable>(
  _ layout: TestLayout, openings: Int, using source: inout Source
) throws -> [Int] {
  var counts = [Int](repeating: 0, count: 68 * 68)
  try counts.withUnsafeMutableBufferPointer { counts in
    let counts = counts.baseAddress!
    let order = layout.memory.baseAddress! + 38
    for _ in 0..<openings {
      try layout.state.open(using: &source)
      var place = 0
      while place < 68 {
        counts[68 &* place &+ (Int(order.load(fromByteOffset: place, as: UInt8.self)) ^ place)] += 1
        place &+= 1
      }
    }
  }
  return counts
}

private func placesThatStray(_ counts: [Int], _ pool: CharacterPool) -> [Int] {
  pool.places.filter { place in !isUniform(counts[68 * place..<68 * place + 68][slice: pool.places]) }
}

extension ArraySlice {
  fileprivate subscript(slice offsets: Range<Int>) -> ArraySlice {
    self[startIndex + offsets.lowerBound..<startIndex + offsets.upperBound]
  }
}

@Test func everyKeyHoldsEveryCharacterOfItsKindEquallyOften() throws {
  var source = Statistical()
  let layout = TestLayout()
  let counts = try counts(layout, openings: 100_000, using: &source)
  for pool in [CharacterPool.letters, .digits, .symbols] {
    try #require(placesThatStray(counts, pool) == [], "seed \(source.seed)")
    for place in pool.places {
      let inside = counts[68 * place..<68 * place + 68][slice: pool.places].reduce(0, +)
      try #require(inside == 100_000, "kinds of characters do not mix")
    }
  }
}

/// The place of a key on a mixed keyboard does not tell which character it has, nor which kind; neither does its page.
@Test func everyKeyOfAMixedKeyboardHoldsEveryCharacterAndKindEquallyOften() throws {
  var source = Statistical()
  let layout = try TestLayout(.mixed)
  let counts = try counts(layout, openings: 100_000, using: &source)
  #expect(placesThatStray(counts, .all) == [], "seed \(source.seed)")
  for place in 0..<68 {
    let here = counts[68 * place..<68 * place + 68]
    let kinds = [CharacterPool.letters, .digits, .symbols].map { here[slice: $0.places].reduce(0, +) }
    try #require(isUniform(kinds, expecting: [26.0 / 68, 10.0 / 68, 32.0 / 68]), "place \(place), seed \(source.seed)")
  }
}

@Test func theSystemsRandomnessSpreadsTheKeysAsWell() throws {
  let workspace = try Workspace()
  var source = try workspace.randomStream(byteCount: 1 << 20)
  let pad = try TestLayout(.pin)
  #expect(placesThatStray(try counts(pad, openings: 5_000, using: &source), .digits) == [])
  let mixed = try TestLayout(.mixed)
  let counts = try counts(mixed, openings: 7_000, using: &source)
  #expect(placesThatStray(counts, .all) == [])
}

/// The parity does not affect pairs of keys, nor a key and the character that it had before.
@Test func pairsOfKeysAndOldAndNewAreIndependent() throws {
  var source = Statistical()
  let layout = try TestLayout(.pin)
  let places = CharacterPool.digits.places
  var pairs = [Int](repeating: 0, count: 100)
  var successions = [Int](repeating: 0, count: 100)
  let one = places.lowerBound
  let other = places.upperBound - 1
  layout.state.open(using: &source)
  var last = layout.state.order[one]
  for _ in 0..<100_000 {
    layout.state.open(using: &source)
    let order = layout.state.order
    let new = order[one]
    pairs[10 * (new - 26) + order[other] - 26] += 1
    successions[10 * (last - 26) + new - 26] += 1
    last = new
  }
  let different = pairs.indices.filter { $0 / 10 != $0 % 10 }.map { pairs[$0] }
  #expect(different.reduce(0, +) == 100_000)
  #expect(isUniform(different), "seed \(source.seed)")
  for character in 0..<10 {
    try #require(isUniform(successions[10 * character..<10 * character + 10]), "seed \(source.seed)")
  }
}
