// HMAC with SHA-256 under a key that is used many times: the two blocks of the key are hashed once.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardMbedTLS

/// A key of HMAC: a view of memory that its owner wipes.
///
///     ├ inner: SHA-256 after key ⊕ ipad ┼ outer: after key ⊕ opad ┤
///
/// - Timing: depends on the lengths only.
/// - Source: RFC 2104.
struct MACKey {
  let memory: UnsafeMutableRawPointer

  static var keySize: Int { 32 }
  static var byteCount: Int { 2 * contextSize }
  fileprivate static var contextSize: Int { (MemoryLayout<mbedtls_sha256_context>.size + 15) & ~15 }
  private static var blockSize: Int { 64 }

  /// - Parameters:
  ///   - key: `keySize` bytes.
  ///   - block: 64 bytes of locked memory, which are not wiped.
  func setUp(_ key: UnsafeRawPointer, block: UnsafeMutableRawPointer) {
    prepare(memory, key, pad: 0x36, block)
    prepare(memory + Self.contextSize, key, pad: 0x5c, block)
  }

  private func prepare(
    _ context: UnsafeMutableRawPointer, _ key: UnsafeRawPointer, pad: UInt8, _ block: UnsafeMutableRawPointer
  ) {
    for i in 0..<Self.blockSize {
      let byte = i < Self.keySize ? key.load(fromByteOffset: i, as: UInt8.self) : 0
      block.storeBytes(of: byte ^ pad, toByteOffset: i, as: UInt8.self)
    }
    let sha256 = context.bindMemory(to: mbedtls_sha256_context.self, capacity: 1)
    keyboard_sha256_begin(sha256)
    keyboard_sha256_absorb(sha256, block.assumingMemoryBound(to: UInt8.self), Self.blockSize)
  }
}

/// One computation under a `MACKey`.
struct MAC {
  private let inner: UnsafeMutablePointer<mbedtls_sha256_context>
  private let outer: UnsafeMutablePointer<mbedtls_sha256_context>

  static var tagSize: Int { 32 }
  /// Bytes of locked memory for a computation.
  static var byteCount: Int { MACKey.byteCount }

  init(_ key: MACKey, at memory: UnsafeMutableRawPointer) {
    memory.copyMemory(from: key.memory, byteCount: MACKey.byteCount)
    inner = memory.assumingMemoryBound(to: mbedtls_sha256_context.self)
    outer = (memory + MACKey.contextSize).assumingMemoryBound(to: mbedtls_sha256_context.self)
  }

  func absorb(_ bytes: UnsafeRawPointer, count: Int) {
    keyboard_sha256_absorb(inner, bytes.assumingMemoryBound(to: UInt8.self), count)
  }

  func absorb(_ text: StaticString) { absorb(text.utf8Start, count: text.utf8CodeUnitCount) }
  func absorb(_ byte: UInt8) { withUnsafeBytes(of: byte) { absorb($0.baseAddress!, count: 1) } }

  /// - Parameter tag: `tagSize` bytes.
  func finish(into tag: UnsafeMutableRawPointer) {
    let bytes = tag.assumingMemoryBound(to: UInt8.self)
    keyboard_sha256_finish(inner, bytes)
    keyboard_sha256_absorb(outer, bytes, Self.tagSize)
    keyboard_sha256_finish(outer, bytes)
  }
}
