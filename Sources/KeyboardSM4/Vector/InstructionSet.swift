// SM4 over the AES field: what all paths with vector instructions for AES or GFNI have in common. Docs/SM4.md derives
// it; in short:
//
//     S(x) = A2 · inv(A1·x ^ 0x65) ^ 0xd3      inv in the AES field, A1 and A2 matrices of 8 × 8 bits
//
// The state stays in the basis A1: a word X is held as A1·X, byte by byte, and a round key K as A1·K ^ 0x65. With
// q = A1·(D+U)·S, r = A1·(1+U)·S and p = q ^ r, where D shifts a byte up by two bits and U is what overflows, every
// rotation of L becomes one by whole bytes of words as they lie in memory:
//
//     A1·L(S(x)) = p ^ (q <<< 24) ^ (q <<< 16) ^ (r <<< 8)
//                = q ^ w ^ (w <<< 8)   where w = r ^ (q <<< 16)
//
// The first form has the shorter chain of dependent instructions, the second has fewer instructions. The S-box's
// constant comes out of either as 0x39 in every byte.
//
// SPDX-License-Identifier: Apache-2.0

/// How an instruction set computes on a register of words.
public protocol InstructionSet {
  associatedtype Word: Words

  static func sum(_ a: Word, _ b: Word, _ c: Word) -> Word

  /// The sum of five, the first of which is known long before the others; and that sum with `others`. Both are ready
  /// as early as the instructions allow.
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
  /// schedule rotates by 13 and 23, so all four differ. The constant is in the first.
  static func keyImages(of x: Word) -> (Word, Word, Word, Word)

  /// A1·L'(S(X)) with its constant.
  static func keyMixed(_ x: Word) -> Word

  /// A round: `a` takes its key, and T of the sum of the other three.
  static func round(_ a: inout Word, _ b: Word, _ c: Word, _ d: Word, key: Word)

  /// A round where no other blocks fill the time in which it waits for its own results.
  ///
  /// - Parameter x: the sum that this round begins with, b ^ c ^ d; becomes that of the next.
  static func roundAlone(_ a: inout Word, _ b: Word, _ c: Word, _ d: Word, key: Word, x: inout Word)
}

extension InstructionSet {
  @inline(always) public static func sum(_ a: Word, _ b: Word, _ c: Word) -> Word { a ^ b ^ c }

  @inline(always) public static func sums(
    _ a: Word, _ b: Word, _ c: Word, _ d: Word, _ e: Word, andWith others: Word
  ) -> (sum: Word, withOthers: Word) {
    let last = d ^ c ^ e
    return (a ^ b ^ last, a ^ others ^ b ^ last)
  }

  @inline(always) public static func keyMixed(_ x: Word) -> Word {
    let (y0, y1, y2, y3) = keyImages(of: x)
    return y0 ^ sum(y1.rotatedLeft(by: 24), y2.rotatedLeft(by: 16), y3.rotatedLeft(by: 8))
  }

  @inline(always) public static func round(_ a: inout Word, _ b: Word, _ c: Word, _ d: Word, key: Word) {
    let (q, r) = images(of: sum(b, c, d))
    let w = r ^ q.rotatedLeft(by: 16)
    a = sum(sum(a, q, w), w.rotatedLeft(by: 8), key)
  }

  @inline(always)
  public static func roundAlone(_ a: inout Word, _ b: Word, _ c: Word, _ d: Word, key: Word, x: inout Word) {
    let (p, q, r) = imagesWithSum(of: x)
    (a, x) = sums(
      a ^ key, p, q.rotatedLeft(by: 16), q.rotatedLeft(by: 24), r.rotatedLeft(by: 8), andWith: c ^ d)
  }
}
