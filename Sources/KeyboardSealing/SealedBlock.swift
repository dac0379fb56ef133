// The padding of a sealed text's block, which is longer than any cipher's.
// SPDX-License-Identifier: Apache-2.0

/// PKCS#7 padding of one long block.
enum SealedBlock {
  /// How long the block is without its padding, or nil if that is wrong in any way. It has at most 255 bytes.
  ///
  /// - Timing: depends on `blockSize` only, up to the answer.
  /// - Source: RFC 5652 §6.3.
  static func unpaddedLength(_ block: UnsafeRawPointer, blockSize: Int) -> Int? {
    let size = UInt32(blockSize)
    let padding = UInt32(block.load(fromByteOffset: blockSize - 1, as: UInt8.self))
    var faults = (size &- padding) >> 16 | (padding &- 1) >> 16
    for i in 0..<size {
      let byte = UInt32(block.load(fromByteOffset: Int(i), as: UInt8.self))
      // All ones in the last `padding` places.
      let isPadding = 0 &- ((size &- i &- 1 &- padding) >> 31)
      faults |= (byte ^ padding) & isPadding
    }
    return faults == 0 ? blockSize &- Int(padding) : nil
  }
}
