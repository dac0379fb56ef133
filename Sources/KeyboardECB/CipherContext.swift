// A block cipher with its key, in the caller's memory: the paper's *_setkey_enc, *_setkey_dec and *_crypt_ecb.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardMemory

/// A block cipher with its key: a view of memory that holds a key schedule and the name of its algorithm.
///
///     0        8                        512
///     ├─ mark ─┼─ key schedule, spare ──┤
///
/// The memory belongs to the caller, who wipes it. It holds no pointer and may be copied within the process; in another
/// process it has no meaning. Memory of zeros is not a cipher. Any number of threads may use one context at a time for
/// `crypt`.
///
/// - C: `CUSTOM_KEYBOARD_CIPHER`.
public struct CipherContext {
  private let memory: UnsafeMutableRawPointer

  /// Bytes of memory that a context takes, the same for every algorithm: 512.
  public static var byteCount: Int { 512 }

  private static var scheduleOffset: Int { 8 }

  /// Views memory as a context. Neither reads nor writes it.
  ///
  /// - Parameter memory: `byteCount` bytes aligned to 8. They must exist for as long as the context is used.
  public init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  private var schedule: UnsafeMutableRawPointer { memory + Self.scheduleOffset }
  private var own: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: Self.byteCount) }

  /// The algorithm that the context was set up for; nil if the memory holds none.
  public var way: EncryptionWay? { Mark.way(memory.load(as: UInt64.self)) }

  /// Writes the key schedule into the context's memory.
  ///
  /// - Parameters:
  ///   - way: the algorithm.
  ///   - key: 8 (DES), 16 or 24 (3DES), 16 (SM4) bytes that do not overlap the context.
  ///   - direction: what `crypt` will do.
  /// - Throws: `.argument` for an overlap, `.key` for a wrong length; the context is then unchanged.
  /// - Timing: constant for SM4; DES and 3DES look up tables.
  /// - Source: the paper's `*_setkey_enc` and `*_setkey_dec`; GB/T 32907-2016 §7, FIPS 46-3.
  /// - C: `CustomKeyboard_setupCipher`.
  public func setUp(
    _ way: EncryptionWay, key: UnsafeRawBufferPointer, for direction: Direction
  ) throws(KeyboardError) {
    guard !key.limited(to: maximumKeyLength).overlaps(own) else { throw .argument(.overlap) }
    guard way.acceptsKey(byteCount: key.count) else { throw .key(.length) }
    try Residue.contained { () throws(KeyboardError) in
      way.bind()
      KeyboardMemory.wipe(memory, byteCount: Self.byteCount)
      way.expandKey(key, for: direction, into: schedule)
      memory.storeBytes(of: Mark.word(way), as: UInt64.self)
    }
  }

  /// Encrypts or decrypts whole blocks, each by itself (ECB), without padding.
  ///
  /// - Parameters:
  ///   - input: n · block size bytes, n ≥ 0.
  ///   - output: as many bytes as `input`: `input` itself, or memory that overlaps neither it nor the context.
  /// - Throws: `.argument` if no cipher was set up, or the buffers are not as described; nothing is then written.
  /// - Timing: depends on `input.count` only (SM4); DES and 3DES look up tables.
  /// - Source: the paper's `*_crypt_ecb`; GB/T 32907-2016 §7, FIPS 46-3.
  /// - C: `CustomKeyboard_cryptECB`.
  public func crypt(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) {
    guard let way else { throw .argument(.noCipher) }
    guard input.count == output.count, way.isWholeBlocks(byteCount: input.count) else { throw .argument(.blocks) }
    guard let source = input.baseAddress, let target = output.baseAddress, !input.isEmpty else { return }
    let isInPlace = source == UnsafeRawPointer(target)
    guard isInPlace || !input.overlaps(UnsafeRawBufferPointer(output)), !own.overlaps(UnsafeRawBufferPointer(output))
    else {
      throw .argument(.overlap)
    }
    try Residue.contained { () throws(KeyboardError) in
      way.bind()
      way.crypt(schedule: schedule, input: source, output: target, byteCount: input.count)
    }
  }

  /// Wipes the context's memory: all `byteCount` bytes become zero, which is not a cipher.
  ///
  /// - Timing: constant.
  /// - C: `CustomKeyboard_wipeCipher`.
  public func wipe() {
    try? Residue.contained { () throws(KeyboardError) in KeyboardMemory.wipe(memory, byteCount: Self.byteCount) }
  }

  /// The head of a context: seven letters and the algorithm, so that memory that was never set up is hardly ever taken
  /// for a cipher.
  private enum Mark {
    private static var base: UInt64 { 0x434b_4349_5048_4500 }  // "CKCIPHE" and the algorithm

    static func word(_ way: EncryptionWay) -> UInt64 { base | UInt64(way.code + 1) }

    static func way(_ word: UInt64) -> EncryptionWay? {
      guard word & ~0xff == base, let code = UInt32(exactly: word & 0xff), code > 0 else { return nil }
      return EncryptionWay(code: code - 1)
    }
  }
}
