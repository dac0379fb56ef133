// The number that names an open vault, and the calls on it.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
package import KeyboardCodes
import KeyboardMemory

/// A vault of the process, as `CUSTOM_VAULT` names it. Calls on one vault wait for each other.
package struct VaultHandle: Equatable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Bytes of the key that opens a vault.
  package static var keySize: Int { OpenVault.keySize }

  /// The vaults of the process.
  static let table = HandleTable(capacity: 256)

  /// Opens a vault; makes its file if there is none.
  ///
  /// - Parameters:
  ///   - path: ended by a NUL.
  ///   - key: 32 bytes.
  /// - Throws: `.argument` for an empty path; `.operationDisabled` in a forked child; `.key`; then as
  ///   `CustomVault_open`.
  package static func open(
    _ path: UnsafePointer<CChar>, key: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> VaultHandle {
    try whole { () throws(KeyboardError) in
      guard path[0] != 0 else { throw .argument(.emptyPath) }
      guard !ForkMark.isInChild else { throw .operationDisabled(.forked) }
      guard key.count == OpenVault.keySize else { throw .key(.vaultKeyLength) }
      return try withNewVault(path) { vault, file throws(KeyboardError) in
        vault.otherKeys.root.copyMemory(from: key.baseAddress!, byteCount: OpenVault.keySize)
        return try vault.open(file)
      }!
    }
  }

  /// Runs `body` with memory for a vault, which becomes an open one if `body` returns an entry.
  static func withNewVault(
    _ path: UnsafePointer<CChar>,
    _ body: (OpenVault, VaultFile) throws(KeyboardError) -> HandleTable.Entry?
  ) throws(KeyboardError) -> VaultHandle? {
    guard let paths = keyboard_map(VaultFile.byteCount) else { throw .memory }
    defer { keyboard_unmap(paths, VaultFile.byteCount) }
    let file = try VaultFile(path, at: paths)
    guard let memory = SecureRegion.map(byteCount: OpenVault.byteCount) else { throw .memory }
    let vault = OpenVault(at: memory)
    do throws(KeyboardError) {
      let made = try vault.database.holdingSignals { () throws(KeyboardError) in try body(vault, file) }
      guard let entry = made else {
        discard(memory)
        return nil
      }
      vault.wipeTexts()
      return VaultHandle(rawValue: Self.table.publish(entry, memory))
    } catch {
      discard(memory)
      throw error
    }
  }

  /// Runs a call. SQLite has cancellation points: a thread that ended there would keep the vault's lock and leave a
  /// transaction open.
  static func whole<Result>(_ body: () throws(KeyboardError) -> Result) throws(KeyboardError) -> Result {
    try Residue.wholeWithFiles(body)
  }

  private static func discard(_ memory: UnsafeMutableRawPointer) {
    wipe(memory, byteCount: OpenVault.byteCount)
    SecureRegion.unmap(memory, byteCount: OpenVault.byteCount)
  }

  /// Runs a call on the vault, and wipes what it leaves of texts and names.
  ///
  /// - Parameter dataSize: how many bytes of data a successful call leaves, computed from its result. For a short
  ///   secret, wiping all 64 KB would take longer than opening it.
  func using<Result>(
    dataSize: (Result) -> Int = { _ in OpenVault.maximumDataSize },
    _ body: (OpenVault) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    var result: Result?
    try entering { vault, _ throws(KeyboardError) in
      do throws(KeyboardError) {
        try vault.database.holdingSignals { () throws(KeyboardError) in
          let made = try body(vault)
          vault.wipeTexts(dataSize: dataSize(made))
          result = made
        }
      } catch {
        vault.wipeTexts()
        throw error
      }
    }
    return result!
  }

  /// Runs a call that has waited for other threads, and begins to count for how long it waits.
  @inline(never)
  private func entering(
    _ body: (OpenVault, HandleTable.Entry) throws(KeyboardError) -> Void
  ) throws(KeyboardError) {
    try Self.whole { () throws(KeyboardError) in
      try Self.table.using(rawValue, patience: Database.patience / 1000) { entry, waited throws(KeyboardError) in
        let vault = OpenVault(at: entry.pointee.memory!)
        if !vault.isInChange { vault.database.notes.pointee.waited = waited * 1000 }
        do throws(KeyboardError) { try body(vault, entry) } catch {
          vault.note(error)
          throw error
        }
      }
    }
  }

  /// Runs `body` once, as one transaction. Signals are delivered in it.
  ///
  /// - Parameter body: returns 0 to keep what was changed; any other code undoes all of it.
  /// - Returns: what `body` has answered; if it is what a call of its own has answered last, also as that call's error.
  /// - Throws: as `CustomVault_change` before `body` and at the end.
  package func change(_ body: () -> UInt32) throws(KeyboardError) -> (code: UInt32, failure: KeyboardError?) {
    var (code, failure): (UInt32, KeyboardError?) = (0, nil)
    try entering { vault, entry throws(KeyboardError) in
      try vault.database.holdingSignals { () throws(KeyboardError) in
        try vault.refuseInChange()
        try vault.beginChange()
      }
      code = Self.table.reentering(entry, body)
      failure = vault.database.notes.pointee.change.failure
      try vault.database.holdingSignals { () throws(KeyboardError) in try vault.endChange(isWanted: code == 0) }
    }
    return (code, failure?.code == code ? failure : nil)
  }

  package func close() throws(KeyboardError) {
    try entering { vault, entry throws(KeyboardError) in
      let memory = entry.pointee.memory!
      try vault.database.holdingSignals { () throws(KeyboardError) in
        try vault.refuseInChange()
        vault.database.emptyWALForClosing()
        vault.database.close()
        Self.table.close(entry)
      }
      Self.discard(memory)
    }
  }

  /// - Throws: `.key` for a wrong length.
  package func changeKey(to key: UnsafeRawBufferPointer) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      try vault.refuseInChange()
      guard key.count == OpenVault.keySize else { throw .key(.vaultKeyLength) }
      guard let memory = SecureRegion.map(byteCount: VaultKeys.byteCount) else { throw .memory }
      defer { SecureRegion.unmap(memory, byteCount: VaultKeys.byteCount) }
      vault.otherKeys.root.copyMemory(from: key.baseAddress!, byteCount: OpenVault.keySize)
      var pieces = Pieces(memory)
      try vault.changeKey(nextKeys: VaultKeys(in: &pieces))
    }
  }

  package func backUp(to path: UnsafePointer<CChar>) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      guard let paths = keyboard_map(VaultFile.byteCount) else { throw .memory }
      defer { keyboard_unmap(paths, VaultFile.byteCount) }
      let file: VaultFile
      do throws(KeyboardError) { file = try VaultFile(path, at: paths) } catch {
        if error != .argument { try vault.refuseInChange() }
        throw error
      }
      try vault.refuseInChange()
      try vault.backUp(to: file)
    }
  }
}

