// A lock that belongs to no keyboard: for memory of the caller that several threads may pass to one function.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
package import KeyboardCodes
internal import Synchronization

/// A lock in memory that a fork empties: in the child it is free, although a thread that the child does not have may
/// hold it in the parent.
///
///     static let lock = ProcessLock()
///
/// Take it before a keyboard's lock, never while one is held.
package struct ProcessLock: ~Copyable, Sendable {
  private struct Content {
    var lock: keyboard_lock_t
    /// Not 0 while a thread has the lock.
    var isHeld: UInt64
  }

  private let address = Atomic<UInt>(0)

  /// Inlined into the user's module, so that a `static let` needs no code at run time.
  @inline(__always)
  package init() {}

  private var content: UnsafeMutablePointer<Content>? {
    UnsafeMutablePointer(bitPattern: address.load(ordering: .acquiring))
  }

  /// Makes the lock's memory, before the lock is first taken. It is never freed.
  ///
  /// - Throws: `.memory`.
  package borrowing func prepare() throws(KeyboardError) {
    guard content == nil else { return }
    let byteCount = MemoryLayout<Content>.size
    guard let made = SecureRegion.map(byteCount: byteCount) else { throw .memory }
    let (exchanged, _) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
    if !exchanged { SecureRegion.unmap(made, byteCount: byteCount) }
  }

  /// Waits until no other thread has the lock.
  package borrowing func take() {
    let content = content!
    keyboard_lock(&content.pointee.lock)
    content.pointee.isHeld = 1
  }

  /// Does nothing if a fork has emptied the lock since `take`: this is then the child.
  package borrowing func giveBack() {
    let content = content!
    guard keyboard_read_again(&content.pointee.isHeld) != 0 else { return }
    content.pointee.isHeld = 0
    keyboard_unlock(&content.pointee.lock)
  }
}
