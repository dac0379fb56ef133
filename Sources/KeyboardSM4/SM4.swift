// The SM4 block cipher: GB/T 32907-2016, ISO/IEC 18033-3/Amd 1. 128-bit blocks, 128-bit keys, 32 rounds.
//
// Everything works on the caller's memory, through pointers. A key schedule passed by value leaves copies on the stack,
// and one in Swift's heap is not wiped when it is freed; the caller knows which memory may hold secrets.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
@_exported public import struct KeyboardSM4Vector.LaneJob
import KeyboardSM4Vector

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
  public static var blockSize: Int { Standard.blockByteCount }

  /// Bytes in a key.
  public static var keySize: Int { Standard.blockByteCount }

  static var roundCount: Int { Standard.roundCount }
}

// MARK: - A key for many uses

extension SM4 {
  /// Bytes in a key schedule: those of the path that needs most.
  public static var scheduleSize: Int { Schedule.byteCount }

  /// Writes the key schedule of `key`.
  ///
  /// - Parameters:
  ///   - key: 16 bytes at any address.
  ///   - direction: decryption uses the same round keys in reverse order.
  ///   - schedule: `scheduleSize` bytes aligned to 4, which the caller wipes; they do not overlap `key`. The contents
  ///     depend on the processor, and mean nothing in another process.
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

  @inline(always) static func expandKey(
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

  @inline(always) static func crypt(
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

  /// Bytes that they take for at most so many blocks on this processor: so much has to be wiped.
  public static func oneUseScratchSize(for direction: Direction, blockCount: Int) -> Int {
    #if arch(x86_64)
      if Path.current == .gfni512 && direction == .encryption && blockCount <= GFNI512.fewBlocks { return 0 }
    #endif
    return oneUseScratchSize
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

  @inline(always) static func encrypt(
    key: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int,
    scratch: UnsafeMutableRawPointer, on path: Path
  ) {
    #if arch(x86_64)
      if path == .gfni512 && 1...GFNI512.fewBlocks ~= blockCount {
        return GFNI512.encryptFew(key, input, output, blockCount: blockCount)
      }
    #endif
    expandKey(key, for: .encryption, into: scratch, on: path)
    crypt(schedule: scratch, input: input, output: output, blockCount: blockCount, on: path)
  }

  @inline(always) static func decrypt(
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
  /// lanes. No path has wider groups, or more of them in flight.
  public static func scratchSize(count: Int) -> Int {
    let group = Word16.wordCount
    let groups = count <= group ? 1 : count <= 2 &* group ? 2 : 4
    return blockSize &+ groups &* LaneSchedules<Word16>.byteCount
  }

  /// Decrypts many texts, each under its own key, as many side by side as the processor has lanes.
  ///
  /// - Parameters:
  ///   - jobs: any number; those of like length next to each other waste least, and 64 at a time fill every path. Which
  ///     block is next is counted in the jobs themselves, so they cannot be used again.
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
