// The characters of all keys: the paper's source strings (§2), joined to one string.
// SPDX-License-Identifier: Apache-2.0
//
// A character is known by its place in that string. Shuffling changes nothing but places.

/// The source strings of letters, digits and symbols, as one string of 68 ASCII characters.
enum CharacterSource {
  /// The order without shuffling: the rows of a typewriter, the digits of a telephone, the symbols in ASCII's order.
  private static var characters: StaticString {
    "qwertyuiopasdfghjklzxcvbnm1234567890!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
  }

  static var count: Int { 68 }

  /// The character at `place`; letters are small.
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
  /// All of them together, so that a place does not even tell the kind of character.
  case all = 3

  /// Their places in the source.
  var places: Range<Int> {
    switch self {
    case .letters: 0..<26
    case .digits: 26..<36
    case .symbols: 36..<68
    case .all: 0..<68
    }
  }
}

extension LayoutKind {
  /// Whether this layout shuffles the characters of `pool` among themselves.
  func shuffles(_ pool: CharacterPool) -> Bool {
    switch self {
    case .letters, .digits, .symbols: pool != .all
    case .mixed: pool == .all
    case .pin, .pinDecoys: pool == .digits
    case .pattern: false
    }
  }

  /// How many blank keys change places with the digits. In the order they are the places after the digits, which are
  /// symbols on layouts that have symbols.
  var blankCount: Int { self == .pinDecoys ? 4 : 0 }

  func forEachPool<Failure: Error>(_ body: (CharacterPool) throws(Failure) -> Void) throws(Failure) {
    for code in CharacterPool.letters.rawValue...CharacterPool.all.rawValue {
      if let pool = CharacterPool(rawValue: code), shuffles(pool) { try body(pool) }
    }
  }
}
