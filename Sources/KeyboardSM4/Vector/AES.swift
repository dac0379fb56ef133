// AES's S-box is an inversion followed by an affine map, and processors have it in one instruction: the last round of
// AES. What SM4 needs of the inverse is another affine map of its result. An affine map of a byte is the sum of two
// look-ups, one for each half of the byte, in tables of sixteen bytes that lie in a register. One instruction
// (`pshufb`, `tbl`) looks up all bytes at once, and no address depends on them.
//
// SPDX-License-Identifier: Apache-2.0

/// An affine map of bytes: the values for the low half (0…15, with the constant) and for the high half (0, 16, … 240).
public struct NibbleTable {
  public let low: Word4
  public let high: Word4

  @inline(always) public init(
    _ l0: UInt32, _ l4: UInt32, _ l8: UInt32, _ l12: UInt32, _ h0: UInt32, _ h4: UInt32, _ h8: UInt32, _ h12: UInt32
  ) {
    low = Word4(l0, l4, l8, l12)
    high = Word4(h0, h4, h8, h12)
  }
}

/// The maps' tables, first the low half. ConstantTests.swift derives all of them from GB/T 32907's S-box and AES's.
extension NibbleTable {
  /// A1
  @inline(always) public static var enter: Self {
    Self(0xbc98_2400, 0xd3f7_4b6f, 0xd6f2_4e6a, 0xb99d_2105, 0xae67_c900, 0x2ee7_4980, 0xe42d_834a, 0x64ad_03ca)
  }
  /// A1⁻¹
  @inline(always) public static var leave: Self {
    Self(0xd055_8500, 0x59dc_0c89, 0xf471_a124, 0x7df8_28ad, 0xee88_6600, 0x1f79_97f1, 0xaec8_2640, 0x5f39_d7b1)
  }
  /// From AES's S-box to q with its constant.
  @inline(always) public static var qOfRound: Self {
    Self(0xe075_74e1, 0xcb5e_5fca, 0xb025_24b1, 0x9b0e_0f9a, 0xed49_a400, 0x7dd9_3490, 0x15b1_5cf8, 0x8521_cc68)
  }
  /// To r, without a constant.
  @inline(always) public static var r: Self {
    Self(0x3a1a_fddd, 0x4a6a_8dad, 0x6040_a787, 0x1030_d7f7, 0xcba6_6d00, 0x573a_f19c, 0xe984_4f22, 0x7518_d3be)
  }
  /// To p with the constant that a round leaves if q has its own: both q count, and cancel.
  @inline(always) public static var pOfRound: Self {
    Self(0xda6f_893c, 0x8134_d267, 0xd065_8336, 0x8b3e_d86d, 0x26ef_c900, 0x2ae3_c50c, 0xfc35_13da, 0xf039_1fd6)
  }
  /// To what a byte of A1·L'(S) takes from itself, with the constant, and from the three after it.
  @inline(always) public static var key0: Self {
    Self(0x229a_59e1, 0x52ea_2991, 0xc47c_bf07, 0xb40c_cf77, 0xefa6_4900, 0xeba2_4d04, 0x7138_d79e, 0x753c_d39a)
  }
  @inline(always) public static var key1: Self {
    Self(0x2dad_ca4a, 0x8000_67e7, 0x0080_e767, 0xad2d_4aca, 0x4a4a_0000, 0x2d2d_6767, 0x8080_caca, 0xe7e7_adad)
  }
  @inline(always) public static var key2: Self {
    Self(0x3fd2_9d70, 0xc924_6b86, 0xb954_1bf6, 0x4fa2_ed00, 0x6a98_f200, 0xcd3f_55a7, 0x7587_ed1f, 0xd220_4ab8)
  }
  @inline(always) public static var key3: Self {
    Self(0x1dd6_78b3, 0xa46f_c10a, 0xab60_ce05, 0x12d9_77bc, 0xfff2_0d00, 0x101d_e2ef, 0xa1ac_535e, 0x4e43_bcb1)
  }
}

/// An instruction set with AES's S-box, on any width.
public protocol AES: InstructionSet {
  /// AES's S-box on every byte.
  static func substituted(_ x: Word) -> Word
  /// In each 128 bits, the bytes of `table` that the bytes of `indices` name.
  static func lookUp(_ indices: Word, in table: Word4) -> Word
  /// The halves of every byte.
  static func nibbles(of bytes: Word) -> Nibbles
}

extension AES {
  /// The halves of bytes, each in a byte of its own.
  public typealias Nibbles = (low: Word, high: Word)

  @inline(always) public static func nibbles(of bytes: Word) -> Nibbles {
    let mask = Word(repeating: 0x0f0f_0f0f)
    return (low: bytes & mask, high: (bytes &>> 4) & mask)
  }

  @inline(always) public static func mapped(_ nibbles: Nibbles, by table: NibbleTable) -> Word {
    lookUp(nibbles.low, in: table.low) ^ lookUp(nibbles.high, in: table.high)
  }

  @inline(always) public static func entered(_ x: Word) -> Word { mapped(nibbles(of: x), by: .enter) }
  @inline(always) public static func left(_ x: Word) -> Word { mapped(nibbles(of: x), by: .leave) }

  @inline(always) public static func images(of x: Word) -> (q: Word, r: Word) {
    let y = nibbles(of: substituted(x))
    return (mapped(y, by: .qOfRound), mapped(y, by: .r))
  }

  @inline(always) public static func imagesWithSum(of x: Word) -> (p: Word, q: Word, r: Word) {
    let y = nibbles(of: substituted(x))
    return (mapped(y, by: .pOfRound), mapped(y, by: .qOfRound), mapped(y, by: .r))
  }

  @inline(always) public static func keyImages(of x: Word) -> (Word, Word, Word, Word) {
    let y = nibbles(of: substituted(x))
    return (mapped(y, by: .key0), mapped(y, by: .key1), mapped(y, by: .key2), mapped(y, by: .key3))
  }
}
