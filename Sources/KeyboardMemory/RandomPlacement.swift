// The paper's placement (§3.1): a ciphertext stands somewhere else each time, among bytes that look like it. Unlike the
// paper's, every offset that fits is as likely as the other, and none lets it run past the space's end.

public import KeyboardCodes

/// Puts bytes at a uniformly random offset into a space of random bytes.
public enum RandomPlacement {
  /// Fills `space` with random bytes but for `bytes`, which stand at the offset that is returned.
  ///
  /// - Parameters:
  ///   - bytes: any number; must not overlap `space`.
  ///   - space: exactly as long is enough; the offset is then 0, and no randomness is needed.
  ///   - workspace: whose generator to draw from.
  /// - Returns: 0 … `space.count − bytes.count`, uniformly.
  /// - Throws: `.spaceTooSmall`, `.random`, before anything is written.
  /// - Timing: depends on both lengths, not on the bytes.
  public static func place(
    _ bytes: UnsafeRawBufferPointer, in space: UnsafeMutableRawBufferPointer, using workspace: borrowing Workspace
  ) throws(KeyboardError) -> Int {
    guard space.count >= bytes.count else { throw .spaceTooSmall(needed: bytes.count) }
    var offset = 0
    if space.count > bytes.count {
      var stream = try workspace.randomStream(byteCount: space.count)
      offset = Int(stream.uniform(below: UInt64(space.count - bytes.count) + 1))
      stream.fill(space)
    }
    if !bytes.isEmpty {
      (space.baseAddress! + offset).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    }
    return offset
  }
}
