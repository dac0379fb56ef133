// The shuffle, one draw at a time.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import Testing

@testable import KeyboardLayout

// MARK: - Computed by hand

@Test func replayedDrawsGiveTheOrderOfFisherAndYates() throws {
  let layout = try TestLayout(.pin)
  // The tenth key is exchanged with the first, then the ninth with the first, and so on: 1 moves to the end, all others
  // move up by one place.
  var source = Replay([0, 0, 0, 0, 0, 0, 0, 0, 0], keys: 10)
  try layout.state.open(using: &source)
  #expect(layout.characters == "2345678901")
  #expect(source.isUsedUp, "nine draws for ten keys")
  layout.state.close()

  // 1234567890 → 1234067895 → 1234967805 → 1234967805 (itself) → 7234961805 → 7634921805
  // → 7634921805 (itself) → 4637921805 → 4637921805 (itself) → 6437921805.
  let other = try TestLayout(.pin)
  source = Replay([4, 4, 7, 0, 1, 4, 0, 2, 0], keys: 10)
  try other.state.open(using: &source)
  #expect(other.characters == "6437921805")
}

@Test func everyDrawOfItselfLeavesTheSourcesOrder() throws {
  let draws: [(UInt64, UInt64)] = [UInt64](0..<26).reversed().dropLast().map { ($0, $0 + 1) }
  let digits = draws.suffix(9)
  let symbols: [(UInt64, UInt64)] = [UInt64](0..<32).reversed().dropLast().map { ($0, $0 + 1) }
  var source = Replay(draws + digits + symbols)
  let layout = TestLayout()
  try layout.state.open(using: &source)
  #expect(source.isUsedUp)
  #expect(layout.characters == "qwertyuiopasdfghjklzxcvbnm")
}

/// The last draw decides whether the first two keys are exchanged. It is left out if an order must differ from another.
@Test func theSameDrawsNeverGiveTheSameOrderTwice() throws {
  let layout = try TestLayout(.pin)
  let itself: [UInt64] = [9, 8, 7, 6, 5, 4, 3, 2]
  var source = Replay(itself + [1], keys: 10)
  try layout.state.open(using: &source)
  #expect(layout.characters == "1234567890")
  for expected in ["2134567890", "1234567890", "2134567890"] {
    layout.state.close()
    source = Replay(itself, keys: 10)
    try layout.state.open(using: &source)
    try #require(layout.characters == expected)
    try #require(source.isUsedUp)
  }
}

// MARK: - Never the same order twice in a row

private func parity(_ order: [Int]) -> Int {
  var inversions = 0
  for i in order.indices { for j in order[..<i] where j > order[i] { inversions += 1 } }
  return inversions & 1
}

/// The order of the pool's characters among themselves. On a pad with decoys, blank keys are between them.
private func order(_ layout: TestLayout, _ pool: CharacterPool) -> [Int] {
  guard layout.state.kind == .pinDecoys && pool == .digits else { return pool.places.map { layout.state.order[$0] } }
  return (26..<40).map { layout.state.order[$0] }.filter(pool.places.contains)
}

@Test(arguments: everyKind)
func tenThousandOpeningsNeverShowTheSameOrderTwiceRunning(kind: LayoutKind) throws {
  var source = Statistical()
  let layout = try TestLayout(kind)
  var repeated = 0
  var last: [UInt8] = []
  for opening in 0..<10_000 {
    layout.state.open(using: &source)
    // What is compared for a pad with decoys is stricter than what is seen: the digits without the blank keys.
    let shown =
      kind == .pinDecoys
      ? Array(repeating: 0, count: 26) + order(layout, .digits).map(UInt8.init) : Array(layout.memory[38..<106])
    for code in UInt8(0)..<4 {
      let pool = CharacterPool(rawValue: code)!
      if opening > 0 && kind.shuffles(pool) && shown[pool.places] == last[pool.places] { repeated += 1 }
    }
    last = shown
    layout.state.close()
  }
  #expect(repeated == 0, "seed \(source.seed)")
}

