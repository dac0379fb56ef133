// The keys in the vault: items of one service, each named by its key ID.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomVault
import KeyboardMemory
import KeyboardText

/// Another form of the record gets another number: it was 1 when a key had no origin.
private let keyService: StaticString = "CustomFido keys 2"
private let counterService: StaticString = "CustomFido counters"

/// A static string as the vault's functions take it.
func text(_ string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}

func bytes(_ memory: UnsafeRawPointer) -> UnsafePointer<UInt8> { memory.assumingMemoryBound(to: UInt8.self) }

/// Collects the names of items, each once.
private struct NameList {
  let names: UnsafeMutableRawPointer
  var count = 0
  /// How many of them an earlier list had.
  var earlierCount = 0

  mutating func add(_ name: UnsafePointer<CChar>) {
    guard count < FidoState.nameCapacity else { return }
    let place = names + count * FidoState.keyNameSize
    var size = 0
    while size < FidoState.keyNameSize - 1, name[size] != 0 { size += 1 }
    place.copyMemory(from: name, byteCount: size)
    place.storeBytes(of: 0, toByteOffset: size, as: UInt8.self)
    let added = UnsafeRawBufferPointer(start: place, count: size + 1)
    for i in 0..<earlierCount
    where added.equals(UnsafeRawBufferPointer(start: names + i * FidoState.keyNameSize, count: size + 1)) { return }
    count += 1
  }
}

extension FidoState {
  /// A record's name in the vault: its key ID in hexadecimal digits.
  private func withName<Result>(
    of keyID: UnsafeRawBufferPointer, _ body: (UnsafePointer<CChar>) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(byteCount: Self.keyNameSize, alignment: 8) { memory in
      var writer = ByteWriter(memory.baseAddress!, capacity: Self.keyNameSize)
      writer.putHexadecimal(keyID)
      writer.put(0 as UInt8)
      return body(memory.baseAddress!.assumingMemoryBound(to: CChar.self))
    }
  }

  func succeed(_ rv: CUSTOM_KEYBOARD_RV) throws(FidoResult) {
    guard rv == CUSTOM_KEYBOARD_OK else { throw FidoResult(vault: rv) }
  }

  /// Runs `body` with each key, until it answers false. The record is valid inside `body` only.
  ///
  /// If a key is deleted between the listing and the reading, another one may have taken its place: the keys are then
  /// listed once more, and `body` gets those that are new. So a user whose key is replaced meanwhile has
  /// one all the time.
  ///
  /// - Throws: what the vault answers; what `body` throws.
  func forEachKey(_ body: (KeyRecord) throws(FidoResult) -> Bool) throws(FidoResult) {
    var list = NameList(names: keyNames)
    var hasVanished = true
    while hasVanished {
      hasVanished = false
      list.earlierCount = list.count
      let rv = withUnsafeMutablePointer(to: &list) { list in
        CustomVault_listItems(
          vault, text(keyService),
          { context, item in
            context!.assumingMemoryBound(to: NameList.self).pointee.add(item.pointee.account!)
            return 0
          }, list)
      }
      try succeed(rv)
      for i in list.earlierCount..<list.count {
        let name = (keyNames + i * Self.keyNameSize).assumingMemoryBound(to: CChar.self)
        guard let record = try read(name) else {
          hasVanished = true
          continue
        }
        guard try body(record) else { return }
      }
    }
  }

  /// - Returns: nil if there is no such key any more.
  private func read(_ name: UnsafePointer<CChar>) throws(FidoResult) -> KeyRecord? {
    var count = 0
    let rv = CustomVault_readItem(
      vault, text(keyService), name, record.assumingMemoryBound(to: UInt8.self), KeyRecord.capacity, &count)
    if rv == CUSTOM_KEYBOARD_NOT_FOUND { return nil }
    guard rv != CUSTOM_KEYBOARD_SPACE else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
    try succeed(rv)
    guard let record = KeyRecord(UnsafeRawBufferPointer(start: record, count: count))
    else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
    return record
  }

