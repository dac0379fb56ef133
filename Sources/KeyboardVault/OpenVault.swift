// An open vault: its memory, its transactions, and what happens to a row.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import CKeyboardSQLite
import KeyboardCodes
import KeyboardMemory

/// A view of one vault's locked memory. Its functions are called with the vault's lock held, in `Residue.whole`.
struct OpenVault {
  let database: Database
  let keys: VaultKeys
  /// The keys of the next root, while the root is changed; those of the caller's key, while it wraps or unwraps a root.
  let otherKeys: VaultKeys
  /// What the head says, while a transaction runs.
  let sum: VaultSum
  /// Computed from the rows.
  let otherSum: VaultSum
  /// The newest state that was opened or committed.
  let newest: SeenState
  /// 16 bytes that are public: drawn anew with each root.
  let epoch: UnsafeMutableRawPointer
  let id: UnsafeMutableRawPointer
  let otherID: UnsafeMutableRawPointer
  let term: UnsafeMutableRawPointer
  /// Nonces and tags of a row: of its meta, then of its data.
  let seals: UnsafeMutableRawPointer
  /// A service, an account, a label and a kind of the caller's, each with its NUL: 256 bytes each.
  let names: UnsafeMutableRawPointer
  /// The records of a passcode that is tried, and of the one that replaces it.
  let record: PasscodeRecord
  let nextRecord: PasscodeRecord
  let meta: UnsafeMutableRawPointer
  let data: UnsafeMutableRawPointer

  static var epochSize: Int { 16 }
  static var rowSealsSize: Int { 2 * VaultKeys.sealSize }
  static var nameCapacity: Int { 256 }
  static var maximumDataSize: Int { 64 * 1024 }
  /// Texts under one root. Nonces of 96 bits look random: two of so many are the same in one of 2³² vaults that are as
  /// full.
  private static var maximumWrites: Int64 { 1 << 32 }

  static var byteCount: Int { Pieces.byteCount { _ = OpenVault(in: &$0) } }

  init(at memory: UnsafeMutableRawPointer) {
    var pieces = Pieces(memory)
    self.init(in: &pieces)
  }

  private init(in pieces: inout Pieces) {
    database = Database(
      memory: pieces.take(Database.byteCount).bindMemory(
        to: OpaquePointer?.self, capacity: Database.byteCount / MemoryLayout<OpaquePointer?>.stride))
    keys = VaultKeys(in: &pieces)
    otherKeys = VaultKeys(in: &pieces)
    sum = VaultSum(memory: pieces.take(VaultSum.byteCount))
    otherSum = VaultSum(memory: pieces.take(VaultSum.byteCount))
    newest = SeenState(memory: pieces.take(SeenState.byteCount))
    epoch = pieces.take(Self.epochSize)
    id = pieces.take(VaultKeys.idSize)
    otherID = pieces.take(VaultKeys.idSize)
    term = pieces.take(VaultKeys.termSize)
    seals = pieces.take(Self.rowSealsSize)
    names = pieces.take(4 * Self.nameCapacity)
    record = PasscodeRecord(memory: pieces.take(PasscodeRecord.byteCount))
    nextRecord = PasscodeRecord(memory: pieces.take(PasscodeRecord.byteCount))
    meta = pieces.take(Meta.maximumSize)
    data = pieces.take(Self.maximumDataSize)
  }

  /// Wipes what a call leaves of texts and names.
  func wipeTexts(dataSize: Int = OpenVault.maximumDataSize) {
    keys.wipeScratch()
    otherKeys.wipeScratch()
    wipe(names, byteCount: 4 * Self.nameCapacity)
    wipe(record.memory, byteCount: PasscodeRecord.byteCount)
    wipe(nextRecord.memory, byteCount: PasscodeRecord.byteCount)
    wipe(meta, byteCount: Meta.maximumSize)
    wipe(data, byteCount: dataSize)
  }

  // MARK: The head

  /// Reads the head of the file.
  ///
  /// - Throws: `.mismatch` if another root is in use; `.damaged` if the state is not what was sealed, or is older than
  ///   one that this handle has seen.
  func readHead() throws(KeyboardError) {
    let statement = try database.statement(.head)
    defer { database.reset(statement) }
    guard try database.step(statement) else { throw .damaged }
    try checkEpoch(statement)
    try openState(statement)
  }

