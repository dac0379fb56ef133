// What the algorithms have in common: a key schedule in memory of the caller's, and whole blocks.

public import KeyboardCodes
package import KeyboardMemory
import KeyboardSM4

/// Whether a key schedule encrypts or decrypts.
public enum Direction: Sendable { case encryption, decryption }

/// A block cipher whose key schedule is plain memory, to be wiped by whoever owns it.
protocol BlockCipher {
  /// Bytes in a block; a power of two.
  static var blockSize: Int { get }

  /// Bytes in a key schedule.
  static var scheduleSize: Int { get }

  static func acceptsKey(byteCount: Int) -> Bool

  /// Writes the schedule of a key whose length is accepted, to memory aligned to 8 that does not overlap the key.
  static func setKey(_ key: UnsafeRawBufferPointer, for direction: Direction, schedule: UnsafeMutableRawPointer)

  /// Each block by itself (ECB); `output` is `input` or does not overlap it.
  static func crypt(
    schedule: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int)
}

extension EncryptionWay {
  /// Bytes in a block: 8 for DES and 3DES, 16 for SM4.
  public var blockSize: Int {
    switch self {
    case .des: DES.blockSize
    case .tripleDES: TripleDES.blockSize
    case .sm4: SM4Cipher.blockSize
    }
  }

  /// Bytes in a key schedule.
  var scheduleSize: Int {
    switch self {
    case .des: DES.scheduleSize
    case .tripleDES: TripleDES.scheduleSize
    case .sm4: SM4Cipher.scheduleSize
    }
  }

  /// The exponent of two that the block size is; a division would take longer than a round of SM4.
  private var blockShift: Int { self == .sm4 ? 4 : 3 }

  /// How many whole blocks there are in `byteCount` bytes.
  package func blockCount(byteCount: Int) -> Int { byteCount >> blockShift }

  /// Whether so many bytes are whole blocks.
  func isWholeBlocks(byteCount: Int) -> Bool { byteCount & (1 << blockShift &- 1) == 0 }

  /// Whether keys may have this length: 8 for DES, 16 or 24 for 3DES, 16 for SM4.
  public func acceptsKey(byteCount: Int) -> Bool {
    switch self {
    case .des: DES.acceptsKey(byteCount: byteCount)
    case .tripleDES: TripleDES.acceptsKey(byteCount: byteCount)
    case .sm4: SM4Cipher.acceptsKey(byteCount: byteCount)
    }
  }

  /// How long the ciphertext of a password is: the next multiple of the block size, never the same length.
  public func textLength(passwordLength: Int) -> Int {
    PKCS7.paddedLength(passwordLength, blockSize: blockSize)
  }

  /// How much of the stack the algorithm may have used for so many blocks.
  package func traces(blockCount: Int) -> Traces.Depth {
    guard self == .sm4 && blockCount <= 4 else { return .deep }
    return SM4.staysInRegisters ? .slight : .shallow
  }
}
