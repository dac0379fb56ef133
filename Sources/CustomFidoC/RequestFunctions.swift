// The C functions of a request: what it asks, and how it is answered. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomFido
public import CCustomKeyboard
import CKeyboardPlatform
import KeyboardArguments
import KeyboardCodes
import KeyboardFIDO

@_cdecl("CustomFido_appID") @implementation
public func CustomFido_appID(
  _ fido: CUSTOM_FIDO, _ request: UnsafePointer<CChar>?, _ requestLength: Int, _ appID: UnsafeMutablePointer<CChar>?,
  _ capacity: Int, _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
  guard let request = readable(request, requestLength), let space = try? writable(appID, capacity), let length else {
    return invalidParameter
  }
  return succeeding { () throws(FidoResult) in
    try FidoHandle(rawValue: fido).appID(of: request, into: space, length: &length.pointee)
  }
}

@_cdecl("CustomFido_begin") @implementation
public func CustomFido_begin(
  _ fido: CUSTOM_FIDO, _ request: UnsafePointer<CChar>?, _ requestLength: Int, _ trustedFacets: UnsafePointer<CChar>?,
  _ channelBinding: UnsafePointer<CChar>?
) -> Int32 {
  withStringOrNull(trustedFacets) { trustedFacets in
    withStringOrNull(channelBinding) { channelBinding in
      answering { () throws(FidoResult) in
        try FidoHandle(rawValue: fido).begin(
          readable(request, requestLength), trustedFacets: trustedFacets, channelBinding: channelBinding)
      }
    }
  }
}

@_cdecl("CustomFido_choices") @implementation
public func CustomFido_choices(
  _ fido: CUSTOM_FIDO, _ each: UnsafeMutablePointer<CUSTOM_FIDO_AUTHENTICATOR>?, _ capacity: Int,
  _ count: UnsafeMutablePointer<Int>?
) -> Int32 {
  guard each != nil || capacity == 0, capacity >= 0, let count else { return invalidParameter }
  return succeeding { () throws(FidoResult) in
    try FidoHandle(rawValue: fido).choices(into: each, capacity: capacity, count: &count.pointee)
  }
}

@_cdecl("CustomFido_accounts") @implementation
public func CustomFido_accounts(
  _ fido: CUSTOM_FIDO, _ authenticator: CUSTOM_FIDO_AUTHENTICATOR,
  _ each: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>) -> Int32)?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let each else { return invalidParameter }
  return answeringUncancelled { () throws(FidoResult) in
    guard let names = keyboard_map(FidoHandle.namesSize) else { throw FidoResult(KeyboardError.memory) }
    defer { keyboard_unmap(names, FidoHandle.namesSize) }
    let byteCount = try FidoHandle(rawValue: fido).accounts(of: authenticator, into: names)
    let text = names.assumingMemoryBound(to: CChar.self)
    var place = 0
    while place < byteCount, each(context, text + place) == 0 {
      while text[place] != 0 { place += 1 }
      place += 1
    }
    return FidoResult(CUSTOM_FIDO_SUCCESS)
  }
}

@_cdecl("CustomFido_transaction") @implementation
public func CustomFido_transaction(
  _ fido: CUSTOM_FIDO, _ text: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
  guard let space = try? writable(text, capacity), let length else { return invalidParameter }
  return succeeding { () throws(FidoResult) in
    try FidoHandle(rawValue: fido).transaction(into: space, length: &length.pointee)
  }
}

@_cdecl("CustomFido_finish") @implementation
public func CustomFido_finish(
  _ fido: CUSTOM_FIDO, _ authenticator: CUSTOM_FIDO_AUTHENTICATOR, _ userName: UnsafePointer<CChar>?,
  _ keyboard: CUSTOM_KEYBOARD, _ again: CUSTOM_KEYBOARD
) -> Int32 {
  withStringOrNull(userName) { userName in
    answering { () throws(FidoResult) in
      try FidoHandle(rawValue: fido).finish(authenticator, userName: userName, keyboard: keyboard, again: again)
    }
  }
}

@_cdecl("CustomFido_response") @implementation
public func CustomFido_response(
  _ fido: CUSTOM_FIDO, _ response: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
  guard let space = try? writable(response, capacity), let length else { return invalidParameter }
  return succeeding { () throws(FidoResult) in
    try FidoHandle(rawValue: fido).response(into: space, length: &length.pointee)
  }
}

@_cdecl("CustomFido_cancel") @implementation
public func CustomFido_cancel(_ fido: CUSTOM_FIDO) -> Int32 {
  succeeding { () throws(FidoResult) in try FidoHandle(rawValue: fido).cancel() }
}
