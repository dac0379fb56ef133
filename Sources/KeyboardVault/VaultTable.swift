// The open vaults of the process, each named by a number that is never used twice.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import KeyboardCodes
import KeyboardMemory
import Synchronization

/// What the table knows of a vault. Nothing of it is secret.
struct VaultEntry {
  /// Held while a call uses the vault. It comes first, so that the entry's address is the lock's.
  var lock: keyboard_lock_t
  var state: State
  /// Calls that use the vault, or wait for it.
  var users: Int
  var generation: UInt32
  /// Locked memory with the keys: `OpenVault.byteCount` bytes.
  var memory: UnsafeMutableRawPointer?
  /// Which file it is.
  var file: keyboard_file_id

  enum State: UInt8 {
    case free, opening, open, closed
  }
}

/// All vaults of the process, behind one lock that is held for a moment only.
enum VaultTable {
  private static var capacity: Int { 256 }
  private static let address = Atomic<UInt>(0)

  /// ├ lock (64) ┼ entries ┤
  private static var byteCount: Int { 64 + capacity * MemoryLayout<VaultEntry>.stride }

  private static var base: UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: address.load(ordering: .acquiring))
  }

  private static func entries(_ base: UnsafeMutableRawPointer) -> UnsafeMutablePointer<VaultEntry> {
    (base + 64).assumingMemoryBound(to: VaultEntry.self)
  }

  /// - Throws: `.memory`, `.random`.
  private static func ensure() throws(KeyboardError) -> UnsafeMutableRawPointer {
    if let base { return base }
    var generation: UInt32 = 0
    guard keyboard_random(&generation, MemoryLayout<UInt32>.size) != 0 else { throw .random }
    guard let made = keyboard_map(byteCount) else { throw .memory }
    for i in 0..<capacity { entries(made)[i].generation = generation }
    let (exchanged, original) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
    if exchanged { return made }
    keyboard_unmap(made, byteCount)
    return UnsafeMutableRawPointer(bitPattern: original)!
  }

  private static func locked<Result>(
    _ base: UnsafeMutableRawPointer, _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    let lock = base.assumingMemoryBound(to: keyboard_lock_t.self)
    keyboard_lock(lock)
    defer { keyboard_unlock(lock) }
    return try body()
  }

  // MARK: Opening

  /// Takes a free entry for a file.
  ///
  /// - Throws: `.busy` if this process has the file open already: two connections of one process would drop each
  ///   other's locks. `.memory`, `.random`.
  static func reserve(_ file: keyboard_file_id) throws(KeyboardError) -> UnsafeMutablePointer<VaultEntry> {
    let base = try ensure()
    return try locked(base) { () throws(KeyboardError) in
      let entries = entries(base)
      var free: UnsafeMutablePointer<VaultEntry>?
      for i in 0..<capacity {
        let entry = entries + i
        switch entry.pointee.state {
        case .free: if free == nil { free = entry }
        case .opening, .open, .closed:
          let other = entry.pointee.file
          if other.device == file.device && other.inode == file.inode { throw .busy }
        }
      }
      guard let free else { throw .memory }
      free.pointee.state = .opening
      free.pointee.file = file
      return free
    }
  }

  /// Gives an entry that was reserved its vault.
  ///
  /// - Returns: the handle.
  static func publish(_ entry: UnsafeMutablePointer<VaultEntry>, _ memory: UnsafeMutableRawPointer) -> UInt64 {
    let base = base!
    entry.pointee.memory = memory
    let lock = base.assumingMemoryBound(to: keyboard_lock_t.self)
    keyboard_lock(lock)
    entry.pointee.state = .open
    keyboard_unlock(lock)
    return UInt64(entry.pointee.generation) << 32 | UInt64(entry - entries(base) + 1)
  }

  /// Takes back an entry whose vault was not opened, or was closed and has no more users.
  private static func recycle(_ entry: UnsafeMutablePointer<VaultEntry>) {
    entry.pointee.generation &+= 1
    entry.pointee.memory = nil
    entry.pointee.state = .free
  }

  static func giveBack(_ entry: UnsafeMutablePointer<VaultEntry>) {
    guard !ForkMark.isInChild else { return }
    let lock = base!.assumingMemoryBound(to: keyboard_lock_t.self)
    keyboard_lock(lock)
    recycle(entry)
    keyboard_unlock(lock)
  }

  // MARK: Using

  /// Runs a call on a vault, alone.
  ///
  /// - Throws: `.operationDisabled` in a forked child; `.argument` if the number names no vault; what `body` throws.
  static func using<Result>(
    _ handle: UInt64, _ body: (UnsafeMutablePointer<VaultEntry>) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    guard !ForkMark.isInChild else { throw .operationDisabled(.unspecified) }
    let index = Int(UInt32(truncatingIfNeeded: handle)) - 1
    guard let base, index >= 0, index < capacity else { throw .argument(.unspecified) }
    let entry = entries(base) + index
    try locked(base) { () throws(KeyboardError) in
      guard entry.pointee.state == .open, entry.pointee.generation == UInt32(truncatingIfNeeded: handle >> 32)
      else { throw .argument(.unspecified) }
      entry.pointee.users += 1
    }
    let lock = UnsafeMutableRawPointer(entry).assumingMemoryBound(to: keyboard_lock_t.self)
    keyboard_lock(lock)
    defer {
      keyboard_unlock(lock)
      leave(entry, base)
    }
    guard entry.pointee.state == .open else { throw .argument(.unspecified) }
    return try body(entry)
  }

  private static func leave(_ entry: UnsafeMutablePointer<VaultEntry>, _ base: UnsafeMutableRawPointer) {
    // In the child of a handler that forked, another thread may have had the lock, and will never give it back.
    guard !ForkMark.isInChild else { return }
    let lock = base.assumingMemoryBound(to: keyboard_lock_t.self)
    keyboard_lock(lock)
    entry.pointee.users -= 1
    if entry.pointee.users == 0 && entry.pointee.state == .closed { recycle(entry) }
    keyboard_unlock(lock)
  }

  /// Inside `using`: calls that wait for the vault, and those that come later, find none.
  static func close(_ entry: UnsafeMutablePointer<VaultEntry>) {
    let lock = base!.assumingMemoryBound(to: keyboard_lock_t.self)
    keyboard_lock(lock)
    entry.pointee.state = .closed
    keyboard_unlock(lock)
  }
}
