// Random bytes without a system call each time: fast key erasure, as D. J. Bernstein describes it
// ("Fast-key-erasure random-number generators", 2017), over ChaCha20.
//
// A generator is a key of 32 bytes from the system. A stream is that key's ChaCha20 output; its first 32 bytes are the next
// key, and take the place of the old one before anybody sees the rest. Who steals a key learns nothing of what was drawn
// before.
//
// What could go wrong with generators in user space, and why it does not here:
//
//     two threads, one state    each workspace has its own, and is one thread's while it is taken
//     a fork, twice the stream  the state stands in memory that the kernel empties in the child: it is then unseeded
//                               (where the kernel cannot, every stream is seeded anew)
//     never seeded              an all-zero state is the unseeded one
//     a stolen state            seeded anew from the system after a megabyte

import CKeyboardMbedTLS
import KeyboardCodes

/// The generator of a workspace: 64 bytes of locked memory that a fork empties.
///
///     0         8          32      64
///     ├─ other ─┼─ budget ─┼─ key ─┤
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

  /// Sees to it that there is a key to draw `byteCount` bytes from.
  ///
  /// - Throws: `.random`; the generator is then as it was, or unseeded.
  func prepare(byteCount: Int) throws(KeyboardError) {
    if budget <= 0 || !SecureRegion.isEmptiedByFork {
      budget = 0
      try SystemRandomness().fill(UnsafeMutableRawBufferPointer(start: key, count: ChaCha20.keySize))
      budget = Self.bytesPerSeed
    }
    budget -= min(byteCount, budget)
  }
}

/// Random bytes that can no longer fail to come. Ends with its generator's next key in place and nothing left of itself.
///
/// - Timing: depends on how much is drawn only.
public struct RandomStream: ~Copyable, RandomSource {
  private let generator: RandomGenerator
  /// A batch: the next key, then what small draws take.
  private let buffer: UnsafeMutableRawPointer
  private var used: Int
  private var counter: UInt32

  static var bufferSize: Int { ChaCha20.batchSize }

  /// - Parameter buffer: `bufferSize` bytes, of which nothing else stands in the way until the stream ends.
  init(
    _ generator: RandomGenerator, byteCount: Int, buffer: UnsafeMutableRawPointer
  ) throws(KeyboardError) {
    try generator.prepare(byteCount: byteCount)
    self.generator = generator
    self.buffer = buffer
    used = ChaCha20.keySize
    counter = 0
    ChaCha20.batch(key: generator.key, counter: counter, into: buffer)
    counter = 4
  }

  deinit {
    generator.key.copyMemory(from: buffer, byteCount: ChaCha20.keySize)
    keyboard_wipe(buffer, Self.bufferSize)
  }

  /// Fills the buffer: whole batches where it stands, the rest from the stream's own.
  public mutating func fill(_ target: UnsafeMutableRawBufferPointer) {
    guard var place = target.baseAddress else { return }
    var left = target.count
    while left >= ChaCha20.batchSize {
      ChaCha20.batch(key: generator.key, counter: counter, into: place)
      advance()
      place += ChaCha20.batchSize
      left -= ChaCha20.batchSize
    }
    while left > 0 {
      if used == Self.bufferSize { refill() }
      let count = min(left, Self.bufferSize - used)
      place.copyMemory(from: buffer + used, byteCount: count)
      used += count
      place += count
      left -= count
    }
  }

  /// A new batch behind the next key, which stays.
  private mutating func refill() {
    withUnsafeTemporaryAllocation(byteCount: ChaCha20.batchSize, alignment: 16) { batch in
      ChaCha20.batch(key: generator.key, counter: counter, into: batch.baseAddress!)
      (buffer + ChaCha20.keySize).copyMemory(
        from: batch.baseAddress! + ChaCha20.keySize, byteCount: Self.bufferSize - ChaCha20.keySize)
      keyboard_wipe(batch.baseAddress!, batch.count)
    }
    advance()
    used = ChaCha20.keySize
  }

  /// After 256 GB from one key, which no space has, the stream would begin again.
  private mutating func advance() {
    precondition(counter <= .max - 4)
    counter += 4
  }
}
