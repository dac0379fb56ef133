// Locked memory for what a vault gives back, for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  import KeyboardMemory

  /// Bytes in locked memory between guard pages, left out of core dumps, and wiped when the last reference is released.
  /// They never change. Nothing describes them, and nothing compares them.
  public final class SecretBytes: Sendable {
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer
    private let capacity: Int
    public let count: Int

    /// - Parameter fill: gets zeroed bytes, and returns how many of them it wrote.
    /// - Throws: `.memory`, and what `fill` throws.
    init(
      capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Int
    ) throws(KeyboardError) {
      guard let memory = SecureRegion.map(byteCount: max(capacity, 1)) else { throw .memory }
      do throws(KeyboardError) {
        count = try fill(UnsafeMutableRawBufferPointer(start: memory, count: capacity))
      } catch {
        SecureRegion.unmap(memory, byteCount: max(capacity, 1))
        throw error
      }
      (self.memory, self.capacity) = (memory, capacity)
    }

    /// - Throws: `.memory`.
    public convenience init(copying bytes: Span<UInt8>) throws(KeyboardError) {
      try self.init(capacity: bytes.count) { space throws(KeyboardError) in
        bytes.withUnsafeBytes { space.copyMemory(from: $0) }
        return bytes.count
      }
    }

    deinit {
      wipe(memory, byteCount: capacity)
      SecureRegion.unmap(memory, byteCount: max(capacity, 1))
    }

    /// For calls that end before these bytes do.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// Lends the bytes, which exist at least until `body` returns.
    public func withSpan<Result: ~Copyable, Failure: Error>(
      _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try body(bytes.bindMemory(to: UInt8.self).span)
    }
  }
#endif
