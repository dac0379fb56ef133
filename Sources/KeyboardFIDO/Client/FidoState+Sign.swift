// The person agrees: a key is made, or signs.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomKeyboard
package import KeyboardCodes
import KeyboardMemory
import KeyboardSigning
import KeyboardText

/// What a change of the vault needs to know of an answer that is being made.
struct Signing {
  let request: Request
  let authenticator: Authenticator
  /// Of this authenticator, before the try.
  let resets: UInt32
  let userName: UnsafeRawBufferPointer?
  let work: UnsafeMutablePointer<KeyWork>
}

extension FidoState {
  /// Verifies the person, and writes the answer.
  ///
  /// - Parameters:
  ///   - userName: nil if there is one only.
  ///   - again: 0, or the same typed twice.
  /// - Throws: `KeyboardError` of memory and randomness only; all else is in the result.
  func finish(
    _ authenticator: Authenticator, userName: UnsafeRawBufferPointer?, keyboard: CUSTOM_KEYBOARD,
    again: CUSTOM_KEYBOARD
  ) throws(KeyboardError) -> FidoResult {
    // A keyboard is equal to itself, also when the person mistyped: nothing was typed twice.
    guard again == 0 || again != keyboard
    else { return FidoResult(KeyboardError.argument(.sameKeyboard)) }
    var work = try KeyWork()
    do throws(FidoResult) {
      try withUnsafeMutablePointer(to: &work) { work throws(FidoResult) in
        try finish(authenticator, userName, keyboard, again, work)
      }
    } catch { return error }
    // A fork has emptied the memory: this is the child, and clients are not inherited.
    guard !work.workspace.wasEmptied else {
      forget()
      throw .operationDisabled(.forked)
    }
    return FidoResult(CUSTOM_FIDO_SUCCESS)
  }

