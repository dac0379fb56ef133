// AES-256 in Galois/Counter Mode, under a key that is set up once: for a sealed text, or for all texts of a vault.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardMbedTLS
import KeyboardGHASH
package import KeyboardMemory

/// A key, and what is computed with it: a view of memory that its owner wipes. mbedTLS's own GCM would keep the key
/// schedule on the heap.
///
///     ├ key schedule ┼ H ┼ counter ┼ stream ┼ tag ┼ ends ┤
///
/// Texts and additional data are read more than once. Where another thread may change them, the caller passes copies.
///
/// - Timing: depends on the lengths only, and `open` on its verdict. AES looks up tables if the processor has no AES
///   instructions.
/// - Source: NIST SP 800-38D §7.
package struct AESGCM {
  private let aes: UnsafeMutablePointer<mbedtls_aes_context>
  private let hashKey: UnsafeMutableRawPointer
  private let counter: UnsafeMutableRawPointer
  private let stream: UnsafeMutableRawPointer
  private let tag: UnsafeMutableRawPointer
  private let ends: UnsafeMutableRawPointer

  package static var keySize: Int { 32 }

  private static var aesSize: Int { MemoryLayout<mbedtls_aes_context>.size }

  /// Bytes of memory.
  @inline(never) @export(interface)
  package static var byteCount: Int { Pieces.byteCount { _ = AESGCM(in: &$0) } }

  @inline(never) @export(interface)
  package init(in pieces: inout Pieces) {
    aes = pieces.take(Self.aesSize).bindMemory(to: mbedtls_aes_context.self, capacity: 1)
    hashKey = pieces.take(GCM.blockSize)
    counter = pieces.take(GCM.blockSize)
    stream = pieces.take(GCM.blockSize)
    tag = pieces.take(GCM.blockSize)
    ends = pieces.take(GHASH.scratchSize)
  }

  /// - Parameter key: `keySize` bytes. mbedTLS keeps the schedule inside the context, and cannot fail here.
  @inline(never) @export(interface)
  package func setKey(_ key: UnsafeRawPointer) {
    mbedtls_aes_init(aes)
    _ = mbedtls_aes_setkey_enc(aes, key.assumingMemoryBound(to: UInt8.self), 256)
    hashKey.initializeMemory(as: UInt8.self, repeating: 0, count: GCM.blockSize)
    encryptBlock(hashKey)
  }

  /// Encrypts a text, and makes the tag for it and for the additional data.
  ///
  /// - Parameters:
  ///   - text: any number of bytes at any address.
  ///   - nonce: `GCM.nonceSize` bytes at any address, different each time under a key.
  ///   - output: gets as many bytes as the text has; `text` itself, or not overlapping it. It overlaps neither the
  ///     additional data nor the tag.
  ///   - tag: gets `GCM.tagSize` bytes at any address.
  @inline(never) @export(interface)
  package func seal(
    _ text: UnsafeRawBufferPointer, nonce: UnsafeRawPointer, additionalData: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawPointer, tag: UnsafeMutableRawPointer
  ) {
    crypt(text, nonce: nonce, into: output)
    makeTag(of: UnsafeRawBufferPointer(start: output, count: text.count), nonce: nonce, additionalData)
    tag.copyMemory(from: self.tag, byteCount: GCM.tagSize)
  }

  /// Decrypts a ciphertext if the tag is right, and writes nothing otherwise.
  ///
  /// - Returns: whether the tag is right.
  /// - Timing: not on how much of a wrong tag is right.
  @inline(never) @export(interface)
  package func open(
    _ ciphertext: UnsafeRawBufferPointer, tag: UnsafeRawPointer, nonce: UnsafeRawPointer,
    additionalData: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer
  ) -> Bool {
    makeTag(of: ciphertext, nonce: nonce, additionalData)
    guard ConstantTime.isEqual(self.tag, tag, count: GCM.tagSize) else { return false }
    crypt(ciphertext, nonce: nonce, into: output)
    return true
  }

  /// Counter mode from the second counter on.
  private func crypt(_ text: UnsafeRawBufferPointer, nonce: UnsafeRawPointer, into output: UnsafeMutableRawPointer) {
    guard let start = text.baseAddress, !text.isEmpty else { return }
    setCounter(2, nonce)
    var offset = 0
    _ = mbedtls_aes_crypt_ctr(
      aes, text.count, &offset, counter.assumingMemoryBound(to: UInt8.self), stream.assumingMemoryBound(to: UInt8.self),
      start.assumingMemoryBound(to: UInt8.self), output.assumingMemoryBound(to: UInt8.self))
  }

  private func makeTag(
    of ciphertext: UnsafeRawBufferPointer, nonce: UnsafeRawPointer, _ additionalData: UnsafeRawBufferPointer
  ) {
    setCounter(1, nonce)
    encryptBlock(counter)
    GCM.makeTag(of: ciphertext, additionalData, hashKey: hashKey, mask: counter, into: tag, scratch: ends)
  }

  private func setCounter(_ number: UInt32, _ nonce: UnsafeRawPointer) {
    counter.copyMemory(from: nonce, byteCount: GCM.nonceSize)
    counter.storeBytes(of: number.bigEndian, toByteOffset: GCM.nonceSize, as: UInt32.self)
  }

  private func encryptBlock(_ block: UnsafeMutableRawPointer) {
    let bytes = block.assumingMemoryBound(to: UInt8.self)
    _ = mbedtls_aes_crypt_ecb(aes, MBEDTLS_AES_ENCRYPT, bytes, bytes)
  }
}
