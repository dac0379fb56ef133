// A server's request: whether this app may answer it, and with which authenticators and keys.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import KeyboardMemory
import KeyboardText

extension FidoState {
  /// Takes a request; the one before is forgotten.
  ///
  /// - Returns: 10, or 0 for a deregistration, which is done.
  func begin(
    _ text: UnsafeRawBufferPointer, trustedFacets: UnsafeRawBufferPointer?, channelBinding: UnsafeRawBufferPointer?
  ) throws(FidoResult) -> FidoResult {
    forget()
    return try begin(
      try Request(document.parse(copying: text)), trustedFacets: trustedFacets, channelBinding: channelBinding)
  }

  /// - Parameter request: in `document`.
  func begin(
    _ request: Request, trustedFacets: UnsafeRawBufferPointer?, channelBinding: UnsafeRawBufferPointer?
  ) throws(FidoResult) -> FidoResult {
    try takeLate()
    setAppID(request.appID)
    let list = trustedFacets.flatMap { other.parse(copying: $0) }
    guard Facets.isTrusted(facetID, by: request.appID, list: list, version: request.version)
    else { throw FidoResult(CUSTOM_FIDO_UNTRUSTED_FACET_ID) }
    fields.pointee.isVouchedFor = Facets.vouches(
      request.appID, list: list, version: request.version, for: origin)
    if request.operation == .deregistration {
      _ = try takeBinding(channelBinding)
      try make(.deregistration(request))
      forget()
      return FidoResult(CUSTOM_FIDO_SUCCESS)
    }
    try writeParameters(request, channelBinding)
    try loadKeys()
    try checkChoices(request)
    try takeTransaction(request)
    fields.pointee.request = request
    return FidoResult(CUSTOM_FIDO_AUTH_READY)
  }

  private func setAppID(_ appID: UnsafeRawBufferPointer) {
    let appID = appID.isEmpty ? facetID : appID
    appIDBytes.copyMemory(from: appID.baseAddress!, byteCount: appID.count)
    fields.pointee.appIDCount = appID.count
    place.set(appID: appID)
  }

  /// Leaves FinalChallengeParams as they are sent, in base64url, in `parameters`.
  private func writeParameters(
    _ request: Request, _ channelBinding: UnsafeRawBufferPointer?
  ) throws(FidoResult) {
    let binding = try takeBinding(channelBinding)
    // The JSON is in the answer's memory until it is encoded.
    var json = ByteWriter(response, capacity: FinalChallenge.capacity * 3 / 4 - 1)
    FinalChallenge.write(
      appID: appID, challenge: request.challenge, facetID: facetID, channelBinding: binding, to: &json)
    guard json.isWhole
    else { throw FidoResult(CUSTOM_FIDO_SET_CHANNEL_BINDING, "The channel binding is too long.") }
    var encoded = ByteWriter(parameters, capacity: FinalChallenge.capacity)
    encoded.putBase64URL(json.bytes)
    fields.pointee.parameterCount = encoded.count
  }

  private func takeBinding(_ channelBinding: UnsafeRawBufferPointer?) throws(FidoResult) -> ChannelBinding? {
    guard let channelBinding else { return nil }
    guard let binding = ChannelBinding(other.parse(copying: channelBinding))
    else {
      throw FidoResult(CUSTOM_FIDO_SET_CHANNEL_BINDING, "The channel binding is not a JSON object of texts.")
    }
    return binding
  }

  private func takeTransaction(_ request: Request) throws(FidoResult) {
    guard request.operation == .authentication, request.hasTransaction else { return }
    guard let content = request.transaction else { throw FidoResult(CUSTOM_FIDO_NO_SUITABLE_AUTHENTICATOR) }
    guard let count = Request.decodeTransaction(content, into: transactionBytes)
    else { throw FidoResult(CUSTOM_FIDO_JSON_PARSER) }
    fields.pointee.transactionCount = count
  }

  /// - Throws: 2002 if the server accepts no authenticator; 1009 if it accepts one that has no key.
  private func checkChoices(_ request: Request) throws(FidoResult) {
    guard choices(request, { _ in }) == 0 else { return }
    var wouldDo = false
    if request.operation == .authentication {
      forEachModel { candidate in
        if request.policy!.rank(of: candidate, anyKey: true) != nil { wouldDo = true }
      }
    }
    throw FidoResult(wouldDo ? CUSTOM_FIDO_NOT_REG_USER : CUSTOM_FIDO_NO_SUITABLE_AUTHENTICATOR)
  }

  /// The authenticators that have a model's name, as candidates without keys.
  private func forEachModel(_ body: (Candidate) -> Void) {
    for index in 0..<Authenticator.count {
      let authenticator = Authenticator.at(index)
      if let aaid = self.aaid(of: authenticator) { body(Candidate(authenticator, aaid: aaid) { _ in false }) }
    }
  }

  // MARK: Choices, of the keys that were read

  /// Tells which authenticators would do, in the policy's order.
  ///
  /// - Returns: how many.
  @discardableResult
  func choices(_ request: Request, _ body: (Authenticator) -> Void) -> Int {
    switch (rank(of: .passcode, request), rank(of: .pattern, request)) {
    case (nil, nil): return 0
    case (_?, nil): body(.passcode)
    case (nil, _?): body(.pattern)
    case (let passcode?, let pattern?):
      body(passcode <= pattern ? .passcode : .pattern)
      body(passcode <= pattern ? .pattern : .passcode)
      return 2
    }
    return 1
  }

  /// The place of an authenticator in the policy. For an authentication it is the best place of its keys.
  func rank(of authenticator: Authenticator, _ request: Request) -> Int? {
    if request.operation == .authentication {
      var best: Int?
      for index in 0..<keys.count where keys[index].authenticator == authenticator {
        if let rank = self.rank(of: keys[index], request) { best = min(best ?? rank, rank) }
      }
      return best
    }
    guard let aaid = self.aaid(of: authenticator) else { return nil }
    return request.policy!.rank(of: Candidate(authenticator, aaid: aaid) { hasKey(of: authenticator, $0) })
  }

  /// Whether an ID, in base64url, is that of an authenticator's key that the request may use.
  private func hasKey(of authenticator: Authenticator, _ text: UnsafeRawBufferPointer) -> Bool {
    KeyRecord.decodingKeyID(text) { keyID in
      for index in 0..<keys.count where keyID.equals(keys[index].keyID) {
        return keys[index].authenticator == authenticator && mayUse(keys[index])
      }
      return false
    }
  }

  /// The place of a key in the policy; nil if it is another app's, or another server's.
  func rank(of key: KeyRecord, _ request: Request) -> Int? {
    guard mayUse(key), aaid(of: key.authenticator) != nil else { return nil }
    return request.policy!.rank(of: Candidate(key.authenticator, aaid: key.aaid) { key.hasKeyID($0) })
  }

  /// Calls `body` with each key that the request accepts, until it answers false.
  func forEachAccepted(_ request: Request, _ body: (KeyRecord) -> Bool) {
    for index in 0..<keys.count where rank(of: keys[index], request) != nil {
      guard body(keys[index]) else { return }
    }
  }
}
