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
  ///   at as one or two words, without a branch.
  /// - Source: RFC 5652 §6.3.
  @inline(__always)
  static func unpaddedLength(_ bytes: UnsafeRawPointer, byteCount: Int, blockSize: Int) -> Int? {
    let high = UInt64(littleEndian: (bytes + (byteCount - 8)).loadUnaligned(as: UInt64.self))
    // Of a block of eight bytes the lower word is made to agree with everything.
    let count = high >> 56
    let expected = count &* 0x0101_0101_0101_0101
    let low =
      blockSize == 16
      ? UInt64(littleEndian: (bytes + (byteCount - 16)).loadUnaligned(as: UInt64.self)) : expected

    let inHigh = ConstantTime.min(count, 8)
    let difference =
      (high ^ expected) & ConstantTime.lastBytes(inHigh) | (low ^ expected) & ConstantTime.lastBytes(count &- inHigh)
    let fault = ConstantTime.isNonzero(difference) | ConstantTime.isLess(UInt64(blockSize), count)
    let length = count & ~(0 &- fault)
    return length == 0 ? nil : byteCount - Int(length)
  }
}
