// SM4 in Galois/Counter Mode, for one short text under a nonce of 96 bits: NIST SP 800-38D, RFC 8998.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardGCM
import KeyboardGHASH
import KeyboardMemory
import KeyboardSM4

/// Authenticated encryption of a password.
///
/// All blocks that the cipher takes are known before it begins: the zero block, which gives GHASH's key H, and the
/// counter blocks. One call encrypts them all, because SM4 is fastest on many blocks.
///
///     0              176       192      256
///     ├ cipher blocks ┼─ tag ──┼─ ends ─┼─ the cipher's scratch memory ─┤
///
///     cipher blocks:  H │ the tag's mask │ the text's masks, at most nine
///
/// Texts and additional data are read more than once. Where another thread may change them, the caller passes copies.
///
/// - Timing: depends on the lengths only, and `open` on its verdict.
/// - Source: RFC 8998 §3; NIST SP 800-38D §7.
package enum SM4GCM {
  /// Bytes in a key: 16.
  package static var keySize: Int { SM4.keySize }

  /// The longest text, in bytes: 144.
  package static var maximumTextSize: Int { 144 }

  /// Bytes of memory that a call takes.
  package static var scratchSize: Int {
    cipherOffset + SM4.oneUseScratchSize(for: .encryption, blockCount: tagOffset / blockSize)
  }

  private static var blockSize: Int { SM4.blockSize }
  private static var textMaskOffset: Int { 2 * blockSize }
  private static var tagOffset: Int { textMaskOffset + maximumTextSize }
  private static var endsOffset: Int { tagOffset + GCM.tagSize }
  private static var cipherOffset: Int { endsOffset + GHASH.scratchSize }

  /// Encrypts a text, and makes the tag for it and for the additional data.
  ///
  /// - Parameters:
  ///   - text: 0 … `maximumTextSize` bytes at any address.
  ///   - key: `keySize` bytes at any address.
  ///   - nonce: `GCM.nonceSize` bytes at any address, which must be different each time under a key.
  ///   - additionalData: any number of bytes at any address, the same for `open`.
  ///   - output: gets as many bytes as the text has; `text` itself, or not overlapping it. It overlaps neither the
  ///     additional data nor the tag.
  ///   - tag: gets `GCM.tagSize` bytes.
  ///   - scratch: `scratchSize` bytes aligned to 8 that overlap nothing else, which the caller wipes.
  /// - Timing: depends on the lengths only.
  /// - Source: NIST SP 800-38D §7.1, with RFC 8998's lengths.
  @inline(never)
  package static func seal(
    _ text: UnsafeRawBufferPointer, key: UnsafeRawPointer, nonce: UnsafeRawPointer,
    additionalData: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer, tag: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) {
    makeMasks(key: key, nonce: nonce, textSize: text.count, in: scratch)
    GCM.add(scratch + textMaskOffset, to: text, into: output)
    makeTag(UnsafeRawBufferPointer(start: output, count: text.count), additionalData, in: scratch)
    let own = scratch + tagOffset
    tag.storeBytes(of: own.load(as: UInt64.self), as: UInt64.self)
    tag.storeBytes(of: own.load(fromByteOffset: 8, as: UInt64.self), toByteOffset: 8, as: UInt64.self)
  }

  /// Decrypts a ciphertext if the tag is right.
  ///
  /// - Parameters:
  ///   - ciphertext: 0 … `maximumTextSize` bytes at any address.
  ///   - tag: `GCM.tagSize` bytes at any address.
  ///   - key, nonce, additionalData: those of `seal`.
  ///   - output: gets as many bytes as the ciphertext has, if the tag is right, and nothing otherwise; `ciphertext`
  ///     itself, or not overlapping it.
  ///   - scratch: as for `seal`.
  /// - Returns: whether the tag is right.
  /// - Timing: depends on the lengths and the verdict only: not on how much of a wrong tag is right.
  /// - Source: NIST SP 800-38D §7.2, with RFC 8998's lengths.
  @inline(never)
  package static func open(
    _ ciphertext: UnsafeRawBufferPointer, tag: UnsafeRawPointer, key: UnsafeRawPointer,
    nonce: UnsafeRawPointer, additionalData: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    makeMasks(key: key, nonce: nonce, textSize: ciphertext.count, in: scratch)
    makeTag(ciphertext, additionalData, in: scratch)
    guard ConstantTime.isEqual(scratch + tagOffset, tag, count: GCM.tagSize) else { return false }
    GCM.add(scratch + textMaskOffset, to: ciphertext, into: output)
    return true
  }
}

// MARK: - Steps

extension SM4GCM {
  /// Encrypts the zero block and the counters 1 (for the tag), 2, 3, … (for the text).
  private static func makeMasks(
    key: UnsafeRawPointer, nonce: UnsafeRawPointer, textSize: Int,
    in scratch: UnsafeMutableRawPointer
  ) {
    precondition(textSize <= maximumTextSize)
    let blockCount = 2 &+ (textSize &+ blockSize &- 1) / blockSize
    scratch.storeBytes(of: SIMD2<UInt64>(), as: SIMD2<UInt64>.self)
    let nonce0 = nonce.loadUnaligned(as: UInt64.self)
    let nonce1 = nonce.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
    for counter in 1..<blockCount {
      let block = scratch + blockSize &* counter
      block.storeBytes(of: nonce0, as: UInt64.self)
      block.storeBytes(of: nonce1, toByteOffset: 8, as: UInt32.self)
      block.storeBytes(of: UInt32(truncatingIfNeeded: counter).bigEndian, toByteOffset: 12, as: UInt32.self)
    }
    SM4.encrypt(key: key, input: scratch, output: scratch, blockCount: blockCount, scratch: scratch + cipherOffset)
  }

  /// Leaves the tag at `tagOffset`.
  private static func makeTag(
    _ ciphertext: UnsafeRawBufferPointer, _ additionalData: UnsafeRawBufferPointer, in scratch: UnsafeMutableRawPointer
  ) {
    GCM.makeTag(
      of: ciphertext, additionalData, hashKey: scratch, mask: scratch + blockSize, into: scratch + tagOffset,
      scratch: scratch + endsOffset)
  }
}
