// The C functions of items. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
public import CCustomVault
import KeyboardArguments
import KeyboardCodes
import KeyboardVault

private func itemName(
  _ service: UnsafePointer<CChar>?, _ account: UnsafePointer<CChar>?
) throws(KeyboardError) -> VaultHandle.Name {
  VaultHandle.Name(service: try given(service), account: try given(account))
}

@_cdecl("CustomVault_addItem") @implementation
public func CustomVault_addItem(
  _ vault: CUSTOM_VAULT, _ service: UnsafePointer<CChar>?, _ account: UnsafePointer<CChar>?,
  _ label: UnsafePointer<CChar>?, _ kind: UnsafePointer<CChar>?, _ data: UnsafePointer<UInt8>?, _ dataLength: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let name = try itemName(service, account)
    try VaultHandle(rawValue: vault).add(name, label: label, kind: kind, data: try readable(data, dataLength))
  }
}

@_cdecl("CustomVault_readItem") @implementation
public func CustomVault_readItem(
  _ vault: CUSTOM_VAULT, _ service: UnsafePointer<CChar>?, _ account: UnsafePointer<CChar>?,
  _ data: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ dataLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.length(dataLength, in: data, capacity) { space throws(KeyboardError) in
    try VaultHandle(rawValue: vault).read(try itemName(service, account), into: space)
  }
}

@_cdecl("CustomVault_updateItem") @implementation
public func CustomVault_updateItem(
  _ vault: CUSTOM_VAULT, _ service: UnsafePointer<CChar>?, _ account: UnsafePointer<CChar>?,
  _ label: UnsafePointer<CChar>?, _ kind: UnsafePointer<CChar>?, _ data: UnsafePointer<UInt8>?, _ dataLength: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let name = try itemName(service, account)
    try VaultHandle(rawValue: vault).update(name, label: label, kind: kind, data: try readable(data, dataLength))
  }
}

@_cdecl("CustomVault_replaceItem") @implementation
public func CustomVault_replaceItem(
  _ vault: CUSTOM_VAULT, _ service: UnsafePointer<CChar>?, _ account: UnsafePointer<CChar>?,
  _ expected: UnsafePointer<UInt8>?, _ expectedLength: Int, _ data: UnsafePointer<UInt8>?, _ dataLength: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (name, expected) = (try itemName(service, account), try readable(expected, expectedLength))
    try VaultHandle(rawValue: vault).replace(name, expected: expected, with: try readable(data, dataLength))
  }
}

@_cdecl("CustomVault_deleteItem") @implementation
public func CustomVault_deleteItem(
  _ vault: CUSTOM_VAULT, _ service: UnsafePointer<CChar>?, _ account: UnsafePointer<CChar>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    try VaultHandle(rawValue: vault).delete(try itemName(service, account))
  }
}

@_cdecl("CustomVault_listItems") @implementation
public func CustomVault_listItems(
  _ vault: CUSTOM_VAULT, _ service: UnsafePointer<CChar>?,
  _ each: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CUSTOM_VAULT_ITEM>) -> Int32)?,
  _ context: UnsafeMutableRawPointer?
) -> CUSTOM_KEYBOARD_RV {
  answeringUncancelled { () throws(KeyboardError) in
    guard let each else { throw .argument(.null) }
    let list = try VaultHandle(rawValue: vault).list(service: service)
    for i in 0..<list.count {
      let entry = list[i]
      var item = CUSTOM_VAULT_ITEM()
      item.size = MemoryLayout<CUSTOM_VAULT_ITEM>.size
      item.service = entry.service
      item.account = entry.account
      item.label = entry.label
      item.kind = entry.kind
      item.created = entry.created
      item.modified = entry.modified
      item.dataLength = Int(entry.dataSize)
      guard each(context, &item) == 0 else { break }
    }
  }
}