@Test(arguments: everyKind)
func neighbouringOrdersHaveDifferentParities(kind: LayoutKind) throws {
  var source = Statistical()
  let layout = try TestLayout(kind, .eachKey)
  layout.state.open(using: &source)
  for _ in 0..<200 {
    let key = try #require(layout.index(.character))
    let before = (UInt8(0)..<4).map { order(layout, CharacterPool(rawValue: $0)!) }
    if Bool.random() {
      layout.state.close()
      layout.state.open(using: &source)
    } else {
      _ = layout.state.press(key, using: &source)
    }
    for code in UInt8(0)..<4 {
      let pool = CharacterPool(rawValue: code)!
      let after = order(layout, pool)
      let mixes = kind == .mixed || kind == .pinDecoys && pool != .digits
      try #require(after.sorted() == before[Int(code)].sorted() || mixes, "seed \(source.seed)")
      if kind.shuffles(pool) { try #require(parity(after) != parity(before[Int(code)]), "seed \(source.seed)") }
    }
  }
}

/// Ten digits are shuffled in the same way on a PIN pad and on a page.
@Test func anOrderDiffersFromTheLastOneAlsoOfAnotherLayout() throws {
  var source = Statistical()
  let layout = TestLayout()
  var last: Int?
  for round in 0..<100 {
    let kind = [LayoutKind.pin, .letters, .digits, .pinDecoys][round % 4]
    try layout.state.setLayout(kind, shuffle: round % 7 == 6 ? .none : .eachOpening, maximumCount: 0)
    layout.state.open(using: &source)
    let new = parity(order(layout, .digits))
    if round % 7 != 6 { try #require(new != last, "round \(round), seed \(source.seed)") }
    last = new
    layout.state.close()
  }
}

@Test(arguments: everyKind)
func withoutShufflingNothingIsDrawn(kind: LayoutKind) throws {
  let layout = try TestLayout(kind, .none)
  var source = NoSource()
  for _ in 0..<3 {
    layout.state.open(using: &source)
    let isInOrder = CharacterPool.all.places.allSatisfy { layout.state.order[$0] == $0 }
    try #require(isInOrder)
    for index in 0..<layout.state.keyCount { _ = layout.state.press(index, using: &source) }
    layout.state.close()
  }
}

@Test func onlyEachKeyShufflesWhileUp() throws {
  for shuffle in [ShuffleKind.eachOpening, .eachKey] {
    var source = Statistical()
    let layout = try TestLayout(.letters, shuffle)
    layout.state.open(using: &source)
    for index in 0..<layout.state.keyCount {
      let before = order(layout, .all)
      let effect = try #require(layout.state.press(index, using: &source))
      let after = order(layout, .all)
      let isShuffled = shuffle == .eachKey && effect.isTyping
      for pool in [CharacterPool.letters, .digits, .symbols] {
        try #require((before[pool.places] != after[pool.places]) == isShuffled, "shuffle \(shuffle), index \(index)")
      }
      layout.state.page = .letters
    }
  }
}

// MARK: - No randomness

@Test(arguments: everyKind)
func anOpeningThatFailsChangesNothing(kind: LayoutKind) throws {
  var source = Statistical()
  let layout = try TestLayout(kind)
  layout.state.open(using: &source)
  layout.state.close()
  let before = layout.bytes
  for count in 0..<(kind == .pin ? 8 : kind == .pinDecoys ? 12 : 60) {
    var failing = Replay((0..<count).map { _ in (0, 2) })
    try #require(throws: KeyboardError.random) { try layout.state.open(using: &failing) }
    try #require(layout.bytes == before, "count \(count)")
  }
}

@Test func aPressThatFailsChangesNothing() throws {
  var source = Statistical()
  for kind in everyKind {
    let layout = try TestLayout(kind, .eachKey)
    layout.state.open(using: &source)
    layout.state.shift = .oneLetter
    let before = layout.bytes
    for index in 0..<layout.state.keyCount where layout.state.press(at: index)!.shuffles {
      var failing = Replay([(0, 2), (0, 2), (0, 2)])
      try #require(throws: KeyboardError.random) { try layout.state.press(index, using: &failing) }
      try #require(layout.bytes == before, "kind \(kind), index \(index)")
    }
  }
}
