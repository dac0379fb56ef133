// The numbers of GB/T 32907-2016 that every path needs.
//
// SPDX-License-Identifier: Apache-2.0

public enum Standard {
  @inline(always) public static var roundCount: Int { 32 }

  /// A block of four words.
  @inline(always) public static var blockByteCount: Int { 4 &* MemoryLayout<UInt32>.size }

  /// FK, the system parameter. (§7.3)
  @inline(always) public static var systemParameter: (UInt32, UInt32, UInt32, UInt32) {
    (0xa3b1_bac6, 0x56aa_3350, 0x677d_9197, 0xb270_22dc)
  }

  /// CK of the first round. Byte j of CK of round i is 7(4i + j) mod 256, most significant byte first. (§7.3)
  @inline(always) public static var firstKeyConstant: UInt32 { 0x0007_0e15 }

  /// By how much each byte of CK grows from round to round.
  @inline(always) public static var keyConstantStep: UInt8 { 28 }

  /// CK of the next round: each byte 28 more. Bit 7 is added apart, so that no carry crosses from byte to byte.
  @inline(always) public static func nextKeyConstant(_ constant: UInt32) -> UInt32 {
    ((constant & 0x7f7f_7f7f) &+ 0x1c1c_1c1c) ^ (constant & 0x8080_8080)
  }

  /// CK of the first four rounds. Those of the next four are larger by 4 · 28 in each byte.
  @inline(always) public static var firstKeyConstants: (UInt32, UInt32, UInt32, UInt32) {
    let second = nextKeyConstant(firstKeyConstant)
    let third = nextKeyConstant(second)
    return (firstKeyConstant, second, third, nextKeyConstant(third))
  }
}
