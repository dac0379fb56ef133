// What a view of a keyboard draws, says and does, without a view.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardScreen
import Testing

/// Names a finger.
private final class Touch { var id: ObjectIdentifier { ObjectIdentifier(self) } }

private func open(
  _ kind: LayoutKind, shuffle: ShuffleKind = .eachOpening, maximumCount: Int = 0
) throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.setLayout(kind, shuffle: shuffle, maximumCount: maximumCount)
  try keyboard.open()
  return keyboard
}

/// Whether this, and nothing else, is typed.
private func isTyped(_ text: String, on keyboard: Keyboard) throws -> Bool {
  let other = try open(.letters)
  let bytes = ContiguousArray(text.utf8)
  try other.input(bytes.span)
  return try keyboard.hasSamePassword(as: other)
}

@MainActor
private func middle(of label: String, in screen: KeyboardScreen) throws -> (x: Double, y: Double) {
  let key = try #require(screen.keys.first { $0.label == label })
  return (key.x + key.width / 2, key.y + key.height / 2)
}

extension KeyboardScreen {
  @MainActor fileprivate func tap(_ label: String) throws {
    let (touch, place) = (Touch(), try middle(of: label, in: self))
    #expect(fingerDown(touch.id, x: place.x, y: place.y) == .nothing)
    #expect(fingerUp(touch.id, x: place.x, y: place.y) == .changed)
  }
}

// MARK: - Touches

@Test @MainActor func aKeyIsPressedWhenTheFingerLeaves() throws {
  let keyboard = try open(.letters, shuffle: .none)
  let screen = KeyboardScreen(keyboard)
  let touch = Touch()
  let (q, w) = (try middle(of: "q", in: screen), try middle(of: "w", in: screen))
  #expect(screen.fingerDown(touch.id, x: q.x, y: q.y) == .nothing && keyboard.count == 0)
  #expect(screen.fingerMoved(touch.id, x: w.x, y: w.y) == .nothing && keyboard.count == 0)
  #expect(screen.fingerUp(touch.id, x: w.x, y: w.y) == .changed)
  #expect(try isTyped("w", on: keyboard))
  #expect(screen.fingerUp(touch.id, x: w.x, y: w.y) == .nothing, "a finger leaves once")
}

@Test @MainActor func aCancelledTouchPressesNothing() throws {
  let keyboard = try open(.pin)
  let screen = KeyboardScreen(keyboard)
  let touch = Touch()
  let place = try middle(of: "5", in: screen)
  _ = screen.fingerDown(touch.id, x: place.x, y: place.y)
  #expect(screen.fingerCancelled(touch.id) == .nothing)
  #expect(screen.fingerUp(touch.id, x: place.x, y: place.y) == .nothing && keyboard.count == 0)
}

@Test @MainActor func aFingerThatLeavesOutsideTheViewPressesNothing() throws {
  let keyboard = try open(.pin)
  let screen = KeyboardScreen(keyboard)
  for (x, y) in [(-1.0, 50.0), (50, -1), (321, 50), (50, 217)] {
    let touch = Touch()
    _ = screen.fingerDown(touch.id, x: 50, y: 50)
    #expect(screen.fingerUp(touch.id, x: x, y: y) == .nothing && keyboard.count == 0)
  }
}

@Test @MainActor func fastFingersLoseNothing() throws {
  let keyboard = try open(.letters, shuffle: .none)
  let screen = KeyboardScreen(keyboard)
  let touches = [Touch(), Touch(), Touch()]
  for (touch, label) in zip(touches, ["q", "w", "e"]) {
    let place = try middle(of: label, in: screen)
    _ = screen.fingerDown(touch.id, x: place.x, y: place.y)
  }
  #expect(try isTyped("qw", on: keyboard), "an earlier finger counts as lifted")
  let last = try middle(of: "e", in: screen)
  for touch in touches { _ = screen.fingerUp(touch.id, x: last.x, y: last.y) }
  #expect(try isTyped("qwe", on: keyboard), "and no finger presses twice")
}

