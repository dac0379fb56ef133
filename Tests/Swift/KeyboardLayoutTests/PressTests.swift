// What a key press does to the text and to the page.
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

// MARK: - Compared with a simple model

/// A keyboard as a person understands it, from the labels on the keys.
private struct Model {
  let kind: LayoutKind
  var page: Page
  var shift = 0
  var typed = ""

  mutating func tap(_ key: KeyCap) {
    switch key.role {
    case .character:
      typed += key.label.text
      if shift == 1 && Character(key.label.text).isLetter { shift = 0 }
    case .space: typed += " "
    case .delete: typed = String(typed.dropLast())
    case .shift: shift = (shift + 1) % 3
    case .toLetters: page = .letters
    case .toDigits: page = .digits
    case .toSymbols: page = .symbols
    case .node: if !typed.contains(key.label.text) { typed += key.label.text }
    case .return, .blank, .clear: break
    }
  }

  /// The characters of the page, in any order; nil if the page may have any of all characters.
  var characters: Set<Character>? {
    switch (kind, page) {
    case (.mixed, _): nil
    case (_, .letters): Set(shift == 0 ? "abcdefghijklmnopqrstuvwxyz" : "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    case (_, .digits): Set("0123456789")
    case (_, .symbols): Set(##"!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"##)
    }
  }
}

extension String {
  fileprivate mutating func apply(_ effect: KeyEffect) {
    switch effect {
    case .type(let byte): append(Character(Unicode.Scalar(byte)))
    case .delete: self = String(dropLast())
    case .node(let byte): append(Character(Unicode.Scalar(byte)))
    case .complete, .nothing: break
    }
  }
}

@Test(arguments: everyKind, [ShuffleKind.none, .eachOpening, .eachKey])
func randomTapsAgreeWithAPlainModel(kind: LayoutKind, shuffle: ShuffleKind) throws {
  var source = Statistical()
  let layout = try TestLayout(kind, shuffle)
  for session in 0..<12 {
    try layout.state.setSize(
      ViewSize(
        width: .random(in: 20...2000, using: &source), height: .random(in: 20...2000, using: &source),
        columnGap: .random(in: 0...20, using: &source), rowGap: .random(in: 0...20, using: &source)))
    layout.state.open(using: &source)
    var model = Model(kind: kind, page: kind.firstPage)
    var typed = ""
    for _ in 0..<60 {
      let keys = Array(layout.state.keys)
      let shown = Set(keys.filter { $0.role == .character }.map { Character($0.label.text) })
      if let expected = model.characters {
        try #require(shown == expected, "seed \(source.seed), session \(session)")
      } else {
        try #require(shown.allSatisfy { model.shift == 0 ? !$0.isUppercase : !$0.isLowercase }, "seed \(source.seed)")
      }
      // There are few function keys, so every other tap presses one of them.
      let functions = keys.indices.filter { keys[$0].role != .character }
      let choice = Bool.random(using: &source) ? functions : Array(keys.indices)
      let index = choice.randomElement(using: &source)!
      let key = keys[index]
      let touched = layout.state.press(
        x: key.x + key.width * .random(in: 0.01...0.99, using: &source),
        y: key.y + key.height * .random(in: 0.01...0.99, using: &source))
      let press = try #require(layout.state.press(at: index))
      try #require(touched == press, "seed \(source.seed), session \(session)")
      layout.state.apply(press, using: &source)
      model.tap(key)
      typed.apply(press.effect)
      try #require(typed == model.typed, "seed \(source.seed), session \(session)")
      try #require(layout.state.page == model.page, "seed \(source.seed), session \(session)")
      try #require(Int(layout.state.shift.rawValue) == model.shift, "seed \(source.seed), session \(session)")
    }
    layout.state.close()
  }
}
