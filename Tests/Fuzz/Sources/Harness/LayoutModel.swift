// Which keys there are, written again from the header's description, and which characters are where: everything that
// `keys` has reported, so that the effect of a press can be predicted.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// A keyboard's layout, with the numbers of `CUSTOM_KEYBOARD_LAYOUT` and `CUSTOM_KEYBOARD_SHUFFLE`.
public struct LayoutModel {
  public private(set) var kind: UInt32 = 0
  private var shuffle: UInt32 = 1
  /// 0 if there is none.
  public private(set) var maximumCount = 0
  private(set) var width = 320.0
  private(set) var height = 216.0
  private var page = 0
  /// 0 for lower case, 1 for one capital letter, 2 for caps lock.
  private var shift = 0
  /// The reported characters, by `order`: of this opening, and of the one before.
  private var shown: [[UInt8]?] = Array(repeating: nil, count: 6)
  private var shownBefore: [[UInt8]?] = Array(repeating: nil, count: 6)
  /// Which keys were reported as blank, of those that move on a pad with decoys.
  private var shownBlanks: [Bool]?

  /// The frames that were last checked and found correct.
  private var checkedFrames: [SIMD4<Double>] = []

  // MARK: The page that is shown

  private static let firstPages = [0, 1, 2, 0, 1, 1]

  /// Every key of a page: c for a character, and the first letter of the label for other keys; m for a key
  /// that moves on the pad with decoys, a character or a blank key.
  private var drawing: String {
    switch (kind, page) {
    case (5, _): "mmmmmmmmmmmmmmdr"
    case (4, _): "cccccccccbcd"
    case (3, 0): "ccccccccc" + "cccccccc" + "sccccccd" + "23_r"
    case (3, 1): "ccccccccc" + "cccccccc" + "sccccccd" + "13_r"
    case (3, _): "ccccccccc" + "cccccccc" + "scccccbd" + "12_r"
    case (_, 0): "cccccccccc" + "ccccccccc" + "scccccccd" + "23_r"
    case (_, 1): "ccccc" + "ccccc" + "13_dr"
    default: "cccccccccc" + "cccccccccc" + "cccccccccd" + "12ccc_r"
    }
  }

  public var keyCount: Int { drawing.count }

  /// The pages that are shuffled separately have an order each; the pages of the mixed layout share one.
  private var order: Int { kind == 3 ? 3 + page : kind >= 4 ? 1 : page }
  private var orders: Range<Int> { kind == 3 ? 3..<6 : kind >= 4 ? 1..<2 : 0..<3 }

  // MARK: Changes

  /// Whether a view of this size has at least a point for each key, and at most a million.
  static func isSize(_ kind: UInt32, _ width: Double, _ height: Double) -> Bool {
    let across: Double = kind == 5 ? 4 : kind == 4 ? 3 : kind == 3 ? 9 : 10
    return width >= across && width <= 1e6 && height >= 4 && height <= 1e6
  }

  static func isGap(_ gap: Double) -> Bool { gap >= 0 && gap <= 1e6 }

  mutating func set(_ kind: UInt32, shuffle: UInt32, maximumCount: UInt) {
    (self.kind, self.shuffle) = (kind, shuffle)
    self.maximumCount = maximumCount > 128 ? 0 : Int(maximumCount)
    close()
  }

  mutating func setSize(_ width: Double, _ height: Double) {
    (self.width, self.height, checkedFrames) = (width, height, [])
  }

  mutating func open() {
    rearrange()
    close()
  }

  mutating func close() { (page, shift) = (Self.firstPages[Int(kind)], 0) }

  private mutating func rearrange() {
    shownBlanks = nil
    for order in orders { (shownBefore[order], shown[order]) = (shown[order], nil) }
  }

  /// After a key that is not a character. Planted fault: after the symbols page, there is no caps lock.
  mutating func press(role: CUSTOM_KEYBOARD_ROLE) {
    switch role {
    case CUSTOM_KEYBOARD_ROLE_SHIFT: shift = (shift + 1) % (Plant.answer && shown[2] != nil ? 2 : 3)
    case CUSTOM_KEYBOARD_ROLE_TO_LETTERS: page = 0
    case CUSTOM_KEYBOARD_ROLE_TO_DIGITS: page = 1
    case CUSTOM_KEYBOARD_ROLE_TO_SYMBOLS: page = 2
    default: break
    }
  }

  /// After a character, which may be a space.
  mutating func typed(_ character: UInt8) {
    if shift == 1 && isLetter(character) { shift = 0 }
    if shuffle == 2 { rearrange() }
  }

  // MARK: What is reported

  /// Checks a page's keys against everything that is known.
  mutating func check(_ keys: [CUSTOM_KEYBOARD_KEY]) {
    expect(keys.count == keyCount, "\(keys.count) keys of \(keyCount)")
    var characters: [UInt8] = []
    var blanks: [Bool] = []
    for (drawn, key) in zip(drawing.utf8, keys) {
      let isBlank = drawn == UInt8(ascii: "m") && key.role == CUSTOM_KEYBOARD_ROLE_BLANK
      if drawn == UInt8(ascii: "m") { blanks.append(isBlank) }
      let mark = drawn != UInt8(ascii: "m") ? drawn : isBlank ? UInt8(ascii: "b") : UInt8(ascii: "c")
      expect(key.role == role(mark), "a key of role \(key.role.rawValue) where the drawing says \(mark)")
      if mark == UInt8(ascii: "c") {
        let character = key.character
        expect(!isLetter(character) || isCapital(character) == (shift > 0), "letters in the wrong case")
        characters.append(isLetter(character) ? character | 0x20 : character)
      } else {
        expect(key.isLabelled(name(mark)), "a key that is not labelled \(name(mark))")
      }
    }
    checkCharacters(characters)
    checkBlanks(blanks)
    checkFrames(keys)
  }