/// The second finger was aimed at a key that is elsewhere since the first one typed.
@Test @MainActor func aFingerIsForgottenWhenTheKeysChangePlaces() throws {
  for _ in 0..<20 {
    let keyboard = try open(.pin, shuffle: .eachKey)
    let screen = KeyboardScreen(keyboard)
    let touches = [Touch(), Touch()]
    let before = screen.keys.map(\.label)
    let places = [try middle(of: "1", in: screen), try middle(of: "2", in: screen)]
    for (touch, place) in zip(touches, places) { _ = screen.fingerDown(touch.id, x: place.x, y: place.y) }
    #expect(try isTyped("1", on: keyboard))
    let isMoved = screen.keys.map(\.label) != before
    #expect(screen.fingerUp(touches[1].id, x: places[1].x, y: places[1].y) == (isMoved ? .nothing : .changed))
  }
}

@Test @MainActor func aShiftThatEndsForgetsNoFinger() throws {
  let keyboard = try open(.letters, shuffle: .none)
  let screen = KeyboardScreen(keyboard)
  try screen.tap("shift")
  let touches = [Touch(), Touch()]
  let (a, b) = (try middle(of: "A", in: screen), try middle(of: "B", in: screen))
  _ = screen.fingerDown(touches[0].id, x: a.x, y: a.y)
  _ = screen.fingerDown(touches[1].id, x: b.x, y: b.y)
  #expect(screen.fingerUp(touches[1].id, x: b.x, y: b.y) == .changed)
  #expect(try isTyped("Ab", on: keyboard))
}

@Test @MainActor func aPatternIsDrawnByOneFinger() throws {
  let keyboard = try open(.pattern, shuffle: .none)
  let screen = KeyboardScreen(keyboard)
  let (one, other) = (Touch(), Touch())
  let (first, last) = (try middle(of: "1", in: screen), try middle(of: "3", in: screen))
  #expect(screen.fingerDown(one.id, x: first.x, y: first.y) == .changed)
  #expect(screen.fingerDown(other.id, x: last.x, y: last.y) == .nothing, "a second finger draws nothing")
  #expect(screen.fingerMoved(one.id, x: -5, y: first.y) == .nothing)
  #expect(screen.fingerMoved(one.id, x: last.x, y: last.y) == .changed)
  #expect(try isTyped("123", on: keyboard))
  #expect(screen.fingerUp(one.id, x: last.x, y: last.y) == .finished)
  _ = screen.fingerDown(one.id, x: first.x, y: first.y)
  #expect(screen.fingerCancelled(one.id) == .changed && keyboard.count == 0)
}

/// The app closes the keyboard in a callback, and tells the screen, while the press is not over.
@Test @MainActor func theAppMayCallTheScreenBackDuringAPress() throws {
  let keyboard = try open(.pin, shuffle: .eachKey, maximumCount: 2)
  let screen = KeyboardScreen(keyboard)
  keyboard.setOKAction(on: MainActor.shared) { keyboard in
    screen.setCover(.inactive, true)
    try? keyboard.close()
    screen.refresh()
  }
  let touches = [Touch(), Touch()]
  try screen.tap("1")
  let place = try middle(of: "2", in: screen)
  for touch in touches { _ = screen.fingerDown(touch.id, x: place.x, y: place.y) }
  #expect(screen.keys.isEmpty && screen.cover == .inactive)
  #expect(screen.fingerUp(touches[1].id, x: place.x, y: place.y) == .nothing)
}

@Test @MainActor func aRefusedPressIsTold() throws {
  let keyboard = try open(.letters, shuffle: .none)
  try keyboard.input(ContiguousArray(repeating: 0x61, count: 128).span)
  let screen = KeyboardScreen(keyboard)
  let (touch, place) = (Touch(), try middle(of: "q", in: screen))
  _ = screen.fingerDown(touch.id, x: place.x, y: place.y)
  #expect(screen.fingerUp(touch.id, x: place.x, y: place.y) == .failed(.tooLong))
}

