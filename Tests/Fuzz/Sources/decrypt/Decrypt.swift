// `decrypt` with any arguments: every kind of key, text and space, NULL, overlaps, impossible sizes.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import Harness

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecrypt(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  World.run(start, count) { world in
    while !world.reader.isAtEnd { world.decryptAnything() }
  }
}
