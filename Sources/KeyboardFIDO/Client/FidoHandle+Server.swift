// The calls on a client that go to a server and back. No lock is held while a message is under way.
// SPDX-License-Identifier: Apache-2.0

package import CCustomFido
package import CCustomKeyboard
import CKeyboardPlatform
import KeyboardMemory
import KeyboardText

extension FidoHandle {
  /// What a server is asked for.
  package enum Start {
    case registration, authentication, deregistration, deregistrationAll

    fileprivate var name: StaticString {
      switch self {
      case .registration: "Reg"
      case .authentication: "Auth"
      case .deregistration, .deregistrationAll: "Dereg"
      }
    }

    fileprivate var operation: Request.Operation {
      switch self {
      case .registration: .registration
      case .authentication: .authentication
      case .deregistration, .deregistrationAll: .deregistration
      }
    }
  }

  /// What a message that is under way needs to know, and whether it was cancelled meanwhile.
  private struct Ticket {
    let send: CUSTOM_FIDO_SEND
    let context: UnsafeMutableRawPointer?
    let seconds: UInt32
    let epoch: UInt64
  }

  /// - Parameters:
  ///   - requestURL, responseURL: https, or http to this machine.
  ///   - seconds: 0 for 30.
  /// - Throws: 1001, −BUSY.
  package func setServer(
    requestURL: UnsafeRawBufferPointer, responseURL: UnsafeRawBufferPointer, seconds: UInt32,
    send: @escaping CUSTOM_FIDO_SEND, context: UnsafeMutableRawPointer?
  ) throws(FidoResult) {
    try using { state throws(FidoResult) in
      try Self.withOrigin(of: requestURL) { requestURL, origin throws(FidoResult) in
        try Self.withOrigin(of: responseURL) { responseURL, _ throws(FidoResult) in
          try Self.requireQuiet(state)
          // What the server before asked is not answered to this one.
          if !state.fields.pointee.isLocal { state.forget() }
          Self.store(requestURL, at: state.requestURL)
          Self.store(responseURL, at: state.responseURL)
          state.setOrigin(origin)
          state.fields.pointee.seconds = seconds == 0 ? 30 : seconds
          state.fields.pointee.send = send
          state.fields.pointee.sendContext = context
          state.fields.pointee.hasServer = true
        }
      }
    }
  }

