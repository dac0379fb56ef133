// The portable path for many blocks: 32 of them at once, bitsliced.
//
// A block is four words X0…X3. Of 32 blocks, the 32 words Xi take eight vectors, one for each bit of a byte ("planes"):
// lane j of plane b holds bit b of byte j of the word (bit 0 is the most significant one). A lane has 32 bits, one for
// each block. The operations of the cipher then cost little or nothing:
//
//     a rotation by 8, 16 or 24      lanes change places: one shuffle a plane
//     a rotation by 2                plane b becomes plane b+2; the two that overflow go to the next lane
//     the S-box                      110 gates for 128 bytes
//     a round key                    a plane of ones and zeros, the same for all blocks
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardSM4Vector

private typealias SlicedWord = Planes<Word4>

extension Planes {
  @inline(always) fileprivate func map<Result>(_ body: (Vector) -> Result) -> Planes<Result> {
    Planes<Result>(
      b0: body(b0), b1: body(b1), b2: body(b2), b3: body(b3),
      b4: body(b4), b5: body(b5), b6: body(b6), b7: body(b7))
  }
}

extension Planes<Word4> {
  @inline(always) fileprivate static func ^ (a: Self, b: Self) -> Self {
    Self(
      b0: a.b0 ^ b.b0, b1: a.b1 ^ b.b1, b2: a.b2 ^ b.b2, b3: a.b3 ^ b.b3,
      b4: a.b4 ^ b.b4, b5: a.b5 ^ b.b5, b6: a.b6 ^ b.b6, b7: a.b7 ^ b.b7)
  }

  @inline(always) fileprivate var rotatedBy8: Self { map { $0.rotatedByOneLane } }

  @inline(always) fileprivate var rotatedBy2: Self {
    Self(b0: b6.rotatedByOneLane, b1: b7.rotatedByOneLane, b2: b0, b3: b1, b4: b2, b5: b3, b6: b4, b7: b5)
  }

  /// L: s ^ (s <<< 2) ^ (s <<< 10) ^ (s <<< 18) ^ (s <<< 24), with three rotations of which one is nearly free:
  /// for t = s ^ (s <<< 8) and y = t ^ (s <<< 16) it is (t <<< 24) ^ (y <<< 2).
  @inline(always) fileprivate var linear: Self {
    let t = self ^ rotatedBy8
    let y = t ^ map { $0.rotatedByTwoLanes }
    return t.map { $0.rotatedByThreeLanes } ^ y.rotatedBy2
  }
}

// MARK: - Slicing

extension Planes<Word4> {
  /// Exchanges, between each pair of vectors, the bits of `a` that `mask << shift` selects and those of `b` under
  /// `mask`.
  @inline(always) private static func swapBits(_ a: inout Word4, _ b: inout Word4, shift: UInt32, mask: UInt32) {
    let difference = (a &>> shift ^ b) & Word4(repeating: mask)
    b = b ^ difference
    a = a ^ difference &<< shift
  }

  /// Transposes the 8 × 8 bit matrix that byte i of the eight vectors is, for every i; its own inverse.
  @inline(always) private mutating func transposeBits() {
    Self.swapBits(&b0, &b1, shift: 1, mask: 0x5555_5555)
    Self.swapBits(&b2, &b3, shift: 1, mask: 0x5555_5555)
    Self.swapBits(&b4, &b5, shift: 1, mask: 0x5555_5555)
    Self.swapBits(&b6, &b7, shift: 1, mask: 0x5555_5555)
    Self.swapBits(&b0, &b2, shift: 2, mask: 0x3333_3333)
    Self.swapBits(&b1, &b3, shift: 2, mask: 0x3333_3333)
    Self.swapBits(&b4, &b6, shift: 2, mask: 0x3333_3333)
    Self.swapBits(&b5, &b7, shift: 2, mask: 0x3333_3333)
    Self.swapBits(&b0, &b4, shift: 4, mask: 0x0f0f_0f0f)
    Self.swapBits(&b1, &b5, shift: 4, mask: 0x0f0f_0f0f)
    Self.swapBits(&b2, &b6, shift: 4, mask: 0x0f0f_0f0f)
    Self.swapBits(&b3, &b7, shift: 4, mask: 0x0f0f_0f0f)
  }

