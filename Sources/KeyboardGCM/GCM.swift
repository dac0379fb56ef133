// Galois/Counter Mode with nonces of 96 bits: what is the same for every block cipher and every way to run it.
// SPDX-License-Identifier: Apache-2.0

import KeyboardGHASH

/// Sizes, the tag, and the sum with a mask.
///
/// - Source: NIST SP 800-38D §6.5, §7.
package enum GCM {
  /// Bytes in a nonce: 12.
  package static var nonceSize: Int { 12 }

  /// Bytes in a tag, and in a block of the cipher: 16.
  package static var tagSize: Int { 16 }

  static var blockSize: Int { 16 }

  /// Leaves the tag of a ciphertext.
  ///
  /// - Parameters:
  ///   - hashKey: the cipher's block of zeros, encrypted.
  ///   - mask: the block with the counter 1, encrypted.
  ///   - tag: gets `tagSize` bytes; nothing else that is given, at a multiple of 8.
  ///   - scratch: `GHASH.scratchSize` bytes.
  @inline(never) @export(interface)
  package static func makeTag(
    of ciphertext: UnsafeRawBufferPointer, _ additionalData: UnsafeRawBufferPointer, hashKey: UnsafeRawPointer,
    mask: UnsafeRawPointer, into tag: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer
  ) {
    GHASH.digest(key: hashKey, additionalData: additionalData, text: ciphertext, into: tag, scratch: scratch)
    add(mask, to: UnsafeRawBufferPointer(start: tag, count: tagSize), into: tag)
  }

  /// Adds a mask to a text, eight bytes at a time.
  @inline(never) @export(interface)
  package static func add(
    _ mask: UnsafeRawPointer, to text: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer
  ) {
    var offset = 0
    while offset &+ 8 <= text.count {
      let sum =
        text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        ^ mask.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      output.storeBytes(of: sum, toByteOffset: offset, as: UInt64.self)
      offset &+= 8
    }
    while offset < text.count {
      let sum = text.load(fromByteOffset: offset, as: UInt8.self) ^ mask.load(fromByteOffset: offset, as: UInt8.self)
      output.storeBytes(of: sum, toByteOffset: offset, as: UInt8.self)
      offset &+= 1
    }
  }
}
