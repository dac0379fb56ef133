// HMAC with SHA-256 under a key that is used many times: the two blocks of the key are hashed once.
// SPDX-License-Identifier: Apache-2.0

import KeyboardSHA2

/// A key of HMAC: a view of memory that its owner wipes.
///
///     ├ inner: SHA-256 after key ⊕ ipad ┼ outer: after key ⊕ opad ┤
///
/// - Timing: depends on the lengths only.
/// - Source: RFC 2104.
struct MACKey {
  let memory: UnsafeMutableRawPointer

  static var keySize: Int { 32 }
  static var byteCount: Int { 2 * SHA256.digestSize }
  /// Bytes of memory for `setUp`.
  static var scratchSize: Int { SHA256.byteCount + SHA256.blockSize }

  fileprivate var inner: UnsafeMutableRawPointer { memory }
  fileprivate var outer: UnsafeMutableRawPointer { memory + SHA256.digestSize }

  /// - Parameters:
  ///   - key: `keySize` bytes.
  ///   - scratch: `scratchSize` bytes of locked memory aligned to 8, which are not wiped.
  func setUp(_ key: UnsafeRawPointer, scratch: UnsafeMutableRawPointer) {
    prepare(inner, key, pad: 0x36, scratch)
    prepare(outer, key, pad: 0x5c, scratch)
  }

  private func prepare(
    _ state: UnsafeMutableRawPointer, _ key: UnsafeRawPointer, pad: UInt8, _ scratch: UnsafeMutableRawPointer
  ) {
    let block = scratch + SHA256.byteCount
    for i in 0..<SHA256.blockSize {
      let byte = i < Self.keySize ? key.load(fromByteOffset: i, as: UInt8.self) : 0
      block.storeBytes(of: byte ^ pad, toByteOffset: i, as: UInt8.self)
    }
    let sha256 = SHA256(at: scratch)
    sha256.absorb(block, count: SHA256.blockSize)
    sha256.copyState(to: state)
  }
}

/// One computation under a `MACKey`.
struct MAC {
  private let key: MACKey
  private let memory: UnsafeMutableRawPointer
  private let inner: SHA256

  static var tagSize: Int { SHA256.digestSize }
  /// Bytes of locked memory for a computation.
  static var byteCount: Int { SHA256.byteCount }

  /// - Parameter memory: `byteCount` bytes aligned to 8.
  init(_ key: MACKey, at memory: UnsafeMutableRawPointer) {
    self.key = key
    self.memory = memory
    inner = SHA256(at: memory, after: key.inner, blocks: 1)
  }

  func absorb(_ bytes: UnsafeRawPointer, count: Int) { inner.absorb(bytes, count: count) }
  func absorb(_ text: StaticString) { absorb(text.utf8Start, count: text.utf8CodeUnitCount) }

  /// - Parameter tag: `tagSize` bytes outside the computation's memory.
  func finish(into tag: UnsafeMutableRawPointer) {
    inner.finish(into: tag)
    let outer = SHA256(at: memory, after: key.outer, blocks: 1)
    outer.absorb(tag, count: Self.tagSize)
    outer.finish(into: tag)
  }
}
