// The verdict on a tag or a hash.
// SPDX-License-Identifier: Apache-2.0

/// Whether a number is zero. This is not optimised, so its callers must compute the whole number first. Where LLVM can
/// see the comparison, it makes two jumps of `a | b == 0`, and the first tells whether half of a tag is right.
@_optimize(none) @inline(never) @export(interface)
package func isZero(_ number: UInt64) -> Bool { number == 0 }
