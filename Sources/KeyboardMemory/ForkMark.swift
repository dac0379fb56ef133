// Whether this process is the forked child of one that opened a vault or made a FIDO client. SQLite forbids connections
// that were inherited, and closing them, too. In such a child, every call answers OP_DISABLE and leaves SQLite alone.
// SPDX-License-Identifier: Apache-2.0

#if !arch(wasm32)
  internal import CKeyboardPlatform
  package import KeyboardCodes
  internal import Synchronization

  package enum ForkMark {
    /// The address of a word in memory that a fork empties; 0 before the first was opened.
    private static let mark = Atomic<UInt>(0)
    /// The process that opened the first: for systems that cannot empty memory in a child. It is not used elsewhere,
    /// because asking for it is a system call.
    private static let process = Atomic<Int64>(0)

    /// Before the first vault is opened, or the first client made.
    ///
    /// - Throws: `.memory`.
    package static func set() throws(KeyboardError) {
      guard mark.load(ordering: .acquiring) == 0 else { return }
      guard let made = SecureRegion.map(byteCount: MemoryLayout<Int>.size) else { throw .memory }
      made.storeBytes(of: 1, as: Int.self)
      process.store(keyboard_process(), ordering: .relaxed)
      let (exchanged, _) = mark.compareExchange(
        expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
      if !exchanged { SecureRegion.unmap(made, byteCount: MemoryLayout<Int>.size) }
    }

    package static var isInChild: Bool {
      guard let word = UnsafeRawPointer(bitPattern: mark.load(ordering: .acquiring)) else { return false }
      if keyboard_read_again(word) == 0 { return true }
      return !SecureRegion.isEmptiedByFork && process.load(ordering: .relaxed) != keyboard_process()
    }
  }
#endif
