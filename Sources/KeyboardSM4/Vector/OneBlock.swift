// One block under a key of its own, decrypted: a password. Words of the text stand as those of the key schedule do, in
// all four lanes of a register, from lane to lane rotated by one more byte, so that what a round rotates is moved by
// whole lanes; and round keys go from the schedule to the rounds as they are, a register each.

/// Bytes of memory that `decryptOne` uses.
@export(implementation) @inline(__always)
public var oneBlockScratchSize: Int { 32 &* 16 }

extension InstructionSet where Word == Word4 {
  /// - Parameter scratch: for the round keys; `oneBlockScratchSize` bytes, which the caller wipes.
  @export(implementation) @inline(__always)
  public static func decryptOne(
    _ key: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) {
    var rounds = KeyRounds<Self>(key)
    var place = scratch + 31 &* 16
    var turns = 8
    repeat {
      rounds.next(0).store(to: place)
      rounds.next(1).store(to: place - 16)
      rounds.next(2).store(to: place - 32)
      rounds.next(3).store(to: place - 48)
      place -= 64
      turns &-= 1
    } while turns != 0

    let words = entered(Word4(loadingFrom: input))
    var (a0, a1, a2, a3) = (words.spread(0), words.spread(1), words.spread(2), words.spread(3))
    var roundKeys = UnsafeRawPointer(scratch)

    // The sum that a round begins with takes its round key on beforehand; the last takes none.
    var x = sum(a1, a2, a3) ^ Word4(loadingFrom: roundKeys)

    @inline(__always)
    func round(_ a: inout Word4, _ others: Word4) {
      let (p, q, r) = imagesWithSum(of: x)
      // One of the three as a rotation of bits, which is the same here: processors have other ports for it.
      (a, x) = sums(
        a, p, q.rotatedByTwoLanes, q.rotatedLeft(by: 24), r.rotatedByThreeLanes, andWith: others)
    }

    turns = 7
    repeat {
      round(&a0, a2 ^ a3 ^ Word4(loadingFrom: roundKeys + 16))
      round(&a1, a3 ^ a0 ^ Word4(loadingFrom: roundKeys + 32))
      round(&a2, a0 ^ a1 ^ Word4(loadingFrom: roundKeys + 48))
      round(&a3, a1 ^ a2 ^ Word4(loadingFrom: roundKeys + 64))
      roundKeys += 64
      turns &-= 1
    } while turns != 0
    round(&a0, a2 ^ a3 ^ Word4(loadingFrom: roundKeys + 16))
    round(&a1, a3 ^ a0 ^ Word4(loadingFrom: roundKeys + 32))
    round(&a2, a0 ^ a1 ^ Word4(loadingFrom: roundKeys + 48))
    round(&a3, a1 ^ a2)

    // The words in the opposite order, as the cipher ends. (GB/T 32907-2016 §7.1)
    let reversed = Word4.joinLowHalves(Word4.interleaveLowWords(a3, a2), Word4.interleaveLowWords(a1, a0))
    left(reversed).store(to: output)
  }
}