@Test @MainActor func aHardwareKeyboardTypesOnlyIfTheAppAsks() throws {
  let keyboard = try open(.letters)
  let screen = KeyboardScreen(keyboard)
  #expect(screen.type(hardware: "x") == .nothing && keyboard.count == 0)
  screen.takesHardwareKeys = true
  #expect(screen.type(hardware: "é") == .changed)
  #expect(try isTyped("é", on: keyboard))
}

// MARK: - Covers

@Test @MainActor func underACoverNothingIsDrawnSaidOrPressed() throws {
  let keyboard = try open(.letters, shuffle: .none)
  let screen = KeyboardScreen(keyboard)
  let (touch, place) = (Touch(), try middle(of: "q", in: screen))
  _ = screen.fingerDown(touch.id, x: place.x, y: place.y)
  screen.setCover(.captured, true)
  screen.setCover(.inactive, true)
  screen.setCover(.inactive, false)
  screen.takesHardwareKeys = true
  #expect(screen.cover == .captured && screen.drawing(ScreenStyle()).keys.isEmpty && screen.spokenKeys.isEmpty)
  #expect(screen.spokenValue == "hidden")
  #expect(screen.fingerUp(touch.id, x: place.x, y: place.y) == .nothing)
  #expect(screen.fingerDown(touch.id, x: place.x, y: place.y) == .nothing)
  #expect(screen.activate(0) == .nothing && screen.type(hardware: "x") == .nothing && keyboard.count == 0)
  screen.setCover(.captured, false)
  #expect(!screen.drawing(ScreenStyle()).keys.isEmpty && screen.fingerUp(touch.id, x: 0, y: 0) == .nothing)
  try screen.tap("q")
}

@Test @MainActor func aPatternThatIsCoveredIsWiped() throws {
  let keyboard = try open(.pattern, shuffle: .none)
  let screen = KeyboardScreen(keyboard)
  let (touch, place) = (Touch(), try middle(of: "1", in: screen))
  _ = screen.fingerDown(touch.id, x: place.x, y: place.y)
  #expect(keyboard.count == 1)
  screen.setCover(.inactive, true)
  #expect(keyboard.count == 0)
}

// MARK: - Speech

@Test @MainActor func inSilenceNoCharacterIsSaid() throws {
  for kind in [LayoutKind.letters, .symbols, .mixed, .pin, .pinDecoys, .pattern] {
    let screen = KeyboardScreen(try open(kind, shuffle: kind == .pattern ? .none : .eachOpening))
    let silent = screen.spokenKeys
    #expect(silent.count == screen.keys.count && silent.allSatisfy { !$0.isKeyboardKey })
    for (spoken, key) in zip(silent, screen.keys) where [.character, .blank, .node].contains(key.role) {
      #expect(spoken.label == "key")
    }
    screen.speech = .spoken
    let aloud = screen.spokenKeys
    #expect(aloud.allSatisfy { $0.isKeyboardKey && !$0.label.isEmpty && $0.label != "key" })
    #expect(aloud.count == screen.keys.filter { $0.role != .blank }.count)
  }
}

@Test @MainActor func whatIsTypedIsCountedAloud() throws {
  let screen = KeyboardScreen(try open(.pin, shuffle: .none))
  #expect(screen.spokenValue == "0 characters")
  #expect(screen.activate(try #require(screen.keys.firstIndex { $0.label == "7" })) == .changed)
  #expect(screen.spokenValue == "1 character")
  #expect(screen.activate(99) == .failed(.argument))
}

// MARK: - Drawing

@Test @MainActor func nothingThatIsDrawnDependsOnATouch() throws {
  let keyboard = try open(.letters, shuffle: .none)
  let screen = KeyboardScreen(keyboard)
  let before = screen.drawing(ScreenStyle())
  for label in ["q", "p", "m", "space"] {
    let (touch, place) = (Touch(), try middle(of: label, in: screen))
    _ = screen.fingerDown(touch.id, x: place.x, y: place.y)
    #expect(screen.drawing(ScreenStyle()) == before, "while \(label) is touched")
    _ = screen.fingerUp(touch.id, x: place.x, y: place.y)
    #expect(screen.drawing(ScreenStyle()) == before, "after \(label) was pressed")
  }
}

