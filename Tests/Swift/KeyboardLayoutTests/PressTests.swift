// What a key press does to the text and to the page. A model beside it: Tests/C/touch.c.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import Testing

@testable import KeyboardLayout

private func press(_ layout: TestLayout, _ role: KeyRole) throws -> KeyEffect? {
  var source = NoSource()
  return layout.state.press(try #require(layout.index(role)), using: &source)
}

/// Presses the first character key, and returns what it types.
private func typeFirst(_ layout: TestLayout) throws -> String {
  guard case .type(let byte) = try press(layout, .character) else { return "" }
  return String(decoding: [byte], as: UTF8.self)
}

@Test func shiftIsOneLetterThenCapsLockThenOff() throws {
  let layout = try TestLayout(.letters, .none)
  func shiftLabel() -> String? { layout.state.keys.first { $0.role == .shift }?.label.text }
  #expect(shiftLabel() == "shift")
  #expect(try press(layout, .shift) == .nothing)
  #expect(layout.state.shift == .oneLetter && shiftLabel() == "Shift")
  #expect(layout.characters == "QWERTYUIOPASDFGHJKLZXCVBNM")
  #expect(try typeFirst(layout) == "Q")
  #expect(layout.state.shift == .off)
  #expect(try typeFirst(layout) == "q")

  _ = try press(layout, .shift)
  _ = try press(layout, .shift)
  #expect(layout.state.shift == .capsLock && shiftLabel() == "SHIFT")
  #expect(try typeFirst(layout) + typeFirst(layout) == "QQ")
  _ = try press(layout, .shift)
  #expect(layout.state.shift == .off)
  #expect(try typeFirst(layout) == "q")
}

@Test func onlyALetterEndsAShift() throws {
  let layout = try TestLayout(.letters, .none)
  _ = try press(layout, .shift)
  #expect(try press(layout, .space) == .type(0x20))
  #expect(try press(layout, .delete) == .delete)
  #expect(try press(layout, .toDigits) == .nothing && layout.state.page == .digits)
  #expect(try typeFirst(layout) == "1", "digits have no case")
  #expect(try press(layout, .toSymbols) == .nothing && layout.state.page == .symbols)
  #expect(try typeFirst(layout) == "!")
  #expect(try press(layout, .toLetters) == .nothing && layout.state.page == .letters)
  #expect(try press(layout, .return) == .complete)
  #expect(try typeFirst(layout) == "Q")
  #expect(try typeFirst(layout) == "q")
}

@Test func lettersHaveCaseInEveryPlace() throws {
  var source = Statistical()
  let layout = try TestLayout(.mixed)
  for _ in 0..<20 {
    layout.state.open(using: &source)
    try layout.onEveryPage { _ in
      let small = layout.characters
      _ = try press(layout, .shift)
      try #require(layout.characters == small.uppercased())
      let letter = layout.state.keys.enumerated().first {
        $0.element.role == .character && Character($0.element.label.text).isLetter
      }
      if let letter {
        try #require(layout.state.press(letter.offset, using: &source) == .type(letter.element.label[0]))
        try #require(layout.characters == small)
      } else {
        layout.state.shift = .off
      }
    }
  }
}

@Test func aBlankKeyDoesNothing() throws {
  let pad = try TestLayout(.pin, .eachKey)
  let before = pad.bytes
  #expect(try press(pad, .blank) == .nothing)
  #expect(try press(pad, .delete) == .delete)
  #expect(pad.bytes == before)
}

@Test func anOpeningStartsOnTheFirstPageInSmallLetters() throws {
  for kind in everyKind where !kind.isPad {
    let layout = try TestLayout(kind, .none)
    var source = NoSource()
    layout.state.open(using: &source)
    let first = Array(layout.state.keys)
    for role in [KeyRole.toSymbols, .toLetters, .toDigits] where layout.index(role) != nil {
      _ = try press(layout, role)
    }
    layout.state.shift = .capsLock
    layout.state.open(using: &source)
    try #require(Array(layout.state.keys) == first, "kind \(kind)")
  }
}

@Test func lookingAKeyUpChangesNothing() throws {
  var source = Statistical()
  for kind in everyKind {
    let layout = try TestLayout(kind, .eachKey)
    layout.state.open(using: &source)
    for _ in 0..<200 {
      let index = Int.random(in: 0..<layout.state.keyCount, using: &source)
      let key = Array(layout.state.keys)[index]
      let before = layout.bytes
      let press = try #require(layout.state.press(at: index))
      try #require(layout.state.press(x: key.x + key.width / 2, y: key.y + key.height / 2) == press)
      try #require(layout.bytes == before, "\(kind), key \(index), seed \(source.seed)")
      layout.state.apply(press, using: &source)
      try #require(layout.state.page == press.page && layout.state.shift == press.shift)
    }
  }
}

@Test(arguments: everyKind, [ShuffleKind.none, .eachOpening, .eachKey])
func onlyACharacterOfEachKeyNeedsRandomness(kind: LayoutKind, shuffle: ShuffleKind) throws {
  let layout = try TestLayout(kind, shuffle)
  try layout.onEveryPage { _ in
    for (index, key) in layout.state.keys.enumerated() {
      let isTyping = key.role == .character || key.role == .space
      let press = try #require(layout.state.press(at: index))
      try #require(press.shuffles == (isTyping && shuffle == .eachKey), "\(kind), key \(index)")
    }
  }
}
