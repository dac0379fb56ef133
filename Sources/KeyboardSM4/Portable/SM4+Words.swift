// The portable path for few blocks and for many keys: GB/T 32907 as it is written, word by word, with the S-box circuit
// in place of the table. One block takes a UInt32 a word; four blocks take the four lanes of a register, at nearly the
// same cost.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardSM4Vector

extension WordVector {
  /// The S-box on each byte of each word: bit i of every byte comes down to the byte's bit 0, and goes back. In one
  /// place, because it is long.
  fileprivate var substituted: Self {
    @inline(never) get {
      let x = self ^ Self(repeating: SBoxCircuit.inputConstant &* 0x0101_0101)
      let y = Planes { $0 == 0 ? x : x &>> UInt32($0) }.substituted()

      let lowest = Self(repeating: 0x0101_0101)
      let low = y.b0 & lowest | (y.b1 & lowest) &<< 1 | (y.b2 & lowest) &<< 2 | (y.b3 & lowest) &<< 3
      let high = y.b4 & lowest | (y.b5 & lowest) &<< 1 | (y.b6 & lowest) &<< 2 | (y.b7 & lowest) &<< 3
      return (low | high &<< 4) ^ Self(repeating: SBoxCircuit.outputConstant &* 0x0101_0101)
    }
  }

  /// T of the rounds: the S-box, then L. (§6.2)
  @inline(always) fileprivate var mixed: Self {
    let s = substituted
    return s ^ s.rotatedLeft(by: 2) ^ s.rotatedLeft(by: 10) ^ s.rotatedLeft(by: 18) ^ s.rotatedLeft(by: 24)
  }

  /// T' of the key schedule: the S-box, then L'. (§7.3)
  @inline(always) var keyMixed: Self {
    let s = substituted
    return s ^ s.rotatedLeft(by: 13) ^ s.rotatedLeft(by: 23)
  }
}

/// The key schedule for one key a lane: 32 round keys in the order of encryption. (§7.3)
@inline(always) private func expand<Word: WordVector>(
  _ k0: Word, _ k1: Word, _ k2: Word, _ k3: Word, _ roundKey: (Int, Word) -> Void
) {
  let parameter = Standard.systemParameter
  var (k0, k1) = (k0 ^ Word(repeating: parameter.0), k1 ^ Word(repeating: parameter.1))
  var (k2, k3) = (k2 ^ Word(repeating: parameter.2), k3 ^ Word(repeating: parameter.3))
  var constant = Standard.firstKeyConstant
  for i in 0..<SM4.roundCount {
    let next = k0 ^ (k1 ^ k2 ^ k3 ^ Word(repeating: constant)).keyMixed
    (k0, k1, k2, k3) = (k1, k2, k3, next)
    roundKey(i, next)
    constant = Standard.nextKeyConstant(constant)
  }
}

/// The 32 rounds on one block a lane, with a round key for each lane; leaves the four words in the order of the output
/// block. One round a turn: the S-box is long, and written out four times it would not be faster. (§7.1)
@inline(always) private func rounds<Word: WordVector>(
  _ roundKey: (Int) -> Word, _ x0: inout Word, _ x1: inout Word, _ x2: inout Word, _ x3: inout Word
) {
  for i in 0..<SM4.roundCount {
    let next = x0 ^ (x1 ^ x2 ^ x3 ^ roundKey(i)).mixed
    (x0, x1, x2, x3) = (x1, x2, x3, next)
  }
  swap(&x0, &x3)
  swap(&x1, &x2)
}

// MARK: - One key

extension Portable {
  static func expandKey(_ key: UnsafeRawPointer, decrypting: Bool, into roundKeys: UnsafeMutablePointer<UInt32>) {
    let (k0, k1, k2, k3) = key.bigEndianWords
    expand(k0, k1, k2, k3) { roundKeys[decrypting ? SM4.roundCount - 1 - $0 : $0] = $1 }
  }

