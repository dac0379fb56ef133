// The SM4 block cipher: GB/T 32907-2016, ISO/IEC 18033-3/Amd 1. 128-bit blocks, 128-bit keys, 32 rounds.
//
// Everything here works on memory of the caller's, through pointers: a key schedule that is passed by value leaves copies
// of itself on the stack, and one in a heap block that Swift frees is not wiped. The caller knows where secrets may stand.

public import KeyboardSM4Vector

#if arch(x86_64)
  import KeyboardSM4AESNI
  import KeyboardSM4GFNI256
  import KeyboardSM4GFNI512
#elseif arch(arm64)
  import KeyboardSM4ARMv8SM4
  import KeyboardSM4NEON
#endif

/// The SM4 block cipher.
///
/// - Timing: constant on every path; no table, no branch and no address depends on a key or a text.
/// - Source: GB/T 32907-2016.
public enum SM4 {
  /// Bytes in a block.
  public static var blockSize: Int { 16 }

  /// Bytes in a key.
  public static var keySize: Int { 16 }

  /// Bytes in a key schedule: what the longest of the paths' wants.
  public static var scheduleSize: Int { 160 }

  static var roundCount: Int { 32 }

  /// Whether a schedule encrypts or decrypts.
  public enum Direction: Sendable { case encryption, decryption }

  /// Writes the key schedule of `key`.
  ///
  /// - Parameters:
  ///   - key: 16 bytes, anywhere.
  ///   - direction: decryption takes the same round keys in the opposite order.
  ///   - schedule: `scheduleSize` bytes aligned to 4, which the caller wipes. May overlap `key`. What stands in them
  ///     depends on the processor; it has no meaning in another process.
  /// - Timing: constant.
  /// - Source: GB/T 32907-2016 §7.3.
  /// - C: `CustomKeyboard_setupCipher`.
  public static func setKey(
    _ key: UnsafeRawPointer, for direction: Direction, schedule: UnsafeMutableRawPointer
  ) {
    setKey(key, for: direction, schedule: schedule, on: .current)
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
    crypt(schedule: schedule, input: input, output: output, blockCount: blockCount, on: .current)
  }
}

extension SM4 {
  /// Whether the key schedule, and up to four blocks, pass through registers only and so leave nothing on the stack.
  public static var staysInRegisters: Bool { Path.current != .portable }
}

// MARK: - One block

extension SM4 {
  /// Bytes of memory that `decryptBlock` uses.
  public static var blockScratchSize: Int { oneBlockScratchSize }

  /// Decrypts one block under a key that is not used again.
  ///
  /// - Parameters:
  ///   - input: a block, anywhere.
  ///   - output: `input` itself, or not overlapping it.
  ///   - scratch: `blockScratchSize` bytes aligned to 4, which the caller wipes.
  /// - Timing: constant.
  /// - Source: GB/T 32907-2016 §7.2, §7.3.
  public static func decryptBlock(
    key: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer
  ) {
    decryptBlock(key: key, input: input, output: output, scratch: scratch, on: .current)
  }
}

// MARK: - Many keys

extension SM4 {
  /// One text to be decrypted under a key of its own.
  public typealias Job = LaneJob

  /// Bytes of memory that `decrypt(_:count:scratch:)` uses: a block, and the round keys of one, two or four groups of 16
  /// lanes. No path has more in flight.
  public static func scratchSize(count: Int) -> Int {
    let lanes = count <= 16 ? 16 : count <= 32 ? 32 : 64
    return blockSize &+ lanes &* 4 &* 37
  }

  /// Decrypts many texts, each under its own key, as many side by side as the processor has lanes.
  ///
  /// - Parameters:
  ///   - jobs: any number; those of like length side by side waste least, and 64 at a time fill every path. There must
  ///     be room for a multiple of 64; what stands there afterwards has no meaning.
  ///   - scratch: `scratchSize(count:)` bytes, anywhere, which the caller wipes.
  /// - Timing: depends on the jobs' number and `blockCount`s only.
  /// - Source: GB/T 32907-2016 §7.2, §7.3.
  /// - C: `CustomKeyboard_decryptBatch`.
  public static func decrypt(_ jobs: UnsafeMutablePointer<Job>, count: Int, scratch: UnsafeMutableRawPointer) {
    decrypt(jobs, count: count, scratch: scratch, on: .current)
  }
}

// MARK: - The paths

