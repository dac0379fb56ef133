// Which authenticators and keys a server accepts.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardText

/// An authenticator, or one of its keys, as a policy sees it.
package struct Candidate {
  let authenticator: Authenticator
  /// `aaidSize` bytes.
  let aaid: UnsafeRawBufferPointer
  /// For a key, whether a key ID (base64url) is its own; for an authenticator, whether it has a key with that ID.
  let hasKey: (UnsafeRawBufferPointer) -> Bool

  package init(
    _ authenticator: Authenticator, aaid: UnsafeRawBufferPointer, hasKey: @escaping (UnsafeRawBufferPointer) -> Bool
  ) {
    self.authenticator = authenticator
    self.aaid = aaid
    self.hasKey = hasKey
  }
}

/// A server's policy: `accepted` is a list of alternatives, each of criteria for different authenticators; `disallowed`
/// is a list of criteria.
///
/// - Source: FIDO UAF Protocol 1.1 §3.1.13 to §3.1.15, §3.4.6, §3.5.7.
package struct Policy {
  private let accepted: JSON
  private let disallowed: JSON?
  private let acceptsAll: Bool

  /// - Parameter isForKeys: whether keys are chosen, for an authentication. An empty `accepted` then accepts each that
  ///   is not disallowed.
  /// - Returns: nil for a policy that breaks the specification's rules: it could be read in more than one way.
  package init?(_ json: JSON?, isForKeys: Bool = false) {
    guard let json, let accepted = json.member("accepted"), accepted.kind == .array else { return nil }
    let disallowed = json.member("disallowed")
    guard disallowed == nil || disallowed!.kind == .array else { return nil }
    self.accepted = accepted
    self.disallowed = disallowed
    acceptsAll = isForKeys && accepted.count == 0
    var alternatives = accepted.elements
    while let alternative = alternatives.next() {
      guard alternative.kind == .array, Self.areCriteria(alternative) else { return nil }
    }
    if let disallowed, !Self.areCriteria(disallowed) { return nil }
  }

  private static func areCriteria(_ list: JSON) -> Bool {
    var all = list.elements
    while let criterion = all.next() {
      guard Criterion(criterion).isWellFormed else { return false }
    }
    return true
  }

  /// The place of the first alternative that accepts the candidate; nil if there is none, or if it is disallowed.
  /// An alternative for two authenticators at once accepts none.
  ///
  /// - Parameter anyKey: whether all criteria for keys count as met: what the server would accept with another key.
  package func rank(of candidate: Candidate, anyKey: Bool = false) -> Int? {
    if let disallowed {
      var all = disallowed.elements
      while let criterion = all.next() {
        let criterion = Criterion(criterion)
        if !(anyKey && criterion.namesKeys), criterion.matches(candidate, anyKey: false) { return nil }
      }
    }
    guard !acceptsAll else { return 0 }
    var (alternatives, rank) = (accepted.elements, 0)
    while let alternative = alternatives.next() {
      var criteria = alternative.elements
      if let criterion = criteria.next(), criteria.next() == nil,
        Criterion(criterion).matches(candidate, anyKey: anyKey)
      {
        return rank
      }
      rank += 1
    }
    return nil
  }
}

/// One `MatchCriteria`.
private struct Criterion {
  private let json: JSON

  init(_ json: JSON) { self.json = json }

  var namesKeys: Bool { json.member("keyIDs") != nil }

  // MARK: Form

  /// - Source: FIDO UAF Protocol 1.1 §3.1.13: with `aaid`, only what may go with it; without, algorithms and schemes.
  var isWellFormed: Bool {
    guard json.kind == .object, areStrings("aaid", isAAID), areStrings("vendorID", isVendorID),
      areStrings("keyIDs", { Base64.url.isText($0, of: Request.keyIDSizes) }),
      areStrings("assertionSchemes", { !$0.isEmpty }),
      areNumbers("authenticationAlgorithms"), areNumbers("attestationTypes"), isNumber("userVerification"),
      isNumber("attachmentHint"), isShort("keyProtection"), isShort("matcherProtection"), isShort("tcDisplay"),
      isShort("authenticatorVersion"), Extensions(json.member("exts")).areUnderstood
    else { return false }
    guard json.member("aaid") == nil else { return !hasMoreThanAAID }
    return json.member("authenticationAlgorithms") != nil && json.member("assertionSchemes") != nil
  }

  /// A `vendorID` says nothing that the AAIDs do not say, so it is passed over.
  private var hasMoreThanAAID: Bool {
    has("userVerification") || has("keyProtection") || has("matcherProtection") || has("tcDisplay")
      || has("authenticationAlgorithms") || has("assertionSchemes") || has("attestationTypes")
  }

