// Where memory can be, for checks of pointers and lengths that a caller gives.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform

package enum AddressSpace {
  /// Nothing is at this address or after it. A buffer may end here.
  package static var end: UInt { UInt(keyboard_memory_end()) }

  /// Whether memory can have this many bytes at this address: they end where memory does, or before. The pointer is not
  /// followed. Swift reads a size of C's that is more than half the address space as a negative number: no memory has
  /// that many bytes.
  @inline(__always)
  package static func holds(_ pointer: UnsafeRawPointer?, byteCount: Int) -> Bool {
    let (end, overflow) = UInt(bitPattern: pointer).addingReportingOverflow(UInt(bitPattern: byteCount))
    return byteCount >= 0 && !overflow && end <= Self.end
  }
}
