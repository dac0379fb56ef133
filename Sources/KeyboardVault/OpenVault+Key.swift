// Another key for the vault, and a copy of it.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import CKeyboardSQLite
import KeyboardCodes
import KeyboardMemory

extension OpenVault {
  /// Seals all rows anew under a new root, which the new key wraps, in one transaction; then empties the WAL, where the
  /// old rows are. A passcode that opens the vault is removed: nobody types it now, and it would open the old root.
  ///
  /// - Parameter nextKeys: the next root's. The new key's own are in `otherKeys`.
  func changeKey(nextKeys: VaultKeys) throws(KeyboardError) {
    try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in otherKeys.deriveAll() }
    defer {
      otherKeys.wipeAll()
      nextKeys.wipeAll()
      wipeTexts()
    }
    // After the change nothing may fail.
    try Residue.keepingStack { stack throws(KeyboardError) in
      try changeRoot(nextKeys)
      stack.run {
        keys.root.copyMemory(from: nextKeys.root, byteCount: VaultKeys.rootSize)
        keys.deriveAll()
      }
    }
    database.emptyWAL()
  }

  private func changeRoot(_ nextKeys: VaultKeys) throws(KeyboardError) {
    // Kept, because a transaction that fails leaves the old epoch in the file.
    let oldEpoch = otherID
    oldEpoch.copyMemory(from: epoch, byteCount: Self.epochSize)
    do throws(KeyboardError) {
      try database.writing { () throws(KeyboardError) in
        try readHead()
        // The next sum is made from the rows that are there, so a row that was taken away would never be missed.
        try checkSum()
        let last = sum.generation
        guard last < .max else { throw .storage }
        try drawRoot(nextKeys)
        sum.clear()
        sum.generation = last + 1
        try RowTable.forEach { table throws(KeyboardError) in
          try sealAllRows(of: table, upTo: last, under: nextKeys)
        }
        try database.run(.removePasscodeKey)
        try writeHead(.setHead, under: nextKeys)
        return true
      }
    } catch {
      epoch.copyMemory(from: oldEpoch, byteCount: Self.epochSize)
      throw error
    }
  }

  /// Opens each row of the old root, removes it, and writes it under the next root, where it has another id.
  private func sealAllRows(of table: RowTable, upTo last: Int64, under nextKeys: VaultKeys) throws(KeyboardError) {
    let place = names
    place.initializeMemory(as: UInt8.self, repeating: 0, count: VaultKeys.idSize)
    while true {
      let sizes = try readNextRow(of: table, after: place, upTo: last)
      guard let (metaSize, dataSize) = sizes else { break }
      place.copyMemory(from: id, byteCount: VaultKeys.idSize)
      try removeRow(id, of: table)
      let meta = Meta(memory: meta)
      let (service, account) = (meta[.service], meta[.account])
      try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in
        nextKeys.makeID(table: table.binding, service: service, account: account, into: id)
      }
      try sealRow(id, of: table, metaSize: metaSize, dataSize: dataSize, under: nextKeys)
      try write(.add, id, of: table, metaSize: metaSize, dataSize: dataSize)
    }
  }

  /// Opens the next row whose version is at most `last`.
  ///
  /// - Returns: the sizes of its meta and data; nil if there are no more rows.
  private func readNextRow(
    of table: RowTable, after place: UnsafeRawPointer, upTo last: Int64
  ) throws(KeyboardError) -> (Int, Int)? {
    let statement = try database.statement(.nextOld, of: table)
    defer { clear(statement) }
    try database.bind(statement, 1, place, count: VaultKeys.idSize)
    try database.bind(statement, 2, last)
    guard try database.step(statement) else { return nil }
    return try openRow(statement, of: table)
  }

  func removeRow(_ id: UnsafeRawPointer, of table: RowTable) throws(KeyboardError) {
    let statement = try database.statement(.remove, of: table)
    defer { clear(statement) }
    try database.bind(statement, 1, id, count: VaultKeys.idSize)
    try database.change(statement)
  }

  /// Writes a copy of the vault as it is at one moment.
  ///
  /// - Throws: `.exists` if the path names something, or a WAL is there that SQLite would take for the copy's;
  ///   `.damaged` if a row was removed or put back; `.storage`, `.mismatch`, …
  func backUp(to file: VaultFile) throws(KeyboardError) {
    guard try !file.isTaken(), try !file.hasLeftovers() else { throw .exists }
    try checkRows()
    let folder = try file.openFolder()
    defer { keyboard_close_folder(folder) }
    try file.makeDraft()
    do throws(KeyboardError) {
      try copy(to: file.draft)
      // SQLite copies in a transaction of its own. Before it, another process may have changed key or rows.
      try checkRows()
      guard try file.publishDraft(in: folder) else { throw .exists }
    } catch {
      file.removeDraft()
      throw error
    }
  }

  private func copy(to path: UnsafePointer<CChar>) throws(KeyboardError) {
    let statement = try database.prepare("VACUUM INTO ?1")
    defer { database.finalize(statement) }
    defer { database.forgetSchema() }
    try database.check(sqlite3_bind_text(statement, 1, path, -1, nil))
    do throws(KeyboardError) {
      while try database.step(statement) {}
    } catch {
      // So SQLite answers for a new file whose size it cannot find out.
      guard case .damaged = error, database.lastCode == SQLITE_ERROR else { throw error }
      throw .storage
    }
  }
}
