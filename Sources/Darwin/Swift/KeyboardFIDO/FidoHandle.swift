// A FIDO client from outside, on phones: its number in the C library, which is in a framework of its own. The other
// body is in Sources/KeyboardFIDO/Client. What is above is the same files. All texts have a NUL behind them.
// SPDX-License-Identifier: Apache-2.0

package import CCustomFido
package import CCustomKeyboard
package import CCustomVault
import CustomKeyboard

/// A client by its number. Calls on one client wait for each other.
package struct FidoHandle: Sendable {
  package let rawValue: CUSTOM_FIDO

  package static func create(
    vault: CUSTOM_VAULT, facetID: UnsafeRawBufferPointer
  ) throws(FidoResult) -> FidoHandle {
    var client: CUSTOM_FIDO = 0
    try answered(CustomFido_create(&client, vault, facetID.text))
    return FidoHandle(rawValue: client)
  }

  package func destroy() throws(FidoResult) { try answered(CustomFido_destroy(rawValue)) }

  package func setAAID(
    of authenticator: CUSTOM_FIDO_AUTHENTICATOR, to aaid: UnsafeRawBufferPointer
  ) throws(FidoResult) {
    try answered(CustomFido_setAAID(rawValue, authenticator, aaid.text))
  }

  package func setOption(
    _ option: CUSTOM_FIDO_OPTION, of authenticator: CUSTOM_FIDO_AUTHENTICATOR, to value: Int64
  ) throws(FidoResult) {
    try answered(CustomFido_setOption(rawValue, authenticator, option, value))
  }

  package func applyLayout(
    of authenticator: CUSTOM_FIDO_AUTHENTICATOR, to keyboard: CUSTOM_KEYBOARD
  ) throws(FidoResult) {
    try answered(CustomFido_applyLayout(rawValue, authenticator, keyboard))
  }

  package func state(of authenticator: CUSTOM_FIDO_AUTHENTICATOR) throws(FidoResult) -> FidoResult {
    var state: Int32 = 0
    try answered(CustomFido_state(rawValue, authenticator, &state))
    return FidoResult(code: state)
  }

  package func attempts(
    of authenticator: CUSTOM_FIDO_AUTHENTICATOR, _ attempts: inout CUSTOM_VAULT_STATE
  ) throws(FidoResult) {
    try answered(CustomFido_attempts(rawValue, authenticator, &attempts))
  }

  package func availableTypes() throws(FidoResult) -> UInt32 {
    var types: UInt32 = 0
    try answered(CustomFido_availableTypes(rawValue, &types))
    return types
  }

  package func change(
    _ authenticator: CUSTOM_FIDO_AUTHENTICATOR, from current: CUSTOM_KEYBOARD, to next: CUSTOM_KEYBOARD
  ) throws(FidoResult) -> FidoResult {
    try answered(CustomFido_change(rawValue, authenticator, current, next))
  }

  package func reset(_ authenticator: CUSTOM_FIDO_AUTHENTICATOR) throws(FidoResult) -> FidoResult {
    try answered(CustomFido_reset(rawValue, authenticator))
  }
}

/// - Returns: what a function of the client has answered on this thread just now.
/// - Throws: the same with its cause, if it has failed.
@discardableResult
private func answered(_ code: Int32) throws(FidoResult) -> FidoResult {
  let result = FidoResult(code: code)
  guard result.isSuccess else { throw FidoResult(code: code, cause: CustomFido_cause()) }
  return result
}

extension FidoResult {
  static func sentence(for code: Int32) -> UnsafePointer<CChar> { CustomFido_message(code) }
}

extension UnsafeRawBufferPointer {
  /// As C takes a text, and bytes of one.
  fileprivate var text: UnsafePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }
}

extension UnsafeMutableRawBufferPointer {
  /// As C takes the place for a text.
  fileprivate var text: UnsafeMutablePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }
}

// MARK: - Requests

extension FidoHandle {
  package func appID(
    of request: UnsafeRawBufferPointer, into space: UnsafeMutableRawBufferPointer, length: inout Int
  ) throws(FidoResult) {
    try answered(CustomFido_appID(rawValue, request.text, request.count, space.text, space.count, &length))
  }

