// OPAQUE's client: what is typed logs in, and leaves the keyboard in no form.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardMemory
package import KeyboardOPAQUE

extension KeyboardHandle {
  /// Begins a registration or a login: `space` gets the request or KE1.
  ///
  /// - Returns: the step's number, by which its end finds it.
  @inline(never) @discardableResult
  package func begin(_ step: BegunStep, into space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> UInt32 {
    try Residue.whole { () throws(KeyboardError) in
      try withLock { state throws(KeyboardError) in try state.begin(step, into: space) }
    }
  }

  /// The number of the step that was begun last.
  ///
  /// - Throws: `.operationDisabled` unless it is this step, begun for what is typed now.
  package func number(of step: BegunStep) throws(KeyboardError) -> UInt32 {
    try call { state throws(KeyboardError) in try state.number(of: step) }
  }

  #if !hasFeature(Embedded)
    /// Wipes what a step keeps, unless it is over.
    func forgetStep(_ number: UInt32) {
      try? call { state in state.forgetStep(number) }
    }
  #endif

  /// Ends a registration.
  ///
  /// - Parameters:
  ///   - number: the step's.
  ///   - record: gets the record.
  ///   - exportKey: `OPAQUE.keySize` bytes, or nil.
  /// - Throws: `.operationDisabled`, `.tooLong`, `.undecryptable`, `.spaceTooSmall`, `.memory`, `.random`, in this
  ///   order. Nothing is then written, and what was begun stays.
  package func endRegistration(
    _ number: UInt32, _ response: UnsafeRawBufferPointer, terms: LentTerms,
    into record: UnsafeMutableRawBufferPointer, exportKey: UnsafeMutableRawPointer?
  ) throws(KeyboardError) -> Int {
    try terms.checkLengths()
    return try Residue.whole { () throws(KeyboardError) -> Int? in
      do throws(KeyboardError) {
        guard response.count == OPAQUE.responseSize else { throw .undecryptable }
        let client = try OPAQUEClient(terms)
        client.message.copyMemory(from: response.baseAddress!, byteCount: response.count)
        let isElement = try takeAnswer(client, .registration, number)
        let copy = UnsafeRawBufferPointer(start: client.message, count: response.count)
        let isKey = try Residue.wiped(.deep) { () throws(KeyboardError) in
          OPAQUE.isElement(copy, at: OPAQUE.elementSize)
        }
        guard !client.workspace.wasEmptied else { throw .operationDisabled(.notOpen) }
        guard isElement != 0, isKey else { throw .undecryptable }
        guard record.count >= OPAQUE.recordSize else { throw .spaceTooSmall(needed: OPAQUE.recordSize) }
        let nonce = try client.drawNonce()
        guard try client.stretch() else { throw .operationDisabled(.notOpen) }
        try Residue.wiped(.ownStack) { () throws(KeyboardError) in client.makeRecord(nonce: nonce) }
        try end(.registration, number) {
          record.baseAddress!.copyMemory(from: client.record, byteCount: OPAQUE.recordSize)
          put(client.exportKey, at: exportKey)
        } undo: {
          wipe(record.baseAddress!, byteCount: OPAQUE.recordSize)
          wipeKey(exportKey)
        }
        return OPAQUE.recordSize
      } catch {
        try OPAQUE.checkWithoutMemory(error) { () throws(KeyboardError) in
          guard OPAQUE.isElement(response, at: 0), OPAQUE.isElement(response, at: OPAQUE.elementSize)
          else { throw .undecryptable }
          guard record.count >= OPAQUE.recordSize else { throw .spaceTooSmall(needed: OPAQUE.recordSize) }
        }
        throw error
      }
    }
  }

  /// Ends a login.
  ///
  /// - Parameters:
  ///   - number: the step's.
  ///   - ke3: gets KE3.
  ///   - sessionKey, exportKey: `OPAQUE.keySize` bytes each, or nil.
  /// - Throws: `.operationDisabled`, `.tooLong`, `.spaceTooSmall`, `.mismatch`, in this order; `.memory`. Nothing is
  ///   then written; what was begun stays, but for `.mismatch`.
  package func endLogin(
    _ number: UInt32, _ ke2: UnsafeRawBufferPointer, terms: LentTerms, into ke3: UnsafeMutableRawBufferPointer,
    sessionKey: UnsafeMutableRawPointer?, exportKey: UnsafeMutableRawPointer?
  ) throws(KeyboardError) -> Int {
    try terms.checkLengths()
    guard ke3.count >= OPAQUE.ke3Size else { throw .spaceTooSmall(needed: OPAQUE.ke3Size) }
    return try Residue.whole { () throws(KeyboardError) -> Int? in
      guard ke2.count == OPAQUE.ke2Size else {
        try end(.login, number)
        throw .mismatch
      }
      let client = try OPAQUEClient(terms)
      client.message.copyMemory(from: ke2.baseAddress!, byteCount: ke2.count)
      let isElement = try takeAnswer(client, .login, number)
      guard try client.stretch() else { throw .operationDisabled(.notOpen) }
      let isRight = try Residue.wiped(.ownStack) { () throws(KeyboardError) in client.makeKE3(isElement: isElement) }
      guard !client.workspace.wasEmptied else { throw .operationDisabled(.notOpen) }
      guard isRight != 0 else {
        try end(.login, number)
        throw .mismatch
      }
      try end(.login, number) {
        ke3.baseAddress!.copyMemory(from: client.ke3, byteCount: OPAQUE.ke3Size)
        put(client.sessionKey, at: sessionKey)
        put(client.exportKey, at: exportKey)
      } undo: {
        wipe(ke3.baseAddress!, byteCount: OPAQUE.ke3Size)
        wipeKey(sessionKey)
        wipeKey(exportKey)
      }
      return OPAQUE.ke3Size
    }
  }

  // MARK: Parts of them

  /// The keyboard is locked for this, and not while Argon2id runs.
  @inline(never)
  private func takeAnswer(
    _ client: borrowing OPAQUEClient, _ step: BegunStep, _ number: UInt32
  ) throws(KeyboardError) -> UInt64 {
    try withLock { state throws(KeyboardError) in
      try state.check(step, number)
      return try state.takeAnswer(client)
    }
  }

  /// Ends the step, unless something else was typed or begun meanwhile, and writes its answers.
  ///
  /// - Parameter undo: wipes them, if a fork has come just then: this is then the child.
  @inline(never)
  private func end(
    _ step: BegunStep, _ number: UInt32, _ write: () -> Void = {}, undo: () -> Void = {}
  ) throws(KeyboardError) {
    try withLock { state throws(KeyboardError) in
      try state.check(step, number)
      guard !state.wasEmptied else { throw .operationDisabled(.notOpen) }
      write()
      guard !state.wasEmptied else {
        undo()
        throw .operationDisabled(.notOpen)
      }
      state.forgetStep()
    }
  }

  private func put(_ key: UnsafeRawPointer, at place: UnsafeMutableRawPointer?) {
    if let place { placePassword(key, at: place, byteCount: OPAQUE.keySize) }
  }

  private func wipeKey(_ place: UnsafeMutableRawPointer?) {
    if let place { wipe(place, byteCount: OPAQUE.keySize) }
  }
}

extension KeyboardState {
  fileprivate func check(_ step: BegunStep, _ number: UInt32) throws(KeyboardError) {
    guard try self.number(of: step) == number else { throw .operationDisabled(.noStep) }
  }
}
