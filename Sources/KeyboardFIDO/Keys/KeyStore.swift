// What the client keeps in a vault: an item for each key, and numbers that only grow.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomVault
import KeyboardSHA2
import KeyboardText

/// A static string as the vault's functions take it.
func text(_ string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}

func bytes(_ memory: UnsafeRawPointer) -> UnsafePointer<UInt8> { memory.assumingMemoryBound(to: UInt8.self) }

/// The items of a vault that are the client's.
struct KeyStore {
  let vault: CUSTOM_VAULT

  /// - Returns: how many bytes the item has; nil if there is none.
  /// - Throws: what the vault answers; −DAMAGED if it has more than `capacity`.
  func read(
    _ service: UnsafePointer<CChar>, _ account: UnsafePointer<CChar>, into memory: UnsafeMutableRawPointer,
    capacity: Int
  ) throws(FidoResult) -> Int? {
    var count = 0
    let rv = CustomVault_readItem(
      vault, service, account, memory.assumingMemoryBound(to: UInt8.self), capacity, &count)
    if rv == CUSTOM_KEYBOARD_NOT_FOUND { return nil }
    guard rv != CUSTOM_KEYBOARD_SPACE else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
    try Self.succeed(rv)
    return count
  }

  static func succeed(_ rv: CUSTOM_KEYBOARD_RV) throws(FidoResult) {
    guard rv == CUSTOM_KEYBOARD_OK else { throw FidoResult(vault: rv) }
  }

  // MARK: Keys

  /// Reads a key again.
  ///
  /// - Parameter memory: `KeyRecord.capacity` bytes.
  /// - Returns: nil if it is no longer there.
  func key(
    at place: KeyPlace, into memory: UnsafeMutableRawPointer
  ) throws(FidoResult) -> KeyRecord? {
    guard let count = try read(place.service, place.account, into: memory, capacity: KeyRecord.capacity)
    else { return nil }
    guard let key = KeyRecord(UnsafeRawBufferPointer(start: memory, count: count))
    else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
    return key
  }

  func add(_ record: UnsafeRawBufferPointer, of authenticator: Authenticator, at place: KeyPlace) throws(FidoResult) {
    try Self.succeed(
      CustomVault_addItem(
        vault, place.service, place.account, nil, authenticator.itemName, bytes(record.baseAddress!), record.count))
  }

  func replace(at place: KeyPlace, by record: UnsafeRawBufferPointer) throws(FidoResult) {
    try Self.succeed(
      CustomVault_updateItem(
        vault, place.service, place.account, nil, nil, bytes(record.baseAddress!), record.count))
  }

  /// Deletes a key, if it is there.
  func delete(at place: KeyPlace) throws(FidoResult) {
    let rv = CustomVault_deleteItem(vault, place.service, place.account)
    guard rv != CUSTOM_KEYBOARD_NOT_FOUND else { return }
    try Self.succeed(rv)
  }

  /// Deletes the keys of an authenticator, of all appIDs.
  func deleteAll(of authenticator: Authenticator) throws(FidoResult) {
    var job = (vault: vault, kind: authenticator.itemName, failure: CUSTOM_KEYBOARD_OK)
    let rv = withUnsafeMutablePointer(to: &job) { job in
      CustomVault_listItems(
        vault, nil,
        { context, item in
          typealias Job = (vault: CUSTOM_VAULT, kind: UnsafePointer<CChar>, failure: CUSTOM_KEYBOARD_RV)
          let job = context!.assumingMemoryBound(to: Job.self)
          let (service, account) = (item.pointee.service!, item.pointee.account!)
          guard KeyPlace.isService(service), isSame(item.pointee.kind!, job.pointee.kind) else { return 0 }
          job.pointee.failure = CustomVault_deleteItem(job.pointee.vault, service, account)
          return job.pointee.failure == CUSTOM_KEYBOARD_OK ? 0 : 1
        }, job)
    }
    try Self.succeed(rv)
    try Self.succeed(job.failure)
  }

  // MARK: Numbers

  private static var numbers: UnsafePointer<CChar> { text("CustomFido counters") }

