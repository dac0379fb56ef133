// One block under a key of its own: a password. The words of the text are held as those of the key schedule are: each
// in all four lanes of a register.
//
// SPDX-License-Identifier: Apache-2.0

/// Bytes of memory that `decryptOne` uses.
@inline(always) public var oneBlockScratchSize: Int { Standard.roundCount &* MemoryLayout<UInt32>.size }

/// The rounds of one block.
public struct OneBlock<Instructions: InstructionSet> where Instructions.Word == Word4 {
  public var a0, a1, a2, a3: Word4
  /// What the next round applies T to: the sum of three words and the round key.
  public var x: Word4

  /// - Parameter key: of the first round.
  @inline(always) public init(_ input: UnsafeRawPointer, key: Word4) {
    let words = Instructions.entered(Word4(loadingFrom: input))
    (a0, a1, a2, a3) = (words.repeated(0), words.repeated(1), words.repeated(2), words.repeated(3))
    x = Instructions.sum(a1, a2, a3) ^ key
  }

  /// Round `number` of four.
  ///
  /// - Parameter keys: of this round and the next, as their sum. In the last round it does not matter.
  @inline(always) public mutating func round(_ number: Int, keys: Word4) {
    switch number {
    case 0: Self.round(&a0, a1, keys, &x)
    case 1: Self.round(&a1, a2, keys, &x)
    case 2: Self.round(&a2, a3, keys, &x)
    default: Self.round(&a3, a0, keys, &x)
    }
  }

  /// The next `x` is this one without `b`, its oldest word, and with the new one: the chain is T and two sums.
  @inline(always) public static func round(_ a: inout Word4, _ b: Word4, _ keys: Word4, _ x: inout Word4) {
    let (p, q, r) = Instructions.imagesWithSum(of: x)
    let early = Instructions.sum(a ^ keys, b, x)
    x = Instructions.sum(
      Instructions.sum(early, p, q.rotatedLeft(by: 16)), q.rotatedLeft(by: 24), r.rotatedLeft(by: 8))
    a = Instructions.sum(a, early, x)
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
    var last = keys.next(0)
    var block = OneBlock<Self>(input, key: last)

    @inline(always) func round(_ number: Int, _ next: Word4) {
      block.round(number, keys: last ^ next)
      last = next
    }

    // The last round is given a sum that does not matter, from a key too many.
    var left = Standard.roundCount / 4
    repeat {
      round(0, keys.next(1))
      round(1, keys.next(2))
      round(2, keys.next(3))
      round(3, keys.next(0))
      left &-= 1
    } while left != 0
    block.store(to: output)
  }

  /// Decrypts a block.
  ///
  /// - Parameter scratch: for the round keys; `oneBlockScratchSize` bytes, which the caller wipes.
  @inline(always) public static func decryptOne(
    _ key: UnsafeRawPointer, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) {
    // The sums of each round key and the one before it, backwards, as the rounds take them.
    let first = scratch.assumingMemoryBound(to: UInt32.self)
    let end = first + Standard.roundCount
    var keys = KeyRounds<Self>(key)
    var last = Word4(repeating: 0)
    var place = end

    @inline(always) func store(_ next: Word4) {
      place -= 1
      (last ^ next).storeFirst(to: place)
      last = next
    }

    repeat {
      store(keys.next(0))
      store(keys.next(1))
      store(keys.next(2))
      store(keys.next(3))
    } while place != first

    var block = OneBlock<Self>(input, key: last)
    repeat {
      block.round(0, keys: Word4(repeating: place[0]))
      block.round(1, keys: Word4(repeating: place[1]))
      block.round(2, keys: Word4(repeating: place[2]))
      block.round(3, keys: Word4(repeating: place[3]))
      place += 4
    } while place != end
    block.store(to: output)
  }
}
