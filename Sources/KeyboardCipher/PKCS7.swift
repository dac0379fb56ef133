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
  /// - Timing: depends on `byteCount` and `blockSize` only: every byte of the last block is looked at, and what is found
  ///   is gathered without a branch until the answer, which is no secret, is known.
  /// - Source: RFC 5652 §6.3.
  static func unpaddedLength(_ bytes: UnsafeRawPointer, byteCount: Int, blockSize: Int) -> Int? {
    let size = UInt32(truncatingIfNeeded: blockSize)
    let lastBlock = bytes + (byteCount - blockSize)
    let padding = UInt32(lastBlock.load(fromByteOffset: blockSize - 1, as: UInt8.self))

    // Nonzero where a byte is not what it should be.
    var fault = isZero(padding) | isLess(size, padding)
    for distance in 1...size {
      let byte = UInt32(lastBlock.load(fromByteOffset: blockSize - Int(distance), as: UInt8.self))
      let isPadding = ~isLess(padding, distance)
      fault |= isPadding & (byte ^ padding)
    }
    return fault == 0 ? byteCount - Int(padding) : nil
  }

  /// All ones if `a` < `b`, else zero; both below 2³¹.
  @inline(__always)
  private static func isLess(_ a: UInt32, _ b: UInt32) -> UInt32 { 0 &- ((a &- b) >> 31) }

  @inline(__always)
  private static func isZero(_ a: UInt32) -> UInt32 { isLess(a, 1) }
}
