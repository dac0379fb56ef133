// The C functions that go to a server and back. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomFido
public import CCustomKeyboard
import KeyboardArguments
import KeyboardFIDO

@_cdecl("CustomFido_setServer") @implementation
public func CustomFido_setServer(
  _ fido: CUSTOM_FIDO, _ requestURL: UnsafePointer<CChar>?, _ responseURL: UnsafePointer<CChar>?, _ seconds: UInt32,
  _ send: CUSTOM_FIDO_SEND?, _ sendContext: UnsafeMutableRawPointer?
) -> Int32 {
  guard let requestURL, let responseURL, let send else { return invalidParameter }
  return withString(requestURL) { requestURL in
    withString(responseURL) { responseURL in
      succeeding { () throws(FidoResult) in
        try FidoHandle(rawValue: fido).setServer(
          requestURL: requestURL, responseURL: responseURL, seconds: seconds, send: send, context: sendContext)
      }
    }
  }
}

@_cdecl("CustomFido_addOrigin") @implementation
public func CustomFido_addOrigin(_ fido: CUSTOM_FIDO, _ origin: UnsafePointer<CChar>?) -> Int32 {
  guard let origin else { return invalidParameter }
  return withString(origin) { origin in
    succeeding { () throws(FidoResult) in try FidoHandle(rawValue: fido).addOrigin(origin) }
  }
}

private func start(
  _ kind: FidoHandle.Start, _ fido: CUSTOM_FIDO, _ userName: UnsafePointer<CChar>?, _ context: UnsafePointer<CChar>?
) -> Int32 {
  withStringOrNull(userName) { userName in
    withStringOrNull(context) { context in
      answeringUncancelled { () throws(FidoResult) in
        try FidoHandle(rawValue: fido).start(kind, userName: userName, context: context)
      }
    }
  }
}

@_cdecl("CustomFido_startRegistration") @implementation
public func CustomFido_startRegistration(
  _ fido: CUSTOM_FIDO, _ userName: UnsafePointer<CChar>?, _ context: UnsafePointer<CChar>?
) -> Int32 {
  start(.registration, fido, userName, context)
}

@_cdecl("CustomFido_startAuthentication") @implementation
public func CustomFido_startAuthentication(
  _ fido: CUSTOM_FIDO, _ userName: UnsafePointer<CChar>?, _ context: UnsafePointer<CChar>?
) -> Int32 {
  start(.authentication, fido, userName, context)
}

@_cdecl("CustomFido_startDeregistration") @implementation
public func CustomFido_startDeregistration(
  _ fido: CUSTOM_FIDO, _ userName: UnsafePointer<CChar>?, _ context: UnsafePointer<CChar>?
) -> Int32 {
  start(.deregistration, fido, userName, context)
}

@_cdecl("CustomFido_startDeregistrationAll") @implementation
public func CustomFido_startDeregistrationAll(
  _ fido: CUSTOM_FIDO, _ userName: UnsafePointer<CChar>?, _ context: UnsafePointer<CChar>?
) -> Int32 {
  start(.deregistrationAll, fido, userName, context)
}

@_cdecl("CustomFido_resume") @implementation
public func CustomFido_resume(
  _ fido: CUSTOM_FIDO, _ authenticator: CUSTOM_FIDO_AUTHENTICATOR, _ userName: UnsafePointer<CChar>?,
  _ keyboard: CUSTOM_KEYBOARD, _ again: CUSTOM_KEYBOARD
) -> Int32 {
  withStringOrNull(userName) { userName in
    answeringUncancelled { () throws(FidoResult) in
      try FidoHandle(rawValue: fido).resume(authenticator, userName: userName, keyboard: keyboard, again: again)
    }
  }
}

@_cdecl("CustomFido_token") @implementation
public func CustomFido_token(
  _ fido: CUSTOM_FIDO, _ token: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
  guard let space = try? writable(token, capacity), let length else { return invalidParameter }
  return succeeding { () throws(FidoResult) in
    try FidoHandle(rawValue: fido).token(into: space, length: &length.pointee)
  }
}

@_cdecl("CustomFido_serverStatus") @implementation
public func CustomFido_serverStatus(_ fido: CUSTOM_FIDO, _ status: UnsafeMutablePointer<Int32>?) -> Int32 {
  guard let status else { return invalidParameter }
  return succeeding { () throws(FidoResult) in status.pointee = try FidoHandle(rawValue: fido).serverStatus() }
}
