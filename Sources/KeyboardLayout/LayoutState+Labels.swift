// What is written on a key.
// SPDX-License-Identifier: Apache-2.0
//
// Function keys have labels in ASCII words, or as on telephones, for screens of every kind. A screen that prefers
// symbols draws them from the role.

extension LayoutState {
  /// - Timing: depends on the key, its character included: a table look-up by the character's place in the source.
  func label(of cap: DrawnCap) -> KeyLabel {
    switch role(of: cap) {
    case .character: KeyLabel(character: character(at: cap.place))
    case .space: KeyLabel("space")
    case .delete: KeyLabel("delete")
    case .shift: shiftLabel
    case .toLetters: KeyLabel(kind == .mixed ? "1/3" : "abc")
    case .toDigits: KeyLabel(kind == .mixed ? "2/3" : "123")
    case .toSymbols: KeyLabel(kind == .mixed ? "3/3" : "#+=")
    case .return: KeyLabel("return")
    case .node: KeyLabel(character: UInt8(ascii: "1") + UInt8(cap.place))
    case .blank, .clear: KeyLabel()
    }
  }

  /// A key that is drawn as a character is blank if the order puts a blank there.
  @inline(never)
  func role(of cap: DrawnCap) -> KeyRole {
    guard cap.role == .character, kind.blankCount > 0 else { return cap.role }
    return CharacterPool.digits.places.contains(order[cap.place]) ? .character : .blank
  }

  /// Written in the case that letters have.
  private var shiftLabel: KeyLabel {
    switch shift {
    case .off: KeyLabel("shift")
    case .oneLetter: KeyLabel("Shift")
    case .capsLock: KeyLabel("SHIFT")
    }
  }

  /// The character at a place of the order, in the case that shift selects.
  func character(at place: Int) -> UInt8 {
    let origin = order[place]
    let character = CharacterSource.character(at: origin)
    return shift != .off && CharacterSource.isLetter(origin) ? character & ~0x20 : character
  }
}
