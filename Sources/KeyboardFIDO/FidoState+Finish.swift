// The person agrees: a key is made, or signs.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomKeyboard
package import KeyboardCodes
import KeyboardMemory
import KeyboardSHA2
import KeyboardSigning
import KeyboardText

/// Locked memory for one signature, handed out in pieces.
private struct KeyWork: ~Copyable {
  let workspace: Workspace
  var pieces: Pieces
  let passcodeKey: UnsafeMutableRawPointer
  let passcodeKeyAgain: UnsafeMutableRawPointer
  let privateKey: UnsafeMutableRawPointer
  let publicKey: UnsafeMutableRawPointer
  let keyID: UnsafeMutableRawPointer
  let sealedKey: UnsafeMutableRawPointer
  let digest: UnsafeMutableRawPointer
  let signature: UnsafeMutableRawPointer
  let nonce: UnsafeMutableRawPointer
  let finalChallengeHash: UnsafeMutableRawPointer
  let transactionHash: UnsafeMutableRawPointer
  let hashScratch: UnsafeMutableRawPointer
  let seal: KeySeal

  init() throws(KeyboardError) {
    workspace = try Workspace(.sealedText)
    pieces = Pieces(workspace.memory, byteCount: Workspace.Size.sealedText.byteCount)
    passcodeKey = pieces.take(KeySeal.keySize)
    passcodeKeyAgain = pieces.take(KeySeal.keySize)
    privateKey = pieces.take(KeySeal.privateKeySize)
    publicKey = pieces.take(Assertion.publicKeySize)
    keyID = pieces.take(Assertion.keyIDSize)
    sealedKey = pieces.take(KeySeal.sealedSize)
    digest = pieces.take(Assertion.digestSize)
    signature = pieces.take(Assertion.signatureSize)
    nonce = pieces.take(Assertion.nonceSize)
    finalChallengeHash = pieces.take(Assertion.digestSize)
    transactionHash = pieces.take(Assertion.digestSize)
    hashScratch = pieces.take(SHA256.byteCount + KeyRecord.capacity)
    seal = KeySeal(in: &pieces)
  }

  /// SHA-256 of what is public.
  func hash(_ bytes: UnsafeRawBufferPointer, into digest: UnsafeMutableRawPointer) {
    let sha256 = SHA256(at: hashScratch)
    if let start = bytes.baseAddress { sha256.absorb(start, count: bytes.count) }
    sha256.finish(into: digest)
  }

