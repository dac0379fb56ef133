// What a server asks: registration, authentication, deregistration.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
package import KeyboardText

/// A request of a version that is known here.
///
/// - Source: FIDO UAF Protocol 1.1 §3.1, §3.4 to §3.6; 1.0 §3.1, §3.4 to §3.6.
package struct Request {
  package enum Operation: UInt8, BitwiseCopyable {
    case registration, authentication, deregistration
  }

  package let json: JSON
  package let version: ProtocolVersion
  package let operation: Operation
  /// Empty if there is none.
  package let appID: UnsafeRawBufferPointer
  /// Of a registration or an authentication.
  package let policy: Policy?

  private static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
  private static var longestServerData: Int { 1536 }
  private static var longestUserName: Int { 128 }
  /// The most bytes of a user name. A character of UTF-16 has three at most.
  static var userNameCapacity: Int { 3 * longestUserName }

  /// Chooses, of the requests in a message, that of the highest version that is known here.
  ///
  /// - Parameter message: an array of requests, or one request.
  /// - Throws: 1005 for a message that is malformed; 2003 if no version of it is known.
  package init(_ message: JSON?) throws(FidoResult) {
    guard let message else { throw FidoResult(CUSTOM_FIDO_JSON_PARSER) }
    guard message.kind == .array else {
      try self.init(one: message)
      return
    }
    var best: (version: ProtocolVersion, json: JSON)?
    var known: (first: Bool, second: Bool) = (false, false)
    var all = message.elements
    guard message.count > 0 else { throw FidoResult(CUSTOM_FIDO_JSON_PARSER) }
    while let element = all.next() {
      guard let version = ProtocolVersion(element.member("header")?.member("upv"))
      else { throw FidoResult(CUSTOM_FIDO_JSON_PARSER) }
      guard version.isKnown else { continue }
      // Of two requests with one version, nobody can tell which is meant.
      guard !(version.minor == 0 ? known.first : known.second) else { throw FidoResult(CUSTOM_FIDO_JSON_PARSER) }
      if version.minor == 0 { known.first = true } else { known.second = true }
      if let best, version.isBelow(best.version) { continue }
      best = (version, element)
    }
    guard let best else { throw FidoResult(CUSTOM_FIDO_UNSUPPORTED_VERSION) }
    try self.init(one: best.json)
  }

  private init(one json: JSON) throws(FidoResult) {
    let malformed = FidoResult(CUSTOM_FIDO_JSON_PARSER)
    guard let header = json.member("header"), let version = ProtocolVersion(header.member("upv"))
    else { throw malformed }
    guard version.isKnown else { throw FidoResult(CUSTOM_FIDO_UNSUPPORTED_VERSION) }
    guard let name = header.member("op")?.string else { throw malformed }
    if name.equals("Reg") {
      operation = .registration
    } else if name.equals("Auth") {
      operation = .authentication
    } else if name.equals("Dereg") {
      operation = .deregistration
    } else {
      throw malformed
    }
    let appID = header.member("appID")
    guard appID == nil || appID!.string != nil, (appID?.string?.count ?? 0) <= Facets.longestID,
      Self.isText(header.member("serverData"), upTo: Self.longestServerData),
      Extensions(header.member("exts")).areUnderstood
    else { throw malformed }
    self.json = json
    self.version = version
    self.appID = appID?.string ?? Self.empty
    policy =
      operation == .deregistration ? nil : Policy(json.member("policy"), isForKeys: operation == .authentication)
    guard isWhole else { throw malformed }
  }

  /// Whether a member is absent, or a string of at most so many characters of UTF-16, as the specification counts.
  private static func isText(_ json: JSON?, upTo longest: Int) -> Bool {
    guard let json else { return true }
    guard let text = json.string else { return false }
    return 1...longest ~= UTF8Text.utf16Count(text)
  }

  // MARK: What the operations have

  private var isWhole: Bool {
    switch operation {
    case .registration: return isChallenge && Self.isUserName(json.member("username")?.string) && policy != nil
    case .authentication: return isChallenge && policy != nil && areTransactions
    case .deregistration:
      guard let list = json.member("authenticators"), list.kind == .array, list.count > 0 else { return false }
      var (all, keepsAll) = (list.elements, true)
      while let element = all.next() {
        guard let aaid = element.member("aaid")?.string, let keyID = element.member("keyID")?.string else {
          return false
        }
        if aaid.isEmpty {
          // All keys of the appID: then nothing else is said.
          guard keyID.isEmpty, list.count == 1 else { return false }
        } else if !isAAID(aaid) {
          return false
        }
        keepsAll = keepsAll && (keyID.isEmpty || Base64.url.isText(keyID, of: Self.keyIDSizes))
      }
      return keepsAll
    }
  }

  /// How many bytes the ID of a key may have.
  static var keyIDSizes: ClosedRange<Int> { 32...2048 }

  private var isChallenge: Bool {
    guard let challenge = json.member("challenge")?.string else { return false }
    return Base64.url.isText(challenge, of: 8...64)
  }

  /// In base64url: 8 to 64 bytes.
  package var challenge: UnsafeRawBufferPointer { json.member("challenge")!.string! }

  /// The user whose key a registration makes.
  package var userName: UnsafeRawBufferPointer { json.member("username")?.string ?? Self.empty }

  /// A user name that can be shown and compared: 1 to 128 characters of UTF-16, without controls.
  package static func isUserName(_ name: UnsafeRawBufferPointer?) -> Bool {
    guard let name, 1...longestUserName ~= UTF8Text.utf16Count(name) else { return false }
    return !UTF8Text.canMislead(name)
  }

  // MARK: Transactions

  /// The most characters of a text that a person confirms.
  private static var longestTransaction: Int { 200 }

  private var areTransactions: Bool {
    guard let list = json.member("transaction") else { return true }
    guard list.kind == .array, list.count > 0 else { return false }
    var all = list.elements
    while let element = all.next() {
      guard let type = element.member("contentType")?.string, let content = element.member("content")?.string,
        Base64.url.isText(content, of: 1...JSONDocument.maximumSize)
      else { return false }
      let longest = Base64.characterCount(byteCount: Self.transactionCapacity)
      guard !Self.isPlainText(type) || content.count <= longest else { return false }
    }
    return true
  }

  private static func isPlainText(_ type: UnsafeRawBufferPointer) -> Bool {
    type.equals("text/plain") || type.begins(with: "text/plain;")
  }

  package var hasTransaction: Bool { json.member("transaction") != nil }

  /// The first form of the transaction in plain text, in base64url; nil if there is none.
  package var transaction: UnsafeRawBufferPointer? {
    guard let list = json.member("transaction") else { return nil }
    var all = list.elements
    while let element = all.next() {
      if Self.isPlainText(element.member("contentType")!.string!) { return element.member("content")!.string! }
    }
    return nil
  }

  /// The most bytes of a transaction's text.
  package static var transactionCapacity: Int { 4 * longestTransaction }

  /// Decodes the transaction's text.
  ///
  /// - Parameter text: `transactionCapacity` bytes.
  /// - Returns: how many bytes; nil if they are not UTF-8 of 200 characters at most, or have controls other than line
  ///   feeds: nobody could see what they sign.
  package static func decodeTransaction(
    _ content: UnsafeRawBufferPointer, into text: UnsafeMutableRawPointer
  ) -> Int? {
    let memory = UnsafeMutableRawBufferPointer(start: text, count: transactionCapacity)
    guard let count = Base64.url.decode(content, into: memory) else { return nil }
    let bytes = UnsafeRawBufferPointer(start: text, count: count)
    guard let characters = UTF8Text.scalarCount(bytes), characters <= longestTransaction else { return nil }
    return UTF8Text.canMislead(bytes, butLineFeed: true) ? nil : count
  }

  // MARK: Answers

  /// The header of an answer: the request's, extensions included; but with an appID that is not empty.
  package func writeHeader(appID: UnsafeRawBufferPointer, to writer: inout ByteWriter) {
    let header = json.member("header")!
    writer.put("\"header\":{\"upv\":{\"major\":")
    writer.putDecimal(version.major)
    writer.put(",\"minor\":")
    writer.putDecimal(version.minor)
    writer.put("}")
    writer.putMember("op", header.member("op")!.string!)
    writer.putMember("appID", appID)
    if let serverData = header.member("serverData")?.string { writer.putMember("serverData", serverData) }
    Extensions(header.member("exts")).write(to: &writer)
    writer.put("}")
  }
}
