// PKCS#5 padding to 8 bytes and PKCS#7 padding to 16 are one thing: RFC 5652 §6.3.

/// Padding: 1 … block size bytes, each of which says how many they are.
enum PKCS7 {
  /// How long `byteCount` bytes become: always at least one byte of padding, a whole block at a multiple.
  static func paddedLength(_ byteCount: Int, blockSize: Int) -> Int {
    byteCount + blockSize - byteCount % blockSize
  }

  /// Writes the padding behind the first `byteCount` bytes; `bytes` has room for it.
  static func pad(_ bytes: UnsafeMutableRawPointer, byteCount: Int, blockSize: Int) {
    let length = paddedLength(byteCount, blockSize: blockSize)
    for i in byteCount..<length {
      bytes.storeBytes(of: UInt8(length - byteCount), toByteOffset: i, as: UInt8.self)
    }
  }

  /// How long the bytes are without their padding, or nil if that is wrong in any way.
  ///
  /// - Parameter byteCount: a multiple of `blockSize`, at least one block.
  /// - Timing: depends on `byteCount` and `blockSize` only, up to the answer, which is no secret: the last block is looked
  ///   at as one number, without a branch.
  /// - Source: RFC 5652 §6.3.
  @inline(__always)
  static func unpaddedLength(_ bytes: UnsafeRawPointer, byteCount: Int, blockSize: Int) -> Int? {
    let lastBlock = bytes + (byteCount - blockSize)
    let padding =
      blockSize == 16
      ? Self.padding(of: UInt128(littleEndian: lastBlock.loadUnaligned(as: UInt128.self)))
      : Self.padding(of: UInt64(littleEndian: lastBlock.loadUnaligned(as: UInt64.self)))
    return padding == 0 ? nil : byteCount - Int(padding)
  }

  /// The number of padding bytes that end a block, its first byte the least significant; 0 if they are wrong.
  @inline(__always)
  private static func padding<Block: FixedWidthInteger & UnsignedInteger>(of block: Block) -> UInt64 {
    let size = UInt64(Block.bitWidth / 8)
    let count = UInt64(truncatingIfNeeded: block &>> Block(Block.bitWidth - 8))
    let everyByte = Block.max / 0xff
    // The block's last `count` bytes; for a count that cannot be, some of them, which do not matter then.
    let mask = Block.max &<< Block(truncatingIfNeeded: 8 &* (size &- count))
    let difference = (block ^ everyByte &* Block(truncatingIfNeeded: count)) & mask
    let fault = isNonzero(difference) | isLess(size, count)
    return count & ~(0 &- fault)
  }

  /// 1 if any bit is set, else 0.
  @inline(__always)
  private static func isNonzero<Block: FixedWidthInteger & UnsignedInteger>(_ block: Block) -> UInt64 {
    let word = UInt64(truncatingIfNeeded: block) | UInt64(truncatingIfNeeded: block &>> Block(Block.bitWidth / 2))
    return (word | (0 &- word)) >> 63
  }

  /// 1 if `a` < `b`, else 0; both below 2⁶³.
  @inline(__always)
  private static func isLess(_ a: UInt64, _ b: UInt64) -> UInt64 { (a &- b) >> 63 }
}
