// What a process has open, each named by a number that is never used twice: vaults, clients of FIDO.
// SPDX-License-Identifier: Apache-2.0

#if !arch(wasm32)
  package import CKeyboardPlatform
  package import KeyboardCodes
  internal import Synchronization

  /// What the table knows of one thing that is open. Nothing of it is secret.
  package struct HandleEntry {
    /// Held while a call uses the thing. It comes first, so that the entry's address is the lock's.
    var lock: keyboard_lock_t
    var state: State
    /// Calls that use the thing, or wait for it.
    var users: Int
    /// The thread that may use the thing again, inside the call that has the lock; 0 for none.
    var owner: UInt64
    var generation: Generation
    /// The thing itself.
    package var memory: UnsafeMutableRawPointer?
    /// The file that no other entry may have, if it has one.
    var file: keyboard_file_id?

    enum State: UInt8 {
      case free, opening, open, closed
      /// All generations were used.
      case retired
    }
  }

  /// All things of one kind that the process has open, behind one lock that is held for a moment only.
  ///
  /// `SecureSlots` is another thing: a call there waits for nobody, while a vault waits for the disk and for other
  /// processes, is used by one thread at a time, and may be the only one with its file.
  package struct HandleTable: ~Copyable, Sendable {
    package typealias Entry = UnsafeMutablePointer<HandleEntry>

    private let capacity: Int
    private let address = Atomic<UInt>(0)

    package init(capacity: Int) { self.capacity = capacity }

    /// ├ lock (64) ┼ entries ┤
    private var byteCount: Int { 64 + capacity * MemoryLayout<HandleEntry>.stride }

    private var base: UnsafeMutableRawPointer? {
      UnsafeMutableRawPointer(bitPattern: address.load(ordering: .acquiring))
    }

    private func entries(_ base: UnsafeMutableRawPointer) -> Entry {
      (base + 64).assumingMemoryBound(to: HandleEntry.self)
    }

    /// - Throws: `.memory`.
    private func ensure() throws(KeyboardError) -> UnsafeMutableRawPointer {
      if let base { return base }
      guard let made = keyboard_map(byteCount) else { throw .memory }
      for i in 0..<capacity { entries(made)[i].generation = .first }
      let (exchanged, original) = address.compareExchange(
        expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
      if exchanged { return made }
      keyboard_unmap(made, byteCount)
      return UnsafeMutableRawPointer(bitPattern: original)!
    }

    private func locked<Result>(
      _ base: UnsafeMutableRawPointer, _ body: () throws(KeyboardError) -> Result
    ) throws(KeyboardError) -> Result {
      let lock = base.assumingMemoryBound(to: keyboard_lock_t.self)
      guard take(lock) else { throw .operationDisabled(.forked) }
      defer { keyboard_unlock(lock) }
      return try body()
    }

    /// Waits for a lock that is held for a moment only.
    ///
    /// - Returns: false in a child: a handler that interrupted the waiting has forked, and who has the lock does not
    ///   exist here.
    private func take(_ lock: UnsafeMutablePointer<keyboard_lock_t>) -> Bool {
      while keyboard_lock_for_a_moment(lock) == 0 {
        guard !ForkMark.isInChild else { return false }
      }
      return true
    }

    /// Waits for a thing's lock.
    ///
    /// - Returns: how many milliseconds that took, but for parts of a tenth of a second.
    /// - Throws: `.busy` after `patience`; `.operationDisabled` in a child.
    private func take(_ entry: Entry, patience: Int64) throws(KeyboardError) -> Int64 {
      var waited: Int64 = 0
      while keyboard_lock_for_a_moment(Self.lock(of: entry)) == 0 {
        guard !ForkMark.isInChild else { throw .operationDisabled(.forked) }
        waited += 100
        guard waited < patience else { throw .busy }
      }
      return waited
    }

    private static func lock(of entry: Entry) -> UnsafeMutablePointer<keyboard_lock_t> {
      UnsafeMutableRawPointer(entry).assumingMemoryBound(to: keyboard_lock_t.self)
    }

    // MARK: Opening

    /// Takes a free entry.
    ///
    /// - Parameter reserved: an entry that was reserved before its file was there, and gets it now; it is given back if
    ///   that fails.
    /// - Throws: `.operationDisabled` in a forked child; `.busy` if another entry has the file; `.memory`.
    package func reserve(
      _ file: keyboard_file_id? = nil, in reserved: Entry? = nil
    ) throws(KeyboardError) -> Entry {
      guard !ForkMark.isInChild else { throw .operationDisabled(.forked) }
      let base = try ensure()
      return try locked(base) { () throws(KeyboardError) in
        let entries = entries(base)
        var free = reserved
        for i in 0..<capacity {
          let entry = entries + i
          if entry.pointee.state == .free {
            if free == nil { free = entry }
          } else if let file, let other = entry.pointee.file {
            if other.device == file.device && other.inode == file.inode {
              reserved?.pointee.state = .free
              throw .busy
            }
          }
        }
        guard let free else { throw .memory }
        free.pointee.state = .opening
        free.pointee.file = file
        return free
      }
    }

    /// Gives an entry that was reserved what it is for.
    ///
    /// - Returns: the handle.
    package func publish(_ entry: Entry, _ memory: UnsafeMutableRawPointer) -> UInt64 {
      entry.pointee.memory = memory
      set(entry, .open)
      return SecureSlot(index: UInt32(entry - entries(base!)), generation: entry.pointee.generation).rawValue
    }

    /// Takes back an entry that was reserved, and not published.
    package func giveBack(_ entry: Entry) {
      guard !ForkMark.isInChild else { return }
      set(entry, .free)
    }

    /// Inside `using`, when the file is closed: calls that wait for the thing, and those that come later, find none.
    /// Another entry may have the file from now on.
    package func close(_ entry: Entry) { set(entry, .closed) }

    private func set(_ entry: Entry, _ state: HandleEntry.State) {
      let lock = base!.assumingMemoryBound(to: keyboard_lock_t.self)
      guard take(lock) else { return }
      entry.pointee.state = state
      if state == .closed { entry.pointee.file = nil }
      keyboard_unlock(lock)
    }

    // MARK: Using

    /// Runs a call on what a number names, alone; or inside the call that lets its thread use it again.
    ///
    /// - Parameters:
    ///   - patience: how many milliseconds it waits for other threads.
    ///   - body: gets how many it has waited.
    /// - Throws: `.operationDisabled` in a forked child; `.argument` if the number names nothing; `.busy`; what `body`
    ///   throws.
    @inline(__always)
    package func using<Result>(
      _ handle: UInt64, patience: Int64 = .max, _ body: (Entry, Int64) throws(KeyboardError) -> Result
    ) throws(KeyboardError) -> Result {
      let (entry, isInside) = try find(handle)
      if isInside { return try body(entry, 0) }
      let waited = try enter(entry, patience: patience)
      defer { leave(entry) }
      return try body(entry, waited)
    }

    /// Inside `using`: runs `body`, in which this thread may use the thing again.
    package func reentering<Result>(_ entry: Entry, _ body: () -> Result) -> Result {
      setOwner(entry, keyboard_thread())
      defer { setOwner(entry, 0) }
      return body()
    }

    private func setOwner(_ entry: Entry, _ thread: UInt64) {
      let lock = base!.assumingMemoryBound(to: keyboard_lock_t.self)
      guard take(lock) else { return }
      entry.pointee.owner = thread
      keyboard_unlock(lock)
    }

    /// Finds what a number names, and counts a user of it, unless this thread uses it already.
    private func find(_ handle: UInt64) throws(KeyboardError) -> (Entry, isInside: Bool) {
      guard !ForkMark.isInChild else { throw .operationDisabled(.forked) }
      let number = SecureSlot(rawValue: handle)
      guard let base, let index = number.index, index < capacity else { throw .argument(.noHandle) }
      let entry = entries(base) + Int(index)
      let isInside = try locked(base) { () throws(KeyboardError) in
        guard entry.pointee.state == .open, entry.pointee.generation == number.generation
        else { throw .argument(.noHandle) }
        if entry.pointee.owner == keyboard_thread() { return true }
        entry.pointee.users += 1
        return false
      }
      return (entry, isInside)
    }

    private func enter(_ entry: Entry, patience: Int64) throws(KeyboardError) -> Int64 {
      let waited: Int64
      do throws(KeyboardError) { waited = try take(entry, patience: patience) } catch {
        forget(entry)
        throw error
      }
      guard entry.pointee.state == .open else {
        leave(entry)
        throw .argument(.noHandle)
      }
      return waited
    }

    private func leave(_ entry: Entry) {
      keyboard_unlock(Self.lock(of: entry))
      forget(entry)
    }

    /// Counts a user less; with the last one, a thing that was closed ends.
    private func forget(_ entry: Entry) {
      // In the child of a handler that forked, another thread may have had the lock, and will never give it back.
      guard !ForkMark.isInChild else { return }
      let lock = base!.assumingMemoryBound(to: keyboard_lock_t.self)
      guard take(lock) else { return }
      entry.pointee.users -= 1
      if entry.pointee.users == 0 && entry.pointee.state == .closed {
        entry.pointee.memory = nil
        entry.pointee.state = .retired
        if let next = entry.pointee.generation.next {
          entry.pointee.generation = next
          entry.pointee.state = .free
        }
      }
      keyboard_unlock(lock)
    }
  }
#endif
