// What the parser makes of a pattern, and the matcher runs.
// SPDX-License-Identifier: Apache-2.0
//
// The program of (?:ab|c)+?x, with jumps as arrows:
//
//      0  loop              ─► 6
//      1  split             ─► 5
//      2  range a … a       ◄─ 6
//      3  range b … b
//      4  jump              ─► 6
//      5  range c … c
//      6  lazyUntil 1 …     ─► 1
//      7  range x … x
//      8  found
//
// Jumps are relative, so that a finished part can be moved when an instruction comes in front of it.

/// One instruction: 8 bytes.
struct Instruction {
  var operation: Operation
  /// A class of `\d` and so on, a group, a loop, or 1 for negated and lazy ones.
  var detail: UInt8 = 0
  /// A distance, a number of items, the least count, or the higher half of a range's upper bound.
  var count: UInt16 = 0
  var value: UInt32 = 0

  enum Operation: UInt8 {
    case found
    /// One scalar from `value` to `upperBound`.
    case range
    /// One scalar of the `ScalarClass` that `detail` names.
    case scalarClass
    /// One scalar that one of the next `count` instructions accepts; with a `detail` of 1, that none accepts.
    case set
    case start
    case end
    /// The group `detail` begins, or ends.
    case groupStart
    case groupEnd
    /// What the group `detail` matched last.
    case reference
    /// Goes on; if that fails, `count` instructions further on.
    case split
    /// `count` instructions further on.
    case jump
    /// The next instruction, one scalar, `count` … `value` times.
    case repeatOne
    case lazyRepeatOne
    /// Begins the loop `detail`, whose `until` is `count` instructions further on.
    case loop
    /// Ends a round of the loop `detail`, of `count` … `mostRounds`. The body begins `roundLength` instructions before.
    case until
    case lazyUntil
    /// Matches up to `lookEnd`, `count` instructions further on, and goes back; with a `detail` of 1, must not match.
    case look
    case lookEnd
  }

  static func range(_ lower: UInt32, _ upper: UInt32) -> Instruction {
    Instruction(
      operation: .range, detail: UInt8(truncatingIfNeeded: upper), count: UInt16(truncatingIfNeeded: upper >> 8),
      value: lower)
  }

  var upperBound: UInt32 { UInt32(count) << 8 | UInt32(detail) }

  /// No limit to a count.
  static var unlimited: Int { 0xffff }
  /// The highest limit. A higher one means the same: no text has so many scalars, and a round that matched nothing is
  /// not followed by another one, once there were as many as there must be.
  static var highestLimit: Int { 60_000 }

  static func until(loop: Int, least: Int, most: Int, isLazy: Bool, roundLength: Int) -> Instruction {
    Instruction(
      operation: isLazy ? .lazyUntil : .until, detail: UInt8(loop), count: UInt16(least),
      value: UInt32(roundLength) << 16 | UInt32(most))
  }

  var mostRounds: Int { Int(value & 0xffff) }
  var roundLength: Int { Int(value >> 16) }

  /// How many instructions there are until the next one, for those that match one scalar.
  var width: Int { operation == .set ? 1 + Int(count) : 1 }
}

/// What `.`, `\d`, `\w` and `\s` stand for, and their capitals: ASCII's characters, and all others with capitals.
enum ScalarClass: UInt8 {
  case any, digit, word, space, notDigit, notWord, notSpace

  init?(letter: UInt32) {
    switch letter {
    case 0x64: self = .digit
    case 0x77: self = .word
    case 0x73: self = .space
    case 0x44: self = .notDigit
    case 0x57: self = .notWord
    case 0x53: self = .notSpace
    default: return nil
    }
  }

  func contains(_ scalar: UInt32) -> Bool {
    switch self {
    case .any: scalar != 0x0a
    case .digit: isDigit(scalar)
    case .word: isDigit(scalar) || isLetter(scalar) || scalar == 0x5f
    case .space: scalar == 0x20 || scalar &- 9 < 5
    case .notDigit: !Self.digit.contains(scalar)
    case .notWord: !Self.word.contains(scalar)
    case .notSpace: !Self.space.contains(scalar)
    }
  }
}

/// The memory that parsing and matching take: a view of `byteCount` bytes.
///
///     ├─ loops (344) ─┼─ groups (40) ─┼─ program (4128) ─┼─ stack (24576) ─┤
///
/// Sizes follow from the longest pattern, 256 bytes. The most instructions per byte come from `|`, which makes two.
/// The shortest loops are `()*`: 85 of them. The stack is as large as that of a sensible pattern can grow.
struct PatternMemory {
  static var longestPattern: Int { 256 }
  static var instructionCapacity: Int { 2 * longestPattern + 4 }
  static var loopCapacity: Int { longestPattern / 3 + 1 }
  static var stackCapacity: Int { 3072 }
  /// Groups that a reference can name: 1 … 9.
  static var groupCapacity: Int { 9 }

  let loops: UnsafeMutablePointer<Loop>
  /// Where the groups begin and end, in scalars: two bytes for each.
  let groups: UnsafeMutablePointer<UInt8>
  let program: UnsafeMutablePointer<Instruction>
  let stack: UnsafeMutableRawPointer

  static var byteCount: Int { stackOffset + 8 * stackCapacity }
  private static var groupOffset: Int { 4 * loopCapacity }
  private static var programOffset: Int { groupOffset + 40 }
  static var stackOffset: Int { programOffset + 8 * instructionCapacity }

  init(at memory: UnsafeMutableRawPointer) {
    loops = memory.assumingMemoryBound(to: Loop.self)
    groups = (memory + Self.groupOffset).assumingMemoryBound(to: UInt8.self)
    program = (memory + Self.programOffset).assumingMemoryBound(to: Instruction.self)
    stack = memory + Self.stackOffset
  }

  /// The state of a loop.
  struct Loop {
    /// Rounds that are finished.
    var rounds: UInt16
    /// Where the last round began that was not needed, or `nowhere`.
    var lastStart: UInt16
  }

  /// No place in a text: texts have at most 128 scalars.
  static var nowhere: UInt8 { 0xff }
}
