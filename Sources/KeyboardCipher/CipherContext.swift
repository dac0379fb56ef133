// A block cipher with its key, in memory of the caller's: the paper's *_setkey_enc, *_setkey_dec and *_crypt_ecb.

public import KeyboardCodes
import KeyboardMemory

/// A view of a key schedule that says of itself which algorithm it is for.
///
///     0        8                        512
///     ├─ mark ─┼─ key schedule, spare ──┤
///
/// The memory belongs to the caller, who wipes it. It holds no pointer, may be copied, and zeroed it is no cipher.
public struct CipherContext {
  private let memory: UnsafeMutableRawPointer

  /// Bytes of memory that a context takes, for every algorithm.
  public static var byteCount: Int { 512 }

  private static var scheduleOffset: Int { 8 }

  /// As many bytes of it as an algorithm uses.
  static func usedByteCount(_ way: EncryptionWay) -> Int { scheduleOffset + way.scheduleSize }

  /// - Parameter memory: `byteCount` bytes aligned to 8.
  public init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  private var schedule: UnsafeMutableRawPointer { memory + Self.scheduleOffset }
  private var own: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: Self.byteCount) }

  /// The algorithm that the context was set up for, if it was.
  public var way: EncryptionWay? { Mark.way(memory.load(as: UInt64.self)) }

  /// Sets up the context.
  ///
  /// - Parameters:
  ///   - key: 8 (DES), 16 or 24 (3DES), 16 (SM4) bytes that do not overlap the context.
  /// - Throws: `.argument` for an overlap, `.key` for a wrong length; the context is then as it was.
  /// - Timing: constant for SM4; DES and 3DES look up tables.
  /// - C: `CustomKeyboard_setupCipher`.
  public func setUp(
    _ way: EncryptionWay, key: UnsafeRawBufferPointer, for direction: Direction
  ) throws(KeyboardError) {
    guard !key.limited(to: maximumKeyLength).overlaps(own) else { throw .argument }
    guard way.acceptsKey(byteCount: key.count) else { throw .key }
    Traces.bind()
    wipe()
    setKey(way, key, for: direction)
    Traces.wipe(way.traces(blockCount: 0))
  }

  /// Encrypts or decrypts whole blocks, each by itself.
  ///
  /// - Parameters:
  ///   - input: any number of whole blocks.
  ///   - output: as many bytes: `input` itself, or overlapping neither it nor the context.
  /// - Throws: `.argument` if the context is not set up, or for anything but the above; nothing is then written.
  /// - Timing: depends on the length only for SM4; DES and 3DES look up tables.
  /// - C: `CustomKeyboard_cryptECB`.
  public func crypt(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) {
    guard let way, input.count == output.count, way.isWholeBlocks(byteCount: input.count) else { throw .argument }
    guard let source = input.baseAddress, let target = output.baseAddress, !input.isEmpty else { return }
    let isInPlace = source == UnsafeRawPointer(target)
    guard isInPlace || !input.overlaps(UnsafeRawBufferPointer(output)) else { throw .argument }
    guard !own.overlaps(UnsafeRawBufferPointer(output)) else { throw .argument }
    let blockCount = way.blockCount(byteCount: input.count)
    crypt(way, input: source, output: target, blockCount: blockCount)
    Traces.wipe(way.traces(blockCount: blockCount))
  }

  // MARK: For callers who have checked, and will wipe the traces

  /// In memory that is zero, or holds a schedule of the same algorithm.
  @inline(never)
  func setKey(_ way: EncryptionWay, _ key: UnsafeRawBufferPointer, for direction: Direction) {
    switch way {
    case .des: DES.setKey(key, for: direction, schedule: schedule)
    case .tripleDES: TripleDES.setKey(key, for: direction, schedule: schedule)
    case .sm4: SM4Cipher.setKey(key, for: direction, schedule: schedule)
    }
    memory.storeBytes(of: Mark.word(way), as: UInt64.self)
  }

  @inline(never)
  func crypt(_ way: EncryptionWay, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int) {
    switch way {
    case .des: DES.crypt(schedule: schedule, input: input, output: output, blockCount: blockCount)
    case .tripleDES: TripleDES.crypt(schedule: schedule, input: input, output: output, blockCount: blockCount)
    case .sm4: SM4Cipher.crypt(schedule: schedule, input: input, output: output, blockCount: blockCount)
    }
  }

  // MARK: The end

  /// Makes it no cipher, and leaves nothing of the key.
  ///
  /// - C: `CustomKeyboard_wipeCipher`.
  public func wipe() { KeyboardMemory.wipe(memory, byteCount: Self.byteCount) }

  /// What stands at the head of a context: eight letters, the last of which is the algorithm, so that memory that was
  /// never set up is hardly ever mistaken for one.
  private enum Mark {
    private static var base: UInt64 { 0x434b_4349_5048_4500 }  // "CKCIPHE" and the algorithm

    static func word(_ way: EncryptionWay) -> UInt64 { base | UInt64(way.code + 1) }

    static func way(_ word: UInt64) -> EncryptionWay? {
      guard word & ~0xff == base, let code = UInt32(exactly: word & 0xff), code > 0 else { return nil }
      return EncryptionWay(code: code - 1)
    }
  }
}
