// PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory
import KeyboardSHA2

/// A digest made ready for signing, in the caller's memory:
///
///     (00 ‖) 00 … 00 ‖ 01 ‖ salt(32) ‖ SHA-256(00 × 8 ‖ digest ‖ salt) ‖ bc
///
/// All before the hash is masked. The first byte is there only if the modulus has one bit more than whole bytes; the
/// number has one bit less than the modulus.
///
/// - Timing: depends on the lengths; `isRight` on everything, nothing of which is secret.
/// - Source: RFC 8017 §9.1.
struct PSS {
  let block: UnsafeMutableRawPointer
  /// Bytes in the block: as many as the modulus has.
  private let length: Int
  /// Bits of the first byte that the number may have; 0 means that this byte is 0, and the number one byte shorter.
  private let firstBits: Int
  private let mask: Mask
  private let digest: UnsafeMutableRawPointer

  static var saltSize: Int { 32 }
  /// Bytes of `pieces` that it takes.
  static var byteCount: Int { Pieces.size(RSA.lengths.upperBound) + Mask.byteCount + Pieces.size(SHA256.digestSize) }

  init(_ key: RSAKey, in pieces: inout Pieces) {
    length = key.length
    firstBits = (key.bits &- 1) & 7
    block = pieces.take(length)
    mask = Mask(in: &pieces)
    digest = pieces.take(SHA256.digestSize)
  }

  /// Where the number begins. With whole bytes, all eight bits of the first one are its.
  private var start: UnsafeMutableRawPointer { firstBits == 0 ? block + 1 : block }
  private var firstMask: UInt8 { firstBits == 0 ? 0xff : (1 &<< UInt8(truncatingIfNeeded: firstBits)) &- 1 }
  private var hash: UnsafeMutableRawPointer { block + length - 1 - SHA256.digestSize }
  private var salt: UnsafeMutableRawPointer { hash - Self.saltSize }
  private var trailer: UnsafeMutableRawPointer { block + length - 1 }
  private static var trailerByte: UInt8 { 0xbc }

  /// - Parameters:
  ///   - message: the digest, 32 bytes.
  ///   - random: `saltSize` bytes.
  func encode(_ message: UnsafeRawPointer, salt random: UnsafeRawPointer) {
    block.initializeMemory(as: UInt8.self, repeating: 0, count: length)
    (salt - 1).storeBytes(of: 1, as: UInt8.self)
    salt.copyMemory(from: random, byteCount: Self.saltSize)
    makeHash(of: message, into: hash)
    trailer.storeBytes(of: Self.trailerByte, as: UInt8.self)
    applyMask()
  }

  /// Whether the block, which is then unmasked, is one of this digest.
  func isRight(_ message: UnsafeRawPointer) -> Bool {
    guard trailer.load(as: UInt8.self) == Self.trailerByte, start == block || block.load(as: UInt8.self) == 0,
      start.load(as: UInt8.self) & ~firstMask == 0
    else { return false }
    applyMask()
    for place in 0..<salt - 1 - start where start.load(fromByteOffset: place, as: UInt8.self) != 0 { return false }
    guard (salt - 1).load(as: UInt8.self) == 1 else { return false }
    makeHash(of: message, into: digest)
    return ConstantTime.isEqual(digest, hash, count: SHA256.digestSize)
  }

  private func applyMask() {
    mask.apply(hash, SHA256.digestSize, to: start, hash - start)
    start.storeBytes(of: start.load(as: UInt8.self) & firstMask, as: UInt8.self)
  }

  private func makeHash(of message: UnsafeRawPointer, into place: UnsafeMutableRawPointer) {
    let sha256 = SHA256(at: mask.hash)
    withUnsafeBytes(of: UInt64(0)) { sha256.absorb($0.baseAddress!, count: 8) }
    sha256.absorb(message, count: SHA256.digestSize)
    sha256.absorb(salt, count: Self.saltSize)
    sha256.finish(into: place)
  }
}