// MARK: - Items

extension VaultHandle {
  /// A service and an account of the caller's, each ended by a NUL.
  package struct Name {
    let service: UnsafePointer<CChar>
    let account: UnsafePointer<CChar>

    package init(service: UnsafePointer<CChar>, account: UnsafePointer<CChar>) {
      self.service = service
      self.account = account
    }
  }

  /// The most bytes that an item's data has: 65,536.
  package static var maximumDataSize: Int { OpenVault.maximumDataSize }

  package func add(
    _ name: Name, label: UnsafePointer<CChar>?, kind: UnsafePointer<CChar>?, data: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      let (service, account) = try vault.copy(name)
      let label = try vault.copy(label, as: .label) ?? UnsafeRawBufferPointer(start: nil, count: 0)
      let password: StaticString = "password"
      let kind =
        try vault.copy(kind, as: .kind)
        ?? UnsafeRawBufferPointer(start: password.utf8Start, count: password.utf8CodeUnitCount)
      try vault.add(service, account, label: label, kind: kind, dataSize: try vault.copy(data))
    }
  }

  /// - Returns: how many bytes the data has.
  /// - Throws: `.spaceTooSmall` with that number.
  package func read(_ name: Name, into space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Int {
    try using(dataSize: { $0 }) { vault throws(KeyboardError) in
      let (service, account) = try vault.copy(name)
      let count = try vault.read(service, account)
      guard count <= space.count else { throw .spaceTooSmall(needed: count) }
      if count > 0 { space.baseAddress!.copyMemory(from: vault.data, byteCount: count) }
      return count
    }
  }

  package func update(
    _ name: Name, label: UnsafePointer<CChar>?, kind: UnsafePointer<CChar>?, data: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      let (service, account) = try vault.copy(name)
      let (label, kind) = (try vault.copy(label, as: .label), try vault.copy(kind, as: .kind))
      try vault.update(service, account, label: label, kind: kind, dataSize: try vault.copy(data))
    }
  }

  /// - Throws: `.mismatch`, with nothing done, if the data is not `expected`.
  package func replace(
    _ name: Name, expected: UnsafeRawBufferPointer, with data: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      let (service, account) = try vault.copy(name)
      guard data.count <= OpenVault.maximumDataSize else { throw .tooLong(.data) }
      // Both are copied before the file is locked: other processes wait for the lock, and must not wait for the
      // caller's memory. What no item can have is not copied.
      let expectedSize = expected.count <= OpenVault.maximumDataSize ? expected.count : 0
      let byteCount = max(expectedSize + data.count, 1)
      guard let copy = SecureRegion.map(byteCount: byteCount) else { throw .memory }
      defer {
        wipe(copy, byteCount: byteCount)
        SecureRegion.unmap(copy, byteCount: byteCount)
      }
      let next = copy + expectedSize
      if expectedSize > 0 { copy.copyMemory(from: expected.baseAddress!, byteCount: expectedSize) }
      if let start = data.baseAddress { next.copyMemory(from: start, byteCount: data.count) }
      try vault.replace(
        service, account,
        isExpected: { old in
          old.count == expected.count && ConstantTime.isEqual(old.baseAddress!, copy, count: old.count)
        },
        copyNext: {
          vault.data.copyMemory(from: next, byteCount: data.count)
          return data.count
        })
    }
  }

  package func delete(_ name: Name) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      let (service, account) = try vault.copy(name)
      try vault.delete(service, account)
    }
  }

  /// - Parameter service: nil for all.
  package func list(service: UnsafePointer<CChar>?) throws(KeyboardError) -> VaultList {
    // What cannot be copied cannot be a closure's result.
    var list: VaultList?
    try using { vault throws(KeyboardError) in
      list = try vault.list(.item, service: try vault.copy(service, as: .service, shortest: 1))
    }
    return list.take()!
  }
}

