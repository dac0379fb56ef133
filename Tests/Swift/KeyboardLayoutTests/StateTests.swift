// The initial state of a layout, and what remains of earlier orders. What it refuses is in Tests/C/layout.c.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import Testing

@testable import KeyboardLayout

@Test func memoryOfZerosIsAsIfNothingHadBeenChosen() {
  let layout = TestLayout()
  #expect(layout.state.kind == .letters)
  #expect(layout.state.shuffle == .eachOpening)
  #expect(layout.state.maximumCount == 0)
  #expect(layout.state.size == ViewSize(width: 320, height: 216, columnGap: 6, rowGap: 8))
  #expect(layout.state.shift == .off)
  #expect(layout.characters == "qwertyuiopasdfghjklzxcvbnm")
}

@Test func theStateFitsIntoItsPartOfTheSlot() throws {
  #expect(LayoutState.byteCount == 106)
  var source = Statistical()
  for kind in everyKind {
    let layout = try TestLayout(kind, .eachKey)
    for offset in LayoutState.byteCount..<layout.memory.count { layout.memory[offset] = 0xee }
    try layout.state.setSize(ViewSize(width: 1e6, height: 1e6, columnGap: 1e6, rowGap: 1e6))
    layout.state.open(using: &source)
    for index in 0..<layout.state.keyCount { _ = layout.state.press(index, using: &source) }
    layout.state.close()
    try #require(layout.memory[LayoutState.byteCount...].allSatisfy { $0 == 0xee }, "kind \(kind)")
  }
}

@Test func choicesAreKeptOverOpeningAndClosing() throws {
  var source = Statistical()
  let layout = try TestLayout(.pin, .eachKey)
  let size = ViewSize(width: 100, height: 200, columnGap: 0, rowGap: 3)
  try layout.state.setLayout(.pin, shuffle: .eachKey, maximumCount: 6)
  try layout.state.setSize(size)
  layout.state.open(using: &source)
  layout.state.close()
  #expect(layout.state.kind == .pin)
  #expect(layout.state.shuffle == .eachKey)
  #expect(layout.state.maximumCount == 6)
  #expect(layout.state.size == size)
}

@Test func aMaximumThatNoPasswordReachesIsNone() throws {
  let layout = TestLayout()
  for (given, kept) in [(0, 0), (1, 1), (128, 128), (129, 0), (256, 0), (.max, 0)] {
    try layout.state.setLayout(.letters, shuffle: .none, maximumCount: given)
    try #require(layout.state.maximumCount == kept)
  }
}

// MARK: - What remains

/// Two bits for each pool remain, at the end of the fields, and nothing else.
@Test(arguments: everyKind)
func closingForgetsWhereTheKeysStood(kind: LayoutKind) throws {
  var source = Statistical()
  let layout = try TestLayout(kind, .eachKey)
  let before = layout.bytes
  for _ in 0..<20 {
    layout.state.open(using: &source)
    try #require(layout.bytes[38..<106] != before[38..<106])
    for index in 0..<layout.state.keyCount { _ = layout.state.press(index, using: &source) }
    layout.state.close()
    var after = layout.bytes
    try #require(after[37] != 0)
    after[37] = 0
    try #require(after == before)
  }
}
