// Checks of buffers from a C caller, whose pointers and lengths can be wrong.
// SPDX-License-Identifier: Apache-2.0
//
// No pointer is followed and no sum overflows. Always inlined, because a password is decrypted in a few hundred
// instructions.

extension UnsafeRawBufferPointer {
  @inline(__always)
  private var address: UInt { UInt(bitPattern: baseAddress) }

  /// Whether any byte is both here and in `other`. Nothing overlaps an empty buffer.
  @inline(__always)
  package func overlaps(_ other: UnsafeRawBufferPointer) -> Bool {
    // From the end of one to the beginning of the other, modulo 2⁶⁴: less than both lengths together if they overlap.
    let (count, otherCount) = (UInt(bitPattern: count), UInt(bitPattern: other.count))
    return count > 0 && otherCount > 0 && address &- other.address &+ (count &- 1) < count &+ otherCount &- 1
  }

  /// Whether memory can have these bytes.
  @inline(__always)
  package var isInMemory: Bool { AddressSpace.holds(baseAddress, byteCount: count) }

  /// The first bytes: all that is ever read of a buffer that may be much too long.
  @inline(__always)
  package func limited(to byteCount: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: baseAddress, count: Swift.min(count, byteCount))
  }
}