  private mutating func checkCharacters(_ characters: [UInt8]) {
    if let known = shown[order] { return expect(known == characters, "keys have changed places since they were shown") }
    let source = Array("qwertyuiopasdfghjklzxcvbnm1234567890!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".utf8)
    let places = [0..<26, 26..<36, 36..<68, 0..<23, 23..<46, 46..<68][order]
    let pool = kind == 3 ? source : Array(source[places])
    expect(Set(characters).count == characters.count, "a character is there twice")
    expect(Set(characters).isSubset(of: pool), "a character that does not belong on this page")
    if shuffle == 0 {
      expect(characters == Array(source[places]), "the keys are shuffled, but should not be")
    } else {
      expect(characters != shownBefore[order], "the keys have the same order as before")
    }
    shown[order] = characters
    guard kind == 3 else { return }
    let together = shown[3...].compactMap { $0 }.flatMap { $0 }
    expect(Set(together).count == together.count, "a character is on two pages")
  }

  /// Of a pad with decoys: which of the keys that move are blank.
  private mutating func checkBlanks(_ blanks: [Bool]) {
    guard kind == 5 else { return }
    expect(blanks.filter { $0 }.count == 4, "not four blank keys: \(blanks)")
    if let known = shownBlanks { return expect(known == blanks, "blank keys have moved since they were shown") }
    if shuffle == 0 { expect(!blanks[..<10].contains(true), "blank keys are shuffled, but should not be") }
    shownBlanks = blanks
  }

  private mutating func checkFrames(_ keys: [CUSTOM_KEYBOARD_KEY]) {
    let frames = keys.map { SIMD4($0.x, $0.y, $0.width, $0.height) }
    guard frames != checkedFrames else { return }
    checkedFrames = frames
    for (i, key) in keys.enumerated() {
      expect(key.width >= 0.999 && key.height >= 0.999, "a key of \(key.width) × \(key.height)")
      let isInside = key.x >= 0 && key.y >= 0 && key.x + key.width <= width && key.y + key.height <= height
      expect(isInside, "a key at \(key.x), \(key.y), outside the view")
      for other in keys[..<i] {
        let isBeside = other.x + other.width <= key.x || key.x + key.width <= other.x
        expect(isBeside || other.y + other.height <= key.y, "two keys overlap")
        expect(isBeside || other.grid.row < key.grid.row, "two keys are in one place of the grid")
      }
    }
  }

  private func role(_ mark: UInt8) -> CUSTOM_KEYBOARD_ROLE {
    switch mark {
    case UInt8(ascii: "c"): CUSTOM_KEYBOARD_ROLE_CHARACTER
    case UInt8(ascii: "_"): CUSTOM_KEYBOARD_ROLE_SPACE
    case UInt8(ascii: "d"): CUSTOM_KEYBOARD_ROLE_DELETE
    case UInt8(ascii: "s"): CUSTOM_KEYBOARD_ROLE_SHIFT
    case UInt8(ascii: "1"): CUSTOM_KEYBOARD_ROLE_TO_LETTERS
    case UInt8(ascii: "2"): CUSTOM_KEYBOARD_ROLE_TO_DIGITS
    case UInt8(ascii: "3"): CUSTOM_KEYBOARD_ROLE_TO_SYMBOLS
    case UInt8(ascii: "r"): CUSTOM_KEYBOARD_ROLE_RETURN
    default: CUSTOM_KEYBOARD_ROLE_BLANK
    }
  }

  private func name(_ mark: UInt8) -> String {
    switch mark {
    case UInt8(ascii: "_"): "space"
    case UInt8(ascii: "d"): "delete"
    case UInt8(ascii: "s"): ["shift", "Shift", "SHIFT"][shift]
    case UInt8(ascii: "1"): kind == 3 ? "1/3" : "abc"
    case UInt8(ascii: "2"): kind == 3 ? "2/3" : "123"
    case UInt8(ascii: "3"): kind == 3 ? "3/3" : "#+="
    case UInt8(ascii: "r"): "return"
    default: ""
    }
  }
}

private func isCapital(_ character: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character) }
private func isLetter(_ character: UInt8) -> Bool { isCapital(character & ~0x20) }

extension CUSTOM_KEYBOARD_KEY {
  /// The one byte of a character's label.
  var character: UInt8 {
    withUnsafeBytes(of: label) { bytes in
      expect(bytes[0] != 0 && bytes[1...].allSatisfy { $0 == 0 }, "a character's label is not one byte and NULs")
      return bytes[0]
    }
  }

  /// Whether the label is this text, followed only by NULs.
  fileprivate func isLabelled(_ text: String) -> Bool {
    withUnsafeBytes(of: label) { bytes in
      bytes.prefix(text.utf8.count).elementsEqual(text.utf8) && bytes.dropFirst(text.utf8.count).allSatisfy { $0 == 0 }
        && text.utf8.count < bytes.count
    }
  }
}
