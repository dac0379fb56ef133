// The SM4 block cipher: GB/T 32907-2016, ISO/IEC 18033-3/Amd 1. 128-bit blocks, 128-bit keys, 32 rounds.
//
// Everything works on the caller's memory, through pointers. A key schedule passed by value leaves copies on the stack,
// and one in Swift's heap is not wiped when it is freed; the caller knows which memory may hold secrets.

import KeyboardCodes
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

  static var roundCount: Int { 32 }
}

// MARK: - A key for many uses

extension SM4 {
  /// Bytes in a key schedule: those of the path that needs most.
  public static var scheduleSize: Int { scheduleWords * MemoryLayout<UInt32>.size }

  /// Writes the key schedule of `key`.
  ///
  /// - Parameters:
  ///   - key: 16 bytes at any address.
  ///   - direction: decryption uses the same round keys in reverse order.
  ///   - schedule: `scheduleSize` bytes aligned to 4, which the caller wipes. May overlap `key`. The contents depend on
  ///     the
  ///     processor and mean nothing in another process.
  /// - Timing: constant.
  /// - Source: GB/T 32907-2016 §7.3.
  /// - C: `CustomKeyboard_setupCipher`.
  public static func expandKey(
    _ key: UnsafeRawPointer, for direction: Direction, into schedule: UnsafeMutableRawPointer
  ) {
    expandKey(key, for: direction, into: schedule, on: .current)
  }

  /// Encrypts or decrypts blocks, each by itself (ECB).
  ///
  /// - Parameters:
  ///   - schedule: what `expandKey` wrote.
  ///   - input: `blockCount` blocks at any address.
  ///   - output: as much memory; `input` itself, or not overlapping it.
  /// - Timing: depends only on `blockCount`.
  /// - Source: GB/T 32907-2016 §7.1, §7.2.
  /// - C: `CustomKeyboard_cryptECB`.
  public static func crypt(
    schedule: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    crypt(schedule: schedule, input: input, output: output, blockCount: blockCount, on: .current)
  }

  @inline(__always)
  static func expandKey(
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
    default: Portable.expandKey(key, decrypting: decrypting, into: schedule.assumingMemoryBound(to: UInt32.self))
    }
  }

  @inline(__always)
  static func crypt(
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
    default: Portable.crypt(schedule.assumingMemoryBound(to: UInt32.self), input, output, blockCount: blockCount)
    }
  }
}

// MARK: - A key for one use

extension SM4 {
  /// Bytes of memory that `encrypt` and `decrypt` under a key for one use take at most.
  public static var oneUseScratchSize: Int { max(oneBlockScratchSize, scheduleSize) }

  /// Bytes that they take for at most so many blocks on this processor: so much has to be wiped. One block decrypted
  /// takes more than many.
  public static func oneUseScratchSize(for direction: Direction, blockCount: Int) -> Int {
    #if arch(x86_64)
      if Path.current == .gfni512 {
        if direction == .decryption { return oneUseScratchSize }
        if blockCount <= fewBlocks { return 0 }
      }
    #endif
    return scheduleSize
  }

  /// Encrypts blocks, each by itself, under a key that is not used again: a password's. Where the processor allows it,
  /// the key schedule is made next to the rounds and costs little time.
  ///
  /// - Parameters:
  ///   - key: 16 bytes at any address.
  ///   - input: `blockCount` blocks at any address.
  ///   - output: `input` itself, or not overlapping it.
  ///   - scratch: `oneUseScratchSize` bytes aligned to 8, which the caller wipes.
  /// - Timing: depends only on `blockCount`.
  /// - Source: GB/T 32907-2016 §7.1, §7.3.
  public static func encrypt(
    key: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int,
    scratch: UnsafeMutableRawPointer
  ) {
    encrypt(key: key, input: input, output: output, blockCount: blockCount, scratch: scratch, on: .current)
  }

  /// Decrypts blocks, each by itself, under a key that is not used again.
  ///
  /// - Parameters: as for `encrypt`.
  /// - Timing: depends only on `blockCount`.
  /// - Source: GB/T 32907-2016 §7.2, §7.3.
  public static func decrypt(
    key: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int,
    scratch: UnsafeMutableRawPointer
  ) {
    decrypt(key: key, input: input, output: output, blockCount: blockCount, scratch: scratch, on: .current)
  }

  /// The most blocks that `GFNI512.encryptFew` takes: one per lane of a 512-bit register.
  private static var fewBlocks: Int { 4 }

  @inline(__always)
  static func encrypt(
    key: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int,
    scratch: UnsafeMutableRawPointer, on path: Path
  ) {
    #if arch(x86_64)
      if path == .gfni512 && blockCount <= fewBlocks {
        return GFNI512.encryptFew(key, input, output, blockCount: blockCount)
      }
    #endif
    expandKey(key, for: .encryption, into: scratch, on: path)
    crypt(schedule: scratch, input: input, output: output, blockCount: blockCount, on: path)
  }

  @inline(__always)
  static func decrypt(
    key: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int,
    scratch: UnsafeMutableRawPointer, on path: Path
  ) {
    #if arch(x86_64)
      if path == .gfni512 && blockCount == 1 { return GFNI512.decryptOne(key, input, output, scratch: scratch) }
    #endif
    expandKey(key, for: .decryption, into: scratch, on: path)
    crypt(schedule: scratch, input: input, output: output, blockCount: blockCount, on: path)
  }
}

// MARK: - Many keys

extension SM4 {
  /// One text to be decrypted under a key of its own.
  public typealias Job = LaneJob

  /// Bytes of memory that `decrypt(_:count:scratch:)` uses: a block, and the round keys of one, two or four groups of
  /// 16 lanes. No path has more in flight.
  public static func scratchSize(count: Int) -> Int {
    let lanes = count <= 16 ? 16 : count <= 32 ? 32 : 64
    return blockSize &+ lanes &* 4 &* 37
  }

  /// Decrypts many texts, each under its own key, as many side by side as the processor has lanes.
  ///
  /// - Parameters:
  ///   - jobs: any number; those of like length side by side waste least, and 64 at a time fill every path. There must
  ///     be room for a multiple of 64; the room after the last job is overwritten.
  ///   - scratch: `scratchSize(count:)` bytes at any address, which the caller wipes.
  /// - Timing: depends only on the jobs' number and `blockCount`s.
  /// - Source: GB/T 32907-2016 §7.2, §7.3.
  /// - C: `CustomKeyboard_decryptBatch`.
  public static func decrypt(_ jobs: UnsafeMutablePointer<Job>, count: Int, scratch: UnsafeMutableRawPointer) {
    decrypt(jobs, count: count, scratch: scratch, on: .current)
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
