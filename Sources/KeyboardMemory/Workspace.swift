// Where a secret is unmasked for the time of one call.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
package import KeyboardCodes
internal import Synchronization

/// Makes memory for a copy of what the caller gives, which is checked there, and used. Without memory, `check` tells
/// what is wrong with the caller's bytes where they are: nothing is done with them then.
///
/// - Throws: what `check` throws, else `.memory`.
@inline(__always)
package func make<Memory: ~Copyable>(
  _ memory: () throws(KeyboardError) -> Memory, orCheck check: () throws(KeyboardError) -> Void
) throws(KeyboardError) -> Memory {
  do throws(KeyboardError) { return try memory() } catch {
    try check()
    throw error
  }
}

/// Locked memory for keys and the blocks they work on, wiped when it ends; and a generator of random bytes, which
/// stays.
///
/// All workspaces of a size share one region. A thread comes back to the same one, so threads that work at the same
/// time share no lock and no cache line. A thread that finds all of them taken maps a region of its own and does not
/// wait.
///
///     0                    64                           size − 256              size
///     ├─ mark, generator ──┼─ memory (`byteCount`) ─────┼─ the stream's buffer ─┤
@usableFromInline
package struct Workspace: ~Copyable {
  /// `byteCount` bytes at a multiple of 64, zero at first.
  package let memory: UnsafeMutableRawPointer
  /// Ordinary memory for the pointers and counts of a batch: `Size.notesByteCount` bytes, not wiped. A fork does not
  /// empty it, so that a call that a fork has cut in two still finds its pointers in the child.
  package let notes: UnsafeMutableRawPointer
  private let size: Size
  private let usedCount: Int
  private let isShared: Bool

  /// How much there is to do.
  package enum Size: Sendable {
    /// One password: 1 KB.
    case password
    /// One sealed text: 16 KB, most of it for X-Wing.
    case sealedText
    /// Many passwords at a time: 32 KB, and 8 KB of notes.
    case batch

    fileprivate var stride: Int {
      switch self {
      case .password: 1024
      case .sealedText: 16 * 1024
      case .batch: 32 * 1024
      }
    }

    package var notesByteCount: Int {
      switch self {
      case .password, .sealedText: 0
      case .batch: 8 * 1024
      }
    }

    fileprivate var sharedCount: Int {
      switch self {
      case .password: Int(KEYBOARD_PASSWORD_WORKSPACES)
      case .sealedText: Int(KEYBOARD_SEALED_TEXT_WORKSPACES)
      case .batch: Int(KEYBOARD_BATCH_WORKSPACES)
      }
    }

    /// For one text or signature that takes so many bytes: RSA in AVX-512 takes more than others.
    package static func holding(_ byteCount: Int) -> Size {
      byteCount <= Size.sealedText.byteCount ? .sealedText : .batch
    }

    /// Bytes of memory in a workspace of this size.
    package var byteCount: Int { stride - Workspace.headerSize - RandomStream.bufferSize }
  }

  /// For `init(_:using:)`: the user wipes what it has used.
  package static var wipedByUser: Int { 0 }

  fileprivate static var headerSize: Int { 64 }
  private static let passwordRegion = Atomic<UInt>(0)
  private static let sealedTextRegion = Atomic<UInt>(0)
  private static let batchRegion = Atomic<UInt>(0)
  private static let batchNotes = Atomic<UInt>(0)

  /// - Parameter byteCount: how much will be used, and is wiped at the end; the rest must stay zero. By default all of
  ///   it. `wipedByUser`: nothing is wiped at the end, because the user knows how much it has used, and wipes that.
  /// - Throws: `.memory`.
  @_optimize(speed)
  package init(_ size: Size = .password, using byteCount: Int? = nil) throws(KeyboardError) {
    self.size = size
    usedCount = byteCount ?? size.byteCount
    if let (base, place) = try Self.claimShared(size) {
      memory = base + Self.headerSize
      notes = size == .batch ? Self.sharedNotes + place * size.notesByteCount : base
      isShared = true
    } else {
      guard let base = SecureRegion.map(byteCount: size.stride) else { throw .memory }
      guard let notes = size == .batch ? keyboard_map(size.notesByteCount) : base else {
        SecureRegion.unmap(base, byteCount: size.stride)
        throw .memory
      }
      Self.mark(base).pointee.store(UseMark.taken, ordering: .relaxed)
      memory = base + Self.headerSize
      self.notes = notes
      isShared = false
    }
  }

  /// Inlinable, because Embedded Swift needs the body in every module where a workspace ends.
  @inlinable
  deinit { giveBack() }

  @inline(never) @usableFromInline
  func giveBack() {
    if usedCount > 0 { keyboard_wipe(memory, usedCount) }
    if isShared {
      Self.mark(base).giveBack()
    } else {
      if size == .batch { keyboard_unmap(notes, size.notesByteCount) }
      SecureRegion.unmap(base, byteCount: size.stride)
    }
  }

  private var base: UnsafeMutableRawPointer { memory - Self.headerSize }

  /// Where the memory ends.
  package var end: UnsafeMutableRawPointer { memory + size.byteCount }

  /// Whether a fork has emptied the workspace since it was taken. This is then the child, what was in the workspace is
  /// gone, and what was computed from it means nothing.
  package var wasEmptied: Bool { UInt32(truncatingIfNeeded: keyboard_read_again(base)) == UseMark.untouched }

  /// Random bytes from the workspace's generator; one stream at a time.
  ///
  /// - Parameter byteCount: about how many will be drawn.
  /// - Throws: `.random`.
  @inline(never) @export(interface)
  package borrowing func randomStream(byteCount: Int) throws(KeyboardError) -> RandomStream {
    try RandomStream(RandomGenerator(at: base), byteCount: byteCount, buffer: end)
  }

  private static func mark(_ base: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt32>> {
    base.assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  @_optimize(speed)
  private static func claimShared(
    _ size: Size
  ) throws(KeyboardError) -> (base: UnsafeMutableRawPointer, place: Int)? {
    let region: UnsafeMutableRawPointer
    switch size {
    case .password: region = try ensure(passwordRegion) { SecureRegion.map(byteCount: size.sharedCount * size.stride) }
    case .sealedText:
      region = try ensure(sealedTextRegion) { SecureRegion.map(byteCount: size.sharedCount * size.stride) }
    case .batch:
      _ = try ensure(batchNotes) { keyboard_map(size.sharedCount * size.notesByteCount) }
      region = try ensure(batchRegion) { SecureRegion.map(byteCount: size.sharedCount * size.stride) }
    }
    var place = preferredPlace(of: size.sharedCount)
    for _ in 0..<size.sharedCount {
      let base = region + place * size.stride
      if mark(base).claim({ keyboard_lock_pages(base, size.stride) }) { return (base, place) }
      place = place + 1 == size.sharedCount ? 0 : place + 1
    }
    return nil
  }

  /// Where this thread looks first: the upper half of a product, which spreads threads evenly.
  static func preferredPlace(of count: Int) -> Int {
    Int((UInt64(keyboard_thread()) &* 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: UInt64(count)).high)
  }

  private static var sharedNotes: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(bitPattern: batchNotes.load(ordering: .acquiring))!
  }

  /// The region at `address`, made at first use. If two threads make one at the same time, that of the second stays
  /// mapped and is never used.
  private static func ensure(
    _ address: borrowing Atomic<UInt>, _ make: () -> UnsafeMutableRawPointer?
  ) throws(KeyboardError) -> UnsafeMutableRawPointer {
    if let region = UnsafeMutableRawPointer(bitPattern: address.load(ordering: .acquiring)) { return region }
    guard let made = make() else { throw .memory }
    let (exchanged, original) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
    return exchanged ? made : UnsafeMutableRawPointer(bitPattern: original)!
  }
}