  func keyCount() throws(FidoResult) -> Int {
    var count = 0
    try forEachKey { _ in
      count += 1
      return true
    }
    return count
  }

  /// Reads a key again, by its ID.
  func key(_ keyID: UnsafeRawBufferPointer) throws(FidoResult) -> KeyRecord? {
    var failure: FidoResult?
    let found = withName(of: keyID) { name -> KeyRecord? in
      do throws(FidoResult) { return try read(name) } catch {
        failure = error
        return nil
      }
    }
    if let failure { throw failure }
    return found
  }

  /// Adds a record that is in `nextRecord`.
  func add(keyID: UnsafeRawBufferPointer, byteCount: Int) throws(FidoResult) {
    try succeed(
      withName(of: keyID) {
        CustomVault_addItem(vault, text(keyService), $0, nil, text("key"), bytes(nextRecord), byteCount)
      })
  }

  func delete(keyID: UnsafeRawBufferPointer) throws(FidoResult) {
    let rv = withName(of: keyID) { CustomVault_deleteItem(vault, text(keyService), $0) }
    guard rv != CUSTOM_KEYBOARD_NOT_FOUND else { return }
    try succeed(rv)
  }

  /// Changes a key's state or counter, durably; begins again if another process was faster.
  ///
  /// - Parameters:
  ///   - keyID: apart from `record`.
  ///   - change: gets the counter, and tells what it becomes; nil if it cannot change.
  /// - Returns: the new counter; nil if the key is no longer there.
  func update(
    keyID: UnsafeRawBufferPointer, state: KeyRecord.State? = nil, counter change: (UInt32) -> UInt32?
  ) throws(FidoResult) -> UInt32? {
    // Each repetition means that another process has made progress, so this ends.
    for _ in 0..<1000 {
      guard let old = try self.key(keyID) else { return nil }
      guard let counter = change(old.counter) else { throw FidoResult(CUSTOM_FIDO_UNKNOWN) }
      var writer = ByteWriter(nextRecord, capacity: KeyRecord.capacity)
      KeyRecord.write(
        old.owner, state: state ?? old.state, counter: counter, registration: old.registration,
        sealedKey: old.sealedKey, to: &writer)
      let rv = withName(of: keyID) {
        CustomVault_replaceItem(
          vault, text(keyService), $0, bytes(old.bytes.baseAddress!), old.bytes.count, bytes(nextRecord), writer.count)
      }
      if rv == CUSTOM_KEYBOARD_NOT_FOUND { return nil }
      if rv == CUSTOM_KEYBOARD_MISMATCH, try key(keyID) != nil { continue }
      try succeed(rv)
      return counter
    }
    throw FidoResult(CUSTOM_KEYBOARD_BUSY)
  }

  // MARK: One key for each user

