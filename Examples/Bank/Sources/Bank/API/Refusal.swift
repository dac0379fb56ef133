// Every answer but 200: a status, a code for programs, and a sentence for people. All of them are here, so that it can
// be seen at once what a client can learn from them.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import HTTPTypes
import Hummingbird
import NIOCore

struct Refusal: Error {
  let status: HTTPResponse.Status
  let code: String
  var message: String
  /// The rule that refuses a passcode. Its sentence can be had in other languages.
  var rule: PasscodeRules.Rule?
  var attemptsLeft: Int?
  var seconds: Int?
  var headers: HTTPFields = [:]

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
    (self.status, self.code, self.message) = (status, code, message)
  }
}

// MARK: - What the client did

extension Refusal {
  static func request(_ message: String) -> Refusal { Refusal(.badRequest, "request", message) }
  static let path = Refusal(.notFound, "path", "There is nothing at this path.")
  static let large = Refusal(.contentTooLarge, "large", "The request's body has more than \(maximumBodyLength) bytes.")
  static let slow = Refusal(.requestTimeout, "slow", "The request took too long to arrive.")
  static let uafType = Refusal(
    .unsupportedMediaType, "type", "Send JSON, with Content-Type: application/fido+uaf; charset=utf-8.")
  static let type = Refusal(.unsupportedMediaType, "type", "Send JSON, with Content-Type: application/json.")

  static func method(allowed: [HTTPRequest.Method]) -> Refusal {
    let names = allowed.map(\.rawValue).sorted().joined(separator: ", ")
    var refusal = Refusal(.methodNotAllowed, "method", "This path takes \(names).")
    refusal.headers[.allow] = names
    return refusal
  }
}

// MARK: - Register and log in

extension Refusal {
  /// The challenge is unknown, used, expired or for another purpose. The answer is the same for all four.
  static let challenge = Refusal(.conflict, "challenge", "This took too long, or was sent twice. Please start again.")
  static let key = Refusal(.conflict, "key", "The bank has another key now. Fetch it, and enter the passcode again.")
  static let exists = Refusal(.conflict, "exists", "There is an account of this name already.")
  static let same = Refusal(.unprocessableContent, "rule", "That is the old passcode. Choose another.")
  static let mismatch = Refusal(.unprocessableContent, "mismatch", "The two passcodes differ.")
  static let undecryptable = Refusal(
    .unprocessableContent, "undecryptable", "The passcode could not be read. Please start again.")

  static func rule(_ rule: PasscodeRules.Rule) -> Refusal {
    var refusal = Refusal(.unprocessableContent, "rule", rule.message)
    refusal.rule = rule
    return refusal
  }

  /// A wrong passcode, an account that does not exist, and a text that cannot be opened: nobody learns which.
  /// With OPAQUE, the answer to KE1 has said how many attempts are left.
  static func wrong(attemptsLeft: Int? = nil) -> Refusal {
    var refusal = Refusal(.unauthorized, "wrong", "The account or the passcode is wrong.")
    refusal.attemptsLeft = attemptsLeft
    return refusal
  }

  static func locked(seconds: Int) -> Refusal {
    let status = HTTPResponse.Status(code: 423, reasonPhrase: "Locked")
    let message = "The account is locked, after too many wrong passcodes. Please wait, and try again."
    var refusal = Refusal(status, "locked", message)
    refusal.seconds = seconds
    refusal.headers[.retryAfter] = String(seconds)
    return refusal
  }

  static let session = Refusal(.unauthorized, "session", "Please log in.")
  static let oldSession = Refusal(
    .forbidden, "old", "A new PIN needs the one that you have now, entered just before.")
}

// MARK: - What the server lacks

extension Refusal {
  static let busy: Refusal = {
    var refusal = Refusal(.serviceUnavailable, "busy", "Many people are here at this moment. Please try again.")
    refusal.headers[.retryAfter] = "1"
    return refusal
  }()

  static let unavailable = Refusal(
    .serviceUnavailable, "unavailable", "The bank cannot reach its records. Please try again.")

  static let unhealthy = Refusal(.serviceUnavailable, "unhealthy", "The database does not answer.")

  static let failure = Refusal(.internalServerError, "failure", "Something went wrong in the bank. Please try again.")
}

// MARK: - As an answer

extension Refusal {
  var response: Response {
    var answer = Answer(["error": code, "message": message])
    if let attemptsLeft { answer.numbers["attemptsLeft"] = attemptsLeft }
    if let seconds { answer.numbers["seconds"] = seconds }
    var response = answer.response
    response.status = status
    for field in headers { response.headers.append(field) }
    return response
  }
}

/// A flat object of strings and numbers, as every answer is.
struct Answer: Sendable {
  var strings: [String: String]
  var numbers: [String: Int] = [:]

  init(_ strings: [String: String], numbers: [String: Int] = [:]) { (self.strings, self.numbers) = (strings, numbers) }

  var text: String {
    let members = strings.mapValues(quotedJSON).merging(numbers.mapValues(String.init)) { first, _ in first }
    return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
  }

  var response: Response {
    Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
