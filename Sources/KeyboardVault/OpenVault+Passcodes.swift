// Passcodes whose tries are counted, before they are checked.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import KeyboardCodes
import KeyboardMemory

/// The data of a passcode's row: a view of memory.
///
///     0          52       100      132    160   192
///     ├ settings ┼ counts ┼ pepper ┼ seal ┼ key ┤
///
/// The key is sealed under what `CustomKeyboard_deriveKey` makes of the passcode: opening it is the check. The pepper
/// is in the row, and not made from the root, because a passcode stays right when the vault gets another root.
struct PasscodeRecord {
  let memory: UnsafeMutableRawPointer

  static var byteCount: Int { 192 }
  static var keySize: Int { 32 }
  private static var pepperSize: Int { 32 }

  var attempts: Attempts { Attempts(settings: memory, counts: memory + Attempts.settingsSize) }
  var pepper: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: memory + 100, count: Self.pepperSize)
  }
  var seal: UnsafeMutableRawPointer { memory + 132 }
  var key: UnsafeMutableRawPointer { memory + 160 }

  /// Whether two rows come from the same setting of a passcode. Salt and seal are new each time, also for an equal
  /// passcode.
  func isOfSamePasscode(as other: PasscodeRecord) -> Bool {
    ConstantTime.isEqual(attempts.salt, other.attempts.salt, count: Attempts.saltSize)
      && ConstantTime.isEqual(seal, other.seal, count: VaultKeys.sealSize)
  }

  /// Takes over what only a passcode changes.
  func takePasscode(of other: PasscodeRecord) {
    attempts.takeKeySettings(of: other.attempts)
    pepper.copyMemory(from: UnsafeRawBufferPointer(other.pepper))
    seal.copyMemory(from: other.seal, byteCount: VaultKeys.sealSize)
    key.copyMemory(from: other.key, byteCount: Self.keySize)
  }

  var binding: Binding { Binding(table: .passcode, column: .key, version: 0, id: attempts.salt) }
}

extension OpenVault {
  /// What the row of a passcode has in place of a service: nothing.
  var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// - Throws: `.exists`; `.memory`, `.random`, …
  func setPasscode(
    _ name: UnsafeRawBufferPointer, _ typed: TypedText, _ policy: AttemptPolicy
  ) throws(KeyboardError) {
    // The key takes 20 ms, so it is not made for a name that is taken.
    guard try readPasscode(name) == nil else { throw .exists }
    record.attempts.policy = policy
    record.attempts.clear()
    try SystemRandomness().fill(UnsafeMutableRawBufferPointer(start: record.key, count: PasscodeRecord.keySize))
    try sealKey(of: record, typed)
    data.copyMemory(from: record.memory, byteCount: PasscodeRecord.byteCount)
    try add(to: .passcode, none, name, label: none, kind: none, dataSize: PasscodeRecord.byteCount)
  }

