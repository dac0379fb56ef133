// The C functions of the vault. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
public import CCustomVault
import CKeyboardStack
import KeyboardArguments
import KeyboardCodes
import KeyboardVault

@_cdecl("CustomVault_version") @implementation
public func CustomVault_version() -> UnsafePointer<CChar> { keyboard_version() }

@_cdecl("CustomVault_cause") @implementation
public func CustomVault_cause() -> UnsafePointer<CChar> { answering.cause }

@_cdecl("CustomVault_open") @implementation
public func CustomVault_open(
  _ vault: UnsafeMutablePointer<CUSTOM_VAULT>?, _ path: UnsafePointer<CChar>?, _ key: UnsafePointer<UInt8>?,
  _ keyLength: Int
) -> CUSTOM_KEYBOARD_RV {
  answeringUncancelled { () throws(KeyboardError) in
    let (vault, path) = (try given(vault), try given(path))
    vault.pointee = try VaultHandle.open(path, key: try readable(key, keyLength)).rawValue
  }
}

@_cdecl("CustomVault_close") @implementation
public func CustomVault_close(_ vault: CUSTOM_VAULT) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try VaultHandle(rawValue: vault).close() }
}

@_cdecl("CustomVault_change") @implementation
public func CustomVault_change(
  _ vault: CUSTOM_VAULT, _ body: (@convention(c) (UnsafeMutableRawPointer?) -> CUSTOM_KEYBOARD_RV)?,
  _ context: UnsafeMutableRawPointer?
) -> CUSTOM_KEYBOARD_RV {
  var code = CUSTOM_KEYBOARD_OK
  let rv = answering { () throws(KeyboardError) in
    guard let body else { throw .argument(.null) }
    let (answer, failure) = try VaultHandle(rawValue: vault).change { body(context).rawValue }
    if let failure { throw failure }
    code = CUSTOM_KEYBOARD_RV(answer)
  }
  guard code != CUSTOM_KEYBOARD_OK else { return rv }
  keyboard_set_cause(Int32(VAULT_CAUSE), text(KeyboardError.message(forCode: code.rawValue)))
  return code
}

@_cdecl("CustomVault_changeKey") @implementation
public func CustomVault_changeKey(
  _ vault: CUSTOM_VAULT, _ key: UnsafePointer<UInt8>?, _ keyLength: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    try VaultHandle(rawValue: vault).changeKey(to: try readable(key, keyLength))
  }
}

@_cdecl("CustomVault_backup") @implementation
public func CustomVault_backup(_ vault: CUSTOM_VAULT, _ path: UnsafePointer<CChar>?) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try VaultHandle(rawValue: vault).backUp(to: try given(path)) }
}
