// The C functions of the vault. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
public import CCustomVault
import KeyboardCodes
import KeyboardMemory
import KeyboardVault

@_cdecl("CustomVault_version") @implementation
public func CustomVault_version() -> UnsafePointer<CChar> { text("0.1.0") }

/// A static string as C has it: the compiler ends it with a NUL, and it is never freed.
private func text(_ string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}

@_cdecl("CustomVault_open") @implementation
public func CustomVault_open(
  _ vault: UnsafeMutablePointer<CUSTOM_VAULT>?, _ path: UnsafePointer<CChar>?, _ key: UnsafePointer<UInt8>?,
  _ keyLength: Int
) -> CUSTOM_KEYBOARD_RV {
  guard let vault, let path, let key = readable(key, keyLength) else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answeringUncancelled { () throws(KeyboardError) in
    vault.pointee = try VaultHandle.open(path, key: key).rawValue
  }
}

@_cdecl("CustomVault_close") @implementation
public func CustomVault_close(_ vault: CUSTOM_VAULT) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try VaultHandle(rawValue: vault).close() }
}

@_cdecl("CustomVault_changeKey") @implementation
public func CustomVault_changeKey(
  _ vault: CUSTOM_VAULT, _ key: UnsafePointer<UInt8>?, _ keyLength: Int
) -> CUSTOM_KEYBOARD_RV {
  guard let key = readable(key, keyLength) else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in try VaultHandle(rawValue: vault).changeKey(to: key) }
}

@_cdecl("CustomVault_backup") @implementation
public func CustomVault_backup(_ vault: CUSTOM_VAULT, _ path: UnsafePointer<CChar>?) -> CUSTOM_KEYBOARD_RV {
  guard let path else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in try VaultHandle(rawValue: vault).backUp(to: path) }
}
