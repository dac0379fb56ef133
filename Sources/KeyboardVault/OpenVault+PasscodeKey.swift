// A passcode that opens the vault. Its tries are counted in the file, and anybody who may write the file can change the
// count. So the count stops a person at the device. It does not protect against a person who has a copy of the file.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import CKeyboardSQLite
import KeyboardCodes
import KeyboardMemory

/// The row of the passcode's key, which is read before there is any key: a view of memory.
///
///     0      28     60         112      160
///     ├ seal ┼ root ┼ settings ┼ counts ┤
///
/// All but the counts is in the sum over all rows, so that another row is noticed when the vault is open.
struct PasscodeKeyRecord {
  let memory: UnsafeMutableRawPointer

  static var wrappedSize: Int { VaultKeys.sealSize + VaultKeys.rootSize }
  static var summedSize: Int { wrappedSize + Attempts.settingsSize }

  var seal: UnsafeMutableRawPointer { memory }
  var root: UnsafeMutableRawPointer { memory + VaultKeys.sealSize }
  var attempts: Attempts {
    Attempts(settings: memory + Self.wrappedSize, counts: memory + Self.summedSize)
  }

  /// Whether two rows come from the same setting of a passcode. Salt and seal are new each time, also for an equal
  /// passcode.
  func isOfSamePasscode(as other: PasscodeKeyRecord) -> Bool {
    ConstantTime.isEqual(seal, other.seal, count: VaultKeys.sealSize)
      && ConstantTime.isEqual(attempts.settings, other.attempts.settings, count: Attempts.settingsSize)
  }
}

extension OpenVault {
  private var tried: PasscodeKeyRecord { PasscodeKeyRecord(memory: record.memory) }
  private var stored: PasscodeKeyRecord { PasscodeKeyRecord(memory: nextRecord.memory) }

  // MARK: Making

  /// Wraps the root under a key of what is typed. A passcode that opened the vault before no longer does, and its row
  /// is removed from the WAL, too.
  func setPasscodeKey(
    _ typed: TypedText, pepper: UnsafeRawBufferPointer, _ policy: AttemptPolicy
  ) throws(KeyboardError) {
    let attempts = tried.attempts
    attempts.policy = policy
    attempts.setCosts()
    attempts.clear()
    try SystemRandomness().fill(UnsafeMutableRawBufferPointer(start: attempts.salt, count: Attempts.saltSize))
    try wrapRoot(typed, pepper: pepper)
    try changing { () throws(KeyboardError) in
      _ = try removePasscodeKeyRow()
      try makeTerm(of: tried, version: sum.generation)
      sum.add(term)
      let statement = try database.statement(.makePasscodeKey)
      defer { clear(statement) }
      try database.bind(statement, 1, sum.generation)
      try database.bind(statement, 2, attempts.settings, count: Attempts.settingsSize)
      try database.bind(statement, 3, attempts.counts, count: Attempts.countsSize)
      try database.bind(statement, 4, tried.memory, count: PasscodeKeyRecord.wrappedSize)
      try database.change(statement)
    }
    database.emptyWAL()
  }

