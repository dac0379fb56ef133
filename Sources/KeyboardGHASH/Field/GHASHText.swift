// What GHASH takes, block by block.
//
// SPDX-License-Identifier: Apache-2.0

/// Additional data and a ciphertext, each filled up with zeros to whole blocks, and a block with their lengths.
///
/// Whole blocks are read where they are. The others are copied to memory of the caller's:
///
///     0      16                    32                  48        64
///     ├ zero ┼ end of the data ────┼ end of the text ──┼ lengths ┤
///
/// - Timing: depends on the two lengths only.
/// - Source: NIST SP 800-38D §7.1, steps 4 and 5.
public struct GHASHText {
  /// Where the additional data is.
  public let additionalData: UnsafeRawPointer
  /// Blocks of the additional data that are read where they are.
  public let wholeDataCount: Int
  /// All blocks of the additional data.
  public let dataCount: Int
  /// Where the ciphertext is.
  public let text: UnsafeRawPointer
  /// Blocks of the ciphertext that are read where they are.
  public let wholeTextCount: Int
  /// All blocks of the ciphertext.
  public let textCount: Int
  /// The caller's memory, with the four blocks of the drawing.
  public let ends: UnsafeRawPointer

  /// Bytes in a block: 16.
  @inline(always) public static var blockByteCount: Int { 16 }

  /// Bytes of memory for the blocks that are not whole: 64.
  @inline(always) public static var scratchByteCount: Int { 4 &* blockByteCount }

  /// All blocks.
  @inline(always) public var blockCount: Int { dataCount &+ textCount &+ 1 }

  /// Copies the ends that are shorter than a block.
  ///
  /// - Parameters:
  ///   - additionalData, text: any number of bytes at any address. They must exist for as long as this is used.
  ///   - scratch: `scratchByteCount` bytes at any address that overlap nothing else. They must stay as they are while
  ///     this is used.
  public init(
    additionalData: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer, scratch: UnsafeMutableRawPointer
  ) {
    let size = Self.blockByteCount
    // Nothing is read from an empty buffer, which may have no address.
    self.additionalData = additionalData.baseAddress ?? UnsafeRawPointer(scratch)
    self.text = text.baseAddress ?? UnsafeRawPointer(scratch)
    wholeDataCount = additionalData.count / size
    wholeTextCount = text.count / size
    dataCount = (additionalData.count &+ size &- 1) / size
    textCount = (text.count &+ size &- 1) / size
    ends = UnsafeRawPointer(scratch)

    let zero = SIMD2<UInt64>()
    scratch.storeBytes(of: zero, as: SIMD2<UInt64>.self)
    if dataCount != wholeDataCount {
      let offset = wholeDataCount &* size
      scratch.storeBytes(of: zero, toByteOffset: size, as: SIMD2<UInt64>.self)
      (scratch + size).copyMemory(from: self.additionalData + offset, byteCount: additionalData.count &- offset)
    }
    if textCount != wholeTextCount {
      let offset = wholeTextCount &* size
      scratch.storeBytes(of: zero, toByteOffset: 2 &* size, as: SIMD2<UInt64>.self)
      (scratch + 2 &* size).copyMemory(from: self.text + offset, byteCount: text.count &- offset)
    }
    let bitCounts = SIMD2(UInt64(additionalData.count) &<< 3, UInt64(text.count) &<< 3)
    let lengths = SIMD2(bitCounts.x.bigEndian, bitCounts.y.bigEndian)
    scratch.storeBytes(of: lengths, toByteOffset: 3 &* size, as: SIMD2<UInt64>.self)
  }

  /// Where the 16 bytes of a block are. Blocks before the first are zero: GHASH does not notice them.
  @inline(always) public func block(_ index: Int) -> UnsafeRawPointer {
    let size = Self.blockByteCount
    if index < 0 { return ends }
    if index < wholeDataCount { return additionalData + index &* size }
    if index < dataCount { return ends + size }
    let index = index &- dataCount
    if index < wholeTextCount { return text + index &* size }
    return index < textCount ? ends + 2 &* size : ends + 3 &* size
  }
}
