// GHASH reads a block's bits backwards: the first bit of the first byte is the coefficient of x⁰. Read as a
// little-endian number after its bytes are reversed, a block has x^i at bit 127 - i. The same bits are the polynomial
// that POLYVAL means, and GHASH is POLYVAL under a key multiplied by x (RFC 8452, appendix A). So all implementations
// compute in POLYVAL's field,
//
//     P(x) = x¹²⁸ + x¹²⁷ + x¹²⁶ + x¹²¹ + 1,      dot(a, b) = a · b · x⁻¹²⁸ mod P
//
// where a number's bit i is the coefficient of x^i, and a product of 256 bits is reduced from below: adding X·P to it,
// where X are its lowest 64 bits, makes these zero.
//
// SPDX-License-Identifier: Apache-2.0

/// The key as POLYVAL takes it.
public struct GHASHKey {
  /// The coefficients of x⁰ to x⁶³.
  public let low: UInt64
  /// The coefficients of x⁶⁴ to x¹²⁷.
  public let high: UInt64

  /// Multiplies GHASH's key by x.
  ///
  /// - Parameter key: the 16 bytes of GHASH's H, at any address.
  /// - Timing: constant; the overflow is a number that is shifted, not a condition.
  /// - Source: RFC 8452, appendix A, mulX_POLYVAL.
  @inline(always) public init(_ key: UnsafeRawPointer) {
    let first = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
    let second = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let overflow = first &>> 63
    low = second &<< 1 ^ overflow
    high = first &<< 1 ^ second &>> 63 ^ overflow &<< 63 ^ overflow &<< 62 ^ overflow &<< 57
  }
}
