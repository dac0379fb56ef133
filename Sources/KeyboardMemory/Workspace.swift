// Where a secret stands unmasked, for the time of one call.

internal import CMbedTLS
public import KeyboardCodes
internal import Synchronization

/// A kilobyte of locked memory for a key schedule and the blocks it works on, wiped when it ends; and a generator of random
/// bytes, which stays.
///
/// There are 64, in one region, and a thread comes back to the same one, so that threads that work side by side share no
/// lock and no cache line. A thread that finds all of them taken maps a region of its own and does not wait.
///
///     0                    64                     768                   1024
///     ├─ taken, generator ─┼─ memory (704 bytes) ─┼─ the stream's buffer ─┤
public struct Workspace: ~Copyable {
  /// `byteCount` bytes at a multiple of 64, zero at first.
  public let memory: UnsafeMutableRawPointer
  private let isShared: Bool

  public static var byteCount: Int { stride - headerSize - RandomStream.bufferSize }

  private static var stride: Int { 1024 }
  private static var headerSize: Int { 64 }
  private static var sharedCount: Int { 64 }
  private static let shared = Atomic<UInt>(0)

  /// - Throws: `.memory`.
  public init() throws(KeyboardError) {
    if let base = try Self.claimShared() {
      memory = base + Self.headerSize
      isShared = true
    } else {
      guard let base = SecureRegion.map(byteCount: Self.stride) else { throw .memory }
      memory = base + Self.headerSize
      isShared = false
    }
  }

  deinit {
    keyboard_wipe(memory, Self.byteCount)
    if isShared {
      Self.taken(memory - Self.headerSize).pointee.store(0, ordering: .releasing)
    } else {
      SecureRegion.unmap(memory - Self.headerSize, byteCount: Self.stride)
    }
  }

  /// Random bytes from the workspace's generator; one stream at a time.
  ///
  /// - Parameter byteCount: about how many will be drawn.
  /// - Throws: `.random`.
  package borrowing func randomStream(byteCount: Int) throws(KeyboardError) -> RandomStream {
    let generator = RandomGenerator(at: memory - Self.headerSize)
    return try RandomStream(generator, byteCount: byteCount, buffer: memory + Self.byteCount)
  }

  /// The mark of a shared workspace. It stands in memory that a fork wipes, so that the child finds all of them free.
  private static func taken(_ base: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt32>> {
    base.assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  private static func claimShared() throws(KeyboardError) -> UnsafeMutableRawPointer? {
    let pool = try ensureShared()
    let start = Int((UInt64(keyboard_thread()) &* 0x9e37_79b9_7f4a_7c15) >> 58)
    for attempt in 0..<sharedCount {
      let base = pool + (start + attempt) % sharedCount * stride
      let (exchanged, _) = taken(base).pointee.compareExchange(expected: 0, desired: 1, ordering: .acquiring)
      if exchanged { return base }
    }
    return nil
  }

  private static func ensureShared() throws(KeyboardError) -> UnsafeMutableRawPointer {
    if let pool = UnsafeMutableRawPointer(bitPattern: shared.load(ordering: .acquiring)) { return pool }
    guard let made = SecureRegion.map(byteCount: sharedCount * stride) else { throw .memory }
    let (exchanged, original) = shared.compareExchange(
      expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
    if exchanged { return made }
    SecureRegion.unmap(made, byteCount: sharedCount * stride)
    return UnsafeMutableRawPointer(bitPattern: original)!
  }
}
