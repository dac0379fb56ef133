// Random bytes without a system call each time: fast key erasure, as D. J. Bernstein describes it
// ("Fast-key-erasure random-number generators", 2017), over ChaCha20.
// SPDX-License-Identifier: Apache-2.0
//
// A generator is a key of 32 bytes from the system. A stream is that key's ChaCha20 output. Its first 32 bytes are the
// next key and replace the old one before anyone sees the rest, so a stolen key does not reveal earlier output. It does
// reveal later output, the next shuffle included: the key is a secret like a password.
//
// What can go wrong with generators in user space, and what prevents it here:
//
//     two threads share a state       each workspace has its own, and belongs to one thread while it is taken
//     a fork duplicates the stream    the kernel empties the state in the child; every draw is checked *after* it was
//                                     made, and made anew from a new seed if the state was emptied meanwhile
//                                     (where the kernel cannot, every stream takes a new seed)
//     never seeded                    an all-zero state is an unseeded one
//     a stolen state                  a new seed from the system after every megabyte

import CKeyboardPlatform
import KeyboardCodes
import Synchronization

/// The generator of a workspace: 64 bytes of locked memory that a fork empties.
///
///     0       8        16       24      32      64
///     ├ other ┼ budget ┼ seeded ┼ spare ┼─ key ─┤
struct RandomGenerator {
  private let memory: UnsafeMutableRawPointer

  init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  private static var bytesPerSeed: Int { 1 << 20 }

  var key: UnsafeMutableRawPointer { memory + 32 }

  /// How many bytes may still be drawn before the next seed; 0 at first.
  private var budget: Int {
    get { memory.load(fromByteOffset: 8, as: Int.self) }
    nonmutating set { memory.storeBytes(of: newValue, toByteOffset: 8, as: Int.self) }
  }

  /// Whether the key came from the system or from an earlier key. False again when a fork has emptied the memory: then
  /// whatever was computed from the key since the last look at this is worth nothing.
  var isSeeded: Bool { keyboard_read_again(memory + 16) == Mark.seeded }

  /// All zero at first and after a fork.
  private enum Mark {
    static var seeding: Int { 1 }
    static var seeded: Int { 2 }
  }

  private var mark: UnsafeMutablePointer<Atomic<Int>> {
    (memory + 16).assumingMemoryBound(to: Atomic<Int>.self)
  }

  /// Makes sure that there is a key to draw `byteCount` bytes from.
  ///
  /// - Throws: `.random`; the generator is then as it was, or unseeded.
  func prepare(byteCount: Int) throws(KeyboardError) {
    if budget <= 0 || !isSeeded || !SecureRegion.isEmptiedByFork { try seed() }
    budget -= min(byteCount, budget)
  }

