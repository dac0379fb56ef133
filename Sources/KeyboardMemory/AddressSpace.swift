// Where memory can be, for checks of lengths that a caller gives.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform

package enum AddressSpace {
  /// Nothing is at this address or after it. A buffer may end here.
  package static var end: UInt { UInt(keyboard_memory_end()) }
}
