// The clients of the process, each named by a number that is never used twice.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import KeyboardCodes
import KeyboardMemory
import Synchronization

/// What the table knows of a client.
struct FidoEntry {
  /// Held while a call uses the client. It comes first, so that the entry's address is the lock's.
  var lock: keyboard_lock_t
  var isOpen: Bool
  /// Calls that use the client, or wait for it.
  var users: Int
  var generation: UInt32
  /// `FidoState.byteCount` bytes; nothing in them is secret.
  var memory: UnsafeMutableRawPointer?
}

/// All clients of the process, behind one lock that is held for a moment only.
enum FidoTable {
  private static var capacity: Int { 64 }
  private static let address = Atomic<UInt>(0)
  /// The process that made the table: clients are not inherited, as vaults are not.
  private static let process = Atomic<Int64>(0)

  /// ├ lock (64) ┼ entries ┤
  private static var byteCount: Int { 64 + capacity * MemoryLayout<FidoEntry>.stride }

  private static var base: UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: address.load(ordering: .acquiring))
  }

  static var isInChild: Bool { base != nil && process.load(ordering: .relaxed) != keyboard_process() }

  private static func entries(_ base: UnsafeMutableRawPointer) -> UnsafeMutablePointer<FidoEntry> {
    (base + 64).assumingMemoryBound(to: FidoEntry.self)
  }

  /// - Throws: `.memory`, `.random`.
  private static func ensure() throws(KeyboardError) -> UnsafeMutableRawPointer {
    if let base { return base }
    var generation: UInt32 = 0
    guard keyboard_random(&generation, MemoryLayout<UInt32>.size) != 0 else { throw .random }
    guard let made = keyboard_map(byteCount) else { throw .memory }
    for i in 0..<capacity { entries(made)[i].generation = generation }
    process.store(keyboard_process(), ordering: .relaxed)
    let (exchanged, original) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
    if exchanged { return made }
    keyboard_unmap(made, byteCount)
    return UnsafeMutableRawPointer(bitPattern: original)!
  }

  private static func locked<Result>(_ base: UnsafeMutableRawPointer, _ body: () -> Result) -> Result {
    let lock = base.assumingMemoryBound(to: keyboard_lock_t.self)
    keyboard_lock(lock)
    defer { keyboard_unlock(lock) }
    return body()
  }

  /// Gives memory a number.
  ///
  /// - Throws: `.operationDisabled`, `.memory`, `.random`.
  static func add(_ memory: UnsafeMutableRawPointer) throws(KeyboardError) -> UInt64 {
    guard !isInChild else { throw .operationDisabled(.unspecified) }
    let base = try ensure()
    let handle: UInt64 = locked(base) {
      let entries = entries(base)
      for i in 0..<capacity where !entries[i].isOpen && entries[i].users == 0 {
        entries[i].isOpen = true
        entries[i].memory = memory
        return UInt64(entries[i].generation) << 32 | UInt64(i + 1)
      }
      return 0
    }
    guard handle != 0 else { throw .memory }
    return handle
  }

  /// Runs a call on a client, alone.
  ///
  /// - Throws: `.operationDisabled` in a forked child; `.argument` if the number names no client; what `body` throws.
  static func using<Result>(
    _ handle: UInt64, _ body: (UnsafeMutablePointer<FidoEntry>) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    guard !isInChild else { throw .operationDisabled(.unspecified) }
    let index = Int(UInt32(truncatingIfNeeded: handle)) - 1
    guard let base, index >= 0, index < capacity else { throw .argument(.unspecified) }
    let entry = entries(base) + index
    let isThere = locked(base) {
      guard entry.pointee.isOpen, entry.pointee.generation == UInt32(truncatingIfNeeded: handle >> 32)
      else { return false }
      entry.pointee.users += 1
      return true
    }
    guard isThere else { throw .argument(.unspecified) }
    let lock = UnsafeMutableRawPointer(entry).assumingMemoryBound(to: keyboard_lock_t.self)
    keyboard_lock(lock)
    defer {
      keyboard_unlock(lock)
      leave(entry, base)
    }
    guard entry.pointee.isOpen else { throw .argument(.unspecified) }
    return try body(entry)
  }

  private static func leave(_ entry: UnsafeMutablePointer<FidoEntry>, _ base: UnsafeMutableRawPointer) {
    guard !isInChild else { return }
    locked(base) { entry.pointee.users -= 1 }
  }

  /// Inside `using`: calls that wait for the client, and those that come later, find none.
  ///
  /// - Returns: its memory.
  static func remove(_ entry: UnsafeMutablePointer<FidoEntry>) -> UnsafeMutableRawPointer {
    locked(base!) {
      entry.pointee.isOpen = false
      entry.pointee.generation &+= 1
      defer { entry.pointee.memory = nil }
      return entry.pointee.memory!
    }
  }
}
