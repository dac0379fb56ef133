// Where randomness comes from, and how numbers are drawn from it.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
package import KeyboardCodes

/// Where random bytes come from: the system, a stream seeded by it, or whatever a test wants to replay.
package protocol RandomSource<Failure>: ~Copyable {
  associatedtype Failure: Error = Never

  /// Fills the buffer; if it throws, the buffer's contents are worth nothing.
  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(Failure)
}

extension RandomSource where Self: ~Copyable {
  /// A whole number from 0 up to, not including, `bound`, all equally likely.
  ///
  /// - Parameter bound: at least 1.
  /// - Source: D. Lemire, "Fast Random Integer Generation in an Interval", ACM TOMACS 29 (2019), algorithm 5: the high
  ///   half of a product, with those few draws rejected that would favour some numbers.
  package mutating func uniform(below bound: UInt64) throws(Failure) -> UInt64 {
    precondition(bound > 0)
    var product = try word().multipliedFullWidth(by: bound)
    if product.low < bound {
      let excess = (0 &- bound) % bound
      while product.low < excess { product = try word().multipliedFullWidth(by: bound) }
    }
    return product.high
  }

  private mutating func word() throws(Failure) -> UInt64 {
    var word: UInt64 = 0
    try withUnsafeMutableBytes(of: &word) { bytes throws(Failure) in try fill(bytes) }
    return word
  }
}

/// The operating system's generator (`getrandom` on Linux).
///
/// - Timing: a system call each time.
package struct SystemRandomness: RandomSource {
  package init() {}

  package func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(KeyboardError) {
    guard let start = buffer.baseAddress else { return }
    guard keyboard_random(start, buffer.count) != 0 else { throw .random }
  }
}