  /// From eight vectors of four words each, bytes in memory order, to planes, and back.
  @inline(never)
  fileprivate mutating func slice() {
    transposeBits()
    self = map { $0.byteTransposed }
  }
}

/// The four words of 32 blocks.
private struct SlicedBlocks {
  var x0, x1, x2, x3: SlicedWord

  static var count: Int { 32 }

  @inline(always) init(loadingFrom memory: UnsafeRawPointer) {
    let fours = Planes { four in
      var r0 = Word4(loadingFrom: memory + 4 &* four &* SM4.blockSize)
      var r1 = Word4(loadingFrom: memory + (4 &* four &+ 1) &* SM4.blockSize)
      var r2 = Word4(loadingFrom: memory + (4 &* four &+ 2) &* SM4.blockSize)
      var r3 = Word4(loadingFrom: memory + (4 &* four &+ 3) &* SM4.blockSize)
      Word4.transpose(&r0, &r1, &r2, &r3)
      return (r0, r1, r2, r3)
    }
    (x0, x1, x2, x3) = (fours.map { $0.0 }, fours.map { $0.1 }, fours.map { $0.2 }, fours.map { $0.3 })
    x0.slice()
    x1.slice()
    x2.slice()
    x3.slice()
  }

  /// Stores the blocks with their words in the opposite order, as the cipher ends. (§7.1)
  @inline(always) mutating func storeReversed(to memory: UnsafeMutableRawPointer) {
    x0.slice()
    x1.slice()
    x2.slice()
    x3.slice()
    var place = memory
    func storeFour(_ w0: Word4, _ w1: Word4, _ w2: Word4, _ w3: Word4) {
      var (r0, r1, r2, r3) = (w3, w2, w1, w0)
      Word4.transpose(&r0, &r1, &r2, &r3)
      r0.store(to: place)
      r1.store(to: place + SM4.blockSize)
      r2.store(to: place + 2 &* SM4.blockSize)
      r3.store(to: place + 3 &* SM4.blockSize)
      place += 4 &* SM4.blockSize
    }
    storeFour(x0.b0, x1.b0, x2.b0, x3.b0)
    storeFour(x0.b1, x1.b1, x2.b1, x3.b1)
    storeFour(x0.b2, x1.b2, x2.b2, x3.b2)
    storeFour(x0.b3, x1.b3, x2.b3, x3.b3)
    storeFour(x0.b4, x1.b4, x2.b4, x3.b4)
    storeFour(x0.b5, x1.b5, x2.b5, x3.b5)
    storeFour(x0.b6, x1.b6, x2.b6, x3.b6)
    storeFour(x0.b7, x1.b7, x2.b7, x3.b7)
  }
}

// MARK: - Round keys

/// A round key as four lanes, each with one byte of it at the top.
private typealias KeyLanes = Word4

extension Planes<Word4> {
  /// The planes of a round key: each bit spread over all blocks. Bits come to the sign's place one after another.
  @inline(always) fileprivate init(spreading lanes: KeyLanes) { self.init { (lanes &<< UInt32(7 &- $0)).signMask } }

  fileprivate static var byteCount: Int { 8 &* Word4.byteCount }

  @inline(always) fileprivate init(loadingFrom memory: UnsafeRawPointer) {
    self.init { Word4(loadingFrom: memory + $0 &* Word4.byteCount) }
  }

  @inline(always) fileprivate func store(to memory: UnsafeMutableRawPointer) {
    var place = memory
    _ = map {
      $0.store(to: place)
      place += Word4.byteCount
    }
  }
}