  package func begin(
    _ request: UnsafeRawBufferPointer, trustedFacets: UnsafeRawBufferPointer?, channelBinding: UnsafeRawBufferPointer?
  ) throws(FidoResult) -> FidoResult {
    try answered(
      CustomFido_begin(rawValue, request.text, request.count, trustedFacets?.text, channelBinding?.text))
  }

  package func choices(
    into each: UnsafeMutablePointer<CUSTOM_FIDO_AUTHENTICATOR>?, capacity: Int, count: inout Int
  ) throws(FidoResult) {
    try answered(CustomFido_choices(rawValue, each, capacity, &count))
  }

  func accountNames(of authenticator: CUSTOM_FIDO_AUTHENTICATOR) throws(FidoResult) -> [String] {
    var names: [String] = []
    let code = withUnsafeMutablePointer(to: &names) { names in
      CustomFido_accounts(
        rawValue, authenticator,
        { names, name in
          names!.assumingMemoryBound(to: [String].self).pointee.append(String(cString: name))
          return 0
        }, names)
    }
    try answered(code)
    return names
  }

  package func transaction(into space: UnsafeMutableRawBufferPointer, length: inout Int) throws(FidoResult) {
    try answered(CustomFido_transaction(rawValue, space.text, space.count, &length))
  }

  package func finish(
    _ authenticator: CUSTOM_FIDO_AUTHENTICATOR, userName: UnsafeRawBufferPointer?, keyboard: CUSTOM_KEYBOARD,
    again: CUSTOM_KEYBOARD
  ) throws(FidoResult) -> FidoResult {
    try answered(CustomFido_finish(rawValue, authenticator, userName?.text, keyboard, again))
  }

  package func response(into space: UnsafeMutableRawBufferPointer, length: inout Int) throws(FidoResult) {
    try answered(CustomFido_response(rawValue, space.text, space.count, &length))
  }

  package func cancel() throws(FidoResult) { try answered(CustomFido_cancel(rawValue)) }
}

// MARK: - A server

extension FidoHandle {
  /// What a server is asked for.
  package enum Start {
    case registration, authentication, deregistration, deregistrationAll
  }

  package func setServer(
    requestURL: UnsafeRawBufferPointer, responseURL: UnsafeRawBufferPointer, seconds: UInt32,
    send: @escaping CUSTOM_FIDO_SEND, context: UnsafeMutableRawPointer?
  ) throws(FidoResult) {
    try answered(CustomFido_setServer(rawValue, requestURL.text, responseURL.text, seconds, send, context))
  }

  package func addOrigin(_ origin: UnsafeRawBufferPointer) throws(FidoResult) {
    try answered(CustomFido_addOrigin(rawValue, origin.text))
  }

  package func start(
    _ start: Start, userName: UnsafeRawBufferPointer?, context: UnsafeRawBufferPointer?
  ) throws(FidoResult) -> FidoResult {
    let function =
      switch start {
      case .registration: CustomFido_startRegistration
      case .authentication: CustomFido_startAuthentication
      case .deregistration: CustomFido_startDeregistration
      case .deregistrationAll: CustomFido_startDeregistrationAll
      }
    return try answered(function(rawValue, userName?.text, context?.text))
  }

  package func resume(
    _ authenticator: CUSTOM_FIDO_AUTHENTICATOR, userName: UnsafeRawBufferPointer?, keyboard: CUSTOM_KEYBOARD,
    again: CUSTOM_KEYBOARD
  ) throws(FidoResult) -> FidoResult {
    try answered(CustomFido_resume(rawValue, authenticator, userName?.text, keyboard, again))
  }

  package func token(into space: UnsafeMutableRawBufferPointer, length: inout Int) throws(FidoResult) {
    try answered(CustomFido_token(rawValue, space.text, space.count, &length))
  }

  package func serverStatus() throws(FidoResult) -> Int32 {
    var status: Int32 = 0
    try answered(CustomFido_serverStatus(rawValue, &status))
    return status
  }
}