  private func finish(
    _ authenticator: Authenticator, _ userName: UnsafeRawBufferPointer?, _ keyboard: CUSTOM_KEYBOARD,
    _ again: CUSTOM_KEYBOARD, _ work: UnsafeMutablePointer<KeyWork>
  ) throws(FidoResult) {
    let request = try waitingRequest()
    let isNew = request.operation == .registration
    // A server was asked for one user: no other one's key signs.
    let userName = userName ?? askedFor
    if let userName, !isAskedFor(userName) || isNew && !userName.equals(request.userName) {
      throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, "The request is for another user: pass its name, or NULL.")
    }
    guard aaid(of: authenticator) != nil else { throw FidoResult(CUSTOM_FIDO_INVALID_AUTHENTICATOR_TYPE) }
    try loadKeys()
    guard rank(of: authenticator, request) != nil else { throw FidoResult(CUSTOM_FIDO_NO_SUITABLE_AUTHENTICATOR) }
    if isNew {
      guard keys.count < Self.maximumKeys
      else { throw FidoResult(CUSTOM_KEYBOARD_STORAGE, "This appID has as many keys as it may have: deregister one.") }
      if again != 0 { try setUp(authenticator, keyboard, again) }
    } else {
      try take(try chooseKey(request, authenticator, userName), work)
    }
    let signing = Signing(
      request: request, authenticator: authenticator, resets: try store.number(authenticator.resetsName),
      userName: userName, work: work)
    try verify(authenticator, keyboard, key: work.pointee.passcodeKey)
    if isNew {
      try drawKey(signing)
      try make(.registration(signing))
    } else {
      let result = try make(.authentication(signing))
      guard result.isSuccess else { throw result }
      try sign(signing)
    }
    answered.copy(from: place)
    publishAnswer(byteCount: work.pointee.answerCount)
  }

  // MARK: Registration

  /// Draws a key, and seals it under what only the passcode gives.
  private func drawKey(_ signing: Signing) throws(FidoResult) {
    try contained(signing.work) { work throws(KeyboardError) in try work.draw() }
    let work = signing.work
    owner(signing).bind(into: work.pointee.digest, scratch: work.pointee.hashScratch)
    try contained(work) { work throws(KeyboardError) in
      work.seal.seal(work.privateKey, under: work.passcodeKey, boundTo: work.digest, into: work.sealedKey)
    }
  }

  private func owner(_ signing: Signing) -> KeyOwner {
    KeyOwner(
      authenticator: signing.authenticator, aaid: aaid(of: signing.authenticator)!,
      keyID: signing.work.pointee.keyIDBytes, appID: appID, origin: origin,
      isVouchedFor: fields.pointee.isVouchedFor, userName: signing.request.userName,
      publicKey: UnsafeRawBufferPointer(start: signing.work.pointee.publicKey, count: Assertion.publicKeySize))
  }

  /// Inside a change: adds the key, and signs the answer. If a server is not known to have asked, the key is the user's
  /// from now on.
  ///
  /// - Throws: 1009 if the value that was verified was reset since: nothing would open the key.
  func register(_ signing: Signing) throws(FidoResult) {
    let work = signing.work
    guard try store.number(signing.authenticator.resetsName) == signing.resets
    else { throw FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
    let registration = try store.raise(signing.authenticator.itemName)
    let isLocal = fields.pointee.isLocal
    let owner = owner(signing)
    var writer = ByteWriter(record, capacity: KeyRecord.capacity)
    KeyRecord.write(
      owner, state: isLocal ? .accepted : .pending, counter: 0, registration: registration,
      sealedKey: UnsafeRawBufferPointer(start: work.pointee.sealedKey, count: KeySeal.sealedSize), to: &writer)
    place.set(keyID: owner.keyID)
    try store.add(writer.bytes, of: signing.authenticator, at: place)
    let assertion = self.assertion(aaid: owner.aaid, signCounter: 0, work)
    try writeAnswer(signing) { writer, sign in
      assertion.writeRegistration(
        publicKey: owner.publicKey, registrationCounter: registration, to: &writer, sign: sign)
    }
    fields.pointee.verdict = .ofNewKey
    guard isLocal else { return }
    answered.copy(from: place)
    try loadKeysInside(of: answered)
    try deleteOlderKeys(than: KeyRecord(writer.bytes)!)
    place.copy(from: answered)
  }

  // MARK: Authentication

  /// Keeps a key of `keys` for the answer, in `record`.
  private func take(_ key: KeyRecord, _ work: UnsafeMutablePointer<KeyWork>) throws(FidoResult) {
    place.set(keyID: key.keyID)
    work.pointee.keyID.copyMemory(from: key.keyID.baseAddress!, byteCount: Assertion.keyIDSize)
    record.copyMemory(from: key.bytes.baseAddress!, byteCount: key.bytes.count)
    work.pointee.recordCount = key.bytes.count
  }

  /// Inside a change: opens the key, and counts its signature. If another client has replaced it since it was chosen,
  /// another one is chosen now.
  ///
  /// - Returns: 1009 if nothing opens the key any more, which is deleted then.
  func authenticate(_ signing: Signing) throws(FidoResult) -> FidoResult {
    let work = signing.work
    var found = try store.key(at: place, into: record)
    if found == nil {
      try loadKeysInside(of: place)
      try take(try chooseKey(signing.request, signing.authenticator, signing.userName), work)
      found = KeyRecord(UnsafeRawBufferPointer(start: record, count: work.pointee.recordCount))
    }
    let key = found!
    key.owner.bind(into: work.pointee.digest, scratch: work.pointee.hashScratch)
    // The record is not read inside: what runs there touches locked memory only.
    work.pointee.sealedKey.copyMemory(from: key.sealedKey.baseAddress!, byteCount: KeySeal.sealedSize)
    let isOpen = try contained(work) { work throws(KeyboardError) in
      work.seal.open(work.sealedKey, under: work.passcodeKey, boundTo: work.digest, into: work.privateKey)
    }
    guard isOpen else {
      // After a reset it may be a key of the next value. Else its passcode was removed by another program.
      guard try store.number(signing.authenticator.resetsName) == signing.resets
      else { throw FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
      try store.delete(at: place)
      return FidoResult(CUSTOM_FIDO_NOT_REG_USER)
    }
    guard key.counter < .max else { throw FidoResult(CUSTOM_FIDO_UNKNOWN) }
    var writer = ByteWriter(nextRecord, capacity: KeyRecord.capacity)
    key.write(state: key.state, counter: key.counter + 1, to: &writer)
    try store.replace(at: place, by: writer.bytes)
    work.pointee.recordCount = writer.count
    fields.pointee.verdict = key.state == .accepted ? .ofAcceptedKey : .ofPendingKey
    return FidoResult(CUSTOM_FIDO_SUCCESS)
  }

  /// Signs with the key that was opened: its counter is on the disk.
  private func sign(_ signing: Signing) throws(FidoResult) {
    let work = signing.work
    let key = KeyRecord(UnsafeRawBufferPointer(start: nextRecord, count: work.pointee.recordCount))!
    let nonce = UnsafeMutableRawBufferPointer(start: work.pointee.nonce, count: Assertion.nonceSize)
    do throws(KeyboardError) { try SystemRandomness().fill(nonce) } catch { throw FidoResult(error) }
    let transaction = UnsafeRawBufferPointer(start: transactionBytes, count: fields.pointee.transactionCount)
    work.pointee.hash(transaction, into: work.pointee.transactionHash)
    let transactionHash = UnsafeRawBufferPointer(
      start: work.pointee.transactionHash, count: transaction.isEmpty ? 0 : Assertion.digestSize)
    let assertion = self.assertion(aaid: key.aaid, signCounter: key.counter, work)
    try writeAnswer(signing) { writer, sign in
      assertion.writeAuthentication(
        nonce: UnsafeRawBufferPointer(nonce), transactionHash: transactionHash, to: &writer, sign: sign)
    }
  }

  /// Of the keys that the policy accepts, the one of a user: of those that are surely the appID's before others, of
  /// those that a server is known to have before others, the newest.
  ///
  /// - Throws: 1009 if there is none; 1001 without a name, if there are several users.
  private func chooseKey(
    _ request: Request, _ authenticator: Authenticator, _ userName: UnsafeRawBufferPointer?
  ) throws(FidoResult) -> KeyRecord {
    var best: KeyRecord?
    for index in 0..<keys.count {
      let key = keys[index]
      guard key.authenticator == authenticator, rank(of: key, request) != nil, userName?.equals(key.userName) ?? true
      else { continue }
      guard let other = best else {
        best = key
        continue
      }
      guard key.userName.equals(other.userName) else {
        throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, "Name the user: several have keys here (`accounts`).")
      }
      if isBetter(key, than: other) { best = key }
    }
    guard let best else { throw FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
    return best
  }

  private func isBetter(_ key: KeyRecord, than other: KeyRecord) -> Bool {
    if isTrusted(key) != isTrusted(other) { return isTrusted(key) }
    if key.state != other.state { return key.state == .accepted }
    return key.registration > other.registration
  }

  // MARK: The answer

  private func assertion(
    aaid: UnsafeRawBufferPointer, signCounter: UInt32, _ work: UnsafeMutablePointer<KeyWork>
  ) -> Assertion {
    let parameters = UnsafeRawBufferPointer(start: parameters, count: fields.pointee.parameterCount)
    work.pointee.hash(parameters, into: work.pointee.finalChallengeHash)
    return Assertion(
      aaid: aaid,
      finalChallengeHash: UnsafeRawBufferPointer(
        start: work.pointee.finalChallengeHash, count: Assertion.digestSize),
      keyID: work.pointee.keyIDBytes, signCounter: signCounter)
  }

  /// Writes the answer around an assertion. The app cannot read it yet.
  private func writeAnswer(
    _ signing: Signing,
    _ write: (inout ByteWriter, (UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Void) -> Void
  ) throws(FidoResult) {
    let work = signing.work
    var failure: FidoResult?
    try withUnsafeTemporaryAllocation(byteCount: Assertion.capacity, alignment: 8) { memory throws(FidoResult) in
      var assertion = ByteWriter(memory.baseAddress!, capacity: Assertion.capacity)
      write(&assertion) { signed, place in
        work.pointee.hash(signed, into: work.pointee.digest)
        do throws(FidoResult) {
          try contained(work) { work throws(KeyboardError) in try work.sign() }
          place.copyMemory(from: work.pointee.signature, byteCount: Assertion.signatureSize)
        } catch { failure = error }
      }
      if let failure { throw failure }
      var writer = ByteWriter(response, capacity: Self.responseCapacity)
      writer.put("[{")
      signing.request.writeHeader(appID: appID, to: &writer)
      writer.putMember(
        "fcParams", UnsafeRawBufferPointer(start: parameters, count: fields.pointee.parameterCount))
      writer.put(",\"assertions\":[{\"assertionScheme\":\"UAFV1TLV\",\"assertion\":\"")
      writer.putBase64URL(assertion.bytes)
      writer.put("\"}]}]")
      guard assertion.isWhole, writer.isWhole else { throw FidoResult(CUSTOM_FIDO_JSON_PARSER) }
      work.pointee.answerCount = writer.count
    }
  }

  /// Gives the app the answer that was written.
  private func publishAnswer(byteCount: Int) {
    fields.pointee.responseCount = byteCount
    fields.pointee.request = nil
  }

  /// Runs what touches a private key, on a stack of its own.
  private func contained<Result>(
    _ work: UnsafeMutablePointer<KeyWork>, _ body: (inout KeyWork) throws(KeyboardError) -> Result
  ) throws(FidoResult) -> Result {
    do throws(KeyboardError) {
      return try Residue.wiped(.ownStack) { () throws(KeyboardError) in try body(&work.pointee) }
    } catch { throw FidoResult(error) }
  }
}
