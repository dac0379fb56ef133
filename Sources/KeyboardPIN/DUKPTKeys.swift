// How a key of DUKPT is made from another: X9.24-1 with 3DES, X9.24-3 with AES.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes

/// A key serial number (KSN): which initial key, and which of its transactions.
///
///     3DES   59 bits of the initial key's identifier, 21 of the counter
///     AES    64 bits of the initial key's identifier, 32 of the counter
struct KeySerialNumber {
  /// What the initial key is derived for: the first 8 bytes, without the counter.
  let identifier: UInt64
  /// What all other keys are derived for, with a counter in its lowest bits: the last 8 bytes, without the counter.
  let register: UInt64
  let counter: UInt32

  /// - Parameter bytes: as many as the scheme's numbers have. They are read once.
  init(_ bytes: UnsafeRawPointer, _ scheme: DUKPTScheme) {
    let rest = scheme.serialNumberSize &- 8
    let mask = UInt64(scheme.counterMask)
    let start = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    let end = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: rest, as: UInt64.self))
    identifier = start & ~(mask &>> UInt64(truncatingIfNeeded: 8 &* rest))
    register = end & ~mask
    counter = UInt32(truncatingIfNeeded: end & mask)
  }
}

extension DUKPTScheme {
  /// Bits of a transaction counter.
  var counterBits: Int { self == .tripleDES ? 21 : 32 }
  /// The most bits that a counter has set: the most derivations from the initial key to any other.
  var mostBits: Int { self == .tripleDES ? 10 : 16 }
  var counterMask: UInt32 { ~0 &>> UInt32(truncatingIfNeeded: 32 &- counterBits) }

  /// Whether there is a transaction with this counter.
  func hasTransaction(_ counter: UInt32) -> Bool { counter != 0 && counter.nonzeroBitCount <= mostBits }
}

/// The derivations of a scheme, on memory that the caller wipes.
///
///     0       16    32
///     ├ block ┼ key ┼─ key schedule ─┤
///
/// - Timing: 3DES looks up tables. AES does if the processor has no AES instructions. Otherwise it depends on the
///   scheme, the keys' length and the counter only.
/// - Source: ANSI X9.24-1:2009 annex A; ANSI X9.24-3:2017 §6.
struct DUKPTKeys {
  let scheme: DUKPTScheme
  /// Bytes in the base key, the initial key, and the keys that others are derived from.
  let keyLength: Int
  private let memory: UnsafeMutableRawPointer

  static var byteCount: Int { 32 + KeySchedule.byteCount }
  /// Room for any key.
  static var longestKey: Int { 32 }

  /// - Parameter memory: `byteCount` bytes aligned to 8.
  init(_ scheme: DUKPTScheme, keyLength: Int, at memory: UnsafeMutableRawPointer) {
    self.scheme = scheme
    self.keyLength = keyLength
    self.memory = memory
  }

  private var block: UnsafeMutableRawPointer { memory }
  private var schedule: KeySchedule { KeySchedule(at: memory + 32) }

  // All keys have `longestKey` bytes of room at multiples of 8, and a result may replace the key that it is made from.

  /// What a key is made for, with its number in X9.24-3, table 2.
  enum Use: UInt64 {
    /// PIN encryption in one transaction.
    case pinKey = 0x1000
    /// More keys: those of counters with one more bit.
    case nextKey = 0x8000
    /// All keys of a terminal. It is made from the base key.
    case initialKey = 0x8001
  }

  /// Makes a key from another.
  ///
  /// - Parameter number: what the key is for: for an initial key, the serial number's identifier; for others, its
  ///   register with the new key's counter.
  @inline(never)
  func make(_ use: Use, of key: UnsafeRawPointer, for number: UInt64, into output: UnsafeMutableRawPointer) {
    guard scheme == .tripleDES else { return expand(key, use, for: number, into: output) }
    let left = key.load(as: UInt64.self)
    let right = key.load(fromByteOffset: 8, as: UInt64.self)
    let (otherLeft, otherRight) = (left ^ Self.mask, right ^ Self.mask)
    let made: (left: UInt64, right: UInt64)
    switch use {
    case .initialKey: made = (encrypt(number, left, right), encrypt(number, otherLeft, otherRight))
    case .nextKey: made = (hash(number, otherLeft, otherRight), hash(number, left, right))
    case .pinKey: made = (left ^ Self.variant, right ^ Self.variant)
    }
    output.storeBytes(of: made.left, as: UInt64.self)
    output.storeBytes(of: made.right, toByteOffset: 8, as: UInt64.self)
  }

  // MARK: With 3DES

  /// What both halves of a key are XORed with for the other half of a result.
  private static var mask: UInt64 { (0xc0c0_c0c0_0000_0000 as UInt64).bigEndian }
  /// What makes a key one for PINs: the PIN encryption variant.
  private static var variant: UInt64 { (0xff as UInt64).bigEndian }

  /// 3DES of a number.
  @inline(never)
  private func encrypt(_ number: UInt64, _ left: UInt64, _ right: UInt64) -> UInt64 {
    let key = block + 16
    block.storeBytes(of: number.bigEndian, as: UInt64.self)
    key.storeBytes(of: left, as: UInt64.self)
    key.storeBytes(of: right, toByteOffset: 8, as: UInt64.self)
    schedule.expandTripleDES(key, byteCount: 16, for: .encryption)
    schedule.cryptByTripleDES(block)
    return block.load(as: UInt64.self)
  }

  /// Half of the non-reversible key generation process: DES(number ⊕ right) ⊕ right, under left.
  @inline(never)
  private func hash(_ number: UInt64, _ left: UInt64, _ right: UInt64) -> UInt64 {
    let key = block + 16
    block.storeBytes(of: number.bigEndian ^ right, as: UInt64.self)
    key.storeBytes(of: left, as: UInt64.self)
    schedule.encryptByDES(block, key: key)
    return block.load(as: UInt64.self) ^ right
  }

  // MARK: With AES

  /// The derivation function: as many blocks as the new key has, encrypted with the old one.
  ///
  ///     version (1) ‖ block 1, 2 ‖ usage ‖ algorithm ‖ bits of the key ‖ number
  @inline(never)
  private func expand(_ key: UnsafeRawPointer, _ use: Use, for number: UInt64, into output: UnsafeMutableRawPointer) {
    let isWorkingKey = use == .pinKey
    let count = isWorkingKey ? scheme.workingKeySize : keyLength
    // 0 and 1 are 3DES with two and three keys; 2, 3 and 4 are AES, by the key's length.
    let isTripleDES = isWorkingKey && !scheme.hasAESWorkingKey
    let algorithm = UInt64(truncatingIfNeeded: count / 8 &- (isTripleDES ? 2 : 0))
    let head = 1 &<< 56 | use.rawValue &<< 32 | algorithm &<< 16 | UInt64(truncatingIfNeeded: 8 &* count)
    schedule.expandAES(key, byteCount: keyLength, for: .encryption)
    for offset in stride(from: 0, to: count, by: 16) {
      let index = UInt64(truncatingIfNeeded: offset / 16 &+ 1)
      block.storeBytes(of: (head | index &<< 48).bigEndian, as: UInt64.self)
      block.storeBytes(of: number.bigEndian, toByteOffset: 8, as: UInt64.self)
      schedule.cryptByAES(block, .encryption)
      (output + offset).copyMemory(from: block, byteCount: min(16, count &- offset))
    }
  }
}
