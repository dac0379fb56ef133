// `decryptBatch` with good jobs and bad ones of every kind, few or enough to fill the processor's lanes. Each must be
// answered as `decrypt` answers it, and memory that a job may not write to must not change.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import Harness

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecryptBatch(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  World.run(start, count) { world in
    while !world.reader.isAtEnd { world.decryptBatchOfAnything() }
  }
}
