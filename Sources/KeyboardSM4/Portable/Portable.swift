// The path for every processor: no instruction beyond the baseline, no flag.
//
// SPDX-License-Identifier: Apache-2.0

import Builtin

/// Each of its functions has its own stack frame, so a call for one block leaves less on the stack than one for 32.
enum Portable {
  /// From this many blocks on, 32 at once are cheaper than four at a time, even if not all 32 are there.
  private static var bitslicedFrom: Int { 5 }

  static func crypt(
    _ roundKeys: UnsafePointer<UInt32>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    switch blockCount {
    case ..<1: return
    case 1: cryptOne(roundKeys, input, output)
    case ..<bitslicedFrom: cryptFew(roundKeys, input, output, blockCount: blockCount)
    default: cryptMany(roundKeys, input, output, blockCount: blockCount)
    }
  }

  /// Runs `body` on `groupSize` blocks at a time, the last ones in a copy whose other blocks are zero.
  @inline(always) static func forEachGroup(
    of groupSize: Int, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, blockCount: Int,
    _ body: (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
  ) {
    let size = groupSize &* SM4.blockSize
    var offset = 0
    while offset &+ size <= blockCount &* SM4.blockSize {
      body(input + offset, output + offset)
      offset &+= size
    }
    let rest = blockCount &* SM4.blockSize &- offset
    guard rest > 0 else { return }
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
      let blocks = buffer.baseAddress!
      blocks.copyMemory(from: input + offset, byteCount: rest)
      // Stale bytes would change no answer, but no tool that looks for uninitialised memory can know that.
      (blocks + rest).initializeMemory(as: UInt8.self, repeating: 0, count: size &- rest)
      body(blocks, blocks)
      (output + offset).copyMemory(from: blocks, byteCount: rest)
      buffer.wipe()
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Zeroes memory that is about to be released; volatile, so that no compiler leaves it out.
  @inline(always) func wipe() {
    Builtin.int_memset_RawPointer_Int64(
      baseAddress!._rawValue, UInt8(0)._value, Int64(count)._value, true._value)
  }
}
