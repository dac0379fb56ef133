// Locks for memory of the caller that several threads may pass to one function: one for each address, and only while a
// call uses it. Calls with other memory do not wait, however long this one's takes to come.
// SPDX-License-Identifier: Apache-2.0

internal import CKeyboardPlatform
package import KeyboardCodes
internal import Synchronization

/// Locks in memory that a fork empties: in the child all are free, although threads that the child does not have may
/// hold some in the parent.
///
///     static let locks = AddressLocks()
///
/// Take one before a keyboard's lock, never while one is held, nor while another of these is.
///
///     block 0:  ├ lock of the list ┼ next block ┼ entry ┼ entry ┼ … ┤ ──► block 1, made when all entries are in use
package struct AddressLocks: ~Copyable, Sendable {
  /// The first block's address; 0 before the first lock is taken. Blocks are never freed.
  private let address = Atomic<UInt>(0)

  /// Inlined into the user's module, so that a `static let` needs no code at run time.
  @inline(__always)
  package init() {}

  /// Runs `body` while no other thread runs one with the same address.
  ///
  /// - Throws: `.memory`, before `body` has begun; what `body` throws.
  @inline(__always)
  package borrowing func holding<Result>(
    _ memory: UnsafeRawPointer, _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    let entry = try take(UInt(bitPattern: memory))
    defer { giveBack(entry) }
    return try body()
  }

  /// A lock, and whether a thread has it. After a fork that has emptied it, the thread that goes on in the child has
  /// nothing to give back.
  private struct Lock {
    var lock = keyboard_lock_t()
    var isHeld: UInt64 = 0

    mutating func take() {
      keyboard_lock(&lock)
      isHeld = 1
    }

    mutating func giveBack() {
      guard keyboard_read_again(&isHeld) != 0 else { return }
      isHeld = 0
      keyboard_unlock(&lock)
    }
  }

  private struct Entry {
    var lock: Lock
    var address: UInt
    /// Threads that hold the lock or wait for it; the entry is free without one.
    var users: Int
  }

  private struct Block {
    /// Held for a moment, while entries are looked for. Only that of the first block is used.
    var lock: Lock
    var next: UnsafeMutablePointer<Block>?

    static var byteCount: Int { 4096 }
    private static var entryOffset: Int { (MemoryLayout<Block>.size + 15) & ~15 }
    static var entryCount: Int { (byteCount - entryOffset) / MemoryLayout<Entry>.stride }

    static func entries(_ block: UnsafeMutablePointer<Block>) -> UnsafeMutablePointer<Entry> {
      (UnsafeMutableRawPointer(block) + entryOffset).assumingMemoryBound(to: Entry.self)
    }

    static func make() throws(KeyboardError) -> UnsafeMutablePointer<Block> {
      guard let made = SecureRegion.map(byteCount: byteCount) else { throw .memory }
      return made.assumingMemoryBound(to: Block.self)
    }
  }

  private func first() throws(KeyboardError) -> UnsafeMutablePointer<Block> {
    if let made = UnsafeMutablePointer<Block>(bitPattern: address.load(ordering: .acquiring)) { return made }
    let made = try Block.make()
    let (exchanged, original) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
    if exchanged { return made }
    SecureRegion.unmap(made, byteCount: Block.byteCount)
    return UnsafeMutablePointer(bitPattern: original)!
  }

  @inline(never)
  private func take(_ address: UInt) throws(KeyboardError) -> UnsafeMutablePointer<Entry> {
    let first = try first()
    let entry = try join(address, from: first)
    entry.pointee.lock.take()
    return entry
  }

  /// Counts the thread at the entry with this address, or else at a free one, which gets it.
  private func join(
    _ address: UInt, from first: UnsafeMutablePointer<Block>
  ) throws(KeyboardError) -> UnsafeMutablePointer<Entry> {
    first.pointee.lock.take()
    defer { first.pointee.lock.giveBack() }
    let entry = try entry(for: address, from: first)
    entry.pointee.address = address
    entry.pointee.users += 1
    return entry
  }

  private func entry(
    for address: UInt, from first: UnsafeMutablePointer<Block>
  ) throws(KeyboardError) -> UnsafeMutablePointer<Entry> {
    var (free, block) = (UnsafeMutablePointer<Entry>?.none, first)
    while true {
      for i in 0..<Block.entryCount {
        let entry = Block.entries(block) + i
        if entry.pointee.users == 0 {
          if free == nil { free = entry }
        } else if entry.pointee.address == address {
          return entry
        }
      }
      guard let next = block.pointee.next else { break }
      block = next
    }
    if let free { return free }
    let made = try Block.make()
    block.pointee.next = made
    return Block.entries(made)
  }

  @inline(never)
  private func giveBack(_ entry: UnsafeMutablePointer<Entry>) {
    entry.pointee.lock.giveBack()
    guard let first = UnsafeMutablePointer<Block>(bitPattern: address.load(ordering: .acquiring)) else { return }
    first.pointee.lock.take()
    // In the child of a fork that came meanwhile, nobody is counted.
    if entry.pointee.users > 0 { entry.pointee.users -= 1 }
    if entry.pointee.users == 0 { entry.pointee.address = 0 }
    first.pointee.lock.giveBack()
  }
}