extension OpenVault {
  /// Copies the two names of an item.
  ///
  /// - Throws: `.argument` if one is empty, longer than 255 bytes or not UTF-8.
  fileprivate func copy(
    _ name: VaultHandle.Name
  ) throws(KeyboardError) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer) {
    (try copy(name.service, as: .service, shortest: 1), try copy(name.account, as: .account, shortest: 1))
  }

  /// - Throws: `.argument` for a text that is too short, longer than 255 bytes or not UTF-8.
  func copy(
    _ text: UnsafePointer<CChar>, as which: Meta.Name, shortest: Int = 0
  ) throws(KeyboardError) -> UnsafeRawBufferPointer {
    let place = names + which.rawValue * Self.nameCapacity
    return name(which, count: try NameText.copy(text, shortest: shortest, into: place))
  }

  /// - Returns: nil for nil.
  func copy(
    _ text: UnsafePointer<CChar>?, as which: Meta.Name, shortest: Int = 0
  ) throws(KeyboardError) -> UnsafeRawBufferPointer? {
    guard let text else { return nil }
    let copied: UnsafeRawBufferPointer = try copy(text, as: which, shortest: shortest)
    return copied
  }

  /// Copies an item's data.
  ///
  /// - Returns: how many bytes it has.
  fileprivate func copy(_ data: UnsafeRawBufferPointer) throws(KeyboardError) -> Int {
    guard data.count <= Self.maximumDataSize else { throw .tooLong(.data) }
    if let start = data.baseAddress { self.data.copyMemory(from: start, byteCount: data.count) }
    return data.count
  }
}