  /// Seals a record's key under a passcode, with a salt and a pepper of its own. What the passcode gives is gone when
  /// this returns, because the file may be waited for after it.
  private func sealKey(of record: PasscodeRecord, _ typed: TypedText) throws(KeyboardError) {
    defer { otherKeys.wipeAll() }
    let attempts = record.attempts
    attempts.setCosts()
    try SystemRandomness().fill(UnsafeMutableRawBufferPointer(start: attempts.salt, count: Attempts.saltSize))
    try SystemRandomness().fill(record.pepper)
    try typed.deriveKey(attempts, pepper: UnsafeRawBufferPointer(record.pepper), into: otherKeys.root)
    try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in otherKeys.deriveAll() }
    try seal(record.key, count: PasscodeRecord.keySize, boundTo: record.binding, under: otherKeys, into: record.seal)
  }

  // MARK: Trying

  /// Counts a try, then checks the passcode. If it is right, and is still the stored one, no tries and no locks are
  /// counted any more. The key that it gives is then in `record`.
  ///
  /// - Parameters:
  ///   - next: what becomes the passcode then; nil if it stays.
  ///   - keepsKey: whether the caller wants the key. Otherwise nothing in the clear waits for the file.
  ///   - state: of the tries, after success, `.mismatch` and `.locked`; but not if `.mismatch` means that another
  ///     process has changed the vault's key.
  /// - Throws: `.notFound`; `.locked`, and nothing was counted; what counting throws, and nothing was checked;
  ///   `.mismatch`; `.memory`, `.storage`, `.busy`, and the try stays counted.
  func tryPasscode(
    _ name: UnsafeRawBufferPointer, _ typed: TypedText, next: TypedText?, keepsKey: Bool,
    _ state: inout AttemptState?
  ) throws(KeyboardError) {
    let (isLocked, counted) = try countTry(name)
    guard !isLocked else {
      state = counted
      throw .locked
    }
    guard try openKey(typed) else {
      state = counted
      throw .mismatch
    }
    if let next {
      nextRecord.memory.copyMemory(from: record.memory, byteCount: PasscodeRecord.byteCount)
      try sealKey(of: nextRecord, next)
    }
    if !keepsKey { wipe(record.key, byteCount: PasscodeRecord.keySize) }
    var isStored = false
    var after: AttemptState?
    try changingPasscode(name) { stored, now in
      isStored = stored.isOfSamePasscode(as: record)
      if isStored {
        if next != nil { stored.takePasscode(of: nextRecord) }
        stored.attempts.clear()
      }
      // Another process may have set it and locked it meanwhile.
      _ = stored.attempts.update(now)
      after = stored.attempts.state(at: now)
      return isStored
    }
    state = after
    guard isStored else { throw .mismatch }
  }

  /// Counts a try in a transaction of its own, unless the passcode is locked, and leaves the row in `record`.
  private func countTry(
    _ name: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> (isLocked: Bool, state: AttemptState?) {
    var (isLocked, counted): (Bool, AttemptState?) = (false, nil)
    try changingPasscode(name, checkingRows: true) { stored, now in
      let isMoved = stored.attempts.update(now)
      isLocked = stored.attempts.isLocked
      if !isLocked { stored.attempts.count(now) }
      counted = stored.attempts.state(at: now)
      record.memory.copyMemory(from: stored.memory, byteCount: PasscodeRecord.byteCount)
      return isMoved || !isLocked
    }
    return (isLocked, counted)
  }

  /// Opens the key in `record`.
  ///
  /// - Returns: false if the passcode is wrong.
  private func openKey(_ typed: TypedText) throws(KeyboardError) -> Bool {
    defer { otherKeys.wipeAll() }
    try typed.deriveKey(record.attempts, pepper: UnsafeRawBufferPointer(record.pepper), into: otherKeys.root)
    return try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in
      otherKeys.deriveAll()
      return otherKeys.open(record.key, count: PasscodeRecord.keySize, boundTo: record.binding, seal: record.seal)
    }
  }

  // MARK: Looking and setting

  /// - Returns: the state of the tries, after which `.locked` may be thrown.
  /// - Throws: `.notFound`.
  func passcodeState(_ name: UnsafeRawBufferPointer) throws(KeyboardError) -> AttemptState {
    guard let stored = try readPasscode(name) else { throw .notFound }
    let now = keyboard_now()
    let isMoved = stored.attempts.update(now)
    guard isMoved && !database.notes.pointee.mayOnlyRead else { return stored.attempts.state(at: now) }
    // The lock goes on in another start of the machine: from now on this one's clock counts.
    var state = AttemptState()
    try changingPasscode(name) { stored, now in
      let isMoved = stored.attempts.update(now)
      state = stored.attempts.state(at: now)
      return isMoved
    }
    return state
  }

  /// - Throws: `.notFound`.
  func policy(_ name: UnsafeRawBufferPointer) throws(KeyboardError) -> AttemptPolicy {
    guard let stored = try readPasscode(name) else { throw .notFound }
    return stored.attempts.policy
  }

  /// - Throws: `.notFound`; `.refused` while wrong tries or locks are counted.
  func setPolicy(_ name: UnsafeRawBufferPointer, _ policy: AttemptPolicy) throws(KeyboardError) {
    var isCounted = false
    try changingPasscode(name) { stored, _ in
      isCounted = stored.attempts.isAnythingCounted
      if !isCounted { stored.attempts.policy = policy }
      return !isCounted
    }
    if isCounted { throw .refused(.triesCounted) }
  }

  // MARK: Rows

  /// - Returns: the row in `data`; nil if there is none.
  private func readPasscode(_ name: UnsafeRawBufferPointer) throws(KeyboardError) -> PasscodeRecord? {
    do throws(KeyboardError) {
      return try passcode(ofSize: try read(from: .passcode, none, name))
    } catch .notFound {
      return nil
    }
  }

  private func passcode(ofSize size: Int) throws(KeyboardError) -> PasscodeRecord {
    let stored = PasscodeRecord(memory: data)
    guard size == PasscodeRecord.byteCount, stored.attempts.isPossible else { throw .damaged }
    return stored
  }

  /// Changes a row in a transaction.
  ///
  /// - Parameters:
  ///   - checkingRows: for a try: a row that was put back has fewer tries than were made.
  ///   - change: changes the row, given the time. Returns whether the row must be written.
  /// - Throws: `.notFound`.
  private func changingPasscode(
    _ name: UnsafeRawBufferPointer, checkingRows: Bool = false, _ change: (PasscodeRecord, keyboard_moment) -> Bool
  ) throws(KeyboardError) {
    try findID(.passcode, none, name)
    try changingOrNot(checkingRows: checkingRows) { () throws(KeyboardError) in
      guard let size = try openForChange(.passcode) else { throw .notFound }
      guard change(try passcode(ofSize: size), keyboard_now()) else { return false }
      try subtractRow()
      try put(.change, in: .passcode, none, kept(.account), none, none, dataSize: size)
      return true
    }
  }
}