  /// Takes a key from the system. A fork in the middle empties the mark, which is why the last step is one instruction
  /// that looks at it.
  ///
  /// - Throws: `.random`; the generator is then unseeded.
  func seed() throws(KeyboardError) {
    repeat {
      budget = 0
      mark.pointee.store(Mark.seeding, ordering: .relaxed)
      try SystemRandomness().fill(UnsafeMutableRawBufferPointer(start: key, count: ChaCha20.keySize))
      budget = Self.bytesPerSeed
    } while !mark.pointee.compareExchange(
      expected: Mark.seeding, desired: Mark.seeded, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// In the child of a fork where the system gives no randomness: lets the stream end. The call that uses it fails
  /// because its workspace was emptied, and the next stream takes a seed first.
  func finishWithoutSeed() {
    budget = 0
    mark.pointee.store(Mark.seeded, ordering: .relaxed)
  }
}

/// Random bytes that cannot fail to come. When it ends, its generator has the next key and nothing of the stream is
/// left.
///
/// - Timing: depends only on how much is drawn.
@usableFromInline
package struct RandomStream: ~Copyable, RandomSource {
  private let generator: RandomGenerator
  /// A batch: the next key, then bytes for small draws.
  private let buffer: UnsafeMutableRawPointer
  private var used: Int
  private var counter: UInt64

  static var bufferSize: Int { ChaCha20.batchSize }

  /// - Parameters:
  ///   - byteCount: about how many bytes will be drawn.
  ///   - buffer: `bufferSize` bytes for the stream alone until it ends; emptied by a fork like the generator.
  ///   - counter: where the stream goes on after its first batch. Only tests give another one.
  init(
    _ generator: RandomGenerator, byteCount: Int, buffer: UnsafeMutableRawPointer, counter: UInt64 = 4
  ) throws(KeyboardError) {
    try generator.prepare(byteCount: byteCount)
    self.generator = generator
    self.buffer = buffer
    used = ChaCha20.keySize
    self.counter = counter
    ChaCha20.batch(key: generator.key, counter: 0, into: buffer)
    if !generator.isSeeded { recover() }
  }

  /// Inlinable, because Embedded Swift needs the body in every module where a stream ends.
  @inlinable
  deinit { end() }

  @inline(never) @usableFromInline
  func end() {
    generator.key.copyMemory(from: buffer, byteCount: ChaCha20.keySize)
    keyboard_wipe(buffer, Self.bufferSize)
  }

  /// Fills the buffer: whole batches in place, the rest from the stream's own buffer.
  @inline(never)
  package mutating func fill(_ target: UnsafeMutableRawBufferPointer) {
    guard var place = target.baseAddress else { return }
    var left = target.count
    while left >= ChaCha20.batchSize {
      nextBatch(into: place)
      place += ChaCha20.batchSize
      left -= ChaCha20.batchSize
    }
    while left > 0 {
      if used == Self.bufferSize { refill() }
      let count = min(left, Self.bufferSize - used)
      place.copyMemory(from: buffer + used, byteCount: count)
      // What a fork has emptied was copied as zeros: draw these bytes again, from the new seed.
      guard generator.isSeeded else {
        recover()
        continue
      }
      used += count
      place += count
      left -= count
    }
  }

  /// As `fill`, with more blocks at a time where the processor can, for a space: the bytes are the same.
  @inline(never)
  mutating func fillSpace(_ target: UnsafeMutableRawBufferPointer) {
    var filled = 0
    #if arch(x86_64)
      while Residue.hasWideRegisters && target.count - filled >= ChaCha20.wideBatchSize {
        ChaCha20.wideBatch(key: generator.key, counter: counter, into: target.baseAddress! + filled)
        guard generator.isSeeded else {
          recover()
          continue
        }
        counter += UInt64(ChaCha20.wideBatchSize / ChaCha20.blockSize)
        filled += ChaCha20.wideBatchSize
      }
    #endif
    fill(UnsafeMutableRawBufferPointer(rebasing: target[filled...]))
  }

  private mutating func nextBatch(into place: UnsafeMutableRawPointer) {
    ChaCha20.batch(key: generator.key, counter: counter, into: place)
    while !generator.isSeeded {
      recover()
      ChaCha20.batch(key: generator.key, counter: counter, into: place)
    }
    counter += 4
  }

  /// A new batch behind the next key, which stays.
  private mutating func refill() {
    withUnsafeTemporaryAllocation(byteCount: ChaCha20.batchSize, alignment: 16) { batch in
      nextBatch(into: batch.baseAddress!)
      (buffer + ChaCha20.keySize).copyMemory(
        from: batch.baseAddress! + ChaCha20.keySize, byteCount: Self.bufferSize - ChaCha20.keySize)
    }
    used = ChaCha20.keySize
  }

  /// In the child of a fork that happened while the stream was in use: begins a new stream from a new seed.
  @inline(never)
  private mutating func recover() {
    repeat {
      do throws(KeyboardError) { try generator.seed() } catch { generator.finishWithoutSeed() }
      ChaCha20.batch(key: generator.key, counter: 0, into: buffer)
    } while !generator.isSeeded
    used = ChaCha20.keySize
    counter = 4
  }
}