@Test @MainActor func everyKeyIsDrawnInTheView() throws {
  for kind in [LayoutKind.letters, .digits, .symbols, .mixed, .pin, .pinDecoys, .pattern] {
    let screen = KeyboardScreen(try open(kind, shuffle: kind == .pattern ? .none : .eachOpening))
    for (width, height) in [(320.0, 216.0), (430, 300), (1024, 400), (667, 162), (30, 20)] {
      try screen.setSize(width: width, height: height)
      var style = ScreenStyle()
      for scale in [0.8, 1, 3.1] {
        style.textScale = scale
        let keys = screen.drawing(style).keys
        #expect(keys.count >= 9 && keys.count <= screen.keys.count)
        for key in keys {
          let isInside =
            key.x >= 0 && key.y >= 0 && key.x + key.width <= width + 1e-6 && key.y + key.height <= height + 1e-6
          #expect(isInside && key.textSize >= 1 && key.cornerRadius <= min(key.width, key.height) / 2)
          #expect(key.textSize == 1 || key.textSize <= key.height, "\(key)")
        }
      }
    }
    #expect(throws: KeyboardError.argument) { try screen.setSize(width: 0, height: 0) }
  }
}

@Test @MainActor func largeTextMakesLabelsAndTheViewLarger() throws {
  let screen = KeyboardScreen(try open(.pin, shuffle: .none))
  var style = ScreenStyle()
  let usual = screen.drawing(style).keys[0].textSize
  style.textScale = 1.4
  #expect(screen.drawing(style).keys[0].textSize > usual)
  #expect(screen.preferredHeight() == 216 && screen.preferredHeight(textScale: 0.5) == 216)
  #expect(screen.preferredHeight(textScale: 1.4) > 300 && screen.preferredHeight(textScale: 9) == 324)
}

@Test @MainActor func fromRightToLeftKeysStayAndDeletePointsToTheBeginning() throws {
  let screen = KeyboardScreen(try open(.letters, shuffle: .none))
  var style = ScreenStyle()
  let usual = screen.drawing(style).keys
  style.isRightToLeft = true
  let other = screen.drawing(style).keys
  let changed = zip(usual, other).filter { $0 != $1 }
  #expect(usual.map(\.x) == other.map(\.x) && changed.count == 1)
  #expect(changed.first?.0.text == "⌫" && changed.first?.1.text == "⌦")
}

/// Decoys look like keys; the place beside zero does not.
@Test @MainActor func blankKeysAreDrawnOnlyAsDecoys() throws {
  #expect(KeyboardScreen(try open(.pin)).drawing(ScreenStyle()).keys.count == 11)
  let decoys = KeyboardScreen(try open(.pinDecoys)).drawing(ScreenStyle()).keys
  #expect(decoys.count == 16 && Set(decoys.dropLast(2).map(\.fill.red)).count == 1)
}

/// WCAG 2.2, 1.4.3 and 1.4.6.
@Test @MainActor func everyLabelCanBeRead() throws {
  func light(_ part: Double) -> Double { part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055).power24 }
  func luminance(_ ink: Ink) -> Double {
    0.2126 * light(ink.red) + 0.7152 * light(ink.green) + 0.0722 * light(ink.blue)
  }
  let screen = KeyboardScreen(try open(.letters))
  for (isDark, isHighContrast) in [(false, false), (false, true), (true, false), (true, true)] {
    var style = ScreenStyle()
    (style.isDark, style.isHighContrast) = (isDark, isHighContrast)
    for key in screen.drawing(style).keys {
      let (one, other) = (luminance(key.ink) + 0.05, luminance(key.fill) + 0.05)
      let contrast = max(one, other) / min(one, other)
      #expect(contrast >= (isHighContrast ? 15 : 7), "\(key.text): \(contrast)")
    }
  }
}

extension Double {
  /// To the power of 2.4, by five steps of Newton's for the fifth root of its twelfth power.
  fileprivate var power24: Double {
    let twelfth = (0..<12).reduce(1.0) { product, _ in product * self }
    var root = self * self
    for _ in 0..<60 { root -= (root - twelfth / (root * root * root * root)) / 5 }
    return root
  }
}
