// The callbacks that are running now, of all keyboards. A call that takes a callback away waits here until it has
// ended.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import KeyboardCodes
import KeyboardMemory
import Synchronization

/// A callback while it runs, in the stack frame of the call that runs it.
struct RunningCallback {
  let keyboard: UInt64
  /// The keyboard's `Callbacks.version` when it started.
  let version: UInt64
  let thread: UInt64
  fileprivate var isListed = false
  fileprivate var next: UnsafeMutablePointer<RunningCallback>?

  init(keyboard: UInt64, version: UInt64) {
    self.keyboard = keyboard
    self.version = version
    thread = keyboard_thread()
  }
}

/// The list of them. It lies in memory that a fork empties: in the child, the threads that ran the callbacks do not
/// exist.
///
/// A callback enters the list while its keyboard's lock is held, and is therefore in it when a later call replaces the
/// callback under the same lock. The order of locks is: keyboard, then list.
enum RunningCallbacks {
  private struct List {
    var lock: keyboard_lock_t
    var ended: keyboard_condition_t
    var first: UnsafeMutablePointer<RunningCallback>?
  }

  private static let address = Atomic<UInt>(0)

  private static var list: UnsafeMutablePointer<List>? {
    UnsafeMutablePointer(bitPattern: address.load(ordering: .acquiring))
  }

  /// Makes the list, before the first callback is set. It is never freed.
  ///
  /// - Throws: `.memory`.
  static func prepare() throws(KeyboardError) {
    guard list == nil else { return }
    let byteCount = MemoryLayout<List>.size
    guard let made = SecureRegion.map(byteCount: byteCount) else { throw .memory }
    let (exchanged, _) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
    if !exchanged { SecureRegion.unmap(made, byteCount: byteCount) }
  }

  static func add(_ callback: UnsafeMutablePointer<RunningCallback>) {
    guard let list else { return }
    keyboard_lock(&list.pointee.lock)
    callback.pointee.isListed = true
    callback.pointee.next = list.pointee.first
    list.pointee.first = callback
    keyboard_unlock(&list.pointee.lock)
  }

  /// Takes a callback that has ended off the list. Does nothing if it never entered the list, or a fork has emptied it.
  static func remove(_ callback: UnsafeMutablePointer<RunningCallback>) {
    guard callback.pointee.isListed, let list else { return }
    keyboard_lock(&list.pointee.lock)
    if list.pointee.first == callback {
      list.pointee.first = callback.pointee.next
    } else {
      var place = list.pointee.first
      while let other = place, other.pointee.next != callback { place = other.pointee.next }
      place?.pointee.next = callback.pointee.next
    }
    keyboard_wake_all(&list.pointee.ended)
    keyboard_unlock(&list.pointee.lock)
  }

  /// Waits until no callback of a keyboard runs that started with a smaller version. Returns at once when the calling
  /// thread is itself inside a callback of the library, of any keyboard: two callbacks then never wait for each other.
  static func wait(for keyboard: UInt64, before version: UInt64) {
    guard let list else { return }
    let thread = keyboard_thread()
    keyboard_lock(&list.pointee.lock)
    while !contains(list, where: { $0.thread == thread })
      && contains(list, where: { $0.keyboard == keyboard && $0.version < version })
    {
      keyboard_wait(&list.pointee.ended, &list.pointee.lock)
    }
    keyboard_unlock(&list.pointee.lock)
  }

  private static func contains(
    _ list: UnsafeMutablePointer<List>, where isWanted: (RunningCallback) -> Bool
  ) -> Bool {
    var place = list.pointee.first
    while let callback = place {
      if isWanted(callback.pointee) { return true }
      place = callback.pointee.next
    }
    return false
  }
}
