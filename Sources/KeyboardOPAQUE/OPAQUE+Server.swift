// The server's steps as a whole: what comes from outside is checked, copied and used, and an answer leaves.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardCurves
import KeyboardMemory

extension OPAQUE {
  /// Draws a server's setup, and writes it with its public key.
  ///
  /// - Parameters:
  ///   - setup: gets `setupSize` bytes, which the caller keeps secret.
  ///   - publicKey: gets `elementSize` bytes, elsewhere.
  /// - Throws: `.memory`, `.random`; nothing is then written.
  /// - Timing: depends on how often a draw is rejected, once in 2²⁵² draws.
  package static func makeSetup(
    into setup: UnsafeMutableRawPointer, publicKey: UnsafeMutableRawPointer
  ) throws(KeyboardError) {
    try Residue.whole { () throws(KeyboardError) -> Void? in
      let server = try OPAQUEServer()
      try Residue.wiped(.ownStack) { () throws(KeyboardError) in try server.makeSetup() }
      guard !server.workspace.wasEmptied else { return nil }
      copySecret(from: server.setup, to: setup, byteCount: setupSize)
      publicKey.copyMemory(from: server.answer, byteCount: elementSize)
      return server.workspace.wasEmptied ? nil : ()
    }
  }

  /// Answers a request of a registration.
  ///
  /// - Throws: `.argument` for an empty account, `.tooLong`, `.key`, `.undecryptable`, `.spaceTooSmall`, in this order;
  ///   `.memory`. Nothing is then written.
  /// - Timing: depends on the account's length and the verdict.
  package static func respond(
    setup: UnsafeRawBufferPointer, account: UnsafeRawBufferPointer, request: UnsafeRawBufferPointer,
    into response: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Int {
    try check(setup, account)
    return try Residue.whole { () throws(KeyboardError) -> Int? in
      do throws(KeyboardError) {
        let server = try OPAQUEServer()
        copy(setup, account, to: server)
        if request.count == requestSize { copy(request, to: server.message) }
        let isWhole = try compute(on: server) { () throws(KeyboardError) in
          guard isPrivateKey(server.setup) else { throw .key(.opaqueSetup) }
          guard request.count == requestSize, server.respond(accountLength: account.count) != 0
          else { throw .undecryptable }
        }
        guard isWhole else { return nil }
        guard response.count >= responseSize else { throw .spaceTooSmall(needed: responseSize) }
        response.baseAddress!.copyMemory(from: server.answer, byteCount: responseSize)
        return server.workspace.wasEmptied ? nil : responseSize
      } catch {
        try checkWithoutMemory(error) { () throws(KeyboardError) in
          guard isPrivateKey(setup.baseAddress!) else { throw .key(.opaqueSetup) }
          guard request.count == requestSize, isElement(request, at: 0) else { throw .undecryptable }
          guard response.count >= responseSize else { throw .spaceTooSmall(needed: responseSize) }
        }
        throw error
      }
    }
  }

  /// Answers KE1 of a login.
  ///
  /// - Parameters:
  ///   - record: empty if there is no such account.
  ///   - ke2, state: get `ke2Size` and `stateSize` bytes; the caller keeps the state secret.
  /// - Throws: `.argument` for an empty account, `.tooLong` for account and terms, `.key` for setup and record,
  ///   `.undecryptable`, `.spaceTooSmall`, in this order; `.memory`, `.random`. Nothing is then written.
  /// - Timing: depends on the lengths and the verdict, and not on whether there is a record.
  package static func answer(
    setup: UnsafeRawBufferPointer, account: UnsafeRawBufferPointer, record: UnsafeRawBufferPointer,
    terms: LentTerms, ke1: UnsafeRawBufferPointer, into ke2: UnsafeMutableRawBufferPointer,
    state: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) {
    guard !account.isEmpty else { throw .argument(.emptyName) }
    try terms.checkLengths()
    try check(setup, account)
    return try Residue.whole { () throws(KeyboardError) -> Void? in
      do throws(KeyboardError) {
        let server = try OPAQUEServer(terms)
        copy(setup, account, to: server)
        if record.count == recordSize { copy(record, to: server.record) }
        if ke1.count == ke1Size { copy(ke1, to: server.message) }
        let isWhole = try compute(on: server) { () throws(KeyboardError) in
          guard isPrivateKey(server.setup) else { throw .key(.opaqueSetup) }
          guard record.isEmpty || record.count == recordSize else { throw .key(.opaqueRecord) }
          try server.draw()
          let isAccepted = server.answer(accountLength: account.count, hasRecord: !record.isEmpty)
          guard isAccepted.record != 0 else { throw .key(.opaqueRecord) }
          guard ke1.count == ke1Size, isAccepted.message != 0 else { throw .undecryptable }
        }
        guard isWhole else { return nil }
        guard ke2.count >= ke2Size, state.count >= stateSize else { throw .spaceTooSmall(needed: ke2Size) }
        ke2.baseAddress!.copyMemory(from: server.answer, byteCount: ke2Size)
        placePassword(server.state, at: state.baseAddress!, byteCount: stateSize)
        return server.workspace.wasEmptied ? nil : ()
      } catch {
        try checkWithoutMemory(error) { () throws(KeyboardError) in
          guard isPrivateKey(setup.baseAddress!) else { throw .key(.opaqueSetup) }
          guard record.isEmpty || record.count == recordSize && isElement(record, at: 0)
          else { throw .key(.opaqueRecord) }
          guard ke1.count == ke1Size, isElement(ke1, at: 0), isElement(ke1, at: clientKeyshareOffset)
          else { throw .undecryptable }
          guard ke2.count >= ke2Size, state.count >= stateSize else { throw .spaceTooSmall(needed: ke2Size) }
        }
        throw error
      }
    }
  }

  /// Checks KE3, and gives the session key.
  ///
  /// - Throws: `.key` for the state's length, `.mismatch`, `.spaceTooSmall`, in this order. Nothing is then written.
  /// - Timing: depends on the verdict only.
  package static func check(
    _ ke3: UnsafeRawBufferPointer, state: UnsafeRawBufferPointer, into key: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Int {
    guard state.count == stateSize else { throw .key(.opaqueState) }
    return try Residue.contained { () throws(KeyboardError) in
      // Each byte of the caller's is read once.
      guard ke3.count == ke3Size, ConstantTime.isEqual(state.baseAddress!, ke3.baseAddress!, count: ke3Size)
      else { throw .mismatch }
      guard key.count >= keySize else { throw .spaceTooSmall(needed: keySize) }
      placePassword(state.baseAddress! + ke3Size, at: key.baseAddress!, byteCount: keySize)
      return keySize
    }
  }

  // MARK: Parts of them

  private static func check(_ setup: UnsafeRawBufferPointer, _ account: UnsafeRawBufferPointer) throws(KeyboardError) {
    guard !account.isEmpty else { throw .argument(.emptyName) }
    guard account.count <= longestAccount else { throw .tooLong(.identity) }
    guard setup.count == setupSize else { throw .key(.opaqueSetup) }
  }

  static func copy(_ bytes: UnsafeRawBufferPointer, to place: UnsafeMutableRawPointer) {
    copySecret(from: bytes.baseAddress!, to: place, byteCount: bytes.count)
  }

  private static func copy(
    _ setup: UnsafeRawBufferPointer, _ account: UnsafeRawBufferPointer, to server: borrowing OPAQUEServer
  ) {
    copy(setup, to: server.setup)
    copy(account, to: server.account)
  }

  /// Runs a computation on the copies.
  ///
  /// - Returns: false if a fork emptied them: no verdict means anything then.
  @inline(never)
  static func compute(
    on server: borrowing OPAQUEServer, _ body: () throws(KeyboardError) -> Void
  ) throws(KeyboardError) -> Bool {
    do throws(KeyboardError) { try Residue.wiped(.ownStack, body) } catch {
      guard !server.workspace.wasEmptied else { return false }
      throw error
    }
    return !server.workspace.wasEmptied
  }

  /// Without memory or randomness, tells what else is wrong: with the caller's bytes, where they are. Nothing is done
  /// with them then.
  package static func checkWithoutMemory(
    _ error: KeyboardError, _ check: () throws(KeyboardError) -> Void
  ) throws(KeyboardError) {
    switch error {
    case .memory, .random: try Residue.wipedCheck(check)
    default: return
    }
  }

  static func isPrivateKey(_ setup: UnsafeRawPointer) -> Bool {
    Ristretto255.isAcceptable(scalar: setup + keySize)
  }

  package static func isElement(_ message: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    Ristretto255.isAcceptable(element: message.baseAddress! + offset)
  }
}

extension Residue {
  /// A check that may fail, on the caller's stack.
  @inline(never)
  fileprivate static func wipedCheck(_ check: () throws(KeyboardError) -> Void) throws(KeyboardError) {
    try wiped(.deep, check)
  }
}
