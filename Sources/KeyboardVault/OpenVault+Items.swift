// Items: add, read, update, replace, delete.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import CKeyboardSQLite
import KeyboardCodes
import KeyboardMemory

extension OpenVault {
  /// The place of a string of the caller's that was copied.
  func name(_ which: Meta.Name, count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: names + which.rawValue * Self.nameCapacity, count: count)
  }

  /// Leaves the id of a row in `otherID`. Rows of other tables than the items' have no service.
  func findID(
    _ table: RowTable, _ service: UnsafeRawBufferPointer, _ account: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in
      keys.makeID(table: table.binding, service: service, account: account, into: otherID)
    }
  }

  /// - Parameter dataSize: of what is in `data`.
  /// - Throws: `.exists`.
  func add(
    to table: RowTable = .item, _ service: UnsafeRawBufferPointer, _ account: UnsafeRawBufferPointer,
    label: UnsafeRawBufferPointer, kind: UnsafeRawBufferPointer, dataSize: Int
  ) throws(KeyboardError) {
    try findID(table, service, account)
    try changing { () throws(KeyboardError) in
      guard try !withRow(of: table, { _ throws(KeyboardError) in }) else { throw .exists }
      let fields = Meta(memory: meta)
      fields.created = keyboard_wall_clock()
      try put(.add, in: table, service, account, label, kind, dataSize: dataSize)
    }
  }

  /// - Parameters:
  ///   - label, kind: nil for what stays.
  ///   - dataSize: of what is in `data`.
  /// - Throws: `.notFound`.
  func update(
    _ service: UnsafeRawBufferPointer, _ account: UnsafeRawBufferPointer, label: UnsafeRawBufferPointer?,
    kind: UnsafeRawBufferPointer?, dataSize: Int
  ) throws(KeyboardError) {
    try findID(.item, service, account)
    try changing { () throws(KeyboardError) in
      let isThere = try withRow(of: .item) { statement throws(KeyboardError) in try openMeta(statement, of: .item) }
      guard isThere else { throw .notFound }
      try subtractRow()
      let (label, kind) = (label ?? kept(.label), kind ?? kept(.kind))
      try put(.change, in: .item, service, account, label, kind, dataSize: dataSize)
    }
  }

  /// - Parameters:
  ///   - isExpected: looks at the old data.
  ///   - copyNext: puts the next data into `data`.
  /// - Throws: `.notFound`; `.mismatch` if the old data is not what was expected.
  func replace(
    _ service: UnsafeRawBufferPointer, _ account: UnsafeRawBufferPointer,
    isExpected: (UnsafeRawBufferPointer) -> Bool, copyNext: () -> Int
  ) throws(KeyboardError) {
    try findID(.item, service, account)
    try changing { () throws(KeyboardError) in
      guard let oldSize = try openForChange(.item) else { throw .notFound }
      guard isExpected(UnsafeRawBufferPointer(start: data, count: oldSize)) else { throw .mismatch }
      try subtractRow()
      let nextSize = copyNext()
      try put(.change, in: .item, service, account, kept(.label), kept(.kind), dataSize: nextSize)
    }
  }

  /// - Throws: `.notFound`.
  func delete(
    from table: RowTable = .item, _ service: UnsafeRawBufferPointer, _ account: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try findID(table, service, account)
    try changing { () throws(KeyboardError) in
      let isThere = try withRow(of: table) { statement throws(KeyboardError) in try takeTerm(statement, of: table) }
      guard isThere else { throw .notFound }
      try subtractRow()
      try removeRow(otherID, of: table)
    }
  }

  /// Reads a row's data into `data`.
  ///
  /// - Returns: how many bytes it has.
  /// - Throws: `.notFound`, `.mismatch`, `.damaged`.
  func read(
    from table: RowTable = .item, _ service: UnsafeRawBufferPointer, _ account: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Int {
    try checkChange()
    try findID(table, service, account)
    let statement = try database.statement(.read, of: table)
    defer { clear(statement) }
    try database.bind(statement, 1, otherID, count: VaultKeys.idSize)
    // Nothing checks the schema here: a row that it hides is like one that was removed.
    defer { database.noticeSchema(of: statement) }
    guard try database.step(statement) else { throw .damaged }
    try checkHead(statement)
    guard sqlite3_column_type(statement, 4) != SQLITE_NULL else { throw .notFound }
    let version = try database.number(statement, 4)
    seals.copyMemory(from: try database.blob(statement, 5, count: Self.rowSealsSize), byteCount: Self.rowSealsSize)
    let sealed = try database.blob(statement, 6)
    try open(sealed, of: table, column: .data, version: version, id: otherID)
    return sealed.count
  }

  // MARK: Rows

  /// Finds the row `otherID`.
  ///
  /// - Returns: whether there is one; `body` has then seen it.
  func withRow(
    of table: RowTable, _ body: (OpaquePointer) throws(KeyboardError) -> Void
  ) throws(KeyboardError) -> Bool {
    let statement = try database.statement(.readForChange, of: table)
    defer { clear(statement) }
    try database.bind(statement, 1, otherID, count: VaultKeys.idSize)
    guard try database.step(statement) else { return false }
    try body(statement)
    return true
  }

  /// Leaves the seals of the row in `seals`, and what it adds to the sum in `term`.
  private func takeTerm(_ statement: OpaquePointer, of table: RowTable) throws(KeyboardError) {
    seals.copyMemory(from: try database.blob(statement, 2, count: Self.rowSealsSize), byteCount: Self.rowSealsSize)
    try makeTerm(otherID, of: table, version: try database.number(statement, 1), under: keys)
  }

  private func openMeta(_ statement: OpaquePointer, of table: RowTable) throws(KeyboardError) {
    try takeTerm(statement, of: table)
    let sealed = try database.blob(statement, 3)
    try open(sealed, of: table, column: .meta, version: try database.number(statement, 1), id: otherID)
    guard Meta(memory: meta).isWhole(count: sealed.count) else { throw .damaged }
  }

  /// Opens meta and data of the row `otherID`, and leaves in `term` what the row adds to the sum.
  ///
  /// - Returns: the size of its data; nil if there is no such row.
  func openForChange(_ table: RowTable) throws(KeyboardError) -> Int? {
    var size = 0
    let isThere = try withRow(of: table) { statement throws(KeyboardError) in
      try openMeta(statement, of: table)
      let sealed = try database.blob(statement, 4)
      try open(sealed, of: table, column: .data, version: try database.number(statement, 1), id: otherID)
      size = sealed.count
    }
    return isThere ? size : nil
  }

  func subtractRow() throws(KeyboardError) {
    guard sum.rows > 0 else { throw .damaged }
    sum.subtract(term)
  }

  /// Copies a string of the old meta to where the caller's would be.
  func kept(_ which: Meta.Name) -> UnsafeRawBufferPointer {
    let old = Meta(memory: meta)[which]
    let place = names + which.rawValue * Self.nameCapacity
    if let start = old.baseAddress { place.copyMemory(from: start, byteCount: old.count) }
    return UnsafeRawBufferPointer(start: place, count: old.count)
  }

  /// Seals and writes the row `otherID`. `meta` already has the time at which the item was created.
  func put(
    _ which: RowStatement, in table: RowTable, _ service: UnsafeRawBufferPointer, _ account: UnsafeRawBufferPointer,
    _ label: UnsafeRawBufferPointer, _ kind: UnsafeRawBufferPointer, dataSize: Int
  ) throws(KeyboardError) {
    let fields = Meta(memory: meta)
    fields.modified = keyboard_wall_clock()
    fields.dataSize = Int64(dataSize)
    fields.setNames(service, account, label, kind)
    let metaSize = fields.size
    try sealRow(otherID, of: table, metaSize: metaSize, dataSize: dataSize, under: keys)
    try write(which, otherID, of: table, metaSize: metaSize, dataSize: dataSize)
  }

  /// Opens a row whole, and leaves its id in `id`.
  ///
  /// - Returns: the sizes of its meta and data.
  func openRow(_ statement: OpaquePointer, of table: RowTable) throws(KeyboardError) -> (Int, Int) {
    id.copyMemory(from: try database.blob(statement, 0, count: VaultKeys.idSize), byteCount: VaultKeys.idSize)
    seals.copyMemory(from: try database.blob(statement, 2, count: Self.rowSealsSize), byteCount: Self.rowSealsSize)
    let version = try database.number(statement, 1)
    let (sealedMeta, sealedData) = (try database.blob(statement, 3), try database.blob(statement, 4))
    try open(sealedMeta, of: table, column: .meta, version: version, id: id)
    try open(sealedData, of: table, column: .data, version: version, id: id)
    guard Meta(memory: meta).isWhole(count: sealedMeta.count) else { throw .damaged }
    return (sealedMeta.count, sealedData.count)
  }
}
