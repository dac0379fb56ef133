// One block under a key of its own, decrypted: a password. The words of the text are held as those of the key schedule
// are, in all four lanes of a register, rotated by one more byte from lane to lane, so that a rotation is a move of
// whole lanes; and round keys go from the schedule to the rounds as they are, a register each.
//
// SPDX-License-Identifier: Apache-2.0

/// Bytes of memory that `decryptOne` uses.
@inline(always) public var oneBlockScratchSize: Int { Standard.roundCount &* Word4.byteCount }

extension InstructionSet where Word == Word4 {
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

    let words = entered(Word4(loadingFrom: input))
    var (a0, a1, a2, a3) = (words.spread(0), words.spread(1), words.spread(2), words.spread(3))
    var roundKeys = UnsafeRawPointer(scratch)
    let lastFour = scratch + (Standard.roundCount &- 4) &* step

    // The sum that a round begins with takes its round key beforehand; the last takes none.
    var x = sum(a1, a2, a3) ^ Word4(loadingFrom: roundKeys)

    @inline(always) func round(_ a: inout Word4, _ others: Word4) {
      let (p, q, r) = imagesWithSum(of: x)
      // One of the three as a rotation of bits, which is the same here: processors have other ports for it.
      (a, x) = sums(
        a, p, q.rotatedByTwoLanes, q.rotatedLeft(by: 24), r.rotatedByThreeLanes, andWith: others)
    }

    repeat {
      round(&a0, a2 ^ a3 ^ Word4(loadingFrom: roundKeys + step))
      round(&a1, a3 ^ a0 ^ Word4(loadingFrom: roundKeys + 2 &* step))
      round(&a2, a0 ^ a1 ^ Word4(loadingFrom: roundKeys + 3 &* step))
      round(&a3, a1 ^ a2 ^ Word4(loadingFrom: roundKeys + 4 &* step))
      roundKeys += 4 &* step
    } while roundKeys != UnsafeRawPointer(lastFour)
    round(&a0, a2 ^ a3 ^ Word4(loadingFrom: roundKeys + step))
    round(&a1, a3 ^ a0 ^ Word4(loadingFrom: roundKeys + 2 &* step))
    round(&a2, a0 ^ a1 ^ Word4(loadingFrom: roundKeys + 3 &* step))
    round(&a3, a1 ^ a2)

    // The words in the opposite order, as the cipher ends. (GB/T 32907-2016 §7.1)
    let reversed = Word4.joinLowHalves(Word4.interleaveLowWords(a3, a2), Word4.interleaveLowWords(a1, a0))
    left(reversed).store(to: output)
  }
}
