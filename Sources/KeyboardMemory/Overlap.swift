// Checks of buffers from a C caller, whose pointers and lengths can be wrong.
// SPDX-License-Identifier: Apache-2.0
//
// No pointer is followed and no sum overflows. Always inlined, because a password is decrypted in a few hundred
// instructions.

extension UnsafeRawBufferPointer {
  @inline(__always)
  private var place: UInt { UInt(bitPattern: baseAddress) }

  /// Whether any byte is both here and in `other`. Nothing overlaps an empty buffer.
  @inline(__always)
  package func overlaps(_ other: UnsafeRawBufferPointer) -> Bool {
    // Modulo 2⁶⁴, an address before the other one is a long way after it.
    !isEmpty && !other.isEmpty
      && (other.place &- place < UInt(bitPattern: count) || place &- other.place < UInt(bitPattern: other.count))
  }

  /// Whether the address space goes on for as long as this.
  @inline(__always)
  package var isInMemory: Bool { place &+ UInt(bitPattern: count) >= place }

  /// The first bytes: all that is ever read of a buffer that may be much too long.
  @inline(__always)
  package func limited(to byteCount: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: baseAddress, count: Swift.min(count, byteCount))
  }
}
