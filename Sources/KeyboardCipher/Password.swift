// A decrypted password for Swift. It must not go into an Array or a String, because neither is wiped.

public import KeyboardCodes
import KeyboardMemory

/// A decrypted password: 0 … 143 bytes at a random offset in locked memory, wiped when it ends.
public struct Password: ~Copyable, Sendable {
  private let slot: SecureSlot
  private let range: Range<Int>

  /// The password's length in bytes.
  public var byteCount: Int { range.count }

  /// Lends the bytes, usually UTF-8. They end with the password: do not copy them to memory that is not wiped.
  public func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let memory = slot.pin()!  // This is the only owner: the slot lives as long as it does.
    defer { slot.unpin() }
    let bytes = UnsafeRawBufferPointer(start: memory + range.lowerBound, count: range.count)
    return try body(bytes.bindMemory(to: UInt8.self).span)
  }

  deinit { slot.release() }

  fileprivate init(
    decrypting text: UnsafeRawBufferPointer, way: EncryptionWay, key: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    let slot = try SecureSlot.allocate()
    do throws(KeyboardError) {
      let memory = slot.pin()!
      defer { slot.unpin() }
      let space = UnsafeMutableRawBufferPointer(start: memory, count: SecureSlot.byteCount)
      range = try decrypt(text, way: way, key: key, into: space)
    } catch {
      slot.release()
      throw error
    }
    self.slot = slot
  }
}

/// Decrypts a password to locked memory.
///
/// - Parameters:
///   - text: n · block size bytes, n ≥ 1; at most 144.
///   - way: the algorithm.
///   - key: 8 (DES), 16 or 24 (3DES), 16 (SM4) bytes.
/// - Throws: `.key`, `.tooLong`, `.undecryptable` (every fault of length or padding), `.memory`, `.random`.
/// - Timing: depends on `text.count` and the outcome only (SM4); DES and 3DES look up tables.
/// - Source: GB/T 32907-2016 §7, FIPS 46-3; RFC 5652 §6.3.
public func decrypt(
  _ text: Span<UInt8>, way: EncryptionWay, key: Span<UInt8>
) throws(KeyboardError) -> Password {
  try text.withUnsafeBytes { text throws(KeyboardError) in
    try key.withUnsafeBytes { key throws(KeyboardError) in
      try Password(decrypting: text, way: way, key: key)
    }
  }
}