extension SM4 {
  @inline(__always)
  static func setKey(
    _ key: UnsafeRawPointer, for direction: Direction, schedule: UnsafeMutableRawPointer, on path: Path
  ) {
    guard !path.keepsKeysUnexpanded || direction == .decryption else { return storeUnexpanded(key, into: schedule) }
    expand(key, for: direction, into: schedule, on: path)
  }

  @inline(__always)
  private static func expand(
    _ key: UnsafeRawPointer, for direction: Direction, into schedule: UnsafeMutableRawPointer, on path: Path
  ) {
    let decrypting = direction == .decryption
    switch path {
    #if arch(x86_64)
      case .gfni512: GFNI512.expandKey(key, decrypting: decrypting, into: schedule)
      case .gfni256: GFNI256.expandKey(key, decrypting: decrypting, into: schedule)
      case .aesni: AESNI.expandKey(key, decrypting: decrypting, into: schedule)
    #elseif arch(arm64)
      case .armv8sm4: ARMv8SM4.expandKey(key, decrypting: decrypting, into: schedule)
      case .neon: NEON.expandKey(key, decrypting: decrypting, into: schedule)
    #endif
    default:
      let roundKeys = schedule.assumingMemoryBound(to: UInt32.self)
      Portable.expandKey(key, into: roundKeys)
      guard decrypting else { return }
      for i in 0..<roundCount / 2 {
        let j = roundCount - 1 - i
        (roundKeys[i], roundKeys[j]) = (roundKeys[j], roundKeys[i])
      }
    }
  }

  @inline(__always)
  static func crypt(
    schedule: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int,
    on path: Path
  ) {
    guard !path.keepsKeysUnexpanded || !isUnexpanded(schedule) else {
      return encrypt(key: schedule, input: input, output: output, blockCount: blockCount, on: path)
    }
    cryptExpanded(schedule: schedule, input: input, output: output, blockCount: blockCount, on: path)
  }

  /// Encrypts under a key that is not expanded: few blocks while it is, many afterwards.
  private static func encrypt(
    key: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int, on path: Path
  ) {
    guard blockCount <= 4 else {
      return withUnsafeTemporaryAllocation(byteCount: scheduleSize, alignment: 16) { schedule in
        let schedule = schedule.baseAddress!
        expand(key, for: .encryption, into: schedule, on: path)
        cryptExpanded(schedule: schedule, input: input, output: output, blockCount: blockCount, on: path)
      }
    }
    #if arch(x86_64)
      GFNI512.encryptFew(key, input, output, blockCount: blockCount)
    #endif
  }

  @inline(__always)
  private static func cryptExpanded(
    schedule: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int,
    on path: Path
  ) {
    switch path {
    #if arch(x86_64)
      case .gfni512: GFNI512.crypt(schedule, input, output, blockCount: blockCount)
      case .gfni256: GFNI256.crypt(schedule, input, output, blockCount: blockCount)
      case .aesni: AESNI.crypt(schedule, input, output, blockCount: blockCount)
    #elseif arch(arm64)
      case .armv8sm4: ARMv8SM4.crypt(schedule, input, output, blockCount: blockCount)
      case .neon: NEON.crypt(schedule, input, output, blockCount: blockCount)
    #endif
    default:
      Portable.crypt(schedule.assumingMemoryBound(to: UInt32.self), input, output, blockCount: blockCount)
    }
  }

  @inline(__always)
  static func decryptBlock(
    key: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer,
    on path: Path
  ) {
    #if arch(x86_64)
      guard path != .gfni512 else { return GFNI512.decryptOne(key, input, output, scratch: scratch) }
    #endif
    expand(key, for: .decryption, into: scratch, on: path)
    cryptExpanded(schedule: scratch, input: input, output: output, blockCount: 1, on: path)
  }

  static func decrypt(_ jobs: UnsafeMutablePointer<Job>, count: Int, scratch: UnsafeMutableRawPointer, on path: Path) {
    switch path {
    #if arch(x86_64)
      case .gfni512: GFNI512.decryptLanes(jobs, count: count, scratch: scratch)
      case .gfni256: GFNI256.decryptLanes(jobs, count: count, scratch: scratch)
      case .aesni: AESNI.decryptLanes(jobs, count: count, scratch: scratch)
    #elseif arch(arm64)
      case .armv8sm4: ARMv8SM4.decryptLanes(jobs, count: count, scratch: scratch)
      case .neon: NEON.decryptLanes(jobs, count: count, scratch: scratch)
    #endif
    default: Portable.decryptLanes(jobs, count: count, scratch: scratch)
    }
  }
}
