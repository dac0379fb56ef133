// The number that names a client, and the calls on it.
// SPDX-License-Identifier: Apache-2.0

package import CCustomFido
package import CCustomKeyboard
package import CCustomVault
import CKeyboardPlatform
import KeyboardCodes
import KeyboardMemory
import KeyboardText

/// A client of the process, as `CUSTOM_FIDO` names it. Calls on one client wait for each other.
package struct FidoHandle: Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The clients of the process.
  private static let table = HandleTable(capacity: 1024)

  /// - Throws: 1001; −OP_DISABLE, −ARGUMENT for a number that names no vault, −MEMORY, −RANDOM.
  package static func create(
    vault: CUSTOM_VAULT, facetID: UnsafeRawBufferPointer
  ) throws(FidoResult) -> FidoHandle {
    guard Facets.isNativeFacet(facetID) else {
      throw FidoResult(
        CUSTOM_FIDO_INVALID_PARAMETER, "Name the app after ios:bundle-id: or android:apk-key-hash:, in 512 bytes.")
    }
    return try calling { () throws(KeyboardError) in
      var state = CUSTOM_VAULT_STATE()
      state.size = MemoryLayout<CUSTOM_VAULT_STATE>.size
      guard CustomVault_passcodeState(vault, Authenticator.passcode.name, &state) != CUSTOM_KEYBOARD_ARGUMENT
      else { throw .argument(.noHandle) }
      guard let memory = keyboard_map(FidoState.byteCount) else { throw .memory }
      FidoState(at: memory).setUp(vault: vault, facetID: facetID)
      do throws(KeyboardError) {
        try ForkMark.set()
        return FidoHandle(rawValue: table.publish(try table.reserve(), memory))
      } catch {
        keyboard_unmap(memory, FidoState.byteCount)
        throw error
      }
    }
  }

  package func destroy() throws(FidoResult) {
    try Self.calling { () throws(KeyboardError) in
      try Self.table.using(rawValue) { entry, _ throws(KeyboardError) in
        Self.table.close(entry)
        keyboard_unmap(entry.pointee.memory!, FidoState.byteCount)
      }
    }
  }

  private static func calling<Result>(
    _ body: () throws(KeyboardError) -> Result
  ) throws(FidoResult) -> Result {
    do throws(KeyboardError) {
      return try Residue.whole { () throws(KeyboardError) in try body() }
    } catch { throw FidoResult(error) }
  }

  /// Runs a call on the client's state.
  func using<Answer>(_ body: (FidoState) throws(FidoResult) -> Answer) throws(FidoResult) -> Answer {
    let answer = try Self.calling { () throws(KeyboardError) in
      try Self.table.using(rawValue) { entry, _ throws(KeyboardError) -> Result<Answer, FidoResult> in
        do throws(FidoResult) {
          return .success(try body(FidoState(at: entry.pointee.memory!)))
        } catch { return .failure(error) }
      }
    }
    return try answer.get()
  }

  /// - Throws: 1012 for a number that is not an authenticator.
  private static func authenticator(_ number: CUSTOM_FIDO_AUTHENTICATOR) throws(FidoResult) -> Authenticator {
    guard let authenticator = Authenticator(rawValue: Int32(bitPattern: UInt32(number.rawValue)))
    else { throw FidoResult(CUSTOM_FIDO_INVALID_AUTHENTICATOR_TYPE) }
    return authenticator
  }

  // MARK: Authenticators

  package func setAAID(
    of number: CUSTOM_FIDO_AUTHENTICATOR, to aaid: UnsafeRawBufferPointer
  ) throws(FidoResult) {
    guard isAAID(aaid) else {
      throw FidoResult(
        CUSTOM_FIDO_INVALID_PARAMETER, "Give an AAID of four hexadecimal digits, a # and four more: 4E4E#4005.")
    }
    try using { state throws(FidoResult) in state.setAAID(of: try Self.authenticator(number), to: aaid) }
  }

  package func setOption(
    _ option: CUSTOM_FIDO_OPTION, of number: CUSTOM_FIDO_AUTHENTICATOR, to value: Int64
  ) throws(FidoResult) {
    try using { state throws(FidoResult) in
      try state.setOption(option, of: try Self.authenticator(number), to: value)
    }
  }

  package func applyLayout(
    of number: CUSTOM_FIDO_AUTHENTICATOR, to keyboard: CUSTOM_KEYBOARD
  ) throws(FidoResult) {
    try using { state throws(FidoResult) in
      try state.applyLayout(of: try Self.authenticator(number), to: keyboard)
    }
  }

  package func state(of number: CUSTOM_FIDO_AUTHENTICATOR) throws(FidoResult) -> FidoResult {
    try using { state throws(FidoResult) in
      guard let authenticator = try? Self.authenticator(number)
      else { return FidoResult(CUSTOM_FIDO_STATE_NOT_SUPPORT) }
      return try state.state(of: authenticator)
    }
  }

  package func attempts(
    of number: CUSTOM_FIDO_AUTHENTICATOR, _ attempts: inout CUSTOM_VAULT_STATE
  ) throws(FidoResult) {
    try using { state throws(FidoResult) in
      try state.attempts(of: try Self.authenticator(number), &attempts)
    }
  }

  package func availableTypes() throws(FidoResult) -> UInt32 {
    try using { state throws(FidoResult) in
      (state.aaid(of: .passcode) != nil ? 1 : 0) | (state.aaid(of: .pattern) != nil ? 2 : 0)
    }
  }

  package func change(
    _ number: CUSTOM_FIDO_AUTHENTICATOR, from current: CUSTOM_KEYBOARD, to next: CUSTOM_KEYBOARD
  ) throws(FidoResult) -> FidoResult {
    try using { state throws(FidoResult) in
      guard let authenticator = try? Self.authenticator(number) else { return FidoResult(CUSTOM_FIDO_CHANGE_INVALID) }
      return try state.change(authenticator, from: current, to: next)
    }
  }

  package func reset(_ number: CUSTOM_FIDO_AUTHENTICATOR) throws(FidoResult) -> FidoResult {
    try using { state throws(FidoResult) in
      guard let authenticator = try? Self.authenticator(number)
      else { return FidoResult(CUSTOM_FIDO_RESET_INVALID_TYPE) }
      return try state.reset(authenticator)
    }
  }

  // MARK: Requests

  /// - Returns: the appID's bytes written, with a NUL after them if there is room.
  /// - Throws: −SPACE; `length` is then what is needed.
  package func appID(
    of request: UnsafeRawBufferPointer, into space: UnsafeMutableRawBufferPointer, length: inout Int
  ) throws(FidoResult) {
    var count = 0
    defer { length = count }
    try using { state throws(FidoResult) in
      // Parsed in the second document, so that the request that waits stays.
      let request = try Request(state.other.parse(copying: request))
      guard Facets.kind(of: request.appID) != .facet || !Facets.isHTTPS(request.appID)
      else { throw FidoResult(CUSTOM_FIDO_UNTRUSTED_FACET_ID) }
      count = request.appID.count
      try Self.copy(request.appID, into: space)
    }
  }

  /// - Parameter request: nil if the caller passed no text: a request that waited is forgotten all the same.
  package func begin(
    _ request: UnsafeRawBufferPointer?, trustedFacets: UnsafeRawBufferPointer?, channelBinding: UnsafeRawBufferPointer?
  ) throws(FidoResult) -> FidoResult {
    try using { state throws(FidoResult) in
      try Self.requireQuiet(state)
      state.fields.pointee.isLocal = true
      guard let request else {
        state.forget()
        throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, "Pass the request: it is NULL, or runs past the end of memory.")
      }
      return try state.begin(request, trustedFacets: trustedFacets, channelBinding: channelBinding)
    }
  }

  /// Copies a text and a NUL.
  ///
  /// - Throws: −SPACE.
  static func copy(
    _ text: UnsafeRawBufferPointer, into space: UnsafeMutableRawBufferPointer
  ) throws(FidoResult) {
    guard text.count < space.count else { throw FidoResult(CUSTOM_KEYBOARD_SPACE) }
    if let start = text.baseAddress { space.baseAddress!.copyMemory(from: start, byteCount: text.count) }
    space[text.count] = 0
  }

  package func choices(
    into each: UnsafeMutablePointer<CUSTOM_FIDO_AUTHENTICATOR>?, capacity: Int, count: inout Int
  ) throws(FidoResult) {
    var found: (CUSTOM_FIDO_AUTHENTICATOR, CUSTOM_FIDO_AUTHENTICATOR) = (CUSTOM_FIDO_PASSCODE, CUSTOM_FIDO_PASSCODE)
    var total = 0
    try using { state throws(FidoResult) -> Void in
      let request = try state.waitingRequest()
      try state.loadKeys()
      state.choices(request) { choice in
        let choice = choice == .passcode ? CUSTOM_FIDO_PASSCODE : CUSTOM_FIDO_PATTERN
        if total == 0 { found.0 = choice } else { found.1 = choice }
        total += 1
      }
    }
    count = total
    guard total <= capacity else { throw FidoResult(CUSTOM_KEYBOARD_SPACE) }
    if total > 0 { each![0] = found.0 }
    if total > 1 { each![1] = found.1 }
  }

  /// Writes the name of each user once, with a NUL, into memory of the caller's.
  ///
  /// - Parameter names: `namesSize` bytes.
  /// - Returns: how many bytes.
  package func accounts(
    of number: CUSTOM_FIDO_AUTHENTICATOR, into names: UnsafeMutableRawPointer
  ) throws(FidoResult) -> Int {
    try using { state throws(FidoResult) in
      let request = try state.waitingRequest()
      let authenticator = try Self.authenticator(number)
      var writer = ByteWriter(names, capacity: Self.namesSize)
      guard request.operation == .authentication else {
        writer.put(request.userName)
        writer.put(0 as UInt8)
        return writer.count
      }
      try state.loadKeys()
      state.forEachAccepted(request) { key in
        guard key.authenticator == authenticator, state.isAskedFor(key.userName) else { return true }
        var place = 0
        while place < writer.count {
          let end = writer.bytes[place...].firstIndex(of: 0)!
          if UnsafeRawBufferPointer(rebasing: writer.bytes[place..<end]).equals(key.userName) { return true }
          place = end + 1
        }
        guard key.userName.count < Self.namesSize - writer.count else { return true }
        writer.put(key.userName)
        writer.put(0 as UInt8)
        return true
      }
      return writer.count
    }
  }

  package static var namesSize: Int { FidoState.maximumKeys * (Request.userNameCapacity + 1) }

  package func transaction(into space: UnsafeMutableRawBufferPointer, length: inout Int) throws(FidoResult) {
    var count = 0
    defer { length = count }
    try using { state throws(FidoResult) in
      try state.waitingRequest()
      count = state.fields.pointee.transactionCount
      try Self.copy(UnsafeRawBufferPointer(start: state.transactionBytes, count: count), into: space)
    }
  }

  package func finish(
    _ number: CUSTOM_FIDO_AUTHENTICATOR, userName: UnsafeRawBufferPointer?, keyboard: CUSTOM_KEYBOARD,
    again: CUSTOM_KEYBOARD
  ) throws(FidoResult) -> FidoResult {
    try using { state throws(FidoResult) in
      try state.waitingRequest()
      // The answer to a server's request is sent by `resume`, which learns what the server makes of it.
      guard state.fields.pointee.isLocal else { throw FidoResult(CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST) }
      return try Self.finish(state, number, userName, keyboard, again)
    }
  }

  static func finish(
    _ state: FidoState, _ number: CUSTOM_FIDO_AUTHENTICATOR, _ userName: UnsafeRawBufferPointer?,
    _ keyboard: CUSTOM_KEYBOARD, _ again: CUSTOM_KEYBOARD
  ) throws(FidoResult) -> FidoResult {
    let authenticator = try Self.authenticator(number)
    do throws(KeyboardError) {
      return try state.finish(authenticator, userName: userName, keyboard: keyboard, again: again)
    } catch { throw FidoResult(error) }
  }

  package func response(into space: UnsafeMutableRawBufferPointer, length: inout Int) throws(FidoResult) {
    var count = 0
    defer { length = count }
    try using { state throws(FidoResult) in
      // What is on its way to a server, `resume` sends.
      guard state.fields.pointee.responseCount > 0, state.fields.pointee.isLocal
      else { throw FidoResult(CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST) }
      count = state.fields.pointee.responseCount
      try Self.copy(UnsafeRawBufferPointer(start: state.response, count: count), into: space)
    }
  }

  package func cancel() throws(FidoResult) { try using { state throws(FidoResult) in state.forget() } }
}