  @inline(never)
  static func cryptOne(
    _ roundKeys: UnsafePointer<UInt32>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
  ) {
    var (x0, x1, x2, x3) = input.bigEndianWords
    rounds({ roundKeys[$0] }, &x0, &x1, &x2, &x3)
    Word4(x0, x1, x2, x3).byteSwapped.store(to: output)
  }

  @inline(never)
  static func cryptFew(
    _ roundKeys: UnsafePointer<UInt32>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    forEachGroup(of: Word4.wordCount, input, output, blockCount: blockCount) { cryptFour(roundKeys, $0, $1) }
  }

  @inline(never)
  private static func cryptFour(
    _ roundKeys: UnsafePointer<UInt32>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
  ) {
    var (x0, x1, x2, x3) = fourWords { input + $0 &* SM4.blockSize }
    rounds({ Word4(repeating: roundKeys[$0]) }, &x0, &x1, &x2, &x3)
    store(x0, x1, x2, x3) { output + $0 &* SM4.blockSize }
  }
}

// MARK: - Many keys

extension Portable {
  /// - Parameter scratch: room for a block and the round keys of four lanes, which the caller wipes.
  static func decryptLanes(_ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer) {
    let schedule = scratch + SM4.blockSize
    LaneGroups.withMemory(groupSize: Word4.wordCount, discarded: scratch) { divide in
      for first in stride(from: 0, to: count, by: Word4.wordCount) {
        let lanes = divide(jobs + first, min(count &- first, Word4.wordCount))
        expandFourKeys(lanes[0], into: schedule)
        repeat { decryptFour(lanes[0], schedule: schedule) } while lanes.hasMore && lanes.advance()
      }
    }
  }

  /// Round keys in the order of decryption.
  @inline(never)
  private static func expandFourKeys(_ lanes: UnsafePointer<LaneJob>, into schedule: UnsafeMutableRawPointer) {
    let (k0, k1, k2, k3) = fourWords { lanes[$0].key }
    expand(k0, k1, k2, k3) { $1.store(to: schedule + (SM4.roundCount &- 1 &- $0) &* Word4.byteCount) }
  }

  @inline(never)
  private static func decryptFour(_ lanes: UnsafePointer<LaneJob>, schedule: UnsafeRawPointer) {
    var (x0, x1, x2, x3) = fourWords { lanes[$0].text }
    rounds({ Word4(loadingFrom: schedule + $0 &* Word4.byteCount) }, &x0, &x1, &x2, &x3)
    store(x0, x1, x2, x3) { lanes[$0].output }
  }

  /// The first word of each of four blocks, the second, …
  @inline(always) private static func fourWords(_ place: (Int) -> UnsafeRawPointer) -> (Word4, Word4, Word4, Word4) {
    var r0 = Word4(loadingFrom: place(0)).byteSwapped
    var r1 = Word4(loadingFrom: place(1)).byteSwapped
    var r2 = Word4(loadingFrom: place(2)).byteSwapped
    var r3 = Word4(loadingFrom: place(3)).byteSwapped
    Word4.transpose(&r0, &r1, &r2, &r3)
    return (r0, r1, r2, r3)
  }

  @inline(always) private static func store(
    _ x0: Word4, _ x1: Word4, _ x2: Word4, _ x3: Word4, to place: (Int) -> UnsafeMutableRawPointer
  ) {
    var (r0, r1, r2, r3) = (x0, x1, x2, x3)
    Word4.transpose(&r0, &r1, &r2, &r3)
    r0.byteSwapped.store(to: place(0))
    r1.byteSwapped.store(to: place(1))
    r2.byteSwapped.store(to: place(2))
    r3.byteSwapped.store(to: place(3))
  }
}

extension UnsafeRawPointer {
  @inline(always) fileprivate var bigEndianWords: (UInt32, UInt32, UInt32, UInt32) {
    let words = loadUnaligned(as: SIMD4<UInt32>.self)
    return (words[0].byteSwapped, words[1].byteSwapped, words[2].byteSwapped, words[3].byteSwapped)
  }
}
