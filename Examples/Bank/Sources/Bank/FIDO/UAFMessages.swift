// The messages of FIDO UAF's transport binding: what apps ask and answer, and what the bank says.
//
// Source: FIDO UAF Application API and Transport Binding 1.1 §3.1.6; FIDO UAF Protocol 1.1 §3.1.
// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore

enum UAFOperation: String, Sendable {
  case registration = "Reg"
  case authentication = "Auth"
  case deregistration = "Dereg"
}

/// What keeps the bank from doing what an app asks. It is an answer of HTTP 200.
struct UAFRefusal: Error {
  enum Status: Int {
    case malformed = 1400
    case unauthorized = 1401
    case forbidden = 1403
    case unknownAAID = 1480
    /// The app then deletes the key.
    case unknownKey = 1481
    case channelBinding = 1490
    /// Unknown, used, expired, or of another operation.
    case challenge = 1491
    case algorithm = 1495
    case attestation = 1496
    case content = 1498
    /// Of apps' own: there is such an account.
    case exists = 1008
  }

  let status: Status
  let description: String

  init(_ status: Status, _ description: String) { (self.status, self.description) = (status, description) }

  static func malformed(_ description: String) -> UAFRefusal { UAFRefusal(.malformed, description) }
  static func content(_ description: String) -> UAFRefusal { UAFRefusal(.content, description) }
  static let challenge = UAFRefusal(.challenge, "This took too long, or was sent twice. Please start again.")
  static let session = UAFRefusal(.unauthorized, "Please log in first, and give the session.")
  static let oldSession = UAFRefusal(.unauthorized, "Please log in again: a key is added right after that.")
  static let algorithm = UAFRefusal(.algorithm, "Its version, mode, algorithm or key format are not those stated.")
  static let unknownKey = UAFRefusal(.unknownKey, "The bank does not have this key.")
  static let counter = UAFRefusal(.content, "The key has a copy: its counter has gone back.")
  static let exists = UAFRefusal(.exists, "There is an account of this name already. Log in, then add a key.")
}

// MARK: - What apps send

/// GetUAFRequest, with the members of its context that this bank knows.
struct UAFStart: Sendable {
  let operation: UAFOperation
  let account: String
  let session: [UInt8]?
  /// What the person must confirm; empty for a login.
  let transaction: String
  let isAll: Bool

  init(_ request: Request) async throws {
    guard let message = JSON(try await request.uafBody()),
      let operation = message["op"]?.string.flatMap(UAFOperation.init(rawValue:)),
      let context = message["context"]?.string.flatMap({ JSON(Array($0.utf8)) })
    else { throw UAFRefusal.malformed("This is not a GetUAFRequest with a context.") }
    guard let account = context["userName"]?.string, isAccountName(account) else {
      throw UAFRefusal.malformed("A userName is 1 to 32 of the characters a-z, 0-9, '.', '_' and '-'.")
    }
    transaction = context["transactionText"]?.string ?? ""
    guard transaction.utf16.count <= 200, operation == .authentication || transaction.isEmpty else {
      throw UAFRefusal.malformed("An authentication has a transactionText of at most 200 characters.")
    }
    session = context["session"]?.string.flatMap(Base64URL.decode)
    isAll = context["deregisterAll"] == .bool(true)
    (self.operation, self.account) = (operation, account)
  }
}

/// SendUAFResponse, with the one response in it.
struct UAFAnswer: Sendable {
  let operation: UAFOperation
  /// The minor version of 1.
  let version: Int
  let appID: String
  /// The parameters as they were sent: their hash is signed.
  let parametersText: String
  let parameters: Parameters
  let assertion: UAFAssertion

  struct Parameters: Sendable {
    let appID: String
    let challenge: [UInt8]
    let facetID: String
    let channelBinding: JSON
  }

  init(_ request: Request) async throws {
    let malformed = UAFRefusal.malformed("This is not a SendUAFResponse with one response.")
    guard let message = JSON(try await request.uafBody()), let text = message["uafResponse"]?.string,
      let responses = JSON(Array(text.utf8))?.elements, responses.count == 1, let header = responses[0]["header"],
      let operation = header["op"]?.string.flatMap(UAFOperation.init(rawValue:)),
      let appID = header["appID"]?.string, header["upv"]?["major"] == .number(1),
      let version = header["upv"]?["minor"]?.number, header.isWithoutServerData,
      let parametersText = responses[0]["fcParams"]?.string,
      let parameters = Base64URL.decode(parametersText).flatMap({ JSON($0) }),
      let inner = parameters["appID"]?.string, let facetID = parameters["facetID"]?.string,
      let challenge = parameters["challenge"]?.string.flatMap(Base64URL.decode),
      let channelBinding = parameters["channelBinding"],
      let assertions = responses[0]["assertions"]?.elements, assertions.count == 1,
      assertions[0]["assertionScheme"] == .string("UAFV1TLV"),
      let assertion = assertions[0]["assertion"]?.string.flatMap(Base64URL.decode)
    else { throw malformed }
    (self.operation, self.version, self.appID, self.parametersText) = (operation, version, appID, parametersText)
    self.parameters = Parameters(
      appID: inner, challenge: challenge, facetID: facetID, channelBinding: channelBinding)
    self.assertion = try UAFAssertion(assertion)
  }
}

