// Buffers that callers in C may have made up: no pointer is followed and no sum overflows here.

extension UnsafeRawBufferPointer {
  /// Whether any byte is both here and in `other`. Nothing overlaps an empty buffer.
  func overlaps(_ other: UnsafeRawBufferPointer) -> Bool {
    guard let start = baseAddress, let otherStart = other.baseAddress, !isEmpty, !other.isEmpty else { return false }
    let (low, high) = (UInt(bitPattern: start), UInt(bitPattern: otherStart))
    return low <= high ? high - low < UInt(count) : low - high < UInt(other.count)
  }

  /// Whether memory goes on for as long as this.
  var isInMemory: Bool { !UInt(bitPattern: baseAddress).addingReportingOverflow(UInt(count)).overflow }

  /// The first bytes: what is ever looked at of a buffer that may be much too long.
  func limited(to byteCount: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: baseAddress, count: Swift.min(count, byteCount))
  }
}
