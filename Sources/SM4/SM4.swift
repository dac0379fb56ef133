// The SM4 block cipher: GB/T 32907-2016, ISO/IEC 18033-3/Amd 1. 128-bit blocks, 128-bit keys, 32 rounds.
//
// Everything here works on memory of the caller's, through pointers: a key schedule that is passed by value leaves copies
// of itself on the stack, and one in a heap block that Swift frees is not wiped. The caller knows where secrets may stand.

/// The SM4 block cipher.
///
/// - Timing: constant on every path; no table, no branch and no address depends on a key or a text.
/// - Source: GB/T 32907-2016.
public enum SM4 {
  /// Bytes in a block.
  public static var blockSize: Int { 16 }

  /// Bytes in a key.
  public static var keySize: Int { 16 }

  /// Bytes in a key schedule.
  public static var scheduleSize: Int { roundCount * 4 }

  static var roundCount: Int { 32 }

  /// Whether a schedule encrypts or decrypts.
  public enum Direction: Sendable { case encryption, decryption }

  /// Writes the key schedule of `key`.
  ///
  /// - Parameters:
  ///   - key: 16 bytes, anywhere.
  ///   - direction: decryption takes the same round keys in the opposite order.
  ///   - schedule: `scheduleSize` bytes aligned to 4, which the caller wipes. May overlap `key`.
  /// - Timing: constant.
  /// - Source: GB/T 32907-2016 §7.3.
  /// - C: `CustomKeyboard_setupCipher`.
  public static func setKey(
    _ key: UnsafeRawPointer, for direction: Direction, schedule: UnsafeMutableRawPointer
  ) {
    let roundKeys = schedule.assumingMemoryBound(to: UInt32.self)
    Portable.expandKey(key, into: roundKeys)
    if direction == .decryption {
      for i in 0..<roundCount / 2 {
        let j = roundCount - 1 - i
        (roundKeys[i], roundKeys[j]) = (roundKeys[j], roundKeys[i])
      }
    }
  }

  /// Encrypts or decrypts blocks, each by itself (ECB).
  ///
  /// - Parameters:
  ///   - schedule: what `setKey` wrote.
  ///   - input: `blockCount` blocks, anywhere.
  ///   - output: as much memory; `input` itself, or not overlapping it.
  /// - Timing: depends on `blockCount` only.
  /// - Source: GB/T 32907-2016 §7.1, §7.2.
  /// - C: `CustomKeyboard_cryptECB`.
  public static func crypt(
    schedule: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    Portable.crypt(schedule.assumingMemoryBound(to: UInt32.self), input, output, blockCount: blockCount)
  }
}
