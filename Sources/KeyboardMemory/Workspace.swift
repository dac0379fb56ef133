// Where a secret stands unmasked, for the time of one call.

internal import CKeyboardMbedTLS
public import KeyboardCodes
internal import Synchronization

/// Locked memory for key schedules and the blocks they work on, wiped when it ends; and a generator of random bytes, which
/// stays.
///
/// Those of a size stand in one region, and a thread comes back to the same one, so that threads that work side by side
/// share no lock and no cache line. A thread that finds all of them taken maps a region of its own and does not wait.
///
///     0                    64                           size − 256              size
///     ├─ taken, generator ─┼─ memory (`byteCount`) ─────┼─ the stream's buffer ─┤
public struct Workspace: ~Copyable {
  /// `byteCount` bytes at a multiple of 64, zero at first.
  public let memory: UnsafeMutableRawPointer
  private let size: Size
  private let usedCount: Int
  private let isShared: Bool

  /// For what there is to be done.
  public enum Size: Sendable {
    /// One password: 1 KB.
    case password
    /// Many passwords at a time: 36 KB.
    case batch

    fileprivate var stride: Int {
      switch self {
      case .password: 1024
      case .batch: 36 * 1024
      }
    }

    fileprivate var sharedCount: Int {
      switch self {
      case .password: 64
      case .batch: 16
      }
    }

    /// Bytes of memory in a workspace of this size.
    public var byteCount: Int { stride - Workspace.headerSize - RandomStream.bufferSize }
  }

  fileprivate static var headerSize: Int { 64 }
  private static let passwordRegion = Atomic<UInt>(0)
  private static let batchRegion = Atomic<UInt>(0)

  /// - Parameter byteCount: how much will be used, and is wiped at the end; the rest must stay zero. By default all of a
  ///   password's. Of a batch's nothing, which is wiped by whoever knows how much was used: wiping all of it would take
  ///   longer than a password.
  /// - Throws: `.memory`.
  public init(_ size: Size = .password, using byteCount: Int? = nil) throws(KeyboardError) {
    self.size = size
    usedCount = byteCount ?? (size == .password ? size.byteCount : 0)
    if let base = try Self.claimShared(size) {
      memory = base + Self.headerSize
      isShared = true
    } else {
      guard let base = SecureRegion.map(byteCount: size.stride) else { throw .memory }
      memory = base + Self.headerSize
      isShared = false
    }
  }

  deinit {
    if usedCount > 0 { keyboard_wipe(memory, usedCount) }
    if isShared {
      Self.taken(memory - Self.headerSize).pointee.store(0, ordering: .releasing)
    } else {
      SecureRegion.unmap(memory - Self.headerSize, byteCount: size.stride)
    }
  }

  /// Random bytes from the workspace's generator; one stream at a time.
  ///
  /// - Parameter byteCount: about how many will be drawn.
  /// - Throws: `.random`.
  package borrowing func randomStream(byteCount: Int) throws(KeyboardError) -> RandomStream {
    let generator = RandomGenerator(at: memory - Self.headerSize)
    return try RandomStream(generator, byteCount: byteCount, buffer: memory + size.byteCount)
  }

  /// The mark of a shared workspace. It stands in memory that a fork wipes, so that the child finds all of them free.
  private static func taken(_ base: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt32>> {
    base.assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  private static func claimShared(_ size: Size) throws(KeyboardError) -> UnsafeMutableRawPointer? {
    let region =
      switch size {
      case .password: try ensure(passwordRegion, size)
      case .batch: try ensure(batchRegion, size)
      }
    // The product's upper half is a thread's place, spread evenly.
    let place = (UInt64(keyboard_thread()) &* 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: UInt64(size.sharedCount))
    for attempt in 0..<size.sharedCount {
      let base = region + (Int(place.high) + attempt) % size.sharedCount * size.stride
      let (exchanged, _) = taken(base).pointee.compareExchange(expected: 0, desired: 1, ordering: .acquiring)
      if exchanged { return base }
    }
    return nil
  }

  private static func ensure(_ address: borrowing Atomic<UInt>, _ size: Size) throws(KeyboardError)
    -> UnsafeMutableRawPointer
  {
    if let region = UnsafeMutableRawPointer(bitPattern: address.load(ordering: .acquiring)) { return region }
    let byteCount = size.sharedCount * size.stride
    guard let made = SecureRegion.map(byteCount: byteCount) else { throw .memory }
    let (exchanged, original) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
    if exchanged { return made }
    SecureRegion.unmap(made, byteCount: byteCount)
    return UnsafeMutableRawPointer(bitPattern: original)!
  }
}