extension JSON {
  /// The bank sends none, so an answer that has some is not one to the bank's request.
  fileprivate var isWithoutServerData: Bool { self["serverData"] == nil || self["serverData"] == .null }
}

extension Request {
  fileprivate func uafBody() async throws -> [UInt8] {
    guard isUTF8("application/fido+uaf") else { throw Refusal.uafType }
    return try await boundedBody()
  }
}

// MARK: - What the bank says

/// What an app may answer to, and which authenticators the bank takes.
struct FIDORules: Sendable {
  /// Where the list of trusted facets is. Empty without TLS: then each app has keys of its own.
  let appID: String
  let facets: [String]
  /// Models, whose metadata the bank's operator has read.
  let aaids: [String]
  /// That of the proxy with TLS, as an app names it: DER in base64url.
  let certificate: String?

  static let path = "/uaf/facets"
  static let versions = [1, 0]

  var facetList: StaticFile {
    let ids = facets.map(quotedJSON).joined(separator: ", ")
    let entries = Self.versions.map { "{\"version\": {\"major\": 1, \"minor\": \($0)}, \"ids\": [\(ids)]}" }
    return StaticFile(
      type: "application/fido.trusted-apps+json",
      bytes: Array("{\"trustedFacets\": [\(entries.joined(separator: ", "))]}".utf8))
  }

  /// A request in each version. The app takes the highest that it knows.
  func registration(challenge: [UInt8], account: String) -> String {
    list(.registration, "\(start(challenge)), \"username\": \(quotedJSON(account))")
  }

  /// It does not say which keys the account has, because anyone may ask.
  func authentication(challenge: [UInt8], transaction: String) -> String {
    let content = Base64URL.encode(transaction.utf8)
    let text = ", \"transaction\": [{\"contentType\": \"text/plain\", \"content\": \"\(content)\"}]"
    return list(.authentication, start(challenge) + (transaction.isEmpty ? "" : text))
  }

  func deregistration(of keys: [FIDOKey.Name]) -> String {
    let keys = keys.map { key in
      "{\"aaid\": \(quotedJSON(key.aaid)), \"keyID\": \"\(Base64URL.encode(key.keyID))\"}"
    }
    return list(.deregistration, "\"authenticators\": [\(keys.joined(separator: ", "))]")
  }

  private func start(_ challenge: [UInt8]) -> String {
    let accepted = aaids.map { "[{\"aaid\": [\(quotedJSON($0))]}]" }.joined(separator: ", ")
    return "\"challenge\": \"\(Base64URL.encode(challenge))\", \"policy\": {\"accepted\": [\(accepted)]}"
  }

  private func list(_ operation: UAFOperation, _ members: String) -> String {
    let requests = Self.versions.map { minor in
      """
      {"header": {"upv": {"major": 1, "minor": \(minor)}, "op": "\(operation.rawValue)", \
      "appID": \(quotedJSON(appID))}, \(members)}
      """
    }
    return "[" + requests.joined(separator: ", ") + "]"
  }
}

/// ReturnUAFRequest and ServerResponse.
enum UAFReply {
  static func request(_ operation: UAFOperation, _ request: String, seconds: Int) -> Response {
    response(
      """
      {"statusCode": 1200, "op": "\(operation.rawValue)", "lifetimeMillis": \(seconds * 1000), \
      "uafRequest": \(quotedJSON(request))}
      """)
  }

  /// - Parameter session: of a login.
  static func success(session: [UInt8]? = nil) -> Response {
    let tokens = session.map { "{\"type\": \"session\", \"value\": \"\(Base64URL.encode($0))\"}" } ?? ""
    return response("{\"statusCode\": 1200, \"description\": \"Done.\", \"additionalTokens\": [\(tokens)]}")
  }

  static func refusal(_ refusal: UAFRefusal) -> Response {
    response("{\"statusCode\": \(refusal.status.rawValue), \"description\": \(quotedJSON(refusal.description))}")
  }

  private static func response(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/fido+uaf; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
