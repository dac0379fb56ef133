// Memory of secrets, at its end.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform

/// Zeroes memory even if nobody reads it again.
package func wipe(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
  keyboard_wipe(memory, byteCount)
}
