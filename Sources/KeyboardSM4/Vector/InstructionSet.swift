// SM4 over the AES field.
//
// SM4's S-box is an inversion in a field of 256 elements between two affine maps. Both SM4's field and AES's are such a
// field, so a linear map takes the one to the other, and in the AES field
//
//     S(x) = A2 · inv(A1·x ^ 0x65) ^ 0xd3
//
// with 8 × 8 bit matrices A1 and A2. Processors have that inversion: GFNI's `gf2p8affineinvqb` with any matrix and
// constant behind it, AES-NI's `aesenclast` with AES's own. What the paths share is written here and in this folder;
// each adds how it computes such images of the inverse.
//
// **The state stays in the basis A1.** Words enter as A1·X, byte by byte, and leave by A1's inverse; round keys enter
// as A1·K ^ 0x65. A round then starts with the inversion itself.
//
// **Every rotation becomes one by whole bytes.** L(s) = s ^ (s <<< 2) ^ (s <<< 10) ^ (s <<< 18) ^ (s <<< 24). With
// t = s ^ (s <<< 8) ^ (s <<< 16) that is s ^ (s <<< 24) ^ (t <<< 2), and a rotation by 2 is, byte by byte, a shift up
// (D) joined with the two bits that overflow from the byte before (U). What byte i of L(s) takes from s is therefore
//
//     its own byte: 1 + D      the next two: D + U      the one after: 1 + U
//
// D + U is a rotation by 2 inside the byte, and 1 + D is the sum of the other two. So with
//
//     q = A1·(D+U)·S(x)      r = A1·(1+U)·S(x)      p = q ^ r
//
// and rotations of a word read as little-endian, as it lies in memory:
//
//     A1·L(S(x)) = p ^ (q <<< 24) ^ (q <<< 16) ^ (r <<< 8)
//                = q ^ w ^ (w <<< 8)   where w = r ^ (q <<< 16)
//
// No byte is ever swapped. The first form is shorter to wait for, the second has fewer instructions. The S-box's
// constant comes out of either as A1·(D+U)·0xd3 = 0x39 in every byte, whether it stands in q alone or in p alone.

/// How an instruction set computes on a register of words.
public protocol InstructionSet {
  associatedtype Word: Words

  /// The sum of three.
  static func sum(_ a: Word, _ b: Word, _ c: Word) -> Word

  /// The sum of five, the first of which is there long before the others; and, as soon as can be, that with `others`.
  static func sums(
    _ a: Word, _ b: Word, _ c: Word, _ d: Word, _ e: Word, andWith others: Word
  ) -> (sum: Word, withOthers: Word)

  /// A1·x on every byte.
  static func entered(_ x: Word) -> Word

  /// The inverse of `entered`.
  static func left(_ x: Word) -> Word

  /// For x = A1·X ^ 0x65: q with the S-box's constant, and r.
  static func images(of x: Word) -> (q: Word, r: Word)

  /// For x = A1·X ^ 0x65: p with the S-box's constant, q and r.
  static func imagesWithSum(of x: Word) -> (p: Word, q: Word, r: Word)

  /// For x = A1·X ^ 0x65: what byte i of A1·L'(S(X)) takes from the bytes i, i+1, i+2, i+3 of X (mod 4). L' of the key
  /// schedule rotates by 13 and 23: no two are alike. The constant stands in the first.
  static func keyImages(of x: Word) -> (Word, Word, Word, Word)

  /// A1·L'(S(X)) with its constant, whole words at a time.
  static func keyMixed(_ x: Word) -> Word

  /// A round: `a` takes on its key, and what T makes of the sum of the other three.
  static func round(_ a: inout Word, _ b: Word, _ c: Word, _ d: Word, key: Word)

  /// A round where no other blocks fill the time in which it waits for its own results.
  ///
  /// - Parameter x: the sum that this round begins with, b ^ c ^ d; becomes that of the next.
  static func roundAlone(_ a: inout Word, _ b: Word, _ c: Word, _ d: Word, key: Word, x: inout Word)
}

extension InstructionSet {
  @export(implementation) @inline(__always)
  public static func sum(_ a: Word, _ b: Word, _ c: Word) -> Word { a ^ b ^ c }

  @export(implementation) @inline(__always)
  public static func sums(
    _ a: Word, _ b: Word, _ c: Word, _ d: Word, _ e: Word, andWith others: Word
  ) -> (sum: Word, withOthers: Word) {
    let last = d ^ c ^ e
    return (a ^ b ^ last, a ^ others ^ b ^ last)
  }

  @export(implementation) @inline(__always)
  public static func keyMixed(_ x: Word) -> Word {
    let (y0, y1, y2, y3) = keyImages(of: x)
    return y0 ^ sum(y1.rotatedLeft(by: 24), y2.rotatedLeft(by: 16), y3.rotatedLeft(by: 8))
  }

  @export(implementation) @inline(__always)
  public static func round(_ a: inout Word, _ b: Word, _ c: Word, _ d: Word, key: Word) {
    let (q, r) = images(of: sum(b, c, d))
    let w = r ^ q.rotatedLeft(by: 16)
    a = sum(sum(a, q, w), w.rotatedLeft(by: 8), key)
  }

  @export(implementation) @inline(__always)
  public static func roundAlone(_ a: inout Word, _ b: Word, _ c: Word, _ d: Word, key: Word, x: inout Word) {
    let (p, q, r) = imagesWithSum(of: x)
    (a, x) = sums(
      a ^ key, p, q.rotatedLeft(by: 16), q.rotatedLeft(by: 24), r.rotatedLeft(by: 8), andWith: c ^ d)
  }
}

/// A1's constant, in every byte of a word.
@export(implementation) @inline(__always)
public var inputConstant: UInt32 { 0x6565_6565 }
