// What a process writes to a pipe, in blocks or in lines.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Its end is told only after the process has said that all went well: a table of which a part is missing looks whole
/// otherwise.
final class ChildOutput {
  private let run: DuckDB.Run
  private let pipe: Int32
  /// What was read and not yet taken is at `start ..< end`.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  private var (start, end) = (0, 0)

  init(_ run: DuckDB.Run, pipe: Int32) { (self.run, self.pipe) = (run, pipe) }

  deinit {
    close(pipe)
    buffer.deallocate()
  }

  /// The next bytes, which are valid until the next call; nil at the end.
  func nextBlock() throws(Failure) -> UnsafeRawBufferPointer? {
    if start == end { _ = try fill() }
    guard start < end else {
      try run.end()
      return nil
    }
    defer { start = end }
    return UnsafeRawBufferPointer(rebasing: buffer[start..<end])
  }

  /// The next line without its newline, valid until the next call; nil at the end.
  func nextLine() throws(Failure) -> UnsafeRawBufferPointer? {
    while true {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      if let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
        start += newline + 1
        return UnsafeRawBufferPointer(rebasing: rest[..<newline])
      }
      // Waiting for the process here would be for ever: it waits until somebody reads the rest.
      guard rest.count < buffer.count else { throw run.purpose.failure("a line of its answer is too long") }
      if try fill() { continue }
      try run.end()
      guard rest.isEmpty else { throw run.purpose.failure("a line of its answer has no end") }
      return nil
    }
  }

  /// Reads once more; there must be room.
  ///
  /// - Returns: false at the end.
  private func fill() throws(Failure) -> Bool {
    buffer.baseAddress!.copyMemory(from: buffer.baseAddress! + start, byteCount: end - start)
    (start, end) = (0, end - start)
    while true {
      let count = read(pipe, buffer.baseAddress! + end, buffer.count - end)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .system("Reading from a pipe failed", .inputOutput) }
      end += count
      return count > 0
    }
  }
}
