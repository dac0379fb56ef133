// What clients send, checked for its form before anything is looked up. Nothing in a message says for whom, for what or
// under which key a text is opened: that is in the bank's own record of the challenge.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

/// No request is longer: three sealed texts of X-Wing have 5121 bytes in base64url.
let maximumBodyLength = 8192

/// Whose challenge it is.
struct ChallengeMessage {
  let account: String
  let purpose: Purpose
  /// The key that the client will seal for, if it has one already.
  let keyId: [UInt8]?

  init(_ request: Request) async throws {
    let members = try await Members(request, names: ["account", "purpose"], optional: ["keyId"])
    account = try members.account("account")
    guard let purpose = Purpose(rawValue: members["purpose"]) else {
      throw Refusal.request("The purpose is register, login or change.")
    }
    self.purpose = purpose
    keyId = members.has("keyId") ? try members.bytes("keyId", count: 8...8) : nil
  }
}

struct RegisterMessage: Sendable {
  let challenge: [UInt8]
  let keyId: [UInt8]
  let text: [UInt8]
  let again: [UInt8]

  init(_ request: Request) async throws {
    let members = try await Members(request, names: ["challenge", "keyId", "text", "again"])
    challenge = try members.bytes("challenge", count: 16...16)
    keyId = try members.bytes("keyId", count: 8...8)
    text = try members.bytes("text", count: Members.textLengths)
    again = try members.bytes("again", count: Members.textLengths)
  }
}

struct LoginMessage: Sendable {
  let challenge: [UInt8]
  let keyId: [UInt8]
  let text: [UInt8]

  init(_ request: Request) async throws {
    let members = try await Members(request, names: ["challenge", "keyId", "text"])
    challenge = try members.bytes("challenge", count: 16...16)
    keyId = try members.bytes("keyId", count: 8...8)
    text = try members.bytes("text", count: Members.textLengths)
  }
}

struct ChangeMessage: Sendable {
  let challenge: [UInt8]
  let keyId: [UInt8]
  let old: [UInt8]
  let text: [UInt8]
  let again: [UInt8]

  init(_ request: Request) async throws {
    let members = try await Members(request, names: ["challenge", "keyId", "old", "text", "again"])
    challenge = try members.bytes("challenge", count: 16...16)
    keyId = try members.bytes("keyId", count: 8...8)
    old = try members.bytes("old", count: Members.textLengths)
    text = try members.bytes("text", count: Members.textLengths)
    again = try members.bytes("again", count: Members.textLengths)
  }
}

/// The members of a request's body: exactly these names, each once, and of the optional ones some.
struct Members {
  private let members: [String: String]

  /// A sealed text of any way. Whether it is one is decided when it is opened.
  static let textLengths = 1...1280

  init(_ request: Request, names: Set<String>, optional: Set<String> = []) async throws {
    guard request.isUTF8("application/json") else { throw Refusal.type }
    guard let object = StringObject(try await request.boundedBody()) else {
      throw Refusal.request("The body is not a flat JSON object with strings in UTF-8.")
    }
    guard Set(object.members.keys).subtracting(optional) == names else {
      throw Refusal.request("The body's members are \(names.sorted().joined(separator: ", ")).")
    }
    members = object.members
  }

  subscript(name: String) -> String { members[name]! }

  func has(_ name: String) -> Bool { members[name] != nil }

  func account(_ name: String) throws -> String {
    let account = self[name]
    guard isAccountName(account) else {
      throw Refusal.request("An account's name is 1 to 32 of the characters a-z, 0-9, '.', '_' and '-'.")
    }
    return account
  }

  func bytes(_ name: String, count: ClosedRange<Int>) throws -> [UInt8] {
    guard let bytes = Base64URL.decode(self[name]), count.contains(bytes.count) else {
      throw Refusal.request("\(name) is base64url without padding, of the right length.")
    }
    return bytes
  }
}

func isAccountName(_ name: String) -> Bool {
  1...32 ~= name.utf8.count
    && name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
      default: false
      }
    }
}

extension Request {
  /// Whether it says that it is of this type, in UTF-8 if it names an encoding.
  func isUTF8(_ name: String) -> Bool {
    guard let type = headers[.contentType]?.lowercased() else { return false }
    let parts = type.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimming(while: { $0 == " " }) }
    return parts[0] == name && parts.dropFirst().allSatisfy { $0 == "charset=utf-8" }
  }

  /// A body that ends too early is the client's fault, as is one that is too long.
  func boundedBody() async throws -> [UInt8] {
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > maximumBodyLength { throw Refusal.large }
    do {
      return [UInt8](buffer: try await body.collect(upTo: maximumBodyLength))
    } catch is NIOTooManyBytesError {
      throw Refusal.large
    } catch {
      throw Refusal.request("The body ended before it was complete.")
    }
  }
}

extension Substring {
  fileprivate func trimming(while isTrimmed: (Character) -> Bool) -> Substring {
    var rest = drop(while: isTrimmed)
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return rest
  }
}
