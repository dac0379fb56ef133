// Reading memory as bytes.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTestSupport

/// `count` bytes of memory.
func read(_ pointer: UnsafeRawPointer, _ count: Int) -> Bytes {
  Bytes(UnsafeRawBufferPointer(start: pointer, count: count))
}
