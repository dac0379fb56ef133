// What a tap means.

public import KeyboardMemory

/// What pressing a key does to what is typed, or to the keyboard.
public enum KeyEffect: Equatable, Sendable {
  /// An ASCII character is typed.
  case character(UInt8)
  case space
  /// The last character goes.
  case delete
  /// All characters go.
  case clear
  /// The input is complete.
  case ok
  /// Another page is up.
  case pageChanged
  /// The letters have another case.
  case shiftChanged
  case nothing

  /// Whether this appends to what is typed.
  public var isTyping: Bool {
    switch self {
    case .character, .space: true
    default: false
    }
  }
}

extension LayoutState {
  /// What pressing a key would do; nil if the page has no key of that number. Nothing is done yet.
  @inline(never)
  public func effect(ofKey index: Int) -> KeyEffect? {
    guard let key = drawnKey(at: index) else { return nil }
    return effect(of: key)
  }

  private func effect(of key: DrawnKey) -> KeyEffect {
    switch key.role {
    case .character: .character(character(at: key.place))
    case .space: .space
    case .delete: .delete
    case .clear: .clear
    case .shift: .shiftChanged
    case .toLetters, .toDigits, .toSymbols: .pageChanged
    case .return: .ok
    case .blank: .nothing
    }
  }

  /// Presses a key: changes the page or the case, ends a shift for one letter after a letter, and shuffles after a
  /// character (the space included) if that is to be done after each. What is typed is the caller's to change.
  ///
  /// - Parameter source: is drawn from if the keys are shuffled after each character.
  /// - Returns: what the press means; nil if the page has no key of that number.
  /// - Throws: what the source throws; the layout is then as it was.
  /// - Timing: depends on the key's number and role, and on the character that it holds.
  /// - C: `CustomKeyboard_pressKey`.
  @inline(never)
  public func press<Source: RandomSource & ~Copyable>(
    _ index: Int, using source: inout Source
  ) throws(Source.Failure) -> KeyEffect? {
    guard let key = drawnKey(at: index) else { return nil }
    let effect = effect(of: key)
    let isLetter = key.role == .character && KeySource.isLetter(order[key.place])
    if effect.isTyping && shuffle == .eachKey { try arrange(using: &source) }
    switch key.role {
    case .shift: shift = shift.next
    case .toLetters: page = .letters
    case .toDigits: page = .digits
    case .toSymbols: page = .symbols
    default: if isLetter && shift == .oneLetter { shift = .off }
    }
    return effect
  }
}
