// HMAC with SHA-512, on memory that belongs to the caller. One key serves many tags, as PBKDF2 and HKDF need it.
// SPDX-License-Identifier: Apache-2.0

/// HMAC with SHA-512: a view of memory that the caller wipes.
///
///     0                            64                            128       968     1096
///     ├─ SHA-512 after key ⊕ ipad ─┼─ SHA-512 after key ⊕ opad ─┼─ SHA512 ─┼─ block ─┤
///
/// - Timing: depends on the lengths only.
/// - Source: RFC 2104, RFC 4231.
package struct HMAC512 {
  private let memory: UnsafeMutableRawPointer
  private var working: SHA512

  /// Bytes of memory: 1,096.
  package static var byteCount: Int { workingOffset + SHA512.byteCount + SHA512.blockSize }

  private static var workingOffset: Int { 2 * SHA512.digestSize }
  private var inner: UnsafeMutableRawPointer { memory }
  private var outer: UnsafeMutableRawPointer { memory + SHA512.digestSize }

  /// Begins a tag.
  ///
  /// - Parameters:
  ///   - key: of any length, outside the memory. Of more than 128 bytes, the digest is the key.
  ///   - memory: `byteCount` bytes aligned to 8.
  @inline(never) @export(interface)
  package init(key: UnsafeRawBufferPointer, at memory: UnsafeMutableRawPointer) {
    self.memory = memory
    let place = memory + Self.workingOffset
    let block = place + SHA512.byteCount
    block.initializeMemory(as: UInt8.self, repeating: 0, count: SHA512.blockSize)
    working = SHA512(at: place)
    if let start = key.baseAddress, key.count > SHA512.blockSize {
      working.absorb(start, count: key.count)
      working.finish(into: block)
    } else if let start = key.baseAddress {
      block.copyMemory(from: start, byteCount: key.count)
    }
    working = Self.prepare(memory, block, 0x36, place)
    working = Self.prepare(memory + SHA512.digestSize, block, 0x36 ^ 0x5c, place)
    working = SHA512(at: place, after: inner, blocks: 1)
  }

  private static func prepare(
    _ state: UnsafeMutableRawPointer, _ block: UnsafeMutableRawPointer, _ pad: UInt8, _ place: UnsafeMutableRawPointer
  ) -> SHA512 {
    for i in 0..<SHA512.blockSize {
      let byte = block.load(fromByteOffset: i, as: UInt8.self)
      block.storeBytes(of: byte ^ pad, toByteOffset: i, as: UInt8.self)
    }
    let sha512 = SHA512(at: place)
    sha512.absorb(block, count: SHA512.blockSize)
    sha512.copyState(to: state)
    return sha512
  }

  @inline(never) @export(interface)
  package func absorb(_ bytes: UnsafeRawPointer, count: Int) { working.absorb(bytes, count: count) }
  @inline(never) @export(interface)
  package func absorb(_ bytes: UnsafeRawBufferPointer) { working.absorb(bytes) }
  @inline(never) @export(interface)
  package func absorb(_ text: StaticString) { working.absorb(text) }
  @inline(never) @export(interface)
  package func absorb(_ byte: UInt8) { working.absorb(byte) }

  /// Two bytes, big-endian: the RFCs' I2OSP(number, 2).
  @inline(never) @export(interface)
  package func absorb(_ number: UInt16) { working.absorb(number) }

  /// Ends the tag, and begins another one under the same key.
  ///
  /// - Parameter tag: 64 bytes outside the memory; they may be anything that was absorbed.
  @inline(never) @export(interface)
  package mutating func finish(into tag: UnsafeMutableRawPointer) {
    working.finish(into: tag)
    let place = memory + Self.workingOffset
    working = SHA512(at: place, after: outer, blocks: 1)
    working.absorb(tag, count: SHA512.digestSize)
    working.finish(into: tag)
    working = SHA512(at: place, after: inner, blocks: 1)
  }

  /// HKDF's expansion of this key: from HKDF's extraction, or any key that is uniform.
  ///
  /// - Parameters:
  ///   - info, label: what the output is for, one after the other.
  ///   - output: gets `digestCount` digests, outside the memory.
  /// - Source: RFC 5869 §2.3.
  @inline(never) @export(interface)
  package mutating func expand(
    _ info: UnsafeRawBufferPointer, _ label: StaticString, digestCount: Int = 1, into output: UnsafeMutableRawPointer
  ) {
    for i in 0..<digestCount {
      let digest = output + i &* SHA512.digestSize
      if i > 0 { absorb(digest - SHA512.digestSize, count: SHA512.digestSize) }
      absorb(info)
      absorb(label)
      absorb(UInt8(truncatingIfNeeded: i &+ 1))
      finish(into: digest)
    }
  }
}
