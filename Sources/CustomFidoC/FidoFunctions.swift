// The C functions of the FIDO client: results and authenticators. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomFido
public import CCustomKeyboard
public import CCustomVault
import CKeyboardStack
import KeyboardArguments
import KeyboardCodes
import KeyboardFIDO

@_cdecl("CustomFido_version") @implementation
public func CustomFido_version() -> UnsafePointer<CChar> { keyboard_version() }

@_cdecl("CustomFido_cause") @implementation
public func CustomFido_cause() -> UnsafePointer<CChar> {
  keyboard_cause(Int32(FIDO_CAUSE)) ?? FidoResult(CUSTOM_FIDO_SUCCESS).cause
}

@_cdecl("CustomFido_message") @implementation
public func CustomFido_message(_ result: Int32) -> UnsafePointer<CChar> {
  FidoResult(code: result).cause
}

@_cdecl("CustomFido_create") @implementation
public func CustomFido_create(
  _ fido: UnsafeMutablePointer<CUSTOM_FIDO>?, _ vault: CUSTOM_VAULT, _ facetID: UnsafePointer<CChar>?
) -> Int32 {
  guard let fido, let facetID else { return invalidParameter }
  return withString(facetID) { facetID in
    answeringUncancelled { () throws(FidoResult) in
      fido.pointee = try FidoHandle.create(vault: vault, facetID: facetID).rawValue
      return FidoResult(CUSTOM_FIDO_SUCCESS)
    }
  }
}

@_cdecl("CustomFido_destroy") @implementation
public func CustomFido_destroy(_ fido: CUSTOM_FIDO) -> Int32 {
  succeeding { () throws(FidoResult) in try FidoHandle(rawValue: fido).destroy() }
}

@_cdecl("CustomFido_setAAID") @implementation
public func CustomFido_setAAID(
  _ fido: CUSTOM_FIDO, _ authenticator: CUSTOM_FIDO_AUTHENTICATOR, _ aaid: UnsafePointer<CChar>?
) -> Int32 {
  guard let aaid else { return invalidParameter }
  return withString(aaid) { aaid in
    succeeding { () throws(FidoResult) in try FidoHandle(rawValue: fido).setAAID(of: authenticator, to: aaid) }
  }
}

@_cdecl("CustomFido_setOption") @implementation
public func CustomFido_setOption(
  _ fido: CUSTOM_FIDO, _ authenticator: CUSTOM_FIDO_AUTHENTICATOR, _ option: CUSTOM_FIDO_OPTION, _ value: Int64
) -> Int32 {
  succeeding { () throws(FidoResult) in try FidoHandle(rawValue: fido).setOption(option, of: authenticator, to: value) }
}

@_cdecl("CustomFido_applyLayout") @implementation
public func CustomFido_applyLayout(
  _ fido: CUSTOM_FIDO, _ authenticator: CUSTOM_FIDO_AUTHENTICATOR, _ keyboard: CUSTOM_KEYBOARD
) -> Int32 {
  succeeding { () throws(FidoResult) in try FidoHandle(rawValue: fido).applyLayout(of: authenticator, to: keyboard) }
}

@_cdecl("CustomFido_state") @implementation
public func CustomFido_state(
  _ fido: CUSTOM_FIDO, _ authenticator: CUSTOM_FIDO_AUTHENTICATOR, _ state: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let state else { return invalidParameter }
  return succeeding { () throws(FidoResult) in
    state.pointee = try FidoHandle(rawValue: fido).state(of: authenticator).code
  }
}

@_cdecl("CustomFido_attempts") @implementation
public func CustomFido_attempts(
  _ fido: CUSTOM_FIDO, _ authenticator: CUSTOM_FIDO_AUTHENTICATOR, _ state: UnsafeMutablePointer<CUSTOM_VAULT_STATE>?
) -> Int32 {
  guard let state else { return invalidParameter }
  return succeeding { () throws(FidoResult) in
    try FidoHandle(rawValue: fido).attempts(of: authenticator, &state.pointee)
  }
}

@_cdecl("CustomFido_availableTypes") @implementation
public func CustomFido_availableTypes(_ fido: CUSTOM_FIDO, _ types: UnsafeMutablePointer<UInt32>?) -> Int32 {
  guard let types else { return invalidParameter }
  return succeeding { () throws(FidoResult) in types.pointee = try FidoHandle(rawValue: fido).availableTypes() }
}

@_cdecl("CustomFido_change") @implementation
public func CustomFido_change(
  _ fido: CUSTOM_FIDO, _ authenticator: CUSTOM_FIDO_AUTHENTICATOR, _ current: CUSTOM_KEYBOARD, _ next: CUSTOM_KEYBOARD
) -> Int32 {
  answering { () throws(FidoResult) in try FidoHandle(rawValue: fido).change(authenticator, from: current, to: next) }
}

@_cdecl("CustomFido_reset") @implementation
public func CustomFido_reset(_ fido: CUSTOM_FIDO, _ authenticator: CUSTOM_FIDO_AUTHENTICATOR) -> Int32 {
  answering { () throws(FidoResult) in try FidoHandle(rawValue: fido).reset(authenticator) }
}
