// The portable path for many blocks: 32 of them at once, bitsliced.
//
// A block is four words X0…X3. Of 32 blocks, the 32 words Xi take eight vectors, one a bit of a byte ("planes"):
// lane j of plane b holds bit b of byte j of the word (0 the most significant), a block in each of the lane's 32 bits.
// What the cipher does then costs little or nothing:
//
//     a rotation by 8, 16 or 24      lanes change places: one shuffle a plane
//     a rotation by 2                plane b becomes plane b+2; the two that overflow go to the next lane
//     the S-box                      110 gates for 128 bytes
//     a round key                    a plane of ones and zeros, the same for all blocks

import KeyboardSM4Vector

private typealias Plane = Word4
private typealias SlicedWord = Planes<Word4>

extension Planes<Word4> {
  @inline(__always)
  fileprivate static func ^ (a: Self, b: Self) -> Self {
    Self(
      b0: a.b0 ^ b.b0, b1: a.b1 ^ b.b1, b2: a.b2 ^ b.b2, b3: a.b3 ^ b.b3,
      b4: a.b4 ^ b.b4, b5: a.b5 ^ b.b5, b6: a.b6 ^ b.b6, b7: a.b7 ^ b.b7)
  }

  @inline(__always)
  fileprivate func map(_ body: (Plane) -> Plane) -> Self {
    Self(
      b0: body(b0), b1: body(b1), b2: body(b2), b3: body(b3),
      b4: body(b4), b5: body(b5), b6: body(b6), b7: body(b7))
  }

  @inline(__always)
  fileprivate var rotatedBy8: Self { map { $0.rotatedByOneLane } }

  @inline(__always)
  fileprivate var rotatedBy16: Self { map { $0.rotatedByTwoLanes } }

  @inline(__always)
  fileprivate var rotatedBy24: Self { map { $0.rotatedByThreeLanes } }

  @inline(__always)
  fileprivate var rotatedBy2: Self {
    Self(
      b0: b6.rotatedByOneLane, b1: b7.rotatedByOneLane,
      b2: b0, b3: b1, b4: b2, b5: b3, b6: b4, b7: b5)
  }

  /// L: s ^ (s <<< 2) ^ (s <<< 10) ^ (s <<< 18) ^ (s <<< 24), with three rotations of which one is nearly free:
  /// for t = s ^ (s <<< 8) and y = t ^ (s <<< 16) it is (t <<< 24) ^ (y <<< 2).
  @inline(__always)
  fileprivate var linear: Self {
    let t = self ^ rotatedBy8
    let y = t ^ rotatedBy16
    return t.rotatedBy24 ^ y.rotatedBy2
  }
}

// MARK: - Slicing

extension Planes<Word4> {
  /// Exchanges, between each pair of vectors, the bits of `a` that `mask << shift` selects and those of `b` under
  /// `mask`.
  @inline(__always)
  private static func swapBits(_ a: inout Plane, _ b: inout Plane, shift: UInt32, mask: UInt32) {
    let difference = (a &>> shift ^ b) & Plane(repeating: mask)
    b = b ^ difference
    a = a ^ difference &<< shift
  }

  /// Transposes the 8 × 8 bit matrix that byte i of the eight vectors is, for every i; its own inverse.
  @inline(__always)
  private mutating func transposeBits() {
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

  /// From eight vectors of four words each, bytes in memory order, to planes.
  @inline(never)
  fileprivate mutating func slice() {
    transposeBits()
    self = map { $0.byteTransposed }
  }

  @inline(never)
  fileprivate mutating func unslice() {
    self = map { $0.byteTransposed }
    transposeBits()
  }
}

/// The four words of 32 blocks.
private struct Blocks {
  var x0, x1, x2, x3: SlicedWord

