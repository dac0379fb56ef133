// Equivalent keys. A round computes a0 ^= T(a1 ^ a2 ^ a3 ^ rk). The round key leaves that sum if each word carries a
// share of it: hold a_j ^ κ_j in place of a_j, with κ[i+1] ^ κ[i+2] ^ κ[i+3] = rk[i]. The sum of three words is then
// the S-box's input, and the word that is replaced changes its share: the round becomes a0 ^= T(a1 ^ a2 ^ a3) ^ e[i]
// with e[i] = κ[i+4] ^ κ[i]. The key is no longer part of the chain that everything waits for, and where one
// instruction sums three words it costs nothing.
//
// With κ = 0 outside 0…35, a schedule is the words e[-4]…e[35]: the first four are added to a block's words before the
// rounds, the last four after them. The first and the last word are always 0.
//
// SPDX-License-Identifier: Apache-2.0

/// Where the words of a schedule are.
public enum Schedule {
  /// The key of the first round.
  @inline(always) public static var firstRound: Int { 4 }

  /// What is added to a block's words after the rounds.
  @inline(always) public static var exit: Int { firstRound &+ Standard.roundCount }
  @inline(always) public static var wordCount: Int { exit &+ 4 }
  @inline(always) public static var byteCount: Int { wordCount &* MemoryLayout<UInt32>.size }
}

/// The round keys of a row of quads.
public protocol RoundKeys<Word> {
  associatedtype Word: Words
  /// What the last three words of a block take before the rounds.
  mutating func entry(of quad: Int) -> (Word, Word, Word)
  /// The key of round `index` + `number`, where `number` is 0…3 and a constant.
  mutating func round(_ index: Int, _ number: Int, of quad: Int) -> Word
  /// What the first three words of a block take after the rounds.
  func exit(of quad: Int) -> (Word, Word, Word)
}

/// One key for all blocks.
public struct SharedKeys<Word: Words>: RoundKeys {
  public let schedule: UnsafePointer<UInt32>

  @inline(always)
  public init(_ schedule: UnsafeRawPointer) { self.schedule = schedule.assumingMemoryBound(to: UInt32.self) }

  @inline(always) public func entry(of quad: Int) -> (Word, Word, Word) { three(1) }

  @inline(always) public func round(_ index: Int, _ number: Int, of quad: Int) -> Word {
    Word(repeating: schedule[Schedule.firstRound &+ index &+ number])
  }

  @inline(always) public func exit(of quad: Int) -> (Word, Word, Word) { three(Schedule.exit) }

  @inline(always) public func three(_ first: Int) -> (Word, Word, Word) {
    (
      Word(repeating: schedule[first]), Word(repeating: schedule[first &+ 1]), Word(repeating: schedule[first &+ 2])
    )
  }
}

/// One key, expanded while the blocks are encrypted. Key schedule and rounds are two chains in which every step waits
/// for the one before, while much of the processor is idle. Both together take little longer than one of them: two
/// thirds of the time for a password. (Only for encryption, whose rounds take the keys in the order in which they are
/// made.)
public struct FreshKeys<Instructions: InstructionSet, Word: Words>: RoundKeys where Instructions.Word == Word4 {
  public var keys: EquivalentKeys<Instructions>

  @inline(always) public init(_ key: UnsafeRawPointer) { keys = EquivalentKeys(key) }

  @inline(always) public mutating func entry(of quad: Int) -> (Word, Word, Word) {
    (Word(repeating: 0), Word(repeating: 0), Word(repeating: keys.next(0)))
  }

  /// Round i takes e[i], which is known with round key i + 1; after the last round key, κ is 0.
  @inline(always) public mutating func round(_ index: Int, _ number: Int, of quad: Int) -> Word {
    guard number == 3 else { return Word(repeating: keys.next(number &+ 1)) }
    let isLast = index &+ 4 == Standard.roundCount
    return Word(repeating: keys.next(0, masked: Word4(repeating: isLast ? 0 : .max)))
  }

  @inline(always) public func exit(of quad: Int) -> (Word, Word, Word) {
    (
      Word(repeating: keys.kappa1), Word(repeating: keys.kappa2), Word(repeating: keys.kappa3)
    )
  }
}
