// The pad with decoys: four blank keys change places with the ten digits.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import Testing

@testable import KeyboardLayout

/// What a person sees: the fourteen keys that move, with a space for a blank one.
private func pad(_ layout: TestLayout) -> String {
  layout.state.keys.prefix(14).map { $0.role == .blank ? " " : $0.label.text }.joined()
}

/// Computed by hand. Thirteen draws: for the blank keys, the last one first, then for the digits.
@Test func replayedDrawsPutBlankKeysBetweenDigits() throws {
  let layout = try TestLayout(.pinDecoys)
  // The digits become 2345678901 (see OrderTests). Then the blank keys, the first one first, are inserted: at 0, before
  // all; at 11, after all; at 3, between 3 and 4; at 13, after all.
  var source = Replay([13, 3, 11, 0] + [0, 0, 0, 0, 0, 0, 0, 0, 0], keys: 14)
  try layout.state.open(using: &source)
  #expect(pad(layout) == " 23 45678901  ")
  #expect(source.isUsedUp, "thirteen draws for fourteen keys")
}

@Test func withoutShufflingTheDecoysAreLast() throws {
  let layout = try TestLayout(.pinDecoys, .none)
  var source = NoSource()
  layout.state.open(using: &source)
  #expect(pad(layout) == "1234567890    ")
}

@Test func aDecoyDoesNothingAndADigitMovesDecoysToo() throws {
  let layout = try TestLayout(.pinDecoys, .eachKey)
  var source = Statistical()
  layout.state.open(using: &source)
  var moved = 0
  for round in 0..<200 {
    let before = layout.bytes
    let seen = pad(layout)
    for (index, key) in layout.state.keys.enumerated() where key.role == .blank {
      let press = try #require(layout.state.press(at: index))
      try #require(press.effect == .nothing && !press.shuffles, "round \(round), seed \(source.seed)")
      var unused = NoSource()
      layout.state.apply(press, using: &unused)
    }
    try #require(layout.bytes == before, "round \(round), seed \(source.seed)")
    let digit = try #require(layout.index(.character))
    let label = Array(layout.state.keys)[digit].label[0]
    try #require(layout.state.press(digit, using: &source) == .type(label))
    let after = pad(layout)
    try #require(after.filter { $0 != " " } != seen.filter { $0 != " " }, "round \(round), seed \(source.seed)")
    if zip(seen, after).contains(where: { ($0 == " ") != ($1 == " ") }) { moved += 1 }
  }
  // The blank keys stay where they are once in 1,001 times.
  #expect(moved > 150, "seed \(source.seed)")
}

/// Each of the 1,001 sets of four places has the blank keys equally often, and each place each digit.
@Test func decoysAndDigitsAreUniformEverywhere() throws {
  var source = Statistical()
  let layout = try TestLayout(.pinDecoys)
  var sets: [Int: Int] = [:]
  var digits = [Int](repeating: 0, count: 14 * 10)
  let openings = 100_000
  for _ in 0..<openings {
    layout.state.open(using: &source)
    var set = 0
    for place in 0..<14 {
      let origin = layout.state.order[26 + place] - 26
      if origin < 10 { digits[10 * place + origin] += 1 } else { set |= 1 << place }
    }
    sets[set, default: 0] += 1
  }
  #expect(sets.count == 1001 && sets.keys.allSatisfy { $0.nonzeroBitCount == 4 }, "seed \(source.seed)")
  #expect(isUniform(sets.values), "seed \(source.seed)")
  for place in 0..<14 {
    let here = digits[10 * place..<10 * place + 10]
    try #require(isUniform(here), "place \(place), seed \(source.seed)")
    let share = Double(here.reduce(0, +)) / Double(openings)
    try #require(abs(share - 10.0 / 14) < 0.02, "place \(place), seed \(source.seed)")
  }
  // Where the blank keys are tells nothing about the digits: the first digit's, counted by the number of blank keys
  // before it.
  var firsts = [Int](repeating: 0, count: 50)
  for _ in 0..<openings {
    layout.state.open(using: &source)
    let origins = (26..<40).map { layout.state.order[$0] - 26 }
    let blanks = origins.firstIndex { $0 < 10 }!
    firsts[10 * blanks + origins[blanks]] += 1
  }
  for blanks in 0..<4 { try #require(isUniform(firsts[10 * blanks..<10 * blanks + 10]), "seed \(source.seed)") }
}
