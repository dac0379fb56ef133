// What a client changes in the vault: each is one transaction.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomVault
import KeyboardText

extension FidoState {
  /// One transaction. Swift's closures cannot be handed to C here, so each is named.
  enum Change {
    /// Nothing is changed; but nobody else changes anything either, while the keys are read.
    case reading
    case deregistration(Request)
    case registration(Signing)
    case authentication(Signing)
    /// The server has accepted the key of the answer.
    case acceptance(isNew: Bool)
    /// The server has refused it.
    case refusal
    case reset(Authenticator)
    case policy(Authenticator, CUSTOM_FIDO_OPTION, Int64)
  }

  private struct Part {
    let state: FidoState
    let change: Change
    var answer: FidoResult?
    var failure: FidoResult?
  }

  /// Makes a change.
  ///
  /// - Returns: what it has come to, durably.
  /// - Throws: what a part of it, or the vault, answers; and nothing is changed.
  @discardableResult
  func make(_ change: Change) throws(FidoResult) -> FidoResult {
    var part = Part(state: self, change: change)
    let rv = withUnsafeMutablePointer(to: &part) { part in
      CustomVault_change(
        vault,
        { context in
          let part = context!.assumingMemoryBound(to: Part.self)
          do throws(FidoResult) {
            part.pointee.answer = try part.pointee.state.perform(part.pointee.change)
            return CUSTOM_KEYBOARD_OK
          } catch {
            part.pointee.failure = error
            return CUSTOM_KEYBOARD_ERR
          }
        }, part)
    }
    if let failure = part.failure { throw failure }
    try KeyStore.succeed(rv)
    return part.answer!
  }

  private func perform(_ change: Change) throws(FidoResult) -> FidoResult {
    switch change {
    case .reading: try loadKeysInside(of: place)
    case .deregistration(let request): try deregister(request)
    case .registration(let signing): try register(signing)
    case .authentication(let signing): return try authenticate(signing)
    case .acceptance(let isNew): return try accept(isNew: isNew)
    case .refusal: try store.delete(at: answered)
    case .reset(let authenticator): return try removeValue(of: authenticator)
    case .policy(let authenticator, let option, let value): try changePolicy(of: authenticator, option, to: value)
    }
    return FidoResult(CUSTOM_FIDO_SUCCESS)
  }

  // MARK: Keys

  /// Reads the keys of the request's appID.
  func loadKeys() throws(FidoResult) {
    if try !keys.load(from: store, service: place.service) { try make(.reading) }
  }

  /// Inside a change nothing vanishes between listing and reading.
  func loadKeysInside(of place: KeyPlace) throws(FidoResult) {
    guard try keys.load(from: store, service: place.service) else { throw FidoResult(CUSTOM_KEYBOARD_DAMAGED) }
  }

  /// Deletes the keys that a request names, of those that it may use. A key that is not there, or that is another
  /// server's, is not an error: lists name keys of other devices, too.
  ///
  /// - Source: FIDO UAF Protocol 1.1 §3.6.
  private func deregister(_ request: Request) throws(FidoResult) {
    try loadKeysInside(of: place)
    for index in 0..<keys.count where mayUse(keys[index]) && keys[index].isNamed(by: request) {
      place.set(keyID: keys[index].keyID)
      try store.delete(at: place)
    }
  }

  /// Makes the key of an answer the one of its user. A newer key stays, because its server's answer may be on its way.
  ///
  /// - Returns: 1009 if a new key is gone, or a newer one is accepted, and then it is deleted.
  private func accept(isNew: Bool) throws(FidoResult) -> FidoResult {
    guard let key = try store.key(at: answered, into: record) else { return FidoResult(CUSTOM_FIDO_NOT_REG_USER) }
    try loadKeysInside(of: answered)
    for index in 0..<keys.count {
      let other = keys[index]
      guard other.hasOwner(of: key), other.registration > key.registration, other.state == .accepted else { continue }
      if isNew { try store.delete(at: answered) }
      return FidoResult(CUSTOM_FIDO_NOT_REG_USER)
    }
    var writer = ByteWriter(nextRecord, capacity: KeyRecord.capacity)
    key.write(state: .accepted, counter: key.counter, to: &writer)
    try store.replace(at: answered, by: writer.bytes)
    try deleteOlderKeys(than: key)
    return FidoResult(CUSTOM_FIDO_SUCCESS)
  }

  /// Deletes those of `keys` that a key replaces: of its owner, and registered before it.
  func deleteOlderKeys(than key: KeyRecord) throws(FidoResult) {
    for index in 0..<keys.count where keys[index].hasOwner(of: key) && keys[index].registration < key.registration {
      place.copy(from: answered)
      place.set(keyID: keys[index].keyID)
      try store.delete(at: place)
    }
  }

  // MARK: Passcodes

  /// Removes a value, and the keys that it protected, which nobody could open any more.
  private func removeValue(of authenticator: Authenticator) throws(FidoResult) -> FidoResult {
    let rv = CustomVault_resetPasscode(vault, authenticator.name)
    if rv != CUSTOM_KEYBOARD_NOT_FOUND { try KeyStore.succeed(rv) }
    try store.countReset(of: authenticator)
    try store.deleteAll(of: authenticator)
    return FidoResult(rv == CUSTOM_KEYBOARD_OK ? CUSTOM_FIDO_RESET_SUCCESS : CUSTOM_FIDO_RESET_NONE)
  }

  /// Changes one option of locking of a value that is set, and leaves the other two as they are: another client may
  /// have set those.
  private func changePolicy(
    of authenticator: Authenticator, _ option: CUSTOM_FIDO_OPTION, to value: Int64
  ) throws(FidoResult) {
    var policy = CUSTOM_VAULT_POLICY()
    policy.size = MemoryLayout<CUSTOM_VAULT_POLICY>.size
    let known = CustomVault_policy(vault, authenticator.name, &policy)
    guard known != CUSTOM_KEYBOARD_NOT_FOUND else { return }
    try KeyStore.succeed(known)
    switch option {
    case CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK: policy.triesToLock = UInt32(value)
    case CUSTOM_FIDO_OPTION_LOCK_TIME: policy.lockSeconds = UInt32(value)
    default: policy.maximumLocks = UInt32(value)
    }
    let rv = CustomVault_setPolicy(vault, authenticator.name, &policy)
    guard rv != CUSTOM_KEYBOARD_REFUSED else { throw FidoResult(CUSTOM_FIDO_IGNORE_LOCK_OPTION_SET) }
    try KeyStore.succeed(rv)
  }
}
