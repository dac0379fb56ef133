// What stands on a key. Function keys are labelled in words or as telephones do, in ASCII, for a screen of any kind;
// one that wants symbols draws them by the role.

extension LayoutState {
  /// - Timing: depends on the key, its character included: the one place where a character is looked up by its place.
  func label(of key: DrawnKey) -> KeyLabel {
    switch key.role {
    case .character: KeyLabel(character: character(at: key.place))
    case .space: KeyLabel("space")
    case .delete: KeyLabel("delete")
    case .clear: KeyLabel("clear")
    case .shift: shiftLabel
    case .toLetters: KeyLabel(kind == .mixed ? "1/3" : "abc")
    case .toDigits: KeyLabel(kind == .mixed ? "2/3" : "123")
    case .toSymbols: KeyLabel(kind == .mixed ? "3/3" : "#+=")
    case .return: KeyLabel("return")
    case .blank: KeyLabel()
    }
  }

  /// Written as the letters will be.
  private var shiftLabel: KeyLabel {
    switch shift {
    case .off: KeyLabel("shift")
    case .oneLetter: KeyLabel("Shift")
    case .capsLock: KeyLabel("SHIFT")
    }
  }

  /// The character at a place of the order, in the case that shift has chosen.
  func character(at place: Int) -> UInt8 {
    let origin = order[place]
    let character = KeySource.character(at: origin)
    return shift != .off && KeySource.isLetter(origin) ? character & ~0x20 : character
  }
}
