// The keys of a vault, and what is sealed under them: AES-256-GCM with nonces of HMAC.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardGCM
import KeyboardMemory
import KeyboardSHA2

/// What a sealed text is bound to: `table ‖ column ‖ version ‖ id`.
struct Binding {
  enum Table: UInt8 {
    case root = 1
    case state = 2
    case item = 3
    case passcode = 4
    case words = 5
    case passcodeKey = 6
  }

  enum Column: UInt8 {
    case only = 0
    case meta = 1
    case data = 2
    /// The key that a passcode gives.
    case key = 3
  }

  let table: Table
  let column: Column
  let version: Int64
  /// `VaultKeys.idSize` bytes.
  let id: UnsafeRawPointer

  static var byteCount: Int { 2 + 8 + VaultKeys.idSize }

  func write(to memory: UnsafeMutableRawPointer) {
    memory.storeBytes(of: table.rawValue, as: UInt8.self)
    memory.storeBytes(of: column.rawValue, toByteOffset: 1, as: UInt8.self)
    memory.storeBytes(of: version.littleEndian, toByteOffset: 2, as: Int64.self)
    (memory + 10).copyMemory(from: id, byteCount: VaultKeys.idSize)
  }
}

/// A table of rows that all look the same.
enum RowTable: Int {
  case item, passcode, words

  static var count: Int { 3 }

  /// Runs `body` with each table. Swift's `allCases` would allocate.
  static func forEach(_ body: (RowTable) throws(KeyboardError) -> Void) throws(KeyboardError) {
    for index in 0..<count { try body(RowTable(rawValue: index)!) }
  }

  var name: StaticString {
    switch self {
    case .item: "item"
    case .passcode: "passcode"
    case .words: "words"
    }
  }

  var binding: Binding.Table {
    switch self {
    case .item: .item
    case .passcode: .passcode
    case .words: .words
    }
  }
}

/// A root key, and the keys that follow from it: a view of locked memory that its owner wipes. The functions run inside
/// `Residue.wiped(.ownStackWithSignalsHeld)`; all that they touch is in locked memory, or sealed already.
///
/// - Timing: depends on the lengths only, and `open` on its verdict. AES looks up tables if the processor has no AES
///   instructions.
/// - Source: NIST SP 800-38D §7.
struct VaultKeys {
  let root: UnsafeMutableRawPointer
  private let gcm: AESGCM
  /// The states of HMAC under a key each.
  private let nonceKey, nameKey, sumKey: UnsafeMutableRawPointer
  private let scratch: UnsafeMutableRawPointer
  private let tag: UnsafeMutableRawPointer
  private let binding: UnsafeMutableRawPointer
  /// 32 bytes from the system, fresh for each text that is sealed.
  let randomness: UnsafeMutableRawPointer

  static var rootSize: Int { 32 }
  static var idSize: Int { 32 }
  static var nonceSize: Int { GCM.nonceSize }
  static var tagSize: Int { GCM.tagSize }
  /// Bytes of what is stored beside a ciphertext: `nonce ‖ tag`.
  static var sealSize: Int { nonceSize + tagSize }
  static var randomnessSize: Int { 32 }
  /// What a row adds to the sum over all rows.
  static var termSize: Int { SHA256.digestSize }

  static var byteCount: Int { Pieces.byteCount { _ = VaultKeys(in: &$0) } }

  /// - Parameter pieces: of locked memory.
  init(in pieces: inout Pieces) {
    root = pieces.take(Self.rootSize)
    gcm = AESGCM(in: &pieces)
    nonceKey = pieces.take(HMAC.stateSize)
    nameKey = pieces.take(HMAC.stateSize)
    sumKey = pieces.take(HMAC.stateSize)
    scratch = pieces.take(HMAC.byteCount)
    tag = pieces.take(SHA256.digestSize)
    binding = pieces.take(Binding.byteCount)
    randomness = pieces.take(Self.randomnessSize)
  }

  // MARK: Keys

  /// Makes all keys from `root`, which is there.
  func deriveAll() {
    derive("seal")
    gcm.setKey(tag)
    derive("name", into: nameKey)
    derive("sum", into: sumKey)
    derive("nonce", into: nonceKey)
  }