extension KeyLanes {
  /// Round key `index` with the S-box circuit's constants folded in.
  ///
  /// The circuit's input constant is XORed into every round key. Its output constant is left out, which changes every
  /// byte of the new word, after L, by 0xd3 ^ 0x4f ^ 0x4f ^ 0x4f ^ 0xd3 = 0x4f (a word of four equal bytes rotates as a
  /// byte does). Such a word is off by 0x4f once for each time that it was replaced, and a round whose three words were
  /// replaced an odd number of times in all gets 0x4f from its key. After 32 rounds each word was replaced eight times,
  /// so nothing is left to correct.
  @inline(always) fileprivate init(_ roundKey: UInt32, index: Int) {
    let replacements = (index &+ 1) / 4 &+ (index &+ 2) / 4 &+ (index &+ 3) / 4
    let correction: UInt32 = replacements & 1 == 1 ? 0x4f : 0
    let word = roundKey ^ (SBoxCircuit.inputConstant ^ correction) &* 0x0101_0101
    self.init(word, word &<< 8, word &<< 16, word &<< 24)
  }
}

/// The round keys of all rounds, spread: 4 KB in four pieces, because more than 1 KB at a time would come from the
/// heap.
private struct SpreadKeys {
  let pieces: (UnsafeMutableRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer)

  private static var roundsInPiece: Int { SM4.roundCount / 4 }

  /// Lends memory for a piece, and wipes it.
  @inline(always) private static func withPiece(_ body: (UnsafeMutableRawPointer) -> Void) {
    withUnsafeTemporaryAllocation(byteCount: roundsInPiece &* SlicedWord.byteCount, alignment: 16) { piece in
      body(piece.baseAddress!)
      piece.wipe()
    }
  }

  /// Lends the keys, and wipes them.
  @inline(always) static func with(_ roundKeys: UnsafePointer<UInt32>, _ body: (SpreadKeys) -> Void) {
    withPiece { p0 in
      withPiece { p1 in
        withPiece { p2 in
          withPiece { p3 in
            let keys = SpreadKeys(pieces: (p0, p1, p2, p3))
            for i in 0..<SM4.roundCount {
              SlicedWord(spreading: KeyLanes(roundKeys[i], index: i)).store(to: keys.fromRound(i))
            }
            body(keys)
          }
        }
      }
    }
  }

  /// The key of a round, and after it those of the rounds up to the next multiple of eight.
  @inline(always) func fromRound(_ round: Int) -> UnsafeMutableRawPointer {
    let piece =
      switch round / Self.roundsInPiece {
      case 0: pieces.0
      case 1: pieces.1
      case 2: pieces.2
      default: pieces.3
      }
    return piece + round % Self.roundsInPiece &* SlicedWord.byteCount
  }
}

extension Portable {
  @inline(never)
  static func cryptMany(
    _ roundKeys: UnsafePointer<UInt32>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    SpreadKeys.with(roundKeys) { keys in
      forEachGroup(of: SlicedBlocks.count, input, output, blockCount: blockCount) { crypt32(keys, $0, $1) }
      // The keys lie between the frames that computed on blocks and the caller that wipes the stack: those frames are
      // too deep for it.
      wipeFrames(3)
    }
  }

  /// Zeroes the stack where `crypt32` and what it called had theirs, a kilobyte at a time.
  @inline(never)
  private static func wipeFrames(_ kilobytes: Int) {
    withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { frame in
      if kilobytes > 1 { wipeFrames(kilobytes &- 1) }
      frame.wipe()
    }
  }

  @inline(never)
  private static func crypt32(
    _ keys: SpreadKeys, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
  ) {
    var blocks = SlicedBlocks(loadingFrom: input)
    var sum = blocks.x0 ^ blocks.x1 ^ blocks.x2 ^ blocks.x3
    withUnsafeMutableBytes(of: &blocks) {
      let words = $0.baseAddress!.assumingMemoryBound(to: SlicedWord.self)
      // One round a turn: four of them written out take 6 KB.
      for i in 0..<SM4.roundCount {
        let word = words[i & 3]
        let change = (sum ^ word ^ SlicedWord(loadingFrom: keys.fromRound(i))).substituted().linear
        words[i & 3] = word ^ change
        sum = sum ^ change
      }
    }
    blocks.storeReversed(to: output)
  }
}
