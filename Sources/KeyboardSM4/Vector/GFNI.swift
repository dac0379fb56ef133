// GFNI: one instruction inverts each byte in the AES field and multiplies by any matrix, another only multiplies.

/// An instruction set with GFNI, on whatever width.
///
/// A matrix is given as the instructions want it, the row for bit 7 in the least significant byte. The constants are
/// part of the instruction, hence a function for each.
public protocol GFNI: InstructionSet {
  /// M·x
  static func product(_ matrix: UInt64, _ x: Word) -> Word
  /// M·inv(x)
  static func inverse(_ matrix: UInt64, _ x: Word) -> Word
  /// M·inv(x) ^ 0x39, which is A1·L(0xd3…d3): the S-box's constant as it comes out of a round.
  static func inverseOfRound(_ matrix: UInt64, _ x: Word) -> Word
  /// M·inv(x) ^ 0x80, which is A1·L'(0xd3…d3): the same out of a round of the key schedule.
  static func inverseOfKeyRound(_ matrix: UInt64, _ x: Word) -> Word
}

/// The matrices. D, U and the rotation in a byte act on what A2 gives; see InstructionSet.swift. A test derives all of
/// them from GB/T 32907's S-box.
public enum Matrix {
  /// A1
  @export(implementation) public static var enter: UInt64 { 0x34ac_259e_022d_bc52 }
  /// A1⁻¹
  @export(implementation) public static var leave: UInt64 { 0x4710_1b24_4258_d265 }
  /// A1·(D + U)·A2
  @export(implementation) public static var q: UInt64 { 0x08c7_0d01_1920_4989 }
  /// A1·(1 + U)·A2
  @export(implementation) public static var r: UInt64 { 0xfcaa_beec_34ef_b4a1 }
  /// A1·(1 + D)·A2
  @export(implementation) public static var p: UInt64 { 0xf46d_b3ed_2dcf_fd28 }
  /// A1·L'k·A2, L'k being what a byte of L' takes from the k-th byte after it.
  @export(implementation) public static var key0: UInt64 { 0xfcaa_35f5_2d64_b4b8 }
  @export(implementation) public static var key1: UInt64 { 0xd759_d78e_00d7_592d }
  @export(implementation) public static var key2: UInt64 { 0x7530_3d37_1eb6_2907 }
  @export(implementation) public static var key3: UInt64 { 0xb6c4_f7ad_8ee9_a8fb }
  /// V·A2, V turning the bits of a byte round.
  @export(implementation) public static var reversed: UInt64 { 0x198b_6c1e_518e_2dd7 }
  /// A1·V
  @export(implementation) public static var enterReversed: UInt64 { 0x2c35_a479_40b4_3d4a }
}

extension GFNI {
  @export(implementation) @inline(__always)
  public static func entered(_ x: Word) -> Word { product(Matrix.enter, x) }

  @export(implementation) @inline(__always)
  public static func left(_ x: Word) -> Word { product(Matrix.leave, x) }

  @export(implementation) @inline(__always)
  public static func images(of x: Word) -> (q: Word, r: Word) {
    (inverseOfRound(Matrix.q, x), inverse(Matrix.r, x))
  }

  @export(implementation) @inline(__always)
  public static func imagesWithSum(of x: Word) -> (p: Word, q: Word, r: Word) {
    (inverseOfRound(Matrix.p, x), inverse(Matrix.q, x), inverse(Matrix.r, x))
  }

  @export(implementation) @inline(__always)
  public static func keyImages(of x: Word) -> (Word, Word, Word, Word) {
    (
      inverseOfKeyRound(Matrix.key0, x), inverse(Matrix.key1, x),
      inverse(Matrix.key2, x), inverse(Matrix.key3, x)
    )
  }
}
