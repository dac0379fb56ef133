// The paper's placement (§3.1): a text lies at another offset each time, among bytes that look like it. Unlike the
// paper's, every offset that fits is equally likely, and none lets the text run past the end of the space.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes

/// A space of random bytes with a place for a text at a uniformly random offset.
package enum RandomPlacement {
  /// Fills `space` with random bytes and draws where a text of `byteCount` bytes goes. The caller writes the text.
  ///
  /// - Parameters:
  ///   - space: exactly `byteCount` bytes are enough; the offset is then 0, nothing is written and no randomness is
  ///     used.
  ///   - workspace: whose generator to draw from.
  /// - Returns: 0 … `space.count − byteCount`, uniformly.
  /// - Throws: `.spaceTooSmall`, `.random`, before anything is written.
  /// - Timing: depends on both lengths.
  package static func prepare(
    _ space: UnsafeMutableRawBufferPointer, for byteCount: Int, using workspace: borrowing Workspace
  ) throws(KeyboardError) -> Int {
    guard space.count >= byteCount else { throw .spaceTooSmall(needed: byteCount) }
    guard space.count > byteCount else { return 0 }
    return try Residue.wiped { () throws(KeyboardError) in
      var stream = try workspace.randomStream(byteCount: space.count)
      let offset = Int(stream.uniform(below: UInt64(space.count - byteCount) + 1))
      stream.fillSpace(space)
      return offset
    }
  }
}
