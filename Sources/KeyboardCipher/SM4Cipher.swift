// SM4 as one of the block ciphers.

import KeyboardSM4

/// SM4 (GB/T 32907-2016).
///
/// - Timing: constant.
enum SM4Cipher: BlockCipher {
  static var blockSize: Int { SM4.blockSize }
  static var scheduleSize: Int { SM4.scheduleSize }

  static func acceptsKey(byteCount: Int) -> Bool { byteCount == SM4.keySize }

  static func setKey(_ key: UnsafeRawBufferPointer, for direction: Direction, schedule: UnsafeMutableRawPointer) {
    SM4.setKey(key.baseAddress!, for: direction == .encryption ? .encryption : .decryption, schedule: schedule)
  }

  static func crypt(
    schedule: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    SM4.crypt(schedule: schedule, input: input, output: output, blockCount: blockCount)
  }
}
