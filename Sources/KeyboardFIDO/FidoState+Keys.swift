// The keys in the vault: items of one service, each named by its key ID.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomVault
import KeyboardMemory

private let keyService: StaticString = "CustomFido keys"
private let counterService: StaticString = "CustomFido counters"

/// A static string as the vault's functions take it.
func text(_ string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}

func bytes(_ memory: UnsafeRawPointer) -> UnsafePointer<UInt8> { memory.assumingMemoryBound(to: UInt8.self) }

/// Collects the names of items.
private struct NameList {
  let names: UnsafeMutableRawPointer
  var count = 0

  mutating func add(_ name: UnsafePointer<CChar>) {
    guard count < FidoState.maximumKeys else { return }
    let place = names + count * FidoState.keyNameSize
    var size = 0
    while size < FidoState.keyNameSize - 1, name[size] != 0 { size += 1 }
    place.copyMemory(from: name, byteCount: size)
    place.storeBytes(of: 0, toByteOffset: size, as: UInt8.self)
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
    guard rv == CUSTOM_KEYBOARD_OK else { throw FidoResult(rv) }
  }

  /// Runs `body` with each key, until it answers false. The record is valid inside `body` only.
  ///
  /// - Throws: what the vault answers; what `body` throws.
  func forEachKey(_ body: (KeyRecord) throws(FidoResult) -> Bool) throws(FidoResult) {
    var list = NameList(names: keyNames)
    let rv = withUnsafeMutablePointer(to: &list) { list in
      CustomVault_listItems(
        vault, text(keyService),
        { context, item in
          context!.assumingMemoryBound(to: NameList.self).pointee.add(item.pointee.account!)
          return 0
        }, list)
    }
    try succeed(rv)
    for i in 0..<list.count {
      let name = (keyNames + i * Self.keyNameSize).assumingMemoryBound(to: CChar.self)
      // A key that another process has just deleted is skipped.
      guard let record = try read(name) else { continue }
      guard try body(record) else { return }
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
  /// - Returns: the new counter.
  /// - Throws: 1009 if the key is no longer there.
  func update(
    keyID: UnsafeRawBufferPointer, state: KeyRecord.State? = nil, counter change: (UInt32) -> UInt32?
  ) throws(FidoResult) -> UInt32 {
    // Each repetition means that another process has made progress, so this ends.
    for _ in 0..<1000 {
      guard let old = try self.key(keyID) else { throw FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
      guard let counter = change(old.counter) else { throw FidoResult(CUSTOM_FIDO_UNKNOWN) }
      var writer = ByteWriter(nextRecord, capacity: KeyRecord.capacity)
      KeyRecord.write(
        old.owner, state: state ?? old.state, counter: counter, sealedKey: old.sealedKey, to: &writer)
      let rv = withName(of: keyID) {
        CustomVault_replaceItem(
          vault, text(keyService), $0, bytes(old.bytes.baseAddress!), old.bytes.count, bytes(nextRecord), writer.count)
      }
      if rv == CUSTOM_KEYBOARD_NOT_FOUND { throw FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
      if rv == CUSTOM_KEYBOARD_MISMATCH, try key(keyID) != nil { continue }
      try succeed(rv)
      return counter
    }
    throw FidoResult(CUSTOM_KEYBOARD_BUSY)
  }

  /// Makes a key the only one of its user, app and model.
  ///
  /// - Parameter keyID: apart from `record`.
  func accept(keyID: UnsafeRawBufferPointer) throws(FidoResult) {
    guard let key = try self.key(keyID) else { return }
    if key.state != .accepted { _ = try update(keyID: keyID, state: .accepted) { $0 } }
    try withUnsafeTemporaryAllocation(byteCount: KeyRecord.capacity, alignment: 8) { copy throws(FidoResult) in
      guard let key = try self.key(keyID) else { return }
      copy.copyMemory(from: key.bytes)
      let kept = KeyRecord(UnsafeRawBufferPointer(rebasing: copy[..<key.bytes.count]))!
      try forEachKey { other throws(FidoResult) in
        let isSame =
          other.appID.equals(kept.appID) && isSameAAID(other.aaid, kept.aaid) && other.userName.equals(kept.userName)
        if isSame && !other.keyID.equals(kept.keyID) { try delete(keyID: other.keyID) }
        return true
      }
    }
  }

  // MARK: Counting

  /// Counts a registration of an authenticator, durably.
  ///
  /// - Returns: how many there were, with this one.
  func countRegistration(of authenticator: Authenticator) throws(FidoResult) -> UInt32 {
    let name = authenticator.itemName
    for _ in 0..<1000 {
      var old: UInt32 = 0
      var count = 0
      let read = withUnsafeMutableBytes(of: &old) { place in
        CustomVault_readItem(
          vault, text(counterService), name, place.baseAddress!.assumingMemoryBound(to: UInt8.self), 4, &count)
      }
      var next = old &+ 1
      let rv: CUSTOM_KEYBOARD_RV
      if read == CUSTOM_KEYBOARD_NOT_FOUND {
        next = 1
        rv = withUnsafeBytes(of: next) {
          CustomVault_addItem(vault, text(counterService), name, nil, text("counter"), bytes($0.baseAddress!), 4)
        }
        if rv == CUSTOM_KEYBOARD_EXISTS { continue }
      } else {
        try succeed(read)
        guard count == 4, old < .max else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
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
