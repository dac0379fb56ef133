// The WAL: where SQLite keeps the latest changes until a checkpoint copies them into the file. What is removed from the
// file is there until the WAL is emptied.
//
// SQLite before 3.51.3 (3.50.7, 3.44.6) loses changes that were committed, if a process begins the WAL anew between the
// moment at which another one's checkpoint has read where the WAL ends and the moment at which it copies. So who writes
// and who checkpoints take a lock of ours, an `flock` on the WAL, where SQLite has no locks of its own; and SQLite
// checkpoints nothing by itself.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import CKeyboardSQLite
import KeyboardCodes
import KeyboardMemory

extension Database {
  /// From so many pages on, a change ends with a checkpoint, as SQLite's own would.
  private static var longWAL: Int32 { 1000 }

  /// Remembers which file the WAL is, before anything is written, and opens it for its lock. SQLite makes it in the
  /// first transaction.
  ///
  /// - Throws: `.storage` if somebody has removed it; `.damaged`, …
  func noteWAL() throws(KeyboardError) {
    notes.pointee.wal = keyboard_file_id()
    try beginReading()
    rollBack()
    guard !notes.pointee.mayOnlyRead else { return }
    guard look(atWAL: &notes.pointee.wal) else { throw .storage(.moved) }
    let descriptor = keyboard_open_lock(keyboard_sqlite_wal_path(connection))
    notes.pointee.walLock = descriptor
    guard descriptor != 0, isLockOfWAL else {
      if descriptor != 0 { keyboard_close_lock(descriptor) }
      notes.pointee.walLock = 0
      throw .storage
    }
  }

  /// - Returns: whether there is one.
  private func look(atWAL id: inout keyboard_file_id) -> Bool { isThere(keyboard_sqlite_wal_path(connection), &id) }

  private func isThere(_ path: UnsafePointer<CChar>?, _ id: inout keyboard_file_id) -> Bool {
    guard let path else { return false }
    switch Int(keyboard_look_at_file(path, &id)) {
    case Int(KEYBOARD_FILE_MISSING), Int(KEYBOARD_FILE_UNKNOWN): return false
    default: return true
    }
  }

  var isWALThere: Bool {
    let opened = notes.pointee.wal
    var now = keyboard_file_id()
    return look(atWAL: &now) && now.device == opened.device && now.inode == opened.inode
  }

  // MARK: The lock

  private var isLockOfWAL: Bool { keyboard_is_lock_of(notes.pointee.walLock, notes.pointee.wal) == 1 }

  /// Whether the host has closed the descriptor, and its number is another file's now.
  private var isLockLost: Bool { keyboard_is_lock_of(notes.pointee.walLock, notes.pointee.wal) == 0 }

  /// Takes the lock, if this connection does not have it.
  ///
  /// - Returns: SQLite's code for the same: `SQLITE_BUSY` if another process has it.
  func lockWAL() -> Int32 {
    guard !ForkMark.isInChild else { return SQLITE_INTERRUPT }
    if notes.pointee.isWALLocked { return SQLITE_OK }
    guard isLockOfWAL else { return SQLITE_IOERR }
    switch keyboard_lock_file(notes.pointee.walLock) {
    case 0: notes.pointee.isWALLocked = true
    case EWOULDBLOCK: return SQLITE_BUSY
    default: return SQLITE_IOERR
    }
    return SQLITE_OK
  }

  /// Not in the child of a fork, which shares the descriptor with its parent: it would end the parent's lock.
  func unlockWAL() {
    guard !ForkMark.isInChild, notes.pointee.isWALLocked else { return }
    notes.pointee.isWALLocked = false
    if !isLockLost { keyboard_unlock_file(notes.pointee.walLock) }
  }

  func closeWALLock() {
    if notes.pointee.walLock != 0 && !isLockLost { keyboard_close_lock(notes.pointee.walLock) }
    notes.pointee.walLock = 0
  }

  // MARK: Checkpoints

  /// Copies all changes into the file and empties the WAL, after a change that destroys something. While another
  /// process reads, that cannot be done: it is tried as long as a call may wait, then after each change, and when the
  /// vault is closed. Inside a change it waits for the end of that.
  func emptyWAL() {
    guard !notes.pointee.mayOnlyRead else { return }
    guard !notes.pointee.isInChange else {
      notes.pointee.change.emptiesWAL = true
      return
    }
    notes.pointee.isWALToBeEmptied = true
    // The change itself is durable. If this fails, the note stays.
    try? retrying {
      let code = lockWAL()
      guard code == SQLITE_OK else { return code }
      defer { unlockWAL() }
      return checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    }
  }

  /// After a change, while the lock is still held: empties the WAL if that could not be done before, or lets it begin
  /// anew if it is long.
  func shortenWAL() {
    if notes.pointee.isWALToBeEmptied {
      _ = checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    } else if notes.pointee.walPages >= Self.longWAL {
      _ = checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    }
  }

  /// Before the vault is closed: copies all changes into the file and empties the WAL, so that the file can be copied,
  /// moved or replaced alone. Waits for other processes that write, but not for those that read.
  func emptyWALForClosing() {
    guard !notes.pointee.mayOnlyRead else { return }
    defer { unlockWAL() }
    do throws(KeyboardError) { try retrying { lockWAL() } } catch { return }
    emptyLockedWAL()
  }

  /// The same after a call that has opened the file for itself, or could not open it. It may have waited already, so
  /// it waits for nobody; and a WAL into which it has written nothing is left to the next one that closes the vault.
  func emptyOwnWAL() {
    guard notes.pointee.walPages > 0 else { return }
    defer { unlockWAL() }
    if lockWAL() == SQLITE_OK { emptyLockedWAL() }
  }

  /// Not if another file is at the path, because a process that has that one open shares the WAL; nor if the WAL is no
  /// longer there, because the file may have changes since that this connection does not know.
  private func emptyLockedWAL() {
    var id = keyboard_file_id()
    let isReplaced = keyboard_sqlite_has_moved(connection) != 0 && isThere(keyboard_sqlite_path(connection), &id)
    if !isReplaced && isWALThere { _ = checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }
  }

  /// Under the lock.
  ///
  /// - Returns: SQLite's code: `SQLITE_BUSY` if another process was in the way.
  private func checkpoint(_ mode: Int32) -> Int32 {
    guard !ForkMark.isInChild else { return SQLITE_INTERRUPT }
    let code = sqlite3_wal_checkpoint_v2(connection, "main", mode, nil, nil)
    if code == SQLITE_OK && mode == SQLITE_CHECKPOINT_TRUNCATE { notes.pointee.isWALToBeEmptied = false }
    if code & 0xff == SQLITE_NOMEM { forgetSchema() }
    return code
  }
}
