// A note of how a value is locked, because the vault does not tell: a client that changes one option leaves the others.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomVault

private let noteService: StaticString = "CustomFido locks"

extension Authenticator {
  /// Its name among the items of a service.
  var itemName: UnsafePointer<CChar> { text(self == .passcode ? "passcode" : "pattern") }

  var resetsName: UnsafePointer<CChar> { text(self == .passcode ? "passcode resets" : "pattern resets") }
}

/// What the note says: 16 bytes of an item.
private struct LockNote {
  var triesToLock: UInt32
  var lockSeconds: UInt32
  var maximumLocks: UInt32
  /// Grows with each change, so that a client notices that another one was there.
  var number: UInt32

  static var size: Int { 16 }

  init(_ policy: CUSTOM_VAULT_POLICY, number: UInt32) {
    triesToLock = policy.triesToLock
    lockSeconds = policy.lockSeconds
    maximumLocks = policy.maximumLocks
    self.number = number
  }

  var policy: CUSTOM_VAULT_POLICY {
    CUSTOM_VAULT_POLICY(
      size: MemoryLayout<CUSTOM_VAULT_POLICY>.size, triesToLock: triesToLock, lockSeconds: lockSeconds,
      maximumLocks: maximumLocks)
  }

  /// With each number of the stricter one. No maximum of locks is 0.
  func stricter(than other: LockNote) -> LockNote {
    var note = self
    note.triesToLock = min(triesToLock, other.triesToLock)
    note.lockSeconds = max(lockSeconds, other.lockSeconds)
    note.maximumLocks =
      maximumLocks == 0 || other.maximumLocks == 0
      ? max(maximumLocks, other.maximumLocks) : min(maximumLocks, other.maximumLocks)
    return note
  }

  func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    let numbers = (
      triesToLock.littleEndian, lockSeconds.littleEndian, maximumLocks.littleEndian, number.littleEndian
    )
    return withUnsafeBytes(of: numbers) { body(bytes($0.baseAddress!)) }
  }
}

extension FidoState {
  /// Changes how a value is locked, or sets one, and the note with it.
  ///
  /// The note is never weaker than the vault's policy. Before the change it gets the stricter numbers of both policies,
  /// after it those of the new one. If another client changed the note in between, the policy is set once more.
  ///
  /// - Parameters:
  ///   - policy: makes the new policy of the noted one; nil if there is none.
  ///   - change: gives the vault the policy.
  /// - Returns: what `change` answered.
  /// - Throws: what the vault answers about the note.
  func changeLocks(
    of authenticator: Authenticator, to policy: (CUSTOM_VAULT_POLICY?) -> CUSTOM_VAULT_POLICY,
    _ change: (inout CUSTOM_VAULT_POLICY) -> CUSTOM_KEYBOARD_RV
  ) throws(FidoResult) -> CUSTOM_KEYBOARD_RV {
    // Each repetition means that another client has made progress, so this ends.
    for _ in 0..<1000 {
      let old = try lockNote(of: authenticator)
      var new = policy(old?.policy)
      var note = LockNote(new, number: (old?.number ?? 0) &+ 1)
      if let old { note = note.stricter(than: old) }
      guard try replace(old, by: note, of: authenticator) else { continue }
      let rv = change(&new)
      guard rv == CUSTOM_KEYBOARD_OK else {
        // Nothing was changed. If this fails, the note stays stricter than it must be.
        if let old { _ = try? replace(note, by: LockNote(old.policy, number: note.number &+ 1), of: authenticator) }
        return rv
      }
      if try replace(note, by: LockNote(new, number: note.number &+ 1), of: authenticator) { return rv }
    }
    throw FidoResult(CUSTOM_KEYBOARD_BUSY)
  }

  private func lockNote(of authenticator: Authenticator) throws(FidoResult) -> LockNote? {
    var numbers: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
    var count = 0
    let rv = withUnsafeMutableBytes(of: &numbers) {
      CustomVault_readItem(
        vault, text(noteService), authenticator.itemName, $0.baseAddress!.assumingMemoryBound(to: UInt8.self),
        LockNote.size, &count)
    }
    guard rv != CUSTOM_KEYBOARD_NOT_FOUND else { return nil }
    guard rv != CUSTOM_KEYBOARD_SPACE else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
    try succeed(rv)
    guard count == LockNote.size else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
    let policy = CUSTOM_VAULT_POLICY(
      size: MemoryLayout<CUSTOM_VAULT_POLICY>.size, triesToLock: UInt32(littleEndian: numbers.0),
      lockSeconds: UInt32(littleEndian: numbers.1), maximumLocks: UInt32(littleEndian: numbers.2))
    return LockNote(policy, number: UInt32(littleEndian: numbers.3))
  }

  /// - Parameter old: what was read; nil if there was none.
  /// - Returns: false if another client has changed the note since then.
  private func replace(
    _ old: LockNote?, by new: LockNote, of authenticator: Authenticator
  ) throws(FidoResult) -> Bool {
    let rv = new.withBytes { new in
      guard let old else {
        return CustomVault_addItem(
          vault, text(noteService), authenticator.itemName, nil, text("numbers"), new, LockNote.size)
      }
      return old.withBytes {
        CustomVault_replaceItem(
          vault, text(noteService), authenticator.itemName, $0, LockNote.size, new, LockNote.size)
      }
    }
    guard rv != CUSTOM_KEYBOARD_EXISTS, rv != CUSTOM_KEYBOARD_MISMATCH, rv != CUSTOM_KEYBOARD_NOT_FOUND
    else { return false }
    try succeed(rv)
    return true
  }
}