  /// Leaves the wrapped root in `tried`, and nothing that the passcode gives: the file may be waited for after it. If
  /// another process changes the root meanwhile, the head has another epoch.
  private func wrapRoot(_ typed: TypedText, pepper: UnsafeRawBufferPointer) throws(KeyboardError) {
    defer { otherKeys.wipeAll() }
    try typed.deriveKey(tried.attempts, pepper: pepper, into: otherKeys.root)
    try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in otherKeys.deriveAll() }
    setID(ofHead: id)
    tried.root.copyMemory(from: keys.root, byteCount: VaultKeys.rootSize)
    try seal(tried.root, count: VaultKeys.rootSize, boundTo: passcodeKeyBinding, under: otherKeys, into: tried.seal)
  }

  /// Removes the row, also from the WAL: the passcode that it had would still give the root.
  ///
  /// - Throws: `.notFound`.
  func removePasscodeKey() throws(KeyboardError) {
    try changing { () throws(KeyboardError) in
      guard try removePasscodeKeyRow() else { throw .notFound }
    }
    database.emptyWAL()
  }

  /// - Returns: whether there was one.
  private func removePasscodeKeyRow() throws(KeyboardError) -> Bool {
    guard let version = try readPasscodeKey() else { return false }
    try makeTerm(of: stored, version: version)
    try subtractRow()
    let statement = try database.statement(.removePasscodeKey)
    defer { database.reset(statement) }
    try database.change(statement)
    return true
  }

  // MARK: Opening

  /// Opens a file with what is typed. The try is counted first, in a transaction of its own.
  ///
  /// - Parameter state: of the tries, after success, `.mismatch` and `.locked`.
  /// - Returns: the entry that the file has in the table.
  /// - Throws: `.notFound` if there is no file, or no passcode's key in it, or if another process has just removed that
  ///   with the old key; `.locked`, `.mismatch`; `.damaged`, …
  func open(
    _ file: VaultFile, _ typed: TypedText, pepper: UnsafeRawBufferPointer, _ state: inout AttemptState?
  ) throws(KeyboardError) -> HandleTable.Entry {
    var (id, known) = (keyboard_file_id(), state)
    guard try file.look(&id) else { throw .notFound }
    defer { state = known }
    return try connect(to: file, id) { () throws(KeyboardError) in
      let (isLocked, counted) = try countKeyTry()
      guard !isLocked else {
        known = counted
        throw .locked
      }
      guard try unwrapRoot(typed, pepper: pepper) else {
        known = counted
        throw .mismatch
      }
      do throws(KeyboardError) { try checkRows() } catch {
        // The head has another epoch: the vault's key was changed, which removed this passcode's key.
        if case .mismatch = error { throw .notFound }
        throw error
      }
      try forgetKeyTries(&known)
    }
  }

  /// Counts a try, unless the passcode is locked. Leaves the row in `tried`, and the epoch.
  private func countKeyTry() throws(KeyboardError) -> (isLocked: Bool, state: AttemptState?) {
    var isLocked = false
    var counted: AttemptState?
    try changingCounts { attempts, now in
      tried.memory.copyMemory(from: stored.memory, byteCount: PasscodeKeyRecord.wrappedSize + Attempts.settingsSize)
      let isMoved = attempts.update(now)
      isLocked = attempts.isLocked
      if !isLocked { attempts.count(now) }
      counted = attempts.state(at: now)
      return isMoved || !isLocked
    }
    return (isLocked, counted)
  }

  /// - Returns: false for another passcode or pepper.
  private func unwrapRoot(_ typed: TypedText, pepper: UnsafeRawBufferPointer) throws(KeyboardError) -> Bool {
    defer { otherKeys.wipeAll() }
    try typed.deriveKey(tried.attempts, pepper: pepper, into: otherKeys.root)
    setID(ofHead: id)
    keys.root.copyMemory(from: tried.root, byteCount: VaultKeys.rootSize)
    return try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in
      otherKeys.deriveAll()
      guard otherKeys.open(keys.root, count: VaultKeys.rootSize, boundTo: passcodeKeyBinding, seal: tried.seal)
      else { return false }
      keys.deriveAll()
      return true
    }
  }

  /// After a right passcode, if it is still the one that is stored.
  private func forgetKeyTries(_ state: inout AttemptState?) throws(KeyboardError) {
    var isStored = false
    var after: AttemptState?
    try changingCounts { attempts, now in
      isStored = stored.isOfSamePasscode(as: tried)
      if isStored { attempts.clear() }
      // Another process may have set it and locked it meanwhile.
      _ = attempts.update(now)
      after = attempts.state(at: now)
      return isStored
    }
    state = after
    guard isStored else { throw .mismatch }
  }

  /// - Returns: the state of the tries of a file's passcode.
  /// - Throws: `.notFound`.
  func passcodeKeyState(of file: VaultFile) throws(KeyboardError) -> AttemptState {
    var id = keyboard_file_id()
    guard try file.look(&id) else { throw .notFound }
    var state = AttemptState()
    let entry = try connect(to: file, id) { () throws(KeyboardError) in
      guard try readPasscodeKey() != nil else { throw .notFound }
      let now = keyboard_now()
      let isMoved = stored.attempts.update(now)
      state = stored.attempts.state(at: now)
      guard isMoved && !database.notes.pointee.mayOnlyRead else { return }
      try changingCounts { attempts, now in
        let isMoved = attempts.update(now)
        state = attempts.state(at: now)
        return isMoved
      }
    }
    leave()
    database.close()
    VaultHandle.table.giveBack(entry)
    return state
  }

  // MARK: The row

  /// Reads the row into `stored`.
  ///
  /// - Returns: its version; nil if there is none.
  private func readPasscodeKey() throws(KeyboardError) -> Int64? {
    let statement = try database.statement(.passcodeKey)
    defer { clear(statement) }
    guard try database.step(statement) else { return nil }
    guard try database.number(statement, 0) == 1 else { throw .damaged }
    let version = try database.number(statement, 1)
    let (settings, counts) = (Attempts.settingsSize, Attempts.countsSize)
    stored.attempts.settings.copyMemory(
      from: try database.blob(statement, 2, count: settings), byteCount: settings)
    stored.attempts.counts.copyMemory(from: try database.blob(statement, 3, count: counts), byteCount: counts)
    stored.memory.copyMemory(
      from: try database.blob(statement, 4, count: PasscodeKeyRecord.wrappedSize),
      byteCount: PasscodeKeyRecord.wrappedSize)
    guard stored.attempts.isPossible, try !database.step(statement) else { throw .damaged }
    return version
  }

  /// Changes the counts in a transaction, for which no key is needed. The row is in `stored`.
  private func changingCounts(_ change: (Attempts, keyboard_moment) -> Bool) throws(KeyboardError) {
    try database.writing { () throws(KeyboardError) in
      try readEpoch()
      guard try readPasscodeKey() != nil else { throw .notFound }
      guard change(stored.attempts, keyboard_now()) else { return false }
      let statement = try database.statement(.setCounts)
      defer { clear(statement) }
      try database.bind(statement, 1, stored.attempts.counts, count: Attempts.countsSize)
      try database.change(statement)
      return true
    }
  }

  private func readEpoch() throws(KeyboardError) {
    let statement = try database.statement(.head)
    defer { clear(statement) }
    guard try database.step(statement) else { throw .damaged }
    epoch.copyMemory(from: try database.blob(statement, 0, count: Self.epochSize), byteCount: Self.epochSize)
  }

  // MARK: The sum

  /// Adds the row to the sum that is computed again.
  func scanPasscodeKey() throws(KeyboardError) {
    guard let version = try readPasscodeKey() else { return }
    try makeTerm(of: stored, version: version)
    otherSum.add(term)
  }

  private func makeTerm(of record: PasscodeKeyRecord, version: Int64) throws(KeyboardError) {
    setID(ofHead: id)
    try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in
      keys.makeTerm(
        table: .passcodeKey, id: id, version: version, seals: record.memory, count: PasscodeKeyRecord.summedSize,
        into: term)
    }
  }

  private var passcodeKeyBinding: Binding { Binding(table: .passcodeKey, column: .only, version: 0, id: id) }
}
