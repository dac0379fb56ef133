// A copy of a public key that the caller may change meanwhile.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCipher
import KeyboardCodes

/// Lends a copy of a public key on the stack. Its size is a constant, because memory of a size that is not known, or of
/// more than 1 KB, comes from Swift's allocator.
///
/// - Parameter key: at most as many bytes as the longest public key has.
func withCopy<Result>(
  of key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(KeyboardError) -> Result
) throws(KeyboardError) -> Result {
  var words = InlineArray<152, UInt64>(repeating: 0)
  return try withUnsafeMutableBytes(of: &words) { memory throws(KeyboardError) in
    precondition(memory.count >= SealingWay.longestPublicKey)
    memory.copyMemory(from: key)
    return try body(UnsafeRawBufferPointer(rebasing: memory[..<key.count]))
  }
}
