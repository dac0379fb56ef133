// Argon2id, version 1.3: RFC 9106. A hash that takes as much memory as it is told, so that each guess is expensive.
//
// Everything works on the caller's memory. The lanes are computed one after another: a phone's keyboard and a server
// with many logins have no use for more threads.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardArgon2Block

extension Argon2id {
  /// What goes into a hash. Each has any number of bytes at any address.
  package struct Input {
    package var password: UnsafeRawBufferPointer
    package var salt: UnsafeRawBufferPointer
    /// K, also known as the pepper.
    package var secret: UnsafeRawBufferPointer
    /// X.
    package var associatedData: UnsafeRawBufferPointer

    package init(
      password: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer,
      associatedData: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
      (self.password, self.salt) = (password, salt)
      (self.secret, self.associatedData) = (secret, associatedData)
    }
  }

  /// Bytes of memory that a hash takes: m KiB.
  package var byteCount: Int { memorySize &* Argon2Block.byteCount }

  /// Bytes of scratch memory that a hash takes.
  package static var scratchSize: Int { Argon2Fill.scratchSize + BLAKE2b.byteCount + Seed.byteCount }

  // The hash, which RFC 9106 calls the tag, is made in four steps, on the same memory:
  //
  //   memory      `byteCount` bytes aligned to 8, or better to 64. They hold secrets afterwards.
  //   scratch     `scratchSize` bytes aligned to 8, or better to 64. They hold secrets afterwards.
  //
  // The short ones hold what the password could be guessed from; the long one does not have to hold signals back.

  /// The first step: takes the input, which is not read again. Short. It needs no `memory`, so that nobody has to wait
  /// for that with a password in the clear.
  ///
  /// - Parameter tagSize: as many bytes as `finish` will write, at least 4.
  /// - Timing: depends on the lengths.
  /// - Source: RFC 9106 §3.2, step 1.
  @_optimize(size) @inline(never)
  package func take(_ input: Input, tagSize: Int, scratch: UnsafeMutableRawPointer) {
    precondition(laneCount >= 1 && passCount >= 1 && memorySize >= 8 * laneCount && tagSize >= 4)
    let blake2b = BLAKE2b(at: scratch + Argon2Fill.scratchSize)
    Seed(at: scratch + Argon2Fill.scratchSize + BLAKE2b.byteCount).begin(self, input, tagSize: tagSize, with: blake2b)
    blake2b.forget()
  }

  /// The second step: makes the first two blocks of each lane. Short.
  ///
  /// - Timing: depends on the costs.
  /// - Source: RFC 9106 §3.2, steps 2 to 4.
  @_optimize(size) @inline(never)
  package func begin(memory: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer) {
    let fill = Argon2Fill(self, memory: memory, scratch: scratch, path: .portable)
    let blake2b = BLAKE2b(at: scratch + Argon2Fill.scratchSize)
    let seed = Seed(at: scratch + Argon2Fill.scratchSize + BLAKE2b.byteCount)
    for lane in 0..<laneCount {
      for column in 0..<2 {
        seed.choose(column: column, lane: lane)
        let block = UnsafeMutableRawBufferPointer(start: fill.block(lane, column), count: Argon2Block.byteCount)
        blake2b.digest(seed.bytes, into: block)
      }
    }
  }

  /// The third step, which takes all the time.
  ///
  /// - Timing: depends on the costs; and, from the second half of the first pass on, on which blocks of the memory are
  ///   in which cache.
  /// - Source: RFC 9106 §3.2, steps 5 and 6.
  package func fill(memory: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer) {
    fill(memory: memory, scratch: scratch, on: .current)
  }

  func fill(memory: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer, on path: VectorPath) {
    Argon2Fill(self, memory: memory, scratch: scratch, path: path).run()
  }

  /// The fourth step: writes the tag. Short.
  ///
  /// - Parameter tag: at least 4 bytes, outside the other memory.
  /// - Timing: depends on the lengths.
  /// - Source: RFC 9106 §3.2, steps 7 and 8.
  @_optimize(size) @inline(never)
  package func finish(
    into tag: UnsafeMutableRawBufferPointer, memory: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer
  ) {
    let fill = Argon2Fill(self, memory: memory, scratch: scratch, path: .portable)
    let blake2b = BLAKE2b(at: scratch + Argon2Fill.scratchSize)
    blake2b.digest(UnsafeRawBufferPointer(start: fill.sum(), count: Argon2Block.byteCount), into: tag)
  }
}

/// H0 with the numbers of a block behind it: what the first two blocks of a lane are made from.
///
///     0     64       68      72
///     ├ H0 ─┼ column ┼ lane ─┤
private struct Seed {
  static var byteCount: Int { BLAKE2b.longestDigestSize + 8 }
  private let memory: UnsafeMutableRawPointer

  init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: Self.byteCount) }

  /// H0. (RFC 9106 §3.2, step 1)
  func begin(_ costs: Argon2id, _ input: Argon2id.Input, tagSize: Int, with blake2b: BLAKE2b) {
    let version: UInt32 = 0x13
    blake2b.begin(digestSize: BLAKE2b.longestDigestSize)
    blake2b.absorb(UInt32(truncatingIfNeeded: costs.laneCount))
    blake2b.absorb(UInt32(truncatingIfNeeded: tagSize))
    blake2b.absorb(UInt32(truncatingIfNeeded: costs.memorySize))
    blake2b.absorb(UInt32(truncatingIfNeeded: costs.passCount))
    blake2b.absorb(version)
    blake2b.absorb(Argon2Fill.type)
    blake2b.absorb(counted: input.password)
    blake2b.absorb(counted: input.salt)
    blake2b.absorb(counted: input.secret)
    blake2b.absorb(counted: input.associatedData)
    blake2b.finish(into: memory)
  }

  func choose(column: Int, lane: Int) {
    memory.storeBytes(of: UInt32(truncatingIfNeeded: column).littleEndian, toByteOffset: 64, as: UInt32.self)
    memory.storeBytes(of: UInt32(truncatingIfNeeded: lane).littleEndian, toByteOffset: 68, as: UInt32.self)
  }
}

extension BLAKE2b {
  /// Appends a number of 32 bits, the lowest byte first.
  @inline(never)
  fileprivate func absorb(_ number: UInt32) { withUnsafeBytes(of: number.littleEndian) { absorb($0) } }

  /// Appends the number of bytes, and the bytes.
  fileprivate func absorb(counted bytes: UnsafeRawBufferPointer) {
    absorb(UInt32(truncatingIfNeeded: bytes.count))
    absorb(bytes)
  }

  /// A digest of any length: the function H'. (RFC 9106 §3.3)
  fileprivate func digest(_ message: UnsafeRawBufferPointer, into digest: UnsafeMutableRawBufferPointer) {
    var place = digest.baseAddress!
    var rest = digest.count
    begin(digestSize: min(rest, Self.longestDigestSize))
    absorb(UInt32(truncatingIfNeeded: rest))
    absorb(message)
    finish(into: place)
    // Each digest lies on the second half of the one before it, which it was made from.
    let step = Self.longestDigestSize / 2
    while rest > Self.longestDigestSize {
      rest &-= step
      begin(digestSize: min(rest, Self.longestDigestSize))
      absorb(UnsafeRawBufferPointer(start: place, count: Self.longestDigestSize))
      place += step
      finish(into: place)
    }
  }
}