  /// Leaves a key for a purpose in `tag`.
  private func derive(_ purpose: StaticString) {
    let hmac = HMAC(key: UnsafeRawBufferPointer(start: root, count: Self.rootSize), at: scratch)
    hmac.absorb("CustomVault 1 ")
    hmac.absorb(purpose)
    hmac.finish(into: tag)
  }

  private func derive(_ purpose: StaticString, into state: UnsafeMutableRawPointer) {
    derive(purpose)
    HMAC(key: UnsafeRawBufferPointer(start: tag, count: SHA256.digestSize), at: scratch).copyState(to: state)
  }

  /// Wipes the names and ids that were hashed last.
  func wipeScratch() { wipe(scratch, byteCount: HMAC.byteCount) }

  func wipeAll() { wipe(root, byteCount: Self.byteCount) }

  // MARK: Names and sums

  /// Where a row is: a keyed hash of the service (16 bytes), then one of service and account (16 bytes). Rows of a
  /// service follow each other.
  func makeID(
    table: Binding.Table, service: UnsafeRawBufferPointer, account: UnsafeRawBufferPointer,
    into id: UnsafeMutableRawPointer
  ) {
    hashName(table, 1, service, nil, into: tag)
    id.copyMemory(from: tag, byteCount: Self.idSize / 2)
    hashName(table, 2, service, account, into: tag)
    (id + Self.idSize / 2).copyMemory(from: tag, byteCount: Self.idSize / 2)
  }

  private func hashName(
    _ table: Binding.Table, _ kind: UInt8, _ service: UnsafeRawBufferPointer, _ account: UnsafeRawBufferPointer?,
    into tag: UnsafeMutableRawPointer
  ) {
    let mac = HMAC(after: nameKey, at: scratch)
    mac.absorb(table.rawValue)
    mac.absorb(kind)
    mac.absorb(UInt8(truncatingIfNeeded: service.count))
    mac.absorb(service)
    if let account { mac.absorb(account) }
    mac.finish(into: tag)
  }

  /// What a row adds to the sum over all rows.
  ///
  /// - Parameter seals: nonces and tags, `count` bytes.
  func makeTerm(
    table: Binding.Table, id: UnsafeRawPointer, version: Int64, seals: UnsafeRawPointer, count: Int,
    into term: UnsafeMutableRawPointer
  ) {
    Binding(table: table, column: .only, version: version, id: id).write(to: binding)
    let mac = HMAC(after: sumKey, at: scratch)
    mac.absorb(binding, count: Binding.byteCount)
    mac.absorb(seals, count: count)
    mac.finish(into: term)
  }

  // MARK: Texts

  /// Encrypts a text in place.
  ///
  /// - Parameters:
  ///   - text: `count` bytes of locked memory.
  ///   - seal: gets `sealSize` bytes. `randomness` was drawn for this text.
  func seal(
    _ text: UnsafeMutableRawPointer, count: Int, boundTo place: Binding, into seal: UnsafeMutableRawPointer
  ) {
    place.write(to: binding)
    let mac = HMAC(after: nonceKey, at: scratch)
    mac.absorb(randomness, count: Self.randomnessSize)
    mac.absorb(binding, count: Binding.byteCount)
    mac.absorb(text, count: count)
    mac.finish(into: tag)
    seal.copyMemory(from: tag, byteCount: Self.nonceSize)
    let clear = UnsafeRawBufferPointer(start: text, count: count)
    gcm.seal(clear, nonce: seal, additionalData: boundTo, into: text, tag: seal + Self.nonceSize)
  }

  /// Decrypts a text in place.
  ///
  /// - Returns: false if it is not what was sealed for this place; the text is then as it was.
  func open(
    _ text: UnsafeMutableRawPointer, count: Int, boundTo place: Binding, seal: UnsafeRawPointer
  ) -> Bool {
    place.write(to: binding)
    let ciphertext = UnsafeRawBufferPointer(start: text, count: count)
    return gcm.open(ciphertext, tag: seal + Self.nonceSize, nonce: seal, additionalData: boundTo, into: text)
  }

  /// What `binding` says.
  private var boundTo: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: binding, count: Binding.byteCount) }
}