  /// - Returns: 0 for a number that was never written.
  /// - Throws: −DAMAGED if it is not one.
  func number(_ name: UnsafePointer<CChar>) throws(FidoResult) -> UInt32 {
    var number: UInt32 = 0
    let count = try withUnsafeMutableBytes(of: &number) { place throws(FidoResult) in
      try read(Self.numbers, name, into: place.baseAddress!, capacity: 4)
    }
    guard let count else { return 0 }
    let value = UInt32(littleEndian: number)
    guard count == 4, value > 0, value < .max else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
    return value
  }

  /// Inside a change of the vault: raises a number by one.
  ///
  /// - Returns: the new number.
  func raise(_ name: UnsafePointer<CChar>) throws(FidoResult) -> UInt32 {
    let old = try number(name)
    try set(name, to: old + 1, isNew: old == 0)
    return old + 1
  }

  /// Counts a reset. A number that nobody can read does not keep a value: no registration has noted it.
  func countReset(of authenticator: Authenticator) throws(FidoResult) {
    let name = authenticator.resetsName
    do throws(FidoResult) { _ = try raise(name) } catch {
      guard error == FidoResult(CUSTOM_KEYBOARD_DAMAGED) else { throw error }
      try set(name, to: 1 << 31, isNew: false)
    }
  }

  private func set(_ name: UnsafePointer<CChar>, to number: UInt32, isNew: Bool) throws(FidoResult) {
    try Self.succeed(
      withUnsafeBytes(of: number.littleEndian) { number in
        let number = bytes(number.baseAddress!)
        return isNew
          ? CustomVault_addItem(vault, Self.numbers, name, nil, text("counter"), number, 4)
          : CustomVault_updateItem(vault, Self.numbers, name, nil, nil, number, 4)
      })
  }
}

extension Authenticator {
  /// The kind of its keys; and the name of how many registrations of it were counted.
  var itemName: UnsafePointer<CChar> { text(self == .passcode ? "passcode" : "pattern") }
  /// The name of how many resets of it were counted.
  var resetsName: UnsafePointer<CChar> { text(self == .passcode ? "passcode resets" : "pattern resets") }
}

private func isSame(_ one: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>) -> Bool {
  var place = 0
  while one[place] == other[place] && one[place] != 0 { place += 1 }
  return one[place] == other[place]
}

// MARK: - Places

/// Where a key is in the vault: a view of memory.
///
///     ├ service: "CustomFido keys 3 ", SHA-256 of the appID ┼ account: the key's ID ┤        in hexadecimal digits
///
/// The keys of an appID are a service of their own, so that a request costs what they cost. Another form of the record
/// gets another number.
struct KeyPlace {
  let memory: UnsafeMutableRawPointer

  private static var beginning: StaticString { "CustomFido keys 3 " }
  private static var serviceSize: Int { 96 }
  static var accountSize: Int { 2 * Assertion.keyIDSize + 1 }
  static var byteCount: Int { serviceSize + accountSize }

  var service: UnsafePointer<CChar> { UnsafePointer(memory.assumingMemoryBound(to: CChar.self)) }
  var account: UnsafePointer<CChar> { service + Self.serviceSize }

  func set(appID: UnsafeRawBufferPointer) {
    withUnsafeTemporaryAllocation(byteCount: SHA256.byteCount + SHA256.digestSize, alignment: 16) { scratch in
      let (sha256, digest) = (SHA256(at: scratch.baseAddress!), scratch.baseAddress! + SHA256.byteCount)
      if let start = appID.baseAddress { sha256.absorb(start, count: appID.count) }
      sha256.finish(into: digest)
      var writer = ByteWriter(memory, capacity: Self.serviceSize)
      writer.put(Self.beginning)
      writer.putHexadecimal(UnsafeRawBufferPointer(start: digest, count: SHA256.digestSize))
      writer.put(0 as UInt8)
    }
  }

  func set(keyID: UnsafeRawBufferPointer) {
    var writer = ByteWriter(memory + Self.serviceSize, capacity: Self.accountSize)
    writer.putHexadecimal(keyID)
    writer.put(0 as UInt8)
  }

  func copy(from other: KeyPlace) { memory.copyMemory(from: other.memory, byteCount: Self.byteCount) }

  /// Whether a service is one of keys.
  static func isService(_ name: UnsafePointer<CChar>) -> Bool {
    for i in 0..<beginning.utf8CodeUnitCount where UInt8(bitPattern: name[i]) != beginning.utf8Start[i] { return false }
    return true
  }
}
