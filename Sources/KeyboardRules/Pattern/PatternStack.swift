// Where the matcher goes back to, and what it then undoes.
// SPDX-License-Identifier: Apache-2.0

/// One entry of the matcher's stack: 8 bytes.
struct StackEntry {
  var kind: Kind
  /// A place in the text, or the number of a loop or group.
  var place: UInt8
  /// Where the program goes on.
  var program: UInt16 = 0
  /// Depends on the kind.
  var first: UInt16 = 0
  var second: UInt16 = 0

  enum Kind: UInt8 {
    /// Goes on in the program.
    case choice
    /// Begins another round of a lazy loop, whose `until` is `program`.
    case round
    /// Gives back one of the scalars that were taken up to `place`, but not those before `first`.
    case fewer
    /// Takes one more scalar at `place`, at most `first` of them. The atom is at `program`.
    case more
    /// Puts back byte `place` of the groups.
    case group
    /// Puts back the loop `place`.
    case loop
    /// The lookahead that is being matched began here; `first` is the height of the one around it. If `second` is 1,
    /// it is negative and goes on in the program.
    case look
  }

  var isUndo: Bool { kind == .group || kind == .loop }
}