  @inline(__always)
  init(loadingFrom memory: UnsafeRawPointer) {
    @inline(__always)
    func four(_ index: Int) -> (Word4, Word4, Word4, Word4) {
      let base = memory + 64 &* index
      var r0 = Word4(loadingFrom: base)
      var r1 = Word4(loadingFrom: base + 16)
      var r2 = Word4(loadingFrom: base + 32)
      var r3 = Word4(loadingFrom: base + 48)
      Word4.transpose(&r0, &r1, &r2, &r3)
      return (r0, r1, r2, r3)
    }
    let (f0, f1, f2, f3) = (four(0), four(1), four(2), four(3))
    let (f4, f5, f6, f7) = (four(4), four(5), four(6), four(7))
    x0 = SlicedWord(b0: f0.0, b1: f1.0, b2: f2.0, b3: f3.0, b4: f4.0, b5: f5.0, b6: f6.0, b7: f7.0)
    x1 = SlicedWord(b0: f0.1, b1: f1.1, b2: f2.1, b3: f3.1, b4: f4.1, b5: f5.1, b6: f6.1, b7: f7.1)
    x2 = SlicedWord(b0: f0.2, b1: f1.2, b2: f2.2, b3: f3.2, b4: f4.2, b5: f5.2, b6: f6.2, b7: f7.2)
    x3 = SlicedWord(b0: f0.3, b1: f1.3, b2: f2.3, b3: f3.3, b4: f4.3, b5: f5.3, b6: f6.3, b7: f7.3)
    x0.slice()
    x1.slice()
    x2.slice()
    x3.slice()
  }

  /// Stores the blocks with their words in the opposite order, as the cipher ends. (§7.1)
  @inline(__always)
  mutating func storeReversed(to memory: UnsafeMutableRawPointer) {
    x0.unslice()
    x1.unslice()
    x2.unslice()
    x3.unslice()
    func four(_ index: Int, _ w0: Word4, _ w1: Word4, _ w2: Word4, _ w3: Word4) {
      let base = memory + 64 &* index
      var (r0, r1, r2, r3) = (w3, w2, w1, w0)
      Word4.transpose(&r0, &r1, &r2, &r3)
      r0.store(to: base)
      r1.store(to: base + 16)
      r2.store(to: base + 32)
      r3.store(to: base + 48)
    }
    four(0, x0.b0, x1.b0, x2.b0, x3.b0)
    four(1, x0.b1, x1.b1, x2.b1, x3.b1)
    four(2, x0.b2, x1.b2, x2.b2, x3.b2)
    four(3, x0.b3, x1.b3, x2.b3, x3.b3)
    four(4, x0.b4, x1.b4, x2.b4, x3.b4)
    four(5, x0.b5, x1.b5, x2.b5, x3.b5)
    four(6, x0.b6, x1.b6, x2.b6, x3.b6)
    four(7, x0.b7, x1.b7, x2.b7, x3.b7)
  }
}

// MARK: - Round keys

/// A round key as four lanes, each with one byte of it at the top.
private typealias KeyLanes = Word4

extension Planes<Word4> {
  /// The planes of a round key: each bit spread over all blocks. Bits come to the sign's place one after another.
  @inline(__always)
  fileprivate init(spreading lanes: KeyLanes) {
    b7 = lanes.signMask
    b6 = (lanes &<< 1).signMask
    b5 = (lanes &<< 2).signMask
    b4 = (lanes &<< 3).signMask
    b3 = (lanes &<< 4).signMask
    b2 = (lanes &<< 5).signMask
    b1 = (lanes &<< 6).signMask
    b0 = (lanes &<< 7).signMask
  }

  fileprivate static var byteCount: Int { 128 }

  @inline(__always)
  fileprivate init(loadingFrom memory: UnsafeRawPointer) {
    b0 = Word4(loadingFrom: memory)
    b1 = Word4(loadingFrom: memory + 16)
    b2 = Word4(loadingFrom: memory + 32)
    b3 = Word4(loadingFrom: memory + 48)
    b4 = Word4(loadingFrom: memory + 64)
    b5 = Word4(loadingFrom: memory + 80)
    b6 = Word4(loadingFrom: memory + 96)
    b7 = Word4(loadingFrom: memory + 112)
  }

  @inline(__always)
  fileprivate func store(to memory: UnsafeMutableRawPointer) {
    b0.store(to: memory)
    b1.store(to: memory + 16)
    b2.store(to: memory + 32)
    b3.store(to: memory + 48)
    b4.store(to: memory + 64)
    b5.store(to: memory + 80)
    b6.store(to: memory + 96)
    b7.store(to: memory + 112)
  }
}

extension KeyLanes {
  /// Round key `index` with the S-box circuit's constants folded in.
  ///
  /// The circuit's input constant is XORed into every round key. Its output constant, left out, would after L turn
  /// every byte of the new word by 0xd3 ^ 0x4f ^ 0x4f ^ 0x4f ^ 0xd3 = 0x4f (a word of four equal bytes rotates as a
  /// byte does). Word Xj stands for itself turned as often as it was replaced, and a round whose three words have been
  /// turned an odd number of times in all gets 0x4f from its key. After 32 rounds each word was replaced eight times:
  /// nothing is left to mend.
  @inline(__always)
  fileprivate init(_ roundKey: UInt32, index: Int) {
    let replacements = (index &+ 1) / 4 &+ (index &+ 2) / 4 &+ (index &+ 3) / 4
    let mend: UInt32 = replacements & 1 == 1 ? 0x4f : 0
    let word = roundKey ^ (SBoxCircuit.inputConstant ^ mend) &* 0x0101_0101
    self.init(word, word &<< 8, word &<< 16, word &<< 24)
  }
}

/// The round keys of all rounds, spread: 4 KB in four pieces, since more than 1 KB at a time would come from the heap.
private struct SpreadKeys {
  let rounds0, rounds8, rounds16, rounds24: UnsafeMutableRawPointer