  private func has(_ name: StaticString) -> Bool { json.member(name) != nil }

  private func isNumber(_ name: StaticString) -> Bool {
    guard let value = json.member(name) else { return true }
    return value.unsigned != nil
  }

  private func isShort(_ name: StaticString) -> Bool {
    guard let value = json.member(name) else { return true }
    return (value.unsigned ?? .max) <= UInt32(UInt16.max)
  }

  private func areStrings(_ name: StaticString, _ isRight: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    guard let list = json.member(name) else { return true }
    guard list.kind == .array, list.count > 0 else { return false }
    var all = list.elements
    while let element = all.next() {
      guard let text = element.string, isRight(text) else { return false }
    }
    return true
  }

  private func areNumbers(_ name: StaticString) -> Bool {
    guard let list = json.member(name) else { return true }
    guard list.kind == .array, list.count > 0 else { return false }
    var all = list.elements
    while let element = all.next() {
      guard let number = element.unsigned, number <= UInt32(UInt16.max) else { return false }
    }
    return true
  }

  // MARK: Matching

  /// Whether every member of the criterion is met.
  func matches(_ candidate: Candidate, anyKey: Bool) -> Bool {
    let authenticator = candidate.authenticator
    let vendor = UnsafeRawBufferPointer(rebasing: candidate.aaid[..<4])
    return contains("aaid") { isSameAAID($0, candidate.aaid) }
      && (json.member("aaid") != nil || contains("vendorID") { isSameAAID($0, vendor) })
      && (anyKey || contains("keyIDs", candidate.hasKey))
      && isUserVerificationMet(authenticator.userVerification)
      && hasCommonBit("keyProtection", Authenticator.keyProtection)
      && hasCommonBit("matcherProtection", Authenticator.matcherProtection)
      && hasCommonBit("attachmentHint", Authenticator.attachmentHint)
      && hasCommonBit("tcDisplay", Authenticator.transactionDisplay)
      && contains("authenticationAlgorithms", UInt32(Authenticator.signatureAlgorithm))
      && contains("assertionSchemes") { $0.equals(Authenticator.assertionScheme) }
      && contains("attestationTypes", Authenticator.attestationType)
      && (json.member("authenticatorVersion")?.unsigned ?? 0) <= UInt32(Authenticator.version)
  }

  private func contains(_ name: StaticString, _ isRight: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    guard let list = json.member(name) else { return true }
    var all = list.elements
    while let element = all.next() {
      if let text = element.string, isRight(text) { return true }
    }
    return false
  }

  private func contains(_ name: StaticString, _ number: UInt32) -> Bool {
    guard let list = json.member(name) else { return true }
    var all = list.elements
    while let element = all.next() {
      if element.unsigned == number { return true }
    }
    return false
  }

  private func hasCommonBit(_ name: StaticString, _ ours: UInt32) -> Bool {
    guard let wanted = json.member(name)?.unsigned else { return true }
    return wanted & ours != 0
  }

  /// Equal; or, where not all methods are wanted, with one in common.
  private func isUserVerificationMet(_ ours: UInt32) -> Bool {
    guard let wanted = json.member("userVerification")?.unsigned else { return true }
    return wanted == ours || wanted & userVerifyAll == 0 && wanted & ours != 0
  }
}

/// The extensions of a header or a criterion.
struct Extensions {
  private let list: JSON?

  init(_ list: JSON?) { self.list = list }

  /// Whether they are well-formed, and the sender requires none of them. This client knows no extension.
  var areUnderstood: Bool {
    guard let list else { return true }
    guard list.kind == .array else { return false }
    var all = list.elements
    while let element = all.next() {
      guard let id = element.member("id")?.string, 1...32 ~= UTF8Text.utf16Count(id),
        element.member("data")?.string != nil, element.member("fail_if_unknown")?.boolean == false
      else { return false }
    }
    return true
  }

  /// Writes them as they came.
  func write(to writer: inout ByteWriter) {
    guard let list else { return }
    writer.putName("exts")
    writer.put("[")
    var (all, isFirst) = (list.elements, true)
    while let element = all.next() {
      if !isFirst { writer.put(",") }
      isFirst = false
      writer.put("{")
      writer.putMember("id", element.member("id")!.string!, isFirst: true)
      writer.putMember("data", element.member("data")!.string!)
      writer.put(",\"fail_if_unknown\":false}")
    }
    writer.put("]")
  }
}
