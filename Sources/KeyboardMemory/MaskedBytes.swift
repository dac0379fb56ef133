// Secrets at rest: a password while it is typed, a key between two uses.
// SPDX-License-Identifier: Apache-2.0

internal import Builtin
internal import CKeyboardPlatform
package import KeyboardCodes

/// Bytes that are kept XORed with a random pad, which lies next to them.
///
/// This is not encryption: a reader of all memory has the pad too. It defeats searches, dumps of single buffers and
/// careless copies, because none of them contains the secret. The secret is read byte by byte, or into a `Workspace`.
///
///     ├─ bytes XOR pad (capacity) ─┼─ pad (capacity) ─┤
///
/// This is a view. The owner of the memory wipes it.
package struct MaskedBytes {
  private let masked: UnsafeMutableRawPointer
  private let pad: UnsafeMutableRawPointer
  package let capacity: Int

  /// Bytes of memory that `capacity` secret bytes take.
  package static func byteCount(capacity: Int) -> Int { 2 * capacity }

  package init(at memory: UnsafeMutableRawPointer, capacity: Int) {
    masked = memory
    pad = memory + capacity
    self.capacity = capacity
  }

  /// Forgets the bytes and draws a new pad.
  ///
  /// - Throws: `.memory`, `.random`; the bytes are then unchanged.
  package func reset() throws(KeyboardError) {
    let workspace = try Workspace()
    var stream = try workspace.randomStream(byteCount: capacity)
    reset(using: &stream)
  }

  /// The same, from a stream that is there already.
  package func reset(using stream: inout RandomStream) {
    stream.fill(UnsafeMutableRawBufferPointer(start: pad, count: capacity))
    keyboard_wipe(masked, capacity)
  }

  /// The byte at `index`, unmasked; setting it masks it.
  package subscript(index: Int) -> UInt8 {
    get {
      masked.load(fromByteOffset: index, as: UInt8.self) ^ pad.load(fromByteOffset: index, as: UInt8.self)
    }
    nonmutating set {
      let padByte = pad.load(fromByteOffset: index, as: UInt8.self)
      masked.storeBytes(of: newValue ^ padByte, toByteOffset: index, as: UInt8.self)
    }
  }

  /// Masks `source` into the places from `offset` on, which must exist.
  package func store(_ source: UnsafeRawBufferPointer, at offset: Int) {
    for i in 0..<source.count { self[offset + i] = source[i] }
  }

  /// Unmasks the first `count` bytes into `destination`: sixteen at a time, so that a cipher which reads blocks of as
  /// many does not have to wait for halves of one.
  package func unmask(count: Int, into destination: UnsafeMutableRawPointer) {
    var i = 0
    while i <= count &- 16 {
      let words = masked.loadUnaligned(fromByteOffset: i, as: SIMD2<UInt64>.self)
      let padWords = pad.loadUnaligned(fromByteOffset: i, as: SIMD2<UInt64>.self)
      var unmasked = SIMD2<UInt64>()
      unmasked._storage._value = Builtin.xor_Vec2xInt64(words._storage._value, padWords._storage._value)
      destination.storeBytes(of: unmasked, toByteOffset: i, as: SIMD2<UInt64>.self)
      i &+= 16
    }
    while i <= count &- 8 {
      let word = masked.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      let padWord = pad.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      destination.storeBytes(of: word ^ padWord, toByteOffset: i, as: UInt64.self)
      i &+= 8
    }
    while i < count {
      destination.storeBytes(of: self[i], toByteOffset: i, as: UInt8.self)
      i &+= 1
    }
  }

  /// Whether the first `count` bytes are those of another.
  ///
  /// - Timing: depends on `count` only.
  package func isEqual(to other: MaskedBytes, count: Int) -> Bool {
    ConstantTime.isEqual(masked, pad: pad, other.masked, otherPad: other.pad, count: count)
  }

  /// Overwrites the bytes in `range`: they read as zero from then on.
  package func wipe(_ range: Range<Int>) {
    for i in range { self[i] = 0 }
  }
}