  private static var pieceSize: Int { 8 &* SlicedWord.byteCount }

  /// Lends them, and wipes them.
  @inline(__always)
  static func with(_ roundKeys: UnsafePointer<UInt32>, _ body: (SpreadKeys) -> Void) {
    withUnsafeTemporaryAllocation(byteCount: pieceSize, alignment: 16) { piece0 in
      withUnsafeTemporaryAllocation(byteCount: pieceSize, alignment: 16) { piece1 in
        withUnsafeTemporaryAllocation(byteCount: pieceSize, alignment: 16) { piece2 in
          withUnsafeTemporaryAllocation(byteCount: pieceSize, alignment: 16) { piece3 in
            let keys = SpreadKeys(
              rounds0: piece0.baseAddress!, rounds8: piece1.baseAddress!, rounds16: piece2.baseAddress!,
              rounds24: piece3.baseAddress!)
            for i in 0..<SM4.roundCount {
              SlicedWord(spreading: KeyLanes(roundKeys[i], index: i))
                .store(to: keys.fourRounds(i / 4) + i % 4 &* SlicedWord.byteCount)
            }
            body(keys)
            piece0.wipe()
            piece1.wipe()
            piece2.wipe()
            piece3.wipe()
          }
        }
      }
    }
  }

  /// Those of rounds 4·turn and the three after it.
  @inline(__always)
  func fourRounds(_ turn: Int) -> UnsafeMutableRawPointer {
    let piece =
      switch turn / 2 {
      case 0: rounds0
      case 1: rounds8
      case 2: rounds16
      default: rounds24
      }
    return piece + turn % 2 &* (4 &* SlicedWord.byteCount)
  }
}

extension Portable {
  /// Any number of blocks, 32 at a time; the last ones through a buffer of their own.
  @inline(never)
  static func cryptMany(
    _ roundKeys: UnsafePointer<UInt32>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    SpreadKeys.with(roundKeys) { keys in
      let whole = blockCount & ~31
      var offset = 0
      while offset < 16 &* whole {
        crypt32(keys, input + offset, output + offset)
        offset &+= 512
      }
      if whole < blockCount {
        padding(blockCount &- whole, to: 32, input + offset, output + offset) { blocks in
          // What stood on the stack would change no answer, but no tool that looks for uninitialised memory can know
          // that: bits change places by exclusive-or.
          let given = SM4.blockSize &* (blockCount &- whole)
          (blocks + given).initializeMemory(as: UInt8.self, repeating: 0, count: 512 &- given)
          crypt32(keys, blocks, blocks)
        }
      }
      // The keys lie between the frames that computed on blocks and whoever wipes the stack: too deep for him.
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
    var x = Blocks(loadingFrom: input)
    for turn in 0..<8 {
      let key = keys.fourRounds(turn)
      x.x0 = x.x0 ^ (x.x1 ^ x.x2 ^ x.x3 ^ SlicedWord(loadingFrom: key)).substituted().linear
      x.x1 = x.x1 ^ (x.x2 ^ x.x3 ^ x.x0 ^ SlicedWord(loadingFrom: key + SlicedWord.byteCount)).substituted().linear
      x.x2 = x.x2 ^ (x.x3 ^ x.x0 ^ x.x1 ^ SlicedWord(loadingFrom: key + 2 &* SlicedWord.byteCount)).substituted().linear
      x.x3 = x.x3 ^ (x.x0 ^ x.x1 ^ x.x2 ^ SlicedWord(loadingFrom: key + 3 &* SlicedWord.byteCount)).substituted().linear
    }
    x.storeReversed(to: output)
  }
}
