// OAEP with SHA-256 and an empty label: the padding of a message of known length. And MGF1, which PSS needs, too.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory
import KeyboardSHA2

/// A padded message, in the caller's memory:
///
///     00 ‖ seed(32) ‖ SHA-256("")(32) ‖ 00 … 00 ‖ 01 ‖ message, of which all but the first byte is masked
///
/// - Source: RFC 8017 §7.1.
struct OAEP {
  let block: UnsafeMutableRawPointer
  /// Bytes in the block: as many as the modulus has.
  let length: Int
  private let mask: Mask
  private let digest: UnsafeMutableRawPointer

  /// Bytes of `pieces` that it takes.
  static var byteCount: Int { Pieces.size(RSA.lengths.upperBound) + Mask.byteCount + Pieces.size(SHA256.digestSize) }

  init(length: Int, in pieces: inout Pieces) {
    self.length = length
    block = pieces.take(length)
    mask = Mask(in: &pieces)
    digest = pieces.take(SHA256.digestSize)
  }

  private var seed: UnsafeMutableRawPointer { block + 1 }
  private var data: UnsafeMutableRawPointer { seed + SHA256.digestSize }
  private var dataSize: Int { length &- 1 &- SHA256.digestSize }

  private func maskData() { mask.apply(seed, SHA256.digestSize, to: data, dataSize) }
  private func maskSeed() { mask.apply(data, dataSize, to: seed, SHA256.digestSize) }

  /// - Parameters:
  ///   - message: `byteCount` bytes, at most `length` - 66.
  ///   - random: 32 bytes.
  func encode(_ message: UnsafeRawPointer, byteCount: Int, seed random: UnsafeRawPointer) {
    block.initializeMemory(as: UInt8.self, repeating: 0, count: length)
    seed.copyMemory(from: random, byteCount: SHA256.digestSize)
    mask.hashNothing(into: data)
    let end = block + length
    (end - byteCount - 1).storeBytes(of: 1, as: UInt8.self)
    (end - byteCount).copyMemory(from: message, byteCount: byteCount)
    maskData()
    maskSeed()
  }

  /// Unmasks the block, and copies its last `byteCount` bytes, whatever they are.
  ///
  /// - Returns: 0 if they are a message of that length. One verdict, on all bytes before the message.
  /// - Timing: depends on the lengths.
  @inline(never)
  func decode(into message: UnsafeMutableRawPointer, byteCount: Int) -> UInt8 {
    maskSeed()
    maskData()
    mask.hashNothing(into: digest)
    let rest = dataSize &- SHA256.digestSize &- 1 &- byteCount  // zeros
    guard rest >= 0 else { return 1 }
    var fault = block.load(as: UInt8.self)
    for i in 0..<SHA256.digestSize {
      fault |= data.load(fromByteOffset: i, as: UInt8.self) ^ digest.load(fromByteOffset: i, as: UInt8.self)
    }
    let zeros = data + SHA256.digestSize
    for i in 0..<rest { fault |= zeros.load(fromByteOffset: i, as: UInt8.self) }
    fault |= zeros.load(fromByteOffset: rest, as: UInt8.self) ^ 1
    message.copyMemory(from: block + length - byteCount, byteCount: byteCount)
    return fault
  }
}

/// MGF1 with SHA-256.
///
/// - Timing: depends on the lengths.
/// - Source: RFC 8017 B.2.1.
struct Mask {
  let hash: UnsafeMutableRawPointer
  private let digest: UnsafeMutableRawPointer

  static var byteCount: Int { Pieces.size(SHA256.byteCount) + Pieces.size(SHA256.digestSize) }

  init(in pieces: inout Pieces) {
    hash = pieces.take(SHA256.byteCount)
    digest = pieces.take(SHA256.digestSize)
  }

  /// Masks `byteCount` bytes with what follows from a seed of `seedSize` bytes. Once more, and they are as before.
  @inline(never)
  func apply(_ seed: UnsafeRawPointer, _ seedSize: Int, to bytes: UnsafeMutableRawPointer, _ byteCount: Int) {
    var (place, counter) = (0, UInt32(0))
    while place < byteCount {
      let sha256 = SHA256(at: hash)
      sha256.absorb(seed, count: seedSize)
      withUnsafeBytes(of: counter.bigEndian) { sha256.absorb($0.baseAddress!, count: 4) }
      sha256.finish(into: digest)
      for i in 0..<min(SHA256.digestSize, byteCount &- place) {
        let byte = bytes.load(fromByteOffset: place &+ i, as: UInt8.self)
        bytes.storeBytes(
          of: byte ^ digest.load(fromByteOffset: i, as: UInt8.self), toByteOffset: place &+ i, as: UInt8.self)
      }
      place &+= SHA256.digestSize
      counter &+= 1
    }
  }

  /// SHA-256 of an empty label.
  func hashNothing(into place: UnsafeMutableRawPointer) { SHA256(at: hash).finish(into: place) }
}
