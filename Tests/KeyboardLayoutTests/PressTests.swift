// What a tap means, and what it does to the page.

import KeyboardCodes
import Testing

@testable import KeyboardLayout

private func press(_ layout: TestLayout, _ role: KeyRole) throws -> KeyEffect? {
  var source = NoSource()
  return layout.state.press(try #require(layout.index(role)), using: &source)
}

/// Types the first character key and says what came of it.
private func typeFirst(_ layout: TestLayout) throws -> String {
  guard case .character(let byte) = try press(layout, .character) else { return "" }
  return String(decoding: [byte], as: UTF8.self)
}

@Test func shiftIsOneLetterThenCapsLockThenOff() throws {
  let layout = try TestLayout(.letters, .none)
  func shiftLabel() -> String? { layout.index(.shift).flatMap { layout.state.key(at: $0)?.label.text } }
  #expect(shiftLabel() == "shift")
  #expect(try press(layout, .shift) == .shiftChanged)
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
  #expect(try press(layout, .space) == .space)
  #expect(try press(layout, .delete) == .delete)
  #expect(try press(layout, .toDigits) == .pageChanged)
  #expect(try typeFirst(layout) == "1", "digits have no case")
  #expect(try press(layout, .toSymbols) == .pageChanged)
  #expect(try typeFirst(layout) == "!")
  #expect(try press(layout, .toLetters) == .pageChanged)
  #expect(try press(layout, .return) == .ok)
  #expect(try typeFirst(layout) == "Q")
  #expect(try typeFirst(layout) == "q")
}

@Test func lettersHaveCaseWhereverTheyStand() throws {
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
        try #require(layout.state.press(letter.offset, using: &source) == .character(letter.element.label[0]))
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
  for kind in everyKind where kind != .pin {
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

@Test func whatAKeyWouldDoIsToldWithoutDoingIt() throws {
  var source = Statistical()
  for kind in everyKind {
    let layout = try TestLayout(kind, .eachKey)
    layout.state.open(using: &source)
    for _ in 0..<200 {
      let index = Int.random(in: 0..<layout.state.keyCount)
      let before = layout.bytes
      let told = layout.state.effect(ofKey: index)
      try #require(layout.bytes == before, "\(kind), key \(index)")
      try #require(layout.state.press(index, using: &source) == told, "\(kind), key \(index)")
    }
  }
}

// MARK: - Against a plain model

/// A keyboard as a person understands it, from what is written on the keys.
private struct Model {
  let kind: LayoutKind
  var page: Page
  var shift = 0
  var typed = ""

  mutating func tap(_ key: Key) {
    switch key.role {
    case .character:
      typed += key.label.text
      if shift == 1 && Character(key.label.text).isLetter { shift = 0 }
    case .space: typed += " "
    case .delete: typed = String(typed.dropLast())
    case .clear: typed = ""
    case .shift: shift = (shift + 1) % 3
    case .toLetters: page = .letters
    case .toDigits: page = .digits
    case .toSymbols: page = .symbols
    case .return, .blank: break
    }
  }

  /// What must stand on the page's keys, in whatever order; nil where any of all characters may.
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
    case .character(let byte): append(Character(Unicode.Scalar(byte)))
    case .space: append(" ")
    case .delete: self = String(dropLast())
    case .clear: self = ""
    case .ok, .pageChanged, .shiftChanged, .nothing: break
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
      // Function keys are few: every other tap is one of them.
      let functions = keys.indices.filter { keys[$0].role != .character }
      let choice = Bool.random(using: &source) ? functions : Array(keys.indices)
      let index = choice.randomElement(using: &source)!
      let key = keys[index]
      let touched = layout.state.keyIndex(
        x: key.x + key.width * .random(in: 0.01...0.99, using: &source),
        y: key.y + key.height * .random(in: 0.01...0.99, using: &source))
      try #require(touched == index, "seed \(source.seed), session \(session)")
      let effect = try #require(layout.state.press(index, using: &source))
      model.tap(key)
      typed.apply(effect)
      try #require(typed == model.typed, "seed \(source.seed), session \(session)")
      try #require(layout.state.page == model.page, "seed \(source.seed), session \(session)")
      try #require(Int(layout.state.shift.rawValue) == model.shift, "seed \(source.seed), session \(session)")
    }
    layout.state.close()
  }
}
