// What the three block ciphers have in common, and the one place that chooses among them.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardSM4

extension EncryptionWay {
  /// Bytes in a block: 8 for DES and 3DES, 16 for SM4.
  public var blockSize: Int { 1 << blockShift }

  /// A shift, because a division takes longer than a round of SM4.
  private var blockShift: Int { self == .sm4 ? 4 : 3 }

  /// Whether so many bytes are whole blocks.
  func isWholeBlocks(byteCount: Int) -> Bool { byteCount & (blockSize &- 1) == 0 }

  /// Whether a key can have this length.
  ///
  /// - Parameter byteCount: any number.
  /// - Returns: true for 8 (DES), 16 and 24 (3DES), 16 (SM4).
  public func acceptsKey(byteCount: Int) -> Bool {
    switch self {
    case .des: byteCount == 8
    case .tripleDES: byteCount == 16 || byteCount == 24
    case .sm4: byteCount == SM4.keySize
    }
  }

  /// The length of a password's ciphertext: the next multiple of the block size, always more than the password's.
  ///
  /// - Parameter passwordLength: 0 … 128 bytes.
  /// - Returns: 8 … 136 bytes (DES, 3DES), 16 … 144 (SM4).
  /// - Source: RFC 5652 §6.3.
  public func textLength(passwordLength: Int) -> Int {
    PKCS7.paddedLength(passwordLength, blockSize: blockSize)
  }

  /// Bytes in a key schedule.
  var scheduleSize: Int {
    switch self {
    case .des: DES.scheduleSize
    case .tripleDES: TripleDES.scheduleSize
    case .sm4: SM4.scheduleSize
    }
  }

  /// Bytes of memory that one use of a key takes, for a text of so many bytes.
  func oneUseByteCount(for direction: Direction, textLength: Int) -> Int {
    guard self == .sm4 else { return scheduleSize }
    return SM4.oneUseScratchSize(for: direction, blockCount: textLength >> blockShift)
  }

  /// Leaves nothing for the dynamic linker to do while registers hold secrets of this algorithm.
  @inline(__always)
  package func bind() { if self != .sm4 { DES.bind() } }

  /// Writes a key schedule.
  ///
  /// - Parameters:
  ///   - key: of a length that is accepted.
  ///   - schedule: `scheduleSize` bytes aligned to 8 that do not overlap the key: zero, or a schedule of the same
  ///     algorithm.
  @inline(never)
  func expandKey(_ key: UnsafeRawBufferPointer, for direction: Direction, into schedule: UnsafeMutableRawPointer) {
    switch self {
    case .des: DES.expandKey(key, for: direction, into: schedule)
    case .tripleDES: TripleDES.expandKey(key, for: direction, into: schedule)
    case .sm4: SM4.expandKey(key.baseAddress!, for: direction, into: schedule)
    }
  }

  /// Each block by itself (ECB).
  ///
  /// - Parameters:
  ///   - byteCount: whole blocks.
  ///   - output: `input`, or not overlapping it.
  @inline(never)
  func crypt(schedule: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, byteCount: Int) {
    let blockCount = byteCount >> blockShift
    switch self {
    case .des: DES.crypt(schedule: schedule, input: input, output: output, blockCount: blockCount)
    case .tripleDES: TripleDES.crypt(schedule: schedule, input: input, output: output, blockCount: blockCount)
    case .sm4: SM4.crypt(schedule: schedule, input: input, output: output, blockCount: blockCount)
    }
  }
}
