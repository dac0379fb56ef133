// Buffers that callers in C may have made up: no pointer is followed and no sum overflows here. Written out where they are
// used, since one password is decrypted in the time of a few hundred instructions.

extension UnsafeRawBufferPointer {
  @inline(__always)
  private var place: UInt { UInt(bitPattern: baseAddress) }

  /// Whether any byte is both here and in `other`. Nothing overlaps an empty buffer.
  @inline(__always)
  func overlaps(_ other: UnsafeRawBufferPointer) -> Bool {
    // A place before the other one is a long way after it, modulo 2⁶⁴.
    !isEmpty && !other.isEmpty
      && (other.place &- place < UInt(bitPattern: count) || place &- other.place < UInt(bitPattern: other.count))
  }

  /// Whether memory goes on for as long as this.
  @inline(__always)
  var isInMemory: Bool { place &+ UInt(bitPattern: count) >= place }

  /// The first bytes: what is ever looked at of a buffer that may be much too long.
  @inline(__always)
  func limited(to byteCount: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: baseAddress, count: Swift.min(count, byteCount))
  }
}
