// The path for every processor: no instruction beyond the baseline, no flag.

import Builtin

/// Each way through it is a frame of its own: who calls for one block and wipes the stack below him afterwards need not
/// wipe what 32 blocks would have taken.
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

  /// Runs `body` on a copy of fewer blocks than it takes, and copies them back.
  @inline(__always)
  static func padding(
    _ blockCount: Int, to whole: Int, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer,
    _ body: (UnsafeMutableRawPointer) -> Void
  ) {
    withUnsafeTemporaryAllocation(byteCount: SM4.blockSize &* whole, alignment: 16) { buffer in
      let blocks = buffer.baseAddress!
      let byteCount = SM4.blockSize &* blockCount
      blocks.copyMemory(from: input, byteCount: byteCount)
      body(blocks)
      output.copyMemory(from: blocks, byteCount: byteCount)
      buffer.wipe()
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Zeroes memory that is about to be released; volatile, so that no compiler leaves it out.
  @inline(__always)
  func wipe() {
    Builtin.int_memset_RawPointer_Int64(
      baseAddress!._rawValue, UInt8(0)._value, Int64(count)._value, true._value)
  }
}
