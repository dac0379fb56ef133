// How a vault is made, opened, checked and closed.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import CKeyboardSQLite
import KeyboardCodes
import KeyboardMemory

extension OpenVault {
  static var keySize: Int { 32 }
  /// What is stored of a root: its seal, then the ciphertext.
  private static var wrappedSize: Int { VaultKeys.sealSize + VaultKeys.rootSize }

  /// Opens a file, and makes it if there is none.
  ///
  /// - Parameter key: `keySize` bytes in locked memory are in `otherKeys.root`.
  /// - Returns: the entry that the file has in the table.
  /// - Throws: `.storage`, `.busy`, `.damaged`, `.mismatch`, `.memory`, `.random`.
  func open(_ file: VaultFile) throws(KeyboardError) -> HandleTable.Entry {
    try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in otherKeys.deriveAll() }
    defer { otherKeys.wipeAll() }
    var id = keyboard_file_id()
    let reserved = try findOrMake(file, &id)
    return try connect(to: file, id, in: reserved) { () throws(KeyboardError) in
      try unwrapRoot()
      try checkRows()
    }
  }

  /// - Returns: an entry of the table, which is taken before a file is made, because there may be none free; nil if the
  ///   file was there.
  private func findOrMake(
    _ file: VaultFile, _ id: inout keyboard_file_id
  ) throws(KeyboardError) -> HandleTable.Entry? {
    if try file.look(&id) { return nil }
    var reserved: HandleTable.Entry?
    do throws(KeyboardError) {
      // A WAL without its file is what is left of another vault, and SQLite would put its rows into this one; unless
      // another process has made the file just now.
      if try !file.hasLeftovers() {
        reserved = try VaultHandle.table.reserve()
        try make(file)
      }
      guard try file.look(&id) else { throw .storage(.leftovers) }
    } catch {
      if let reserved { VaultHandle.table.giveBack(reserved) }
      throw error
    }
    return reserved
  }

  /// Opens a file whose rights were checked.
  ///
  /// - Parameters:
  ///   - reserved: an entry that was reserved without a file; or nil.
  ///   - use: finds the root's keys, or does what needs none.
  /// - Returns: the entry that the file has in the table.
  func connect(
    to file: VaultFile, _ id: keyboard_file_id, in reserved: HandleTable.Entry? = nil,
    use: () throws(KeyboardError) -> Void
  ) throws(KeyboardError) -> HandleTable.Entry {
    try ForkMark.set()
    var isOurs = false
    // Two connections of one process on one file would drop each other's locks.
    let entry = try VaultHandle.table.reserve(id, in: reserved)
    do throws(KeyboardError) {
      try database.open(file.path)
      // Since the check, the path may have become another file's.
      var now = keyboard_file_id()
      guard try file.look(&now), now.device == id.device, now.inode == id.inode else { throw .storage(.moved) }
      // A file of another program is left as it is.
      try database.beginReading()
      database.rollBack()
      try database.useWAL(mayMakeFiles: file.mayMakeFiles)
      try database.noteWAL()
      newest.clear()
      isOurs = true
      try use()
    } catch {
      // A try that was wrong has been counted, and is in the WAL.
      if isOurs { leave() }
      database.close()
      VaultHandle.table.giveBack(entry)
      throw error
    }
    return entry
  }

  /// Empties the WAL of a file that nobody has got a handle for.
  func leave() {
    if !ForkMark.isInChild { database.emptyOwnWAL() }
  }

  // MARK: Making a file

  /// Another process may make the file at the same time: then this one uses the other's.
  private func make(_ file: VaultFile) throws(KeyboardError) {
    try ForkMark.set()
    let folder = try file.openFolder()
    defer { keyboard_close_folder(folder) }
    try file.makeDraft()
    do throws(KeyboardError) {
      try database.open(file.draft)
      try database.run("PRAGMA journal_mode=MEMORY")
      try database.run(.begin)
      try database.run(Database.schema)
      try database.run(Database.passcodeKeySchema)
      try RowTable.forEach { table throws(KeyboardError) in try database.make(table) }
      try database.run("PRAGMA user_version=2")
      try drawRoot(keys)
      sum.clear()
      try writeHead(.makeHead, under: keys)
      try database.run(.commit)
      database.close()
      if try !file.publishDraft(in: folder) { file.removeDraft() }
    } catch {
      database.close()
      file.removeDraft()
      throw error
    }
  }

  /// Draws a root and an epoch, and makes the root's keys.
  func drawRoot(_ keys: VaultKeys) throws(KeyboardError) {
    try SystemRandomness().fill(UnsafeMutableRawBufferPointer(start: keys.root, count: VaultKeys.rootSize))
    try SystemRandomness().fill(UnsafeMutableRawBufferPointer(start: epoch, count: Self.epochSize))
    try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in keys.deriveAll() }
  }

  /// Writes a head with the root of `keys`, wrapped by the caller's key, which is in `otherKeys`; and with the state.
  func writeHead(_ which: Statement, under keys: VaultKeys) throws(KeyboardError) {
    setID(ofHead: id)
    let wrapped = data + 256
    (wrapped + VaultKeys.sealSize).copyMemory(from: keys.root, byteCount: VaultKeys.rootSize)
    try seal(
      wrapped + VaultKeys.sealSize, count: VaultKeys.rootSize, boundTo: rootBinding, under: otherKeys, into: wrapped)
    sum.writes += 1
    let generation = sum.generation
    try sealState(under: keys)
    let statement = try database.statement(which)
    defer { clear(statement) }
    try database.bind(statement, 1, epoch, count: Self.epochSize)
    try database.bind(statement, 2, generation)
    try database.bind(statement, 3, wrapped, count: Self.wrappedSize)
    try database.bind(statement, 4, data, count: VaultKeys.sealSize + VaultSum.byteCount)
    try database.change(statement)
  }

  // MARK: Opening

  /// Leaves the root's keys in `keys`, and the epoch.
  ///
  /// - Throws: `.mismatch` for another key.
  private func unwrapRoot() throws(KeyboardError) {
    let statement = try database.statement(.head)
    defer { database.reset(statement) }
    guard try database.step(statement) else { throw .damaged }
    epoch.copyMemory(from: try database.blob(statement, 0, count: Self.epochSize), byteCount: Self.epochSize)
    let wrapped = try database.blob(statement, 2, count: Self.wrappedSize)
    seals.copyMemory(from: wrapped, byteCount: VaultKeys.sealSize)
    keys.root.copyMemory(from: wrapped + VaultKeys.sealSize, byteCount: VaultKeys.rootSize)
    setID(ofHead: id)
    let isRight = try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in
      guard otherKeys.open(keys.root, count: VaultKeys.rootSize, boundTo: rootBinding, seal: seals)
      else { return false }
      keys.deriveAll()
      return true
    }
    guard isRight else { throw .mismatch }
  }

  /// Computes the sum over all rows again.
  ///
  /// - Throws: `.damaged` if a row was removed, swapped or put back, or if a row would not be found.
  func checkRows() throws(KeyboardError) {
    try reading { () throws(KeyboardError) in try checkSum() }
  }

  /// The same inside a transaction that has read the head.
  func checkSum() throws(KeyboardError) {
    otherSum.clear()
    let statement = try database.statement(.otherHeads)
    defer { database.reset(statement) }
    guard try !database.step(statement) else { throw .damaged }
    try RowTable.forEach { table throws(KeyboardError) in try scan(table) }
    try scanPasscodeKey()
    guard otherSum.agrees(with: sum) else { throw .damaged }
  }

  private func scan(_ table: RowTable) throws(KeyboardError) {
    let statement = try database.statement(.scan, of: table)
    defer { database.reset(statement) }
    let limit = Self.maximumDataSize / ScannedRow.byteCount
    var (count, isFirst) = (limit, true)
    while count == limit {
      count = try database.step(statement, upTo: limit) { number throws(KeyboardError) in
        let next = try database.blob(statement, 0, count: VaultKeys.idSize)
        guard isFirst || isAscending(id, next) else { throw .damaged }
        isFirst = false
        id.copyMemory(from: next, byteCount: VaultKeys.idSize)
        ScannedRow(memory: data + number * ScannedRow.byteCount).fill(
          id: next, version: try database.number(statement, 1),
          seals: try database.blob(statement, 2, count: Self.rowSealsSize))
      }
      try addScannedRows(count, of: table)
    }
  }

  /// Adds the rows in `data` to the sum. One switch to the stack for secrets serves all of them: a switch for each
  /// would take half of the time.
  private func addScannedRows(_ count: Int, of table: RowTable) throws(KeyboardError) {
    try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in
      for i in 0..<count {
        let row = ScannedRow(memory: data + i * ScannedRow.byteCount)
        keys.makeTerm(
          table: table.binding, id: row.id, version: row.version, seals: row.seals, count: Self.rowSealsSize,
          into: term)
        otherSum.add(term)
      }
    }
  }

  private func isAscending(_ one: UnsafeRawPointer, _ next: UnsafeRawPointer) -> Bool {
    for i in 0..<VaultKeys.idSize {
      let (low, high) = (one.load(fromByteOffset: i, as: UInt8.self), next.load(fromByteOffset: i, as: UInt8.self))
      if low != high { return low < high }
    }
    return false
  }
}

/// What the sum needs of a row: a view of memory.
///
///     ├ id (32) ┼ version (8) ┼ seals (56) ┤
private struct ScannedRow {
  let memory: UnsafeMutableRawPointer

  static var byteCount: Int { VaultKeys.idSize + 8 + OpenVault.rowSealsSize }

  var id: UnsafeRawPointer { UnsafeRawPointer(memory) }
  var version: Int64 { memory.load(fromByteOffset: VaultKeys.idSize, as: Int64.self) }
  var seals: UnsafeRawPointer { UnsafeRawPointer(memory + VaultKeys.idSize + 8) }

  func fill(id: UnsafeRawPointer, version: Int64, seals: UnsafeRawPointer) {
    memory.copyMemory(from: id, byteCount: VaultKeys.idSize)
    memory.storeBytes(of: version, toByteOffset: VaultKeys.idSize, as: Int64.self)
    (memory + VaultKeys.idSize + 8).copyMemory(from: seals, byteCount: OpenVault.rowSealsSize)
  }
}