  /// Marks a key as one that a server has.
  ///
  /// - Parameter keyID: apart from `record`.
  /// - Throws: 1009 if it is no longer there; what the vault answers, and then the key is as it was.
  func markAccepted(keyID: UnsafeRawBufferPointer) throws(FidoResult) {
    guard let key = try self.key(keyID) else { throw FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
    guard key.state != .accepted else { return }
    guard try update(keyID: keyID, state: .accepted, counter: { $0 }) != nil
    else { throw FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
  }

  /// Deletes the keys that a key replaces: those that were registered before it. A newer one stays, because its
  /// server's answer may be on its way. What cannot be deleted stays too: a newer accepted key is used before it.
  ///
  /// Each client marks its key as accepted before it looks for others. So of two that look at the same time, the one
  /// with the older key sees the newer one, or the other one deletes the older one.
  ///
  /// - Parameter keyID: that of an accepted key; apart from `record`.
  /// - Returns: whether the key is there, and no newer one is accepted.
  func deleteOlderKeys(than keyID: UnsafeRawBufferPointer) throws(FidoResult) -> Bool {
    try withUnsafeTemporaryAllocation(byteCount: KeyRecord.capacity, alignment: 8) { copy throws(FidoResult) in
      guard let key = try self.key(keyID) else { return false }
      copy.copyMemory(from: key.bytes)
      let kept = KeyRecord(UnsafeRawBufferPointer(rebasing: copy[..<key.bytes.count]))!
      var isNewest = true
      try forEachKey { other throws(FidoResult) in
        guard other.hasOwner(of: kept) else { return true }
        if other.registration < kept.registration { try? delete(keyID: other.keyID) }
        if other.registration > kept.registration && other.state == .accepted { isNewest = false }
        return true
      }
      guard isNewest else { return false }
      return try self.key(keyID) != nil
    }
  }

  // MARK: Counting

  /// How many registrations of an authenticator were counted.
  func registrationCount(of authenticator: Authenticator) throws(FidoResult) -> UInt32 {
    try number(of: authenticator.itemName)
  }

  /// Counts a registration of an authenticator, durably.
  ///
  /// - Returns: how many there were, with this one.
  func countRegistration(of authenticator: Authenticator) throws(FidoResult) -> UInt32 {
    try changeNumber(of: authenticator.itemName) { $0 + 1 }
  }

  /// Counts the beginnings and ends of resets: odd while a value is removed, or if that was cut off.
  func resetNumber(of authenticator: Authenticator) throws(FidoResult) -> UInt32 {
    try number(of: authenticator.resetsName)
  }

  func beginReset(of authenticator: Authenticator) throws(FidoResult) {
    _ = try changeNumber(of: authenticator.resetsName) { $0 + 1 + $0 % 2 }
  }

  /// If the vault fails here, new keys are checked with more care until the next reset.
  func endReset(of authenticator: Authenticator) {
    _ = try? changeNumber(of: authenticator.resetsName) { $0 + $0 % 2 }
  }

  /// - Returns: 0 for a number that was never written.
  private func number(of name: UnsafePointer<CChar>) throws(FidoResult) -> UInt32 {
    var (number, count) = (0 as UInt32, 0)
    let rv = withUnsafeMutableBytes(of: &number) { place in
      CustomVault_readItem(
        vault, text(counterService), name, place.baseAddress!.assumingMemoryBound(to: UInt8.self), 4, &count)
    }
    guard rv != CUSTOM_KEYBOARD_NOT_FOUND else { return 0 }
    guard rv != CUSTOM_KEYBOARD_SPACE else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
    try succeed(rv)
    guard count == 4, number > 0 else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
    return number
  }

  /// Changes a number, durably; begins again if another process was faster.
  private func changeNumber(
    of name: UnsafePointer<CChar>, to changed: (UInt32) -> UInt32
  ) throws(FidoResult) -> UInt32 {
    for _ in 0..<1000 {
      let old = try number(of: name)
      guard old < .max - 2 else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
      let next = changed(old)
      guard next != old else { return old }
      let rv: CUSTOM_KEYBOARD_RV
      if old == 0 {
        rv = withUnsafeBytes(of: next) {
          CustomVault_addItem(vault, text(counterService), name, nil, text("counter"), bytes($0.baseAddress!), 4)
        }
        if rv == CUSTOM_KEYBOARD_EXISTS { continue }
      } else {
        rv = withUnsafeBytes(of: old) { old in
          withUnsafeBytes(of: next) { next in
            CustomVault_replaceItem(
              vault, text(counterService), name, bytes(old.baseAddress!), 4, bytes(next.baseAddress!), 4)
          }
        }
        if rv == CUSTOM_KEYBOARD_MISMATCH { continue }
      }
      try succeed(rv)
      return next
    }
    throw FidoResult(CUSTOM_KEYBOARD_BUSY)
  }
}
