// What a server says around a request and after an answer.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CKeyboardPlatform
import KeyboardMemory
import KeyboardText

extension FidoState {
  static func cString(at place: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    var count = 0
    while place.load(fromByteOffset: count, as: UInt8.self) != 0 { count += 1 }
    return UnsafeRawBufferPointer(start: place, count: count)
  }

  var contextText: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: context, count: fields.pointee.contextCount)
  }

  // MARK: Asking

  private static var noContext: StaticString {
    "The context is not a JSON object of strings, numbers, truths and nulls, or names the user anew."
  }

  /// Leaves what the server is told in `context`: the user, and the strings, numbers and truths of the app's object.
  ///
  /// - Throws: 1001 for another text.
  func writeContext(
    _ userName: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer?, isAll: Bool
  ) throws(FidoResult) {
    var writer = ByteWriter(context, capacity: Self.contextCapacity)
    writer.put("{")
    writer.putMember("userName", userName, isFirst: true)
    if isAll { writer.put(",\"deregisterAll\":true") }
    if let more {
      guard let object = other.parse(copying: more), object.kind == .object
      else { throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, Self.noContext) }
      var all = object.elements
      while let member = all.next() {
        guard !member.name.equals("userName"), !(isAll && member.name.equals("deregisterAll"))
        else { throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, Self.noContext) }
        writer.put(",")
        writer.putJSON(member.name)
        writer.put(":")
        switch member.kind {
        case .string: writer.putJSON(member.string!)
        case .number: writer.put(member.digits)
        case .yes: writer.put("true")
        case .no: writer.put("false")
        case .null: writer.put("null")
        case .array, .object: throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, Self.noContext)
        }
      }
    }
    writer.put("}")
    guard writer.isWhole
    else { throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, "Shorten the context: it has no room in a message.") }
    fields.pointee.contextCount = writer.count
  }

  /// Takes a ReturnUAFRequest.
  ///
  /// - Returns: the request, in `document`.
  /// - Throws: what the server's status means; 1005.
  func takeRequest(_ answer: UnsafeRawBufferPointer) throws(FidoResult) -> Request {
    guard let message = document.parse(copying: answer), let status = message.member("statusCode")?.unsigned
    else { throw FidoResult(CUSTOM_FIDO_JSON_PARSER) }
    fields.pointee.serverStatus = Int32(truncatingIfNeeded: status)
    guard status == 1200 || status == 1202 else { throw Self.meaning(of: status) }
    if let lifetime = message.member("lifetimeMillis") {
      guard let milliseconds = lifetime.unsigned else { throw FidoResult(CUSTOM_FIDO_JSON_PARSER) }
      fields.pointee.deadline = keyboard_running_clock() + max(1, Int64(milliseconds))
    }
    guard let inner = message.member("uafRequest") else { throw FidoResult(CUSTOM_FIDO_JSON_PARSER) }
    guard let text = inner.string else { return try Request(inner) }
    // The request is a string inside the JSON. It is parsed in place of the JSON around it.
    other.text.copyMemory(from: text.baseAddress!, byteCount: text.count)
    return try Request(document.parse(copying: UnsafeRawBufferPointer(start: other.text, count: text.count)))
  }

  /// After `begin`, of the keys that it has read.
  ///
  /// - Throws: 1009 if no key of an authentication is the user's; 1005 if a registration is another user's.
  func checkUser() throws(FidoResult) {
    guard let request = fields.pointee.request, let userName = askedFor else { return }
    let isNew = request.operation == .registration
    var isThere = isNew && request.userName.equals(userName)
    if !isNew {
      forEachAccepted(request) { key in
        isThere = key.userName.equals(userName)
        return !isThere
      }
    }
    guard !isThere else { return }
    forget()
    throw FidoResult(isNew ? CUSTOM_FIDO_JSON_PARSER : CUSTOM_FIDO_NOT_REG_USER)
  }

  // MARK: The verdict

  /// Takes a ServerResponse, after which the request is over.
  func takeVerdict(_ answer: UnsafeRawBufferPointer) throws(FidoResult) -> FidoResult {
    let verdict = fields.pointee.verdict
    forget()
    // The session's token is in it.
    defer { keyboard_wipe(other.text, min(answer.count, JSONDocument.maximumSize)) }
    guard let message = other.parse(copying: answer), let status = message.member("statusCode")?.unsigned
    else { throw FidoResult(CUSTOM_FIDO_NETWORK_STATE) }
    fields.pointee.serverStatus = Int32(truncatingIfNeeded: status)
    if status == 1200 || status == 1202 {
      if verdict != .ofAcceptedKey { try takeAcceptance(isNew: verdict == .ofNewKey) }
      takeToken(message)
      return FidoResult(CUSTOM_FIDO_SUCCESS)
    }
    // Without a verdict (a time-out), the server may have the key.
    if verdict == .ofNewKey && status != 1408 || status == 1481 {
      do throws(FidoResult) { try make(.refusal) } catch { fields.pointee.late = .refused }
    }
    throw Self.meaning(of: status)
  }

  /// The server has the key, so its success is the app's, also if the vault cannot write that now.
  ///
  /// - Throws: 1009 if the key is new, and not there any more: another client has replaced, reset or deregistered it.
  private func takeAcceptance(isNew: Bool) throws(FidoResult) {
    let result: FidoResult
    do throws(FidoResult) { result = try make(.acceptance(isNew: isNew)) } catch {
      if isNew { fields.pointee.late = .accepted }
      return
    }
    if isNew && !result.isSuccess { throw result }
  }

  /// Does what a server's verdict asked for when the vault could not write: until then no key is chosen.
  ///
  /// - Throws: what the vault answers, if it still cannot.
  func takeLate() throws(FidoResult) {
    switch fields.pointee.late {
    case .none: return
    case .refused: try make(.refusal)
    case .accepted: try make(.acceptance(isNew: true))
    }
    fields.pointee.late = .none
  }

  private func takeToken(_ message: JSON) {
    guard let list = message.member("additionalTokens"), list.kind == .array else { return }
    var all = list.elements
    guard let value = all.next()?.member("value")?.string, value.count < Self.tokenCapacity else { return }
    if let start = value.baseAddress { token.copyMemory(from: start, byteCount: value.count) }
    fields.pointee.tokenCount = value.count
  }

  /// What a server's status means here. Of the guide's codes only those pass that are a server's to give: the others
  /// would tell the app that a call of its own was wrong, or that the passcode was.
  ///
  /// - Source: FIDO UAF Client API and Transport Binding 1.1 §3.1.9.
  static func meaning(of status: UInt32) -> FidoResult {
    switch status {
    case 1401, 1403: return FidoResult(CUSTOM_FIDO_FORBIDDEN)
    case 1408: return FidoResult(CUSTOM_FIDO_NETWORK_STATE)
    case 1480, 1481: return FidoResult(CUSTOM_FIDO_NOT_REG_USER)
    case 1490: return FidoResult(CUSTOM_FIDO_SET_CHANNEL_BINDING)
    case 1492...1497: return FidoResult(CUSTOM_FIDO_NO_SUITABLE_AUTHENTICATOR)
    case 1008: return FidoResult(CUSTOM_FIDO_ALREADY_REG_USER)
    case 1009: return FidoResult(CUSTOM_FIDO_NOT_REG_USER)
    case 13006: return FidoResult(CUSTOM_FIDO_SERVER_NO_USER)
    case 15007: return FidoResult(CUSTOM_FIDO_SERVER_NO_REGISTRATION)
    default: return FidoResult(CUSTOM_FIDO_UNKNOWN)
    }
  }
}
