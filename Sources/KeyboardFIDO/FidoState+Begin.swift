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
    return try begin(request.parse(copying: text), trustedFacets: trustedFacets, channelBinding: channelBinding)
  }

  /// - Parameter message: in the document of requests.
  func begin(
    _ message: JSON?, trustedFacets: UnsafeRawBufferPointer?, channelBinding: UnsafeRawBufferPointer?
  ) throws(FidoResult) -> FidoResult {
    try takeLate()
    let request = try Request(message)
    fields.pointee.requestRoot = message!.index
    setAppID(request.appID)
    let list = trustedFacets.flatMap { other.parse(copying: $0) }
    guard Facets.isTrusted(facetID, by: request.appID, list: list, version: request.version)
    else { throw FidoResult(CUSTOM_FIDO_UNTRUSTED_FACET_ID) }
    fields.pointee.isVouchedFor = Facets.vouches(
      request.appID, list: list, version: request.version, for: origin)
    if request.operation == .deregistration {
      _ = try takeBinding(channelBinding)
      try deregister(request)
      forget()
      return FidoResult(CUSTOM_FIDO_SUCCESS)
    }
    try writeParameters(request, channelBinding)
    try checkChoices(request)
    try takeTransaction(request)
    fields.pointee.operation = request.operation
    fields.pointee.phase = .ready
    return FidoResult(CUSTOM_FIDO_AUTH_READY)
  }

  private func setAppID(_ appID: UnsafeRawBufferPointer) {
    let appID = appID.isEmpty ? facetID : appID
    appIDBytes.copyMemory(from: appID.baseAddress!, byteCount: appID.count)
    fields.pointee.appIDCount = appID.count
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
    guard try choices(request, { _ in }) == 0 else { return }
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

  /// Tells which authenticators would do, in the policy's order.
  ///
  /// - Returns: how many.
  @discardableResult
  func choices(_ request: Request, _ body: (Authenticator) -> Void) throws(FidoResult) -> Int {
    let first = try rank(of: .passcode, request)
    let second = try rank(of: .pattern, request)
    switch (first, second) {
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
  func rank(of authenticator: Authenticator, _ request: Request) throws(FidoResult) -> Int? {
    let policy = request.policy!
    if request.operation == .authentication {
      var best: Int?
      try forEachKey { key throws(FidoResult) in
        if key.authenticator == authenticator, let rank = self.rank(of: key, policy) { best = min(best ?? rank, rank) }
        return true
      }
      return best
    }
    guard let aaid = self.aaid(of: authenticator) else { return nil }
    // A policy may name thousands of keys, so the vault is not read for each.
    let count = try takeKeyIDs(of: authenticator)
    return policy.rank(of: Candidate(authenticator, aaid: aaid) { isTakenKeyID($0, count) })
  }

  /// Leaves the IDs of an authenticator's keys that the request may use in `keyIDs`.
  ///
  /// - Returns: how many there are.
  private func takeKeyIDs(of authenticator: Authenticator) throws(FidoResult) -> Int {
    var count = 0
    try forEachKey { key throws(FidoResult) in
      guard key.authenticator == authenticator, mayUse(key), count < Self.maximumKeys else { return true }
      (keyIDs + Assertion.keyIDSize * count).copyMemory(
        from: key.keyID.baseAddress!, byteCount: Assertion.keyIDSize)
      count += 1
      return true
    }
    return count
  }

  /// Whether an ID, in base64url, is among the first `count` in `keyIDs`.
  private func isTakenKeyID(_ text: UnsafeRawBufferPointer, _ count: Int) -> Bool {
    KeyRecord.decodingKeyID(text) { keyID in
      for i in 0..<count
      where keyID.equals(UnsafeRawBufferPointer(start: keyIDs + Assertion.keyIDSize * i, count: Assertion.keyIDSize)) {
        return true
      }
      return false
    }
  }

  /// The place of a key in the policy; nil if it is another app's, or another server's.
  func rank(of key: KeyRecord, _ policy: Policy) -> Int? {
    guard mayUse(key), aaid(of: key.authenticator) != nil else { return nil }
    return policy.rank(of: Candidate(key.authenticator, aaid: key.aaid) { key.hasKeyID($0) })
  }

  /// Deletes the keys that a request names, of those that it may use. Nobody is asked. A key that is not there, or that
  /// is another server's, is not an error: lists name keys of other devices, too.
  ///
  /// - Source: FIDO UAF Protocol 1.1 §3.6.
  private func deregister(_ request: Request) throws(FidoResult) {
    try forEachKey { key throws(FidoResult) in
      guard mayUse(key) else { return true }
      var (all, isNamed) = (request.json.member("authenticators")!.elements, false)
      while !isNamed, let element = all.next() {
        let (aaid, keyID) = (element.member("aaid")!.string!, element.member("keyID")!.string!)
        isNamed = aaid.isEmpty || isSameAAID(aaid, key.aaid) && (keyID.isEmpty || key.hasKeyID(keyID))
      }
      if isNamed { try delete(keyID: key.keyID) }
      return true
    }
  }
}
