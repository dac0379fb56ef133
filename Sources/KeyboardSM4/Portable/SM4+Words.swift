// The portable path for few blocks: GB/T 32907 as it is written, word by word, with the S-box circuit in place of the
// table. One block takes a UInt32 a word; four blocks take the four lanes of a register, at nearly the same cost.

import KeyboardSM4Vector

extension WordVector {
  /// The S-box on each byte of each word: bit i of every byte comes down to the byte's bit 0, and goes back.
  @inline(__always)
  fileprivate var substituted: Self {
    let x = self ^ Self(repeating: SBoxCircuit.inputConstant &* 0x0101_0101)
    let y = Planes(
      b0: x, b1: x &>> 1, b2: x &>> 2, b3: x &>> 3, b4: x &>> 4, b5: x &>> 5, b6: x &>> 6, b7: x &>> 7
    ).substituted()

    let lowest = Self(repeating: 0x0101_0101)
    let low = y.b0 & lowest | (y.b1 & lowest) &<< 1 | (y.b2 & lowest) &<< 2 | (y.b3 & lowest) &<< 3
    let high = y.b4 & lowest | (y.b5 & lowest) &<< 1 | (y.b6 & lowest) &<< 2 | (y.b7 & lowest) &<< 3
    return (low | high &<< 4) ^ Self(repeating: SBoxCircuit.outputConstant &* 0x0101_0101)
  }

  /// T of the rounds: the S-box, then L. (§6.2)
  @inline(__always)
  fileprivate var mixed: Self {
    let s = substituted
    return s ^ s.rotatedLeft(by: 2) ^ s.rotatedLeft(by: 10) ^ s.rotatedLeft(by: 18) ^ s.rotatedLeft(by: 24)
  }

  /// T' of the key schedule: the S-box, then L'. (§7.3)
  @inline(__always)
  var keyMixed: Self {
    let s = substituted
    return s ^ s.rotatedLeft(by: 13) ^ s.rotatedLeft(by: 23)
  }
}

/// The 32 rounds on one block a lane, with a round key for each lane; leaves the four words in the order of the output
/// block. One round a turn: the S-box is long, and written out four times it is no faster. (§7.1)
@inline(__always)
func rounds<Word: WordVector>(
  _ roundKey: (Int) -> Word, _ x0: inout Word, _ x1: inout Word, _ x2: inout Word, _ x3: inout Word
) {
  for i in 0..<SM4.roundCount {
    let next = x0 ^ (x1 ^ x2 ^ x3 ^ roundKey(i)).mixed
    (x0, x1, x2, x3) = (x1, x2, x3, next)
  }
  swap(&x0, &x3)
  swap(&x1, &x2)
}

extension Portable {
  /// The key schedule (§7.3): 32 round keys in the order of encryption.
  static func expandKey(_ key: UnsafeRawPointer, decrypting: Bool, into roundKeys: UnsafeMutablePointer<UInt32>) {
    var k0 = key.bigEndianWord(0) ^ 0xa3b1_bac6
    var k1 = key.bigEndianWord(1) ^ 0x56aa_3350
    var k2 = key.bigEndianWord(2) ^ 0x677d_9197
    var k3 = key.bigEndianWord(3) ^ 0xb270_22dc
    // CK: byte j of word i is 7(4i + j) mod 256.
    var constant: UInt32 = 0x0007_0e15
    for i in 0..<SM4.roundCount {
      let next = k0 ^ (k1 ^ k2 ^ k3 ^ constant).keyMixed
      (k0, k1, k2, k3) = (k1, k2, k3, next)
      roundKeys[decrypting ? SM4.roundCount - 1 - i : i] = next
      constant = nextKeyConstant(constant)
    }
  }

  @inline(never)
  static func cryptOne(
    _ roundKeys: UnsafePointer<UInt32>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
  ) {
    var x0 = input.bigEndianWord(0)
    var x1 = input.bigEndianWord(1)
    var x2 = input.bigEndianWord(2)
    var x3 = input.bigEndianWord(3)
    rounds({ roundKeys[$0] }, &x0, &x1, &x2, &x3)
    output.storeBigEndian(x0, x1, x2, x3)
  }

  /// Four blocks at a time; the last ones through a buffer of their own.
  @inline(never)
  static func cryptFew(
    _ roundKeys: UnsafePointer<UInt32>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    let whole = blockCount & ~3
    var offset = 0
    while offset < 16 &* whole {
      cryptFour(roundKeys, input + offset, output + offset)
      offset &+= 64
    }
    if whole < blockCount {
      padding(blockCount &- whole, to: 4, input + offset, output + offset) { cryptFour(roundKeys, $0, $0) }
    }
  }

  @inline(never)
  private static func cryptFour(
    _ roundKeys: UnsafePointer<UInt32>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
  ) {
    var x0 = Word4(loadingFrom: input).byteSwapped
    var x1 = Word4(loadingFrom: input + 16).byteSwapped
    var x2 = Word4(loadingFrom: input + 32).byteSwapped
    var x3 = Word4(loadingFrom: input + 48).byteSwapped
    Word4.transpose(&x0, &x1, &x2, &x3)
    rounds({ Word4(repeating: roundKeys[$0]) }, &x0, &x1, &x2, &x3)
    Word4.transpose(&x0, &x1, &x2, &x3)
    x0.byteSwapped.store(to: output)
    x1.byteSwapped.store(to: output + 16)
    x2.byteSwapped.store(to: output + 32)
    x3.byteSwapped.store(to: output + 48)
  }
}

extension UnsafeRawPointer {
  @inline(__always)
  fileprivate func bigEndianWord(_ index: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self))
  }
}

extension UnsafeMutableRawPointer {
  @inline(__always)
  fileprivate func storeBigEndian(_ w0: UInt32, _ w1: UInt32, _ w2: UInt32, _ w3: UInt32) {
    storeBytes(of: SIMD4(w0.bigEndian, w1.bigEndian, w2.bigEndian, w3.bigEndian), as: SIMD4<UInt32>.self)
  }
}
