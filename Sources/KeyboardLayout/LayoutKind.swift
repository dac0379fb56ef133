// What a layout can be: which keys it has, when they change places, which page is shown, and in which case.
// SPDX-License-Identifier: Apache-2.0

/// Which keys a keyboard has. A later version may add cases, so a `switch` in another package needs an
/// `@unknown default`.
///
/// - C: `CUSTOM_KEYBOARD_LAYOUT`, with the same integers.
@nonexhaustive
public enum LayoutKind: UInt8, Sendable {
  /// Three pages, 26 letters first, with switches to 10 digits and 32 symbols. The default.
  case letters = 0
  /// The same three pages, digits first.
  case digits = 1
  /// The same three pages, symbols first.
  case symbols = 2
  /// All 68 characters shuffled together and dealt to three pages of 23, 23 and 22.
  case mixed = 3
  /// Ten digits on a pad of 3 × 4 keys: the bottom left key is blank, the bottom right key deletes.
  case pin = 4
  /// A pad of 4 × 4 keys: ten digits and four blank keys, which change places together, then delete and return. The
  /// places of the touches alone tell less than on `pin`.
  case pinDecoys = 5
  /// Nine nodes to draw a pattern through, in three rows. They are the digits 1 to 9, and never change places; each is
  /// typed once. A node that a line passes over is typed first.
  case pattern = 6

  var firstPage: Page {
    switch self {
    case .letters, .mixed, .pattern: .letters
    case .digits, .pin, .pinDecoys: .digits
    case .symbols: .symbols
    }
  }
}

/// When the characters change places. A later version may add cases, so a `switch` in another package needs an
/// `@unknown default`.
///
/// - C: `CUSTOM_KEYBOARD_SHUFFLE`, with the same integers.
@nonexhaustive
public enum ShuffleKind: UInt8, Sendable {
  /// Never: every opening shows the source's order.
  case none = 0
  /// At each opening, never to the order of the opening before. The default.
  case eachOpening = 1
  /// At each opening, and after each character that is typed, a space included.
  case eachKey = 2
}

/// The page on the screen. The pages of a mixed keyboard have the names of the switches that lead to them.
enum Page: UInt8 {
  case letters = 0
  case digits = 1
  case symbols = 2
}

/// Whether letters are capitals.
package enum ShiftState: UInt8, Sendable {
  case off = 0
  /// The next letter is a capital.
  case oneLetter = 1
  /// All letters are capitals until shift is pressed again.
  case capsLock = 2

  var next: ShiftState {
    switch self {
    case .off: .oneLetter
    case .oneLetter: .capsLock
    case .capsLock: .off
    }
  }
}
