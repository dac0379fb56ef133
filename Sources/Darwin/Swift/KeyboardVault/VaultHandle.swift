// A vault from outside, on phones: its number in the C library, which is in a framework of its own. The other body,
// Sources/KeyboardVault/VaultHandle.swift, is what that library is made of. What is above is the same files.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
package import CCustomVault
import CustomKeyboard
package import KeyboardCodes

/// A vault by its number. Calls on one vault wait for each other.
package struct VaultHandle: Equatable, Sendable {
  package let rawValue: CUSTOM_VAULT

  /// Bytes of the key that opens a vault.
  package static var keySize: Int { Int(CUSTOM_VAULT_KEYSIZE) }

  package static func open(
    _ path: UnsafePointer<CChar>, key: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> VaultHandle {
    var vault: CUSTOM_VAULT = 0
    try check(CustomVault_open(&vault, path, key.bytes, key.count))
    return VaultHandle(rawValue: vault)
  }

  package func close() throws(KeyboardError) { try check(CustomVault_close(rawValue)) }

  package func changeKey(to key: UnsafeRawBufferPointer) throws(KeyboardError) {
    try check(CustomVault_changeKey(rawValue, key.bytes, key.count))
  }

  package func backUp(to path: UnsafePointer<CChar>) throws(KeyboardError) {
    try check(CustomVault_backup(rawValue, path))
  }

  /// Runs `body` once, as one transaction.
  ///
  /// - Parameter body: returns 0 to keep what was changed; any other code undoes all of it.
  /// - Throws: what `CustomVault_change` answers, unless `body` has answered that.
  package func change(_ body: () -> UInt32) throws(KeyboardError) {
    var code: UInt32 = 0
    let answer = withoutActuallyEscaping(body) { body in
      var call = Change(body: body)
      defer { code = call.code }
      return withUnsafeMutablePointer(to: &call) { call in
        CustomVault_change(
          rawValue,
          { call in
            let call = call!.assumingMemoryBound(to: Change.self)
            call.pointee.code = call.pointee.body()
            return CUSTOM_KEYBOARD_RV(rawValue: call.pointee.code)
          }, call)
      }
    }
    guard answer.rawValue != code else { return }
    try check(answer)
  }

  private struct Change {
    let body: () -> UInt32
    var code: UInt32 = 0
  }
}

/// - Parameter needed: how many bytes C says that it needs.
/// - Throws: what a function of the vault has answered on this thread just now.
func check(_ answer: CUSTOM_KEYBOARD_RV, needed: Int = 0) throws(KeyboardError) {
  guard answer != CUSTOM_KEYBOARD_OK else { return }
  throw KeyboardError(code: answer.rawValue, cause: CustomVault_cause(), needed: needed)
}

// MARK: - Items

extension VaultHandle {
  /// A service and an account, each ended by a NUL.
  package struct Name {
    let service, account: UnsafePointer<CChar>
  }

  /// The most bytes that an item's data has.
  package static var maximumDataSize: Int { Int(CUSTOM_VAULT_MAXDATASIZE) }

  package func add(
    _ name: Name, label: UnsafePointer<CChar>?, kind: UnsafePointer<CChar>?, data: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try check(CustomVault_addItem(rawValue, name.service, name.account, label, kind, data.bytes, data.count))
  }

  /// - Returns: how many bytes the data has.
  /// - Throws: `.spaceTooSmall` with that number.
  package func read(_ name: Name, into space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Int {
    var length = 0
    let answer = CustomVault_readItem(rawValue, name.service, name.account, space.bytes, space.count, &length)
    try check(answer, needed: length)
    return length
  }

  package func update(
    _ name: Name, label: UnsafePointer<CChar>?, kind: UnsafePointer<CChar>?, data: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try check(CustomVault_updateItem(rawValue, name.service, name.account, label, kind, data.bytes, data.count))
  }

  /// - Throws: `.mismatch`, with nothing done, if the data is not `expected`.
  package func replace(
    _ name: Name, expected: UnsafeRawBufferPointer, with data: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try check(
      CustomVault_replaceItem(
        rawValue, name.service, name.account, expected.bytes, expected.count, data.bytes, data.count))
  }

  package func delete(_ name: Name) throws(KeyboardError) {
    try check(CustomVault_deleteItem(rawValue, name.service, name.account))
  }
}

// MARK: - Lists

extension VaultHandle {
  /// - Parameter service: nil for all.
  func items(service: UnsafePointer<CChar>?) throws(KeyboardError) -> [Vault.Item] {
    try listed { items in
      CustomVault_listItems(
        rawValue, service,
        { items, item in
          items!.assumingMemoryBound(to: [Vault.Item].self).pointee.append(Vault.Item(item.pointee))
          return 0
        }, items)
    }
  }

  func passcodeNames() throws(KeyboardError) -> [String] {
    try listed { names in CustomVault_listPasscodes(rawValue, addName, names) }
  }

  func wordNames() throws(KeyboardError) -> [String] {
    try listed { names in CustomVault_listWords(rawValue, addName, names) }
  }

  /// - Parameter list: calls C, which adds to the array.
  private func listed<Element>(
    _ list: (UnsafeMutablePointer<[Element]>) -> CUSTOM_KEYBOARD_RV
  ) throws(KeyboardError) -> [Element] {
    var elements: [Element] = []
    try check(withUnsafeMutablePointer(to: &elements, list))
    return elements
  }
}

private func addName(_ names: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>) -> CInt {
  names!.assumingMemoryBound(to: [String].self).pointee.append(String(cString: name))
  return 0
}

extension Vault.Item {
  fileprivate init(_ item: CUSTOM_VAULT_ITEM) {
    self.init(
      service: String(cString: item.service!), account: String(cString: item.account!),
      label: String(cString: item.label!), kind: String(cString: item.kind!), created: item.created,
      modified: item.modified, byteCount: item.dataLength)
  }
}
