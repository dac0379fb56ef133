// PKCS#5 padding to 8 bytes and PKCS#7 padding to 16 are the same: RFC 5652 §6.3.
// SPDX-License-Identifier: Apache-2.0

/// Padding: 1 … block size bytes, each of which says how many they are.
enum PKCS7 {
  /// How long `byteCount` bytes become. There is always at least one byte of padding; behind whole blocks it is another
  /// block. Block sizes are powers of two.
  static func paddedLength(_ byteCount: Int, blockSize: Int) -> Int {
    (byteCount | (blockSize - 1)) + 1
  }

  /// Writes the padding behind the first `byteCount` bytes, up to the end of their last block.
  ///
  /// - Parameters:
  ///   - byteCount: any number; `bytes` has room for the length with padding.
  ///   - blockSize: 8 or 16.
  /// - Returns: the length with padding.
  /// - Timing: constant.
  static func pad(_ bytes: UnsafeMutableRawPointer, byteCount: Int, blockSize: Int) -> Int {
    let length = paddedLength(byteCount, blockSize: blockSize)
    PaddedBlock.pad(bytes + (length &- blockSize), byteCount: byteCount & (blockSize &- 1), blockSize: blockSize)
    return length
  }

  /// How long the bytes are without their padding, or nil if that is wrong in any way.
  ///
  /// - Parameters:
  ///   - byteCount: a multiple of `blockSize`, at least one block.
  ///   - blockSize: 8 or 16.
  /// - Timing: depends on `byteCount` and `blockSize` only, up to the answer, which is not secret.
  /// - Source: RFC 5652 §6.3.
  static func unpaddedLength(_ bytes: UnsafeRawPointer, byteCount: Int, blockSize: Int) -> Int? {
    let last = PaddedBlock(endingAt: bytes + byteCount, blockSize: blockSize)
    return last.isPadded ? byteCount &- last.paddingCount : nil
  }
}
