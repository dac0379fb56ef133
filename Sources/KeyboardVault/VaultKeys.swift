// The keys of a vault, and what is sealed under them: AES-256-GCM with nonces of HMAC.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardMbedTLS
import KeyboardCodes
import KeyboardGHASH
import KeyboardMemory

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
  private let aes: UnsafeMutablePointer<mbedtls_aes_context>
  private let hashKey: UnsafeMutableRawPointer
  private let nonceKey: MACKey
  private let nameKey: MACKey
  private let sumKey: MACKey
  private let scratch: UnsafeMutableRawPointer
  /// What a computation under a `MACKey` gives, beside its scratch.
  private var tag: UnsafeMutableRawPointer { scratch + Self.macSize }
  private let binding: UnsafeMutableRawPointer
  private let blocks: UnsafeMutableRawPointer
  /// 32 bytes from the system, fresh for each text that is sealed.
  let randomness: UnsafeMutableRawPointer
  let root: UnsafeMutableRawPointer

  static var rootSize: Int { 32 }
  static var idSize: Int { 32 }
  static var nonceSize: Int { 12 }
  static var tagSize: Int { 16 }
  /// Bytes of what is stored beside a ciphertext: `nonce ‖ tag`.
  static var sealSize: Int { nonceSize + tagSize }
  static var randomnessSize: Int { 32 }

  private static var aesSize: Int { (MemoryLayout<mbedtls_aes_context>.size + 15) & ~15 }
  private static var macSize: Int { (max(MAC.byteCount, MACKey.scratchSize) + 15) & ~15 }
  private static var scratchSize: Int { macSize + 64 }
  static var byteCount: Int { aesSize + 16 + 3 * MACKey.byteCount + scratchSize + 64 + 64 + 32 + 32 }

  /// - Parameter memory: `byteCount` bytes of locked memory aligned to 16.
  init(at memory: UnsafeMutableRawPointer) {
    var next = memory
    func take(_ count: Int) -> UnsafeMutableRawPointer {
      defer { next += count }
      return next
    }
    aes = take(Self.aesSize).bindMemory(to: mbedtls_aes_context.self, capacity: 1)
    hashKey = take(16)
    nonceKey = MACKey(memory: take(MACKey.byteCount))
    nameKey = MACKey(memory: take(MACKey.byteCount))
    sumKey = MACKey(memory: take(MACKey.byteCount))
    scratch = take(Self.scratchSize)
    binding = take(64)
    blocks = take(64)
    randomness = take(32)
    root = take(32)
  }

  // MARK: Keys

  /// Makes all keys from `root`, which is there.
  func deriveAll() {
    let rootKey = nonceKey
    rootKey.setUp(root, scratch: scratch)
    derive(rootKey, "seal", into: tag)
    mbedtls_aes_init(aes)
    _ = mbedtls_aes_setkey_enc(aes, tag.assumingMemoryBound(to: UInt8.self), 256)
    hashKey.initializeMemory(as: UInt8.self, repeating: 0, count: 16)
    encryptBlock(hashKey)
    derive(rootKey, "name", into: tag)
    nameKey.setUp(tag, scratch: scratch)
    derive(rootKey, "sum", into: tag)
    sumKey.setUp(tag, scratch: scratch)
    derive(rootKey, "nonce", into: tag)
    nonceKey.setUp(tag, scratch: scratch)
  }

  private func derive(_ rootKey: MACKey, _ purpose: StaticString, into key: UnsafeMutableRawPointer) {
    let mac = MAC(rootKey, at: scratch)
    mac.absorb("CustomVault 1 ")
    mac.absorb(purpose)
    mac.finish(into: key)
  }

  func wipeAll() { wipe(UnsafeMutableRawPointer(aes), byteCount: Self.byteCount) }

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
    let mac = MAC(nameKey, at: scratch)
    let start = binding.assumingMemoryBound(to: UInt8.self)
    (start[0], start[1], start[2]) = (table.rawValue, kind, UInt8(truncatingIfNeeded: service.count))
    mac.absorb(start, count: 3)
    if let start = service.baseAddress { mac.absorb(start, count: service.count) }
    if let account, let start = account.baseAddress { mac.absorb(start, count: account.count) }
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
    let mac = MAC(sumKey, at: scratch)
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
    let mac = MAC(nonceKey, at: scratch)
    mac.absorb(randomness, count: Self.randomnessSize)
    mac.absorb(binding, count: Binding.byteCount)
    mac.absorb(text, count: count)
    mac.finish(into: tag)
    seal.copyMemory(from: tag, byteCount: Self.nonceSize)
    crypt(text, count: count, nonce: seal)
    makeTag(text, count: count, nonce: seal, into: seal + Self.nonceSize)
  }

  /// Decrypts a text in place.
  ///
  /// - Returns: false if it is not what was sealed for this place; the text is then as it was.
  func open(
    _ text: UnsafeMutableRawPointer, count: Int, boundTo place: Binding, seal: UnsafeRawPointer
  ) -> Bool {
    place.write(to: binding)
    makeTag(text, count: count, nonce: seal, into: tag)
    guard ConstantTime.isEqual(tag, seal + Self.nonceSize, count: Self.tagSize) else { return false }
    crypt(text, count: count, nonce: seal)
    return true
  }

  /// Counter mode from the second counter on.
  private func crypt(_ text: UnsafeMutableRawPointer, count: Int, nonce: UnsafeRawPointer) {
    guard count > 0 else { return }
    setCounter(2, nonce)
    var offset = 0
    let bytes = text.assumingMemoryBound(to: UInt8.self)
    _ = mbedtls_aes_crypt_ctr(
      aes, count, &offset, blocks.assumingMemoryBound(to: UInt8.self),
      (blocks + 16).assumingMemoryBound(to: UInt8.self), bytes, bytes)
  }

  private func makeTag(
    _ text: UnsafeRawPointer, count: Int, nonce: UnsafeRawPointer, into tag: UnsafeMutableRawPointer
  ) {
    let sum = blocks + 32
    GHASH.digest(
      key: hashKey, additionalData: UnsafeRawBufferPointer(start: binding, count: Binding.byteCount),
      text: UnsafeRawBufferPointer(start: text, count: count), into: sum, scratch: scratch)
    setCounter(1, nonce)
    encryptBlock(blocks)
    for i in 0..<Self.tagSize {
      let byte = sum.load(fromByteOffset: i, as: UInt8.self) ^ blocks.load(fromByteOffset: i, as: UInt8.self)
      tag.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
    }
  }

  private func setCounter(_ counter: UInt32, _ nonce: UnsafeRawPointer) {
    blocks.copyMemory(from: nonce, byteCount: Self.nonceSize)
    blocks.storeBytes(of: counter.bigEndian, toByteOffset: Self.nonceSize, as: UInt32.self)
  }

  private func encryptBlock(_ block: UnsafeMutableRawPointer) {
    let bytes = block.assumingMemoryBound(to: UInt8.self)
    _ = mbedtls_aes_crypt_ecb(aes, MBEDTLS_AES_ENCRYPT, bytes, bytes)
  }
}