  /// Lets the server use keys that were made with another origin, until the next `setServer`.
  ///
  /// - Parameter origin: with at most one slash after it.
  /// - Throws: 1001 (no server is set; not such an origin; the seventeenth), −BUSY.
  package func addOrigin(_ origin: UnsafeRawBufferPointer) throws(FidoResult) {
    try using { state throws(FidoResult) in
      try Self.withOrigin(of: origin) { _, origin throws(FidoResult) in
        guard origin.isAll else {
          throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, "Give an origin without a path: https://login.bank.example.")
        }
        try Self.requireQuiet(state)
        guard state.fields.pointee.hasServer
        else { throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, "Set the server first: an origin is added to it.") }
        try state.addOrigin(origin)
      }
    }
  }

  private static func store(_ text: UnsafeRawBufferPointer, at place: UnsafeMutableRawPointer) {
    place.copyMemory(from: text.baseAddress!, byteCount: text.count)
    place.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
  }

  /// Runs `body` with a copy of a URL, and with its origin.
  ///
  /// - Parameter url: the caller's, which is read once.
  /// - Throws: 1001 for what is not an https URL, or an http one for this machine.
  private static func withOrigin(
    of url: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Origin) throws(FidoResult) -> Void
  ) throws(FidoResult) {
    let malformed = FidoResult(
      CUSTOM_FIDO_INVALID_PARAMETER, "Give an https URL of at most 1023 bytes; http is for this machine only.")
    guard url.count > 0, url.count < ServerCall.urlCapacity else { throw malformed }
    try withUnsafeTemporaryAllocation(byteCount: ServerCall.urlCapacity + Origin.capacity, alignment: 8) {
      memory throws(FidoResult) in
      let copy = UnsafeRawBufferPointer(rebasing: memory[..<url.count])
      memory.baseAddress!.copyMemory(from: url.baseAddress!, byteCount: url.count)
      for byte in copy where byte <= 0x20 || byte >= 0x7f { throw malformed }
      guard let origin = Origin(of: copy, in: memory.baseAddress! + ServerCall.urlCapacity), origin.isAllowed
      else { throw malformed }
      try body(copy, origin)
    }
  }

  /// - Throws: −BUSY while a message is under way.
  static func requireQuiet(_ state: FidoState) throws(FidoResult) {
    guard !state.fields.pointee.isSending else { throw FidoResult(CUSTOM_KEYBOARD_BUSY) }
  }

  // MARK: A request

  /// Asks the server for a request, and begins.
  package func start(
    _ start: Start, userName: UnsafeRawBufferPointer?, context: UnsafeRawBufferPointer?
  ) throws(FidoResult) -> FidoResult {
    // Whatever comes of this, the request and the session before are over.
    try using { state throws(FidoResult) in
      try Self.requireQuiet(state)
      state.forget()
    }
    guard let userName, !userName.isEmpty else { throw FidoResult(CUSTOM_FIDO_EMPTY_USERNAME) }
    guard userName.count <= FidoState.userCapacity else { throw FidoResult(CUSTOM_FIDO_INVALID_USERNAME) }
    for byte in userName where byte <= 0x20 || byte >= 0x7f { throw FidoResult(CUSTOM_FIDO_INVALID_USERNAME) }
    // Both before the first message: in between nothing may fail without being noted.
    let call = try ServerCall()
    let listed = try ServerCall()
    var bodyCount = 0
    let ticket = try using { state throws(FidoResult) -> Ticket in
      try Self.requireQuiet(state)
      guard state.fields.pointee.hasServer
      else { throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, "Set the server first: nobody can be asked.") }
      state.forget()
      state.user.copyMemory(from: userName.baseAddress!, byteCount: userName.count)
      state.fields.pointee.userCount = userName.count
      state.fields.pointee.serverStatus = 0
      state.fields.pointee.isLocal = false
      try state.writeContext(userName, context, isAll: start == .deregistrationAll)
      var writer = ByteWriter(call.body, capacity: ServerCall.bodyCapacity)
      writer.put("{")
      writer.putName("op", isFirst: true)
      writer.put("\"")
      writer.put(start.name)
      writer.put("\"")
      writer.putMember("context", state.contextText)
      writer.put("}")
      guard writer.isWhole
      else { throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, "Shorten the context: it has no room in a message.") }
      bodyCount = writer.count
      _ = call.setURL(FidoState.cString(at: state.requestURL))
      return Self.issue(state)
    }
    try sending(ticket) { () throws(FidoResult) in
      try call.post(bodyCount: bodyCount, seconds: ticket.seconds, by: ticket.send, ticket.context)
    }
    // The request, in memory of the client's, and whether its appID names a list.
    let (request, needsList) = try received(ticket) { state throws(FidoResult) in
      let request = try state.takeRequest(call.answer)
      guard request.operation == start.operation else { throw FidoResult(CUSTOM_FIDO_JSON_PARSER) }
      let isList = Facets.kind(of: request.appID) == .list
      if isList, !listed.setURL(request.appID) { throw FidoResult(CUSTOM_FIDO_UNTRUSTED_FACET_ID) }
      if isList { state.fields.pointee.isSending = true }
      return (request, isList)
    }
    if needsList {
      try sending(ticket) { () throws(FidoResult) in
        try listed.getFacets(seconds: ticket.seconds, by: ticket.send, ticket.context)
      }
    }
    return try received(ticket) { state throws(FidoResult) in
      let result = try state.begin(
        request, trustedFacets: needsList ? listed.answer : nil, channelBinding: call.channelBinding)
      try state.checkUser()
      return result
    }
  }

  /// Marks a message as under way.
  private static func issue(_ state: FidoState) -> Ticket {
    let fields = state.fields.pointee
    state.fields.pointee.isSending = true
    return Ticket(
      send: fields.send!, context: fields.sendContext, seconds: fields.seconds, epoch: fields.epoch)
  }

  /// Sends; a message that fails is no longer under way, and its request and answer are forgotten.
  private func sending(_ ticket: Ticket, _ body: () throws(FidoResult) -> Void) throws(FidoResult) {
    do throws(FidoResult) { try body() } catch {
      _ = try received(ticket) { $0.forget() }
      throw error
    }
  }

  /// Takes what a message has brought.
  ///
  /// - Throws: 999 if the request was cancelled while the message was under way.
  private func received<Answer>(
    _ ticket: Ticket, _ body: (FidoState) throws(FidoResult) -> Answer
  ) throws(FidoResult) -> Answer {
    try using { state throws(FidoResult) in
      state.fields.pointee.isSending = false
      guard state.fields.pointee.epoch == ticket.epoch else { throw FidoResult(CUSTOM_FIDO_USER_CANCEL) }
      return try body(state)
    }
  }

  // MARK: An answer

  /// Finishes, and sends the answer.
  package func resume(
    _ number: CUSTOM_FIDO_AUTHENTICATOR, userName: UnsafeRawBufferPointer?, keyboard: CUSTOM_KEYBOARD,
    again: CUSTOM_KEYBOARD
  ) throws(FidoResult) -> FidoResult {
    let call = try ServerCall()
    var bodyCount = 0
    // The lock is held from the first look at the request to the message: what is sent answers this request.
    let ticket = try using { state throws(FidoResult) -> Ticket in
      try Self.requireQuiet(state)
      guard state.fields.pointee.hasServer, !state.fields.pointee.isLocal
      else { throw FidoResult(CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST) }
      try state.waitingRequest()
      let result = try Self.finish(state, number, userName, keyboard, again)
      guard result == FidoResult(CUSTOM_FIDO_SUCCESS) else { throw result }
      var writer = ByteWriter(call.body, capacity: ServerCall.bodyCapacity)
      writer.put("{")
      writer.putMember(
        "uafResponse", UnsafeRawBufferPointer(start: state.response, count: state.fields.pointee.responseCount),
        isFirst: true)
      writer.putMember("context", state.contextText)
      writer.put("}")
      bodyCount = writer.count
      _ = call.setURL(FidoState.cString(at: state.responseURL))
      return Self.issue(state)
    }
    try sending(ticket) { () throws(FidoResult) in
      try call.post(bodyCount: bodyCount, seconds: ticket.seconds, by: ticket.send, ticket.context)
    }
    return try received(ticket) { state throws(FidoResult) in try state.takeVerdict(call.answer) }
  }

  package func token(into space: UnsafeMutableRawBufferPointer, length: inout Int) throws(FidoResult) {
    var count = 0
    defer { length = count }
    try using { state throws(FidoResult) in
      count = state.fields.pointee.tokenCount
      try Self.copy(UnsafeRawBufferPointer(start: state.token, count: count), into: space)
    }
  }

  package func serverStatus() throws(FidoResult) -> Int32 {
    try using { state throws(FidoResult) in state.fields.pointee.serverStatus }
  }
}
