// HMAC with SHA-256, on memory that belongs to the caller.
// SPDX-License-Identifier: Apache-2.0

/// HMAC with SHA-256: a view of memory that the caller wipes.
///
/// - Timing: depends on the lengths only.
/// - Source: RFC 2104.
package struct HMAC {
  private let inner: SHA256
  private let outer: SHA256

  /// Two computations, and a block.
  package static var byteCount: Int { 2 * SHA256.byteCount + SHA256.blockSize }

  /// - Parameters:
  ///   - key: at most 64 bytes.
  ///   - memory: `byteCount` bytes aligned to 8.
  @inline(never) @export(interface)
  package init(key: UnsafeRawBufferPointer, at memory: UnsafeMutableRawPointer) {
    precondition(key.count <= SHA256.blockSize)
    inner = SHA256(at: memory)
    outer = SHA256(at: memory + SHA256.byteCount)
    let block = memory + 2 * SHA256.byteCount
    block.initializeMemory(as: UInt8.self, repeating: 0x36, count: SHA256.blockSize)
    for i in 0..<key.count {
      block.storeBytes(of: key[i] ^ 0x36, toByteOffset: i, as: UInt8.self)
    }
    inner.absorb(block, count: SHA256.blockSize)
    for i in 0..<SHA256.blockSize {
      let byte = block.load(fromByteOffset: i, as: UInt8.self)
      block.storeBytes(of: byte ^ 0x36 ^ 0x5c, toByteOffset: i, as: UInt8.self)
    }
    outer.absorb(block, count: SHA256.blockSize)
  }

  /// Goes on from where another computation was that had taken its key, and nothing else: so a key that is used many
  /// times is hashed once.
  ///
  /// - Parameters:
  ///   - state: what `copyState` has written.
  ///   - memory: as above.
  @inline(never) @export(interface)
  package init(after state: UnsafeRawPointer, at memory: UnsafeMutableRawPointer) {
    inner = SHA256(at: memory, after: state, blocks: 1)
    outer = SHA256(at: memory + SHA256.byteCount, after: state + SHA256.digestSize, blocks: 1)
  }

  /// Bytes of a state: 64.
  package static var stateSize: Int { 2 * SHA256.digestSize }

  /// Writes the state before anything was absorbed, `stateSize` bytes.
  @inline(never) @export(interface)
  package func copyState(to place: UnsafeMutableRawPointer) {
    inner.copyState(to: place)
    outer.copyState(to: place + SHA256.digestSize)
  }

  @inline(never) @export(interface)
  package func absorb(_ bytes: UnsafeRawPointer, count: Int) { inner.absorb(bytes, count: count) }
  @inline(never) @export(interface)
  package func absorb(_ bytes: UnsafeRawBufferPointer) {
    if let start = bytes.baseAddress { absorb(start, count: bytes.count) }
  }
  @inline(never) @export(interface)
  package func absorb(_ text: StaticString) { absorb(text.utf8Start, count: text.utf8CodeUnitCount) }
  @inline(never) @export(interface)
  package func absorb(_ byte: UInt8) { withUnsafeBytes(of: byte) { absorb($0) } }

  /// Two bytes, big-endian: the RFCs' I2OSP(number, 2).
  @inline(never) @export(interface)
  package func absorb(_ number: UInt16) { withUnsafeBytes(of: number.bigEndian) { absorb($0) } }

  /// - Parameter tag: 32 bytes; they may be the key, and anything that was absorbed.
  @inline(never) @export(interface)
  package func finish(into tag: UnsafeMutableRawPointer) {
    inner.finish(into: tag)
    outer.absorb(tag, count: SHA256.digestSize)
    outer.finish(into: tag)
  }
}