  var keyIDBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: keyID, count: Assertion.keyIDSize) }

  /// Draws a key pair; its ID is the hash of the public key.
  func draw() throws(KeyboardError) {
    try DigestSignature.drawKey(into: privateKey, publicKey: publicKey, using: workspace)
    hash(UnsafeRawBufferPointer(start: publicKey, count: Assertion.publicKeySize), into: keyID)
  }

  /// Signs `digest` with `privateKey`.
  mutating func sign() throws(KeyboardError) {
    try DigestSignature.sign(digest, key: privateKey, into: signature, using: workspace, in: &pieces)
  }
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
      let request = try waitingRequest()
      // A server was asked for one user: no other one's key signs.
      let userName = userName ?? askedFor
      if let userName, !isAskedFor(userName) { throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, Self.otherUser) }
      if request.operation == .registration {
        try register(request, authenticator, userName, keyboard, again, &work)
      } else {
        try authenticate(request, authenticator, userName, keyboard, &work)
      }
    } catch { return error }
    // A fork has emptied the memory: this is the child, and clients are not inherited.
    guard !work.workspace.wasEmptied else {
      forget()
      throw .operationDisabled(.forked)
    }
    return FidoResult(CUSTOM_FIDO_SUCCESS)
  }

  // MARK: Registration

  private static var otherUser: StaticString { "The request is for another user: pass its name, or NULL." }

  private func register(
    _ request: Request, _ authenticator: Authenticator, _ userName: UnsafeRawBufferPointer?,
    _ keyboard: CUSTOM_KEYBOARD, _ again: CUSTOM_KEYBOARD, _ work: inout KeyWork
  ) throws(FidoResult) {
    if let userName, !userName.equals(request.userName) {
      throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, Self.otherUser)
    }
    guard let aaid = self.aaid(of: authenticator) else { throw FidoResult(CUSTOM_FIDO_INVALID_AUTHENTICATOR_TYPE) }
    guard try rank(of: authenticator, request) != nil else { throw FidoResult(CUSTOM_FIDO_NO_SUITABLE_AUTHENTICATOR) }
    guard try keyCount() < Self.maximumKeys
    else { throw FidoResult(CUSTOM_KEYBOARD_STORAGE, "The vault has as many keys as it may have: deregister one.") }
    if again != 0 { try setUp(authenticator, keyboard, again) }
    let resets = try resetNumber(of: authenticator)
    try verify(authenticator, keyboard, key: work.passcodeKey)
    try contained(&work) { work throws(KeyboardError) in try work.draw() }
    let owner = KeyOwner(
      authenticator: authenticator, aaid: aaid, keyID: work.keyIDBytes, appID: appID, origin: origin,
      isVouchedFor: fields.pointee.isVouchedFor, userName: request.userName,
      publicKey: UnsafeRawBufferPointer(start: work.publicKey, count: Assertion.publicKeySize))
    owner.bind(into: work.digest, scratch: work.hashScratch)
    try contained(&work) { work throws(KeyboardError) in
      work.seal.seal(work.privateKey, under: work.passcodeKey, boundTo: work.digest, into: work.sealedKey)
    }
    // Counted before the key is there: no key has the number of another one, and a failure here leaves no key.
    let registration = try countRegistration(of: authenticator)
    // The key is in the vault before any server can hear of it.
    var record = ByteWriter(nextRecord, capacity: KeyRecord.capacity)
    KeyRecord.write(
      owner, state: .pending, counter: 0, registration: registration,
      sealedKey: UnsafeRawBufferPointer(start: work.sealedKey, count: KeySeal.sealedSize), to: &record)
    try add(keyID: work.keyIDBytes, byteCount: record.count)
    remember(work.keyIDBytes)
    do throws(FidoResult) {
      let assertion = self.assertion(aaid: aaid, keyID: work.keyIDBytes, signCounter: 0, work)
      let count = try writeAnswer(request, &work) { writer, sign in
        assertion.writeRegistration(
          publicKey: owner.publicKey, registrationCounter: registration, to: &writer, sign: sign)
      }
      try checkValue(authenticator, keyboard, since: resets, &work)
      if fields.pointee.isLocal { try replaceOlderKeys(by: work.keyIDBytes) }
      // From here on nothing fails: an answer that the app can read has a key.
      publishAnswer(byteCount: count)
    } catch {
      // No server can have heard of it. If the vault does not delete it, it stays pending.
      try? delete(keyID: work.keyIDBytes)
      throw error
    }
  }

  /// Checks that the value that was verified is still the one, when the key is in the vault: a reset that did not see
  /// the key has removed the value before this, and another client may have set the next one. Nothing would open the
  /// key then. Only if there was a reset, the person is verified once more, which is another try.
  ///
  /// - Parameter resets: the number of resets before the value was verified.
  /// - Throws: 1009 for another value, or none.
  private func checkValue(
    _ authenticator: Authenticator, _ keyboard: CUSTOM_KEYBOARD, since resets: UInt32, _ work: inout KeyWork
  ) throws(FidoResult) {
    guard try isSet(authenticator) else { throw FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
    let isUnderWay = resets % 2 != 0
    if !isUnderWay, try resetNumber(of: authenticator) == resets { return }
    try verify(authenticator, keyboard, key: work.passcodeKeyAgain)
    guard ConstantTime.isEqual(work.passcodeKeyAgain, work.passcodeKey, count: KeySeal.keySize)
    else { throw FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
  }

  /// Makes a new key the one of its user, if it is the newest.
  ///
  /// - Throws: 1009 if the key is gone, or a newer one is accepted; what the vault answers, if it is not accepted.
  func replaceOlderKeys(by keyID: UnsafeRawBufferPointer) throws(FidoResult) {
    try markAccepted(keyID: keyID)
    // What the vault fails to list or to delete is older, and so is not used any more.
    guard (try? deleteOlderKeys(than: keyID)) ?? true else { throw FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
  }

  // MARK: Authentication

  private func authenticate(
    _ request: Request, _ authenticator: Authenticator, _ userName: UnsafeRawBufferPointer?,
    _ keyboard: CUSTOM_KEYBOARD, _ work: inout KeyWork
  ) throws(FidoResult) {
    guard aaid(of: authenticator) != nil else { throw FidoResult(CUSTOM_FIDO_INVALID_AUTHENTICATOR_TYPE) }
    guard try rank(of: authenticator, request) != nil else { throw FidoResult(CUSTOM_FIDO_NO_SUITABLE_AUTHENTICATOR) }
    // Each repetition means that another client has replaced the key that was chosen, so this ends.
    for _ in 0..<100 where try sign(request, authenticator, userName, keyboard, &work) { return }
    throw FidoResult(CUSTOM_KEYBOARD_BUSY)
  }

  /// - Returns: false if the key that was chosen was deleted meanwhile: another one may be there.
  private func sign(
    _ request: Request, _ authenticator: Authenticator, _ userName: UnsafeRawBufferPointer?,
    _ keyboard: CUSTOM_KEYBOARD, _ work: inout KeyWork
  ) throws(FidoResult) -> Bool {
    try chooseKey(request, authenticator, userName, into: work.keyID)
    remember(work.keyIDBytes)
    try verify(authenticator, keyboard, key: work.passcodeKey)
    guard let key = try self.key(work.keyIDBytes) else { return false }
    key.owner.bind(into: work.digest, scratch: work.hashScratch)
    // The record is not read inside: what runs there touches locked memory only.
    work.sealedKey.copyMemory(from: key.sealedKey.baseAddress!, byteCount: KeySeal.sealedSize)
    let isOpen = try contained(&work) { work throws(KeyboardError) in
      work.seal.open(work.sealedKey, under: work.passcodeKey, boundTo: work.digest, into: work.privateKey)
    }
    guard isOpen else {
      // The key belongs to a passcode that another program has removed meanwhile: nothing opens it any more.
      try delete(keyID: work.keyIDBytes)
      throw FidoResult(CUSTOM_FIDO_NOT_REG_USER)
    }
    // The counter is on the disk before the signature exists.
    guard let counter = try update(keyID: work.keyIDBytes, counter: { $0 < .max ? $0 + 1 : nil }),
      let key = try self.key(work.keyIDBytes)
    else { return false }
    do throws(KeyboardError) {
      try SystemRandomness().fill(UnsafeMutableRawBufferPointer(start: work.nonce, count: Assertion.nonceSize))
    } catch { throw FidoResult(error) }
    let transaction = UnsafeRawBufferPointer(start: transactionBytes, count: fields.pointee.transactionCount)
    work.hash(transaction, into: work.transactionHash)
    let transactionHash = UnsafeRawBufferPointer(
      start: work.transactionHash, count: transaction.isEmpty ? 0 : Assertion.digestSize)
    let nonce = UnsafeRawBufferPointer(start: work.nonce, count: Assertion.nonceSize)
    let assertion = self.assertion(aaid: key.aaid, keyID: work.keyIDBytes, signCounter: counter, work)
    let count = try writeAnswer(request, &work) { writer, sign in
      assertion.writeAuthentication(nonce: nonce, transactionHash: transactionHash, to: &writer, sign: sign)
    }
    publishAnswer(byteCount: count)
    return true
  }

  /// Of the keys that the policy accepts, the one of a user: of those that are surely the appID's before others, of
  /// those that a server is known to have before others, the newest.
  ///
  /// - Throws: 1009 if there is none; 1001 without a name, if there are several users.
  private func chooseKey(
    _ request: Request, _ authenticator: Authenticator, _ userName: UnsafeRawBufferPointer?,
    into keyID: UnsafeMutableRawPointer
  ) throws(FidoResult) {
    let policy = request.policy!
    try withUnsafeTemporaryAllocation(byteCount: KeyRecord.capacity, alignment: 8) { name throws(FidoResult) in
      var (nameCount, hasSeveral) = (-1, false)
      var best: (isTrusted: Bool, isAccepted: Bool, registration: UInt32) = (false, false, 0)
      try forEachKey { key throws(FidoResult) in
        guard key.authenticator == authenticator, rank(of: key, policy) != nil else { return true }
        if let userName, !key.userName.equals(userName) { return true }
        let this = (isTrusted: isTrusted(key), isAccepted: key.state == .accepted, registration: key.registration)
        if nameCount >= 0 {
          let first = UnsafeRawBufferPointer(rebasing: name[..<nameCount])
          if !key.userName.equals(first) { hasSeveral = true }
          let isBetter =
            this.isTrusted != best.isTrusted
            ? this.isTrusted
            : this.isAccepted != best.isAccepted ? this.isAccepted : this.registration > best.registration
          guard isBetter else { return true }
        }
        name.copyMemory(from: key.userName)
        nameCount = key.userName.count
        best = this
        keyID.copyMemory(from: key.keyID.baseAddress!, byteCount: Assertion.keyIDSize)
        return true
      }
      guard nameCount >= 0 else { throw FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
      guard !hasSeveral
      else { throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, "Name the user: several have keys here (`accounts`).") }
    }
  }

  // MARK: The answer

  private func assertion(
    aaid: UnsafeRawBufferPointer, keyID: UnsafeRawBufferPointer, signCounter: UInt32, _ work: borrowing KeyWork
  ) -> Assertion {
    let parameters = UnsafeRawBufferPointer(start: parameters, count: fields.pointee.parameterCount)
    work.hash(parameters, into: work.finalChallengeHash)
    return Assertion(
      aaid: aaid,
      finalChallengeHash: UnsafeRawBufferPointer(start: work.finalChallengeHash, count: Assertion.digestSize),
      keyID: keyID, signCounter: signCounter)
  }

  /// Writes the answer around an assertion. The app cannot read it yet.
  ///
  /// - Returns: how many bytes.
  private func writeAnswer(
    _ request: Request, _ work: inout KeyWork,
    _ write: (inout ByteWriter, (UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Void) -> Void
  ) throws(FidoResult) -> Int {
    var failure: FidoResult?
    return try withUnsafeTemporaryAllocation(byteCount: Assertion.capacity, alignment: 8) { memory throws(FidoResult) in
      var assertion = ByteWriter(memory.baseAddress!, capacity: Assertion.capacity)
      withUnsafeMutablePointer(to: &work) { work in
        write(&assertion) { signed, place in
          work.pointee.hash(signed, into: work.pointee.digest)
          do throws(FidoResult) {
            try contained(&work.pointee) { work throws(KeyboardError) in try work.sign() }
            place.copyMemory(from: work.pointee.signature, byteCount: Assertion.signatureSize)
          } catch { failure = error }
        }
      }
      if let failure { throw failure }
      var writer = ByteWriter(response, capacity: Self.responseCapacity)
      writer.put("[{")
      request.writeHeader(appID: appID, to: &writer)
      writer.putMember(
        "fcParams", UnsafeRawBufferPointer(start: parameters, count: fields.pointee.parameterCount))
      writer.put(",\"assertions\":[{\"assertionScheme\":\"UAFV1TLV\",\"assertion\":\"")
      writer.putBase64URL(assertion.bytes)
      writer.put("\"}]}]")
      guard assertion.isWhole, writer.isWhole else { throw FidoResult(CUSTOM_FIDO_JSON_PARSER) }
      return writer.count
    }
  }

  /// Keeps the ID of the key of an answer, for the server's verdict.
  private func remember(_ id: UnsafeRawBufferPointer) {
    keyID.copyMemory(from: id.baseAddress!, byteCount: Assertion.keyIDSize)
  }

  /// Gives the app the answer that was written.
  private func publishAnswer(byteCount: Int) {
    fields.pointee.responseCount = byteCount
    fields.pointee.phase = .answered
  }

  /// Runs what touches a private key, on a stack of its own.
  private func contained<Result>(
    _ work: inout KeyWork, _ body: (inout KeyWork) throws(KeyboardError) -> Result
  ) throws(FidoResult) -> Result {
    do throws(KeyboardError) {
      return try withUnsafeMutablePointer(to: &work) { work throws(KeyboardError) in
        try Residue.wiped(.ownStack) { () throws(KeyboardError) in try body(&work.pointee) }
      }
    } catch { throw FidoResult(error) }
  }
}