  private func checkEpoch(_ statement: OpaquePointer) throws(KeyboardError) {
    guard ConstantTime.isEqual(try database.blob(statement, 0, count: Self.epochSize), epoch, count: Self.epochSize)
    else { throw .mismatch }
  }

  /// Checks a row that begins with the columns of the head. A state that was seen before is not opened again.
  ///
  /// - Throws: as `readHead`.
  func checkHead(_ statement: OpaquePointer) throws(KeyboardError) {
    try checkEpoch(statement)
    let generation = try database.number(statement, 1)
    let sealed = try database.blob(statement, 3, count: VaultKeys.sealSize + VaultSum.byteCount)
    if !newest.isSame(generation, seal: sealed) { try openState(statement) }
  }

  /// Opens the sealed state in a row of the head, under `keys`.
  private func openState(_ statement: OpaquePointer) throws(KeyboardError) {
    let generation = try database.number(statement, 1)
    let sealed = try database.blob(statement, 3, count: VaultKeys.sealSize + VaultSum.byteCount)
    seals.copyMemory(from: sealed, byteCount: VaultKeys.sealSize)
    sum.memory.copyMemory(from: sealed + VaultKeys.sealSize, byteCount: VaultSum.byteCount)
    setID(ofHead: id)
    let isRight = try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in
      keys.open(sum.memory, count: VaultSum.byteCount, boundTo: stateBinding(generation), seal: seals)
    }
    guard isRight, sum.generation == generation, newest.isSame(generation, seal: seals) || newest.isBefore(generation)
    else { throw .damaged }
    newest.take(generation, seal: seals)
  }

  /// The head's rows are bound to the epoch.
  func setID(ofHead id: UnsafeMutableRawPointer) {
    id.initializeMemory(as: UInt8.self, repeating: 0, count: VaultKeys.idSize)
    id.copyMemory(from: epoch, byteCount: Self.epochSize)
  }

  private func stateBinding(_ generation: Int64) -> Binding {
    Binding(table: .state, column: .only, version: generation, id: id)
  }

  var rootBinding: Binding { Binding(table: .root, column: .only, version: 0, id: id) }

  /// Seals the state, which is then no longer readable, into `data` as it is stored.
  func sealState(under keys: VaultKeys) throws(KeyboardError) {
    setID(ofHead: id)
    try seal(sum.memory, count: VaultSum.byteCount, boundTo: stateBinding(sum.generation), under: keys, into: seals)
    data.copyMemory(from: seals, byteCount: VaultKeys.sealSize)
    (data + VaultKeys.sealSize).copyMemory(from: sum.memory, byteCount: VaultSum.byteCount)
  }

  // MARK: Transactions

  /// Runs a transaction that changes rows: whole, or not at all. Inside a change it is a part of that.
  ///
  /// - Parameter body: changes rows and `sum`; the rows that it writes have the version `sum.generation`.
  func changing(_ body: () throws(KeyboardError) -> Void) throws(KeyboardError) {
    try changingOrNot { () throws(KeyboardError) in
      try body()
      return true
    }
  }

  /// The same for a body that finds out whether there is anything to change, and says so.
  ///
  /// - Parameter checkingRows: whether all rows are checked first.
  @inline(never)
  func changingOrNot(checkingRows: Bool = false, _ body: () throws(KeyboardError) -> Bool) throws(KeyboardError) {
    guard !isInChange else { return try changingInside(body) }
    var next: Int64 = 0
    var isChanged = false
    try database.writing { () throws(KeyboardError) in
      try readHead()
      if checkingRows { try checkSum() }
      next = try nextGeneration()
      isChanged = try body()
      if isChanged { try writeState() }
      return isChanged
    }
    if isChanged { newest.take(next, seal: data) }
  }

  /// Begins the next generation, in a transaction that has read the head.
  func nextGeneration() throws(KeyboardError) -> Int64 {
    guard sum.generation < .max else { throw .storage }
    try checkWrites()
    sum.generation += 1
    return sum.generation
  }

  func checkWrites() throws(KeyboardError) {
    guard sum.writes < Self.maximumWrites else { throw .storage }
  }

  /// Runs a transaction that only reads: it sees one moment, whose head was checked.
  func reading(_ body: () throws(KeyboardError) -> Void) throws(KeyboardError) {
    guard !isInChange else {
      try checkChange()
      return try body()
    }
    try database.beginReading()
    do throws(KeyboardError) {
      try readHead()
      try body()
      try database.run(.commit)
    } catch {
      database.rollBack()
      throw error
    }
  }

  func writeState() throws(KeyboardError) {
    sum.writes += 1
    let generation = sum.generation
    try sealState(under: keys)
    let statement = try database.statement(.setState)
    defer { clear(statement) }
    try database.bind(statement, 1, generation)
    try database.bind(statement, 2, data, count: VaultKeys.sealSize + VaultSum.byteCount)
    try database.change(statement)
  }

  /// Makes a statement forget the addresses that were bound.
  func clear(_ statement: OpaquePointer) {
    guard !ForkMark.isInChild else { return }
    database.reset(statement)
    sqlite3_clear_bindings(statement)
  }

  // MARK: Rows

  /// Seals a text in place.
  ///
  /// - Throws: `.random`, `.memory`.
  func seal(
    _ text: UnsafeMutableRawPointer, count: Int, boundTo place: Binding, under keys: VaultKeys,
    into seal: UnsafeMutableRawPointer
  ) throws(KeyboardError) {
    try SystemRandomness().fill(
      UnsafeMutableRawBufferPointer(start: keys.randomness, count: VaultKeys.randomnessSize))
    try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in
      keys.seal(text, count: count, boundTo: place, into: seal)
    }
  }

  /// Seals `meta` and `data` for the row `id` of this transaction, and adds the row to the sum.
  func sealRow(
    _ id: UnsafeMutableRawPointer, of table: RowTable, metaSize: Int, dataSize: Int, under keys: VaultKeys
  ) throws(KeyboardError) {
    let version = sum.generation
    try seal(
      meta, count: metaSize, boundTo: Binding(table: table.binding, column: .meta, version: version, id: id),
      under: keys, into: seals)
    try seal(
      data, count: dataSize, boundTo: Binding(table: table.binding, column: .data, version: version, id: id),
      under: keys, into: seals + VaultKeys.sealSize)
    sum.writes += 2
    try makeTerm(id, of: table, version: version, under: keys)
    sum.add(term)
  }

  /// Writes what `sealRow` has sealed.
  func write(
    _ which: RowStatement, _ id: UnsafeRawPointer, of table: RowTable, metaSize: Int, dataSize: Int
  ) throws(KeyboardError) {
    let statement = try database.statement(which, of: table)
    defer { clear(statement) }
    try database.bind(statement, 1, id, count: VaultKeys.idSize)
    try database.bind(statement, 2, sum.generation)
    try database.bind(statement, 3, seals, count: Self.rowSealsSize)
    try database.bind(statement, 4, meta, count: metaSize)
    try database.bind(statement, 5, data, count: dataSize)
    try database.change(statement)
  }

  /// What a row with these `seals` adds to the sum, in `term`.
  func makeTerm(
    _ id: UnsafeRawPointer, of table: RowTable, version: Int64, under keys: VaultKeys
  ) throws(KeyboardError) {
    try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in
      keys.makeTerm(table: table.binding, id: id, version: version, seals: seals, count: Self.rowSealsSize, into: term)
    }
  }

  /// Copies a sealed text into locked memory and opens it there.
  ///
  /// - Throws: `.damaged`.
  func open(
    _ sealed: UnsafeRawBufferPointer, of table: RowTable, column: Binding.Column, version: Int64, id: UnsafeRawPointer
  ) throws(KeyboardError) {
    let (text, capacity) = column == .meta ? (meta, Meta.maximumSize) : (data, Self.maximumDataSize)
    guard sealed.count <= capacity else { throw .damaged }
    if let start = sealed.baseAddress { text.copyMemory(from: start, byteCount: sealed.count) }
    let seal = column == .meta ? seals : seals + VaultKeys.sealSize
    let isRight = try Residue.wiped(.ownStackWithSignalsHeld) { () throws(KeyboardError) in
      keys.open(
        text, count: sealed.count, boundTo: Binding(table: table.binding, column: column, version: version, id: id),
        seal: seal)
    }
    guard isRight else { throw .damaged }
  }
}
