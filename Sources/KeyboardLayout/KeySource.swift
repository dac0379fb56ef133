// What the keys hold: the paper's source strings (§2), one per kind of character, laid end to end and cut into keys. A
// key needs no tag: what it holds is the character at its place. Shuffling changes the places, and nothing else.

/// The source strings of letters, digits and symbols, as one string of 68 ASCII characters.
enum KeySource {
  /// As they stand where nothing is shuffled: the rows of a typewriter, of a telephone, and ASCII's own order.
  private static var characters: StaticString {
    "qwertyuiopasdfghjklzxcvbnm1234567890!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
  }

  static var count: Int { 68 }

  /// The character that stands at `place` in source order; letters are small.
  static func character(at place: Int) -> UInt8 {
    precondition(place >= 0 && place < count)
    return characters.utf8Start[place]
  }

  static func isLetter(_ place: Int) -> Bool { CharacterPool.letters.places.contains(place) }
}

/// Characters that are shuffled among themselves.
enum CharacterPool: UInt8 {
  case letters = 0
  case digits = 1
  case symbols = 2
  /// All of them together, so that a place tells nothing even about the kind.
  case all = 3

  /// Where they stand in the source.
  var places: Range<Int> {
    switch self {
    case .letters: 0..<26
    case .digits: 26..<36
    case .symbols: 36..<68
    case .all: 0..<68
    }
  }
}

/// Which keys a keyboard has. A later version may add cases.
@nonexhaustive
public enum LayoutKind: UInt8, Sendable {
  /// A page of letters first, with switches to the pages of digits and symbols.
  case letters = 0
  /// The same three pages, digits first.
  case digits = 1
  /// The same three pages, symbols first.
  case symbols = 2
  /// All characters shuffled together and dealt over three pages of 23, 23 and 22.
  case mixed = 3
  /// Ten digits, 3 × 4, with deletion at the bottom right and nothing at the bottom left.
  case pin = 4

  /// Whether this layout has the characters of `pool` and shuffles them as one.
  func shuffles(_ pool: CharacterPool) -> Bool {
    switch self {
    case .letters, .digits, .symbols: pool != .all
    case .mixed: pool == .all
    case .pin: pool == .digits
    }
  }

  func forEachPool<Failure: Error>(_ body: (CharacterPool) throws(Failure) -> Void) throws(Failure) {
    for code in CharacterPool.letters.rawValue...CharacterPool.all.rawValue {
      if let pool = CharacterPool(rawValue: code), shuffles(pool) { try body(pool) }
    }
  }

  var firstPage: Page {
    switch self {
    case .letters, .mixed: .letters
    case .digits, .pin: .digits
    case .symbols: .symbols
    }
  }
}

/// When the characters change places. A later version may add cases.
@nonexhaustive
public enum ShuffleKind: UInt8, Sendable {
  case none = 0
  /// Each time the keyboard comes up. What a keyboard does unless told otherwise.
  case eachOpening = 1
  /// Each time it comes up, and after every character, the space included.
  case eachKey = 2
}

/// What stands on the screen at one time. The pages of a mixed keyboard are named by the switches that lead there.
enum Page: UInt8 {
  case letters = 0
  case digits = 1
  case symbols = 2
}
