// The comparisons of secrets, of tags and of digests. A comparison that ends at the first difference tells by its time
// how much of a guess is right.
// SPDX-License-Identifier: Apache-2.0

/// Comparisons whose time depends on lengths only. `instruction-sets.sh` looks at their instructions: no jump in them
/// but that of a loop, which depends on `count`.
package enum ConstantTime {
  /// Whether two texts are the same.
  ///
  /// - Parameters:
  ///   - one, other: `count` bytes each, at any address.
  /// - Timing: depends on `count` only. What the caller does with the verdict may depend on it.
  @inline(never) @export(interface)
  package static func isEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, count: Int) -> Bool {
    var difference: UInt8 = 0
    for i in 0..<count {
      difference |= one.load(fromByteOffset: i, as: UInt8.self) ^ other.load(fromByteOffset: i, as: UInt8.self)
    }
    return difference == 0
  }

  /// Whether a number is zero. Not optimised, so that its callers compute the whole number first: where LLVM sees the
  /// comparison, it compiles `a | b == 0` to two jumps, and the first tells half of the verdict.
  ///
  /// - Timing: constant.
  @_optimize(none) @inline(never)
  package static func isZero(_ number: UInt64) -> Bool { number == 0 }

  /// The same as `isEqual` for texts that are XORed with pads. Only in a register is a byte without its pad.
  ///
  /// - Timing: depends on `count` only.
  @inline(never)
  static func isEqual(
    _ one: UnsafeRawPointer, pad: UnsafeRawPointer, _ other: UnsafeRawPointer, otherPad: UnsafeRawPointer, count: Int
  ) -> Bool {
    var difference: UInt8 = 0
    for i in 0..<count {
      let texts = one.load(fromByteOffset: i, as: UInt8.self) ^ other.load(fromByteOffset: i, as: UInt8.self)
      let pads = pad.load(fromByteOffset: i, as: UInt8.self) ^ otherPad.load(fromByteOffset: i, as: UInt8.self)
      difference |= texts ^ pads
    }
    return difference == 0
  }
}
