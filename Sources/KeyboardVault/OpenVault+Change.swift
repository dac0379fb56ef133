// A change of the caller's: one transaction that several calls are parts of.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes

extension OpenVault {
  var isInChange: Bool { database.notes.pointee.isInChange }

  /// For what needs transactions of its own: a try is counted on the disk before it is checked.
  ///
  /// - Throws: `.operationDisabled` inside a change.
  func refuseInChange() throws(KeyboardError) {
    guard !isInChange else { throw .operationDisabled(.inChange) }
  }

  /// - Throws: as `writing`, `readHead` and `nextGeneration`.
  func beginChange() throws(KeyboardError) {
    try database.beginWriting()
    do throws(KeyboardError) {
      try readHead()
      _ = try nextGeneration()
    } catch {
      database.cancelWriting()
      throw error
    }
    database.notes.pointee.change = Database.Change()
    database.notes.pointee.isInChange = true
  }

  /// - Parameter isWanted: whether the caller's function has succeeded.
  /// - Throws: if it has, what a call inside answered that has spoiled the change; `.storage`, `.damaged`, `.memory`,
  ///   `.random`.
  func endChange(isWanted: Bool) throws(KeyboardError) {
    let change = database.notes.pointee.change
    database.notes.pointee.isInChange = false
    guard isWanted, change.fault == nil else {
      database.cancelWriting()
      if isWanted, let fault = change.fault { throw fault }
      return
    }
    let generation = sum.generation
    if change.isAnythingChanged {
      do throws(KeyboardError) { try writeState() } catch {
        database.cancelWriting()
        throw error
      }
    }
    try database.endWriting(isChanged: change.isAnythingChanged)
    if change.isAnythingChanged { newest.take(generation, seal: data) }
    if change.emptiesWAL { database.emptyWAL() }
  }

  // MARK: Parts

  /// Runs a part of a change. The head is read and written once, by the change. A part that fails after it has written
  /// has met a fault: so nothing has to be taken back.
  func changingInside(_ body: () throws(KeyboardError) -> Bool) throws(KeyboardError) {
    try checkChange()
    try checkWrites()
    if try body() { database.notes.pointee.change.isAnythingChanged = true }
  }

  /// - Throws: inside a change that is spoiled, what has spoiled it. SQLite may have rolled it back, and would commit
  ///   the next statement alone.
  func checkChange() throws(KeyboardError) {
    if isInChange, let fault = database.notes.pointee.change.fault { throw fault }
  }

  /// Notes what a call has answered, inside a change.
  func note(_ error: KeyboardError) {
    guard isInChange else { return }
    database.notes.pointee.change.failure = error
    guard database.notes.pointee.change.fault == nil else { return }
    switch error {
    case .storage, .damaged, .memory, .random, .busy: database.notes.pointee.change.fault = error
    default: break
    }
  }
}
