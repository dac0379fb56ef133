// One block under a key of its own: a password. The words of the text are held as those of the key schedule are, in
// all four lanes of a register, rotated by one more byte from lane to lane, so that a rotation is a move of whole
// lanes; and round keys go from the schedule to the rounds as they are, a register each.
//
// SPDX-License-Identifier: Apache-2.0

/// Bytes of memory that `decryptOne` uses.
@inline(always) public var oneBlockScratchSize: Int { Standard.roundCount &* Word4.byteCount }

/// The rounds of one block.
public struct OneBlock<Instructions: InstructionSet> where Instructions.Word == Word4 {
  public var a0, a1, a2, a3: Word4
  /// What the next round applies T to: the sum of three words and the round key.
  public var x: Word4
  /// That sum without the newest word.
  public var older: Word4

  /// - Parameter key: of the first round.
  @inline(always) public init(_ input: UnsafeRawPointer, key: Word4) {
    let words = Instructions.entered(Word4(loadingFrom: input))
    (a0, a1, a2, a3) = (words.spread(0), words.spread(1), words.spread(2), words.spread(3))
    older = Instructions.sum(a1, a2, key)
    x = older ^ a3
  }

  /// Round `number` of four, for a text whose round keys are there before it: what does not wait for T is summed up
  /// meanwhile, as in `KeyRounds`.
  ///
  /// - Parameter next: the round key of the round after; 0 in the last round.
  @inline(always) public mutating func roundAlone(_ number: Int, next: Word4) {
    switch number {
    case 0: Self.round(&a0, a2, next, &x, &older)
    case 1: Self.round(&a1, a3, next, &x, &older)
    case 2: Self.round(&a2, a0, next, &x, &older)
    default: Self.round(&a3, a1, next, &x, &older)
    }
  }

  /// The same with an instruction less, next to another chain that fills the time in which this waits.
  @inline(always) public mutating func roundInCompany(_ number: Int, next: Word4) {
    switch number {
    case 0: Self.round(&a0, a2, a3, next, &x)
    case 1: Self.round(&a1, a3, a0, next, &x)
    case 2: Self.round(&a2, a0, a1, next, &x)
    default: Self.round(&a3, a1, a2, next, &x)
    }
  }

  @inline(always) public static func round(
    _ a: inout Word4, _ c: Word4, _ next: Word4, _ x: inout Word4, _ older: inout Word4
  ) {
    let (p, q, r) = Instructions.imagesWithSum(of: x)
    let others = c ^ next
    let early = Instructions.sum(a ^ others, older, x)
    older = Instructions.sum(others, older, x)
    // One of the three as a rotation of bits, which is the same here: processors have other ports for it.
    x = Instructions.sum(Instructions.sum(early, p, q.rotatedByTwoLanes), q.rotatedLeft(by: 24), r.rotatedByThreeLanes)
    a = x ^ older
  }

  @inline(always) public static func round(
    _ a: inout Word4, _ c: Word4, _ d: Word4, _ next: Word4, _ x: inout Word4
  ) {
    let (p, q, r) = Instructions.imagesWithSum(of: x)
    (a, x) = Instructions.sums(
      a, p, q.rotatedByTwoLanes, q.rotatedLeft(by: 24), r.rotatedByThreeLanes,
      andWith: Instructions.sum(c, d, next))
  }

  /// Stores the words in the opposite order, as the cipher ends. (GB/T 32907-2016 §7.1)
  @inline(always) public func store(to output: UnsafeMutableRawPointer) {
    let reversed = Word4.joinLowHalves(Word4.interleaveLowWords(a3, a2), Word4.interleaveLowWords(a1, a0))
    Instructions.left(reversed).store(to: output)
  }
}

extension InstructionSet where Word == Word4 {
  /// Encrypts a block. The key schedule's chain of instructions and that of the rounds run side by side.
  @inline(always) public static func encryptOne(
    _ key: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
  ) {
    var keys = KeyRounds<Self>(key)
    var block = OneBlock<Self>(input, key: keys.next(0))
    var left = Standard.roundCount / 4 - 1
    repeat {
      block.roundInCompany(0, next: keys.next(1))
      block.roundInCompany(1, next: keys.next(2))
      block.roundInCompany(2, next: keys.next(3))
      block.roundInCompany(3, next: keys.next(0))
      left &-= 1
    } while left != 0
    block.roundInCompany(0, next: keys.next(1))
    block.roundInCompany(1, next: keys.next(2))
    block.roundInCompany(2, next: keys.next(3))
    block.roundInCompany(3, next: Word4(repeating: 0))
    block.store(to: output)
  }

  /// Decrypts a block.
  ///
  /// - Parameter scratch: for the round keys; `oneBlockScratchSize` bytes, which the caller wipes.
  @inline(always) public static func decryptOne(
    _ key: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) {
    var rounds = KeyRounds<Self>(key)
    let step = Word4.byteCount
    var place = scratch + Standard.roundCount &* step
    repeat {
      rounds.next(0).store(to: place - step)
      rounds.next(1).store(to: place - 2 &* step)
      rounds.next(2).store(to: place - 3 &* step)
      rounds.next(3).store(to: place - 4 &* step)
      place -= 4 &* step
    } while place != scratch

    var roundKeys = UnsafeRawPointer(scratch)
    let lastFour = scratch + (Standard.roundCount &- 4) &* step
    var block = OneBlock<Self>(input, key: Word4(loadingFrom: roundKeys))
    repeat {
      block.roundAlone(0, next: Word4(loadingFrom: roundKeys + step))
      block.roundAlone(1, next: Word4(loadingFrom: roundKeys + 2 &* step))
      block.roundAlone(2, next: Word4(loadingFrom: roundKeys + 3 &* step))
      block.roundAlone(3, next: Word4(loadingFrom: roundKeys + 4 &* step))
      roundKeys += 4 &* step
    } while roundKeys != UnsafeRawPointer(lastFour)
    block.roundAlone(0, next: Word4(loadingFrom: roundKeys + step))
    block.roundAlone(1, next: Word4(loadingFrom: roundKeys + 2 &* step))
    block.roundAlone(2, next: Word4(loadingFrom: roundKeys + 3 &* step))
    block.roundAlone(3, next: Word4(repeating: 0))
    block.store(to: output)
  }
}
