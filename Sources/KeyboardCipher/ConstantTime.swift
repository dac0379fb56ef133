// Comparisons and masks on words, in arithmetic that no compiler has a reason to make a branch of. On words, and not on
// UInt128: where code is to be small, its shifts become calls of a function that branches.

/// Numbers here are below 2⁶³.
enum ConstantTime {
  /// 1 if any bit is set, else 0.
  @inline(__always)
  static func isNonzero(_ word: UInt64) -> UInt64 { (word | (0 &- word)) >> 63 }

  /// 1 if `a` < `b`, else 0.
  @inline(__always)
  static func isLess(_ a: UInt64, _ b: UInt64) -> UInt64 { (a &- b) >> 63 }

  @inline(__always)
  static func min(_ a: UInt64, _ b: UInt64) -> UInt64 { b ^ (a ^ b) & (0 &- isLess(a, b)) }

  /// All ones in the last `count` bytes of a little-endian word; for a count above 8, whatever comes. By half as much
  /// twice, since a shift by 64 is one by 0.
  @inline(__always)
  static func lastBytes(_ count: UInt64) -> UInt64 { ~((.max &>> (4 &* count)) &>> (4 &* count)) }

  /// All ones in the first `count` bytes.
  @inline(__always)
  static func firstBytes(_ count: UInt64) -> UInt64 { ~((.max &<< (4 &* count)) &<< (4 &* count)) }
}
