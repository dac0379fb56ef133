// A master key, from which each account's pepper comes. One that has leaked is replaced by another, with which each
// verifier is made anew at the next login that is right: until then there are two.
// SPDX-License-Identifier: Apache-2.0

import CBankMbedTLS
import CustomKeyboard

final class MasterKey: Sendable {
  /// Tells two master keys apart, and nothing about one.
  let id: String
  private let key: SecretBytes

  init(_ file: KeyFile) throws {
    key = try file.readSecret()
    id = try Self.id(of: key)
  }

  /// No account's name has a space, so what this comes from is nobody's pepper.
  private static func id(of key: borrowing SecretBytes) throws -> String {
    var check: [UInt8] = Array(repeating: 0, count: 32)
    guard check.withUnsafeMutableBytes({ mac(key, of: "check of the master key", into: $0) }) else {
      throw Failure("There is no memory for HMAC-SHA-256.")
    }
    return Base64URL.encode(check.prefix(16))
  }

  /// HMAC-SHA-256 of the account under the master key. Each account has another pepper, so that somebody who can write
  /// the database cannot give one account the verifier of another.
  func withPepper<Result>(
    of account: String, _ body: (Span<UInt8>) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    var pepper = try SecretBytes(capacity: 32)
    try pepper.extend { room throws(KeyboardError) in
      guard Self.mac(key, of: account, into: room) else { throw .memory }
      return room.count
    }
    return try body(pepper.span)
  }

  private static func mac(_ key: borrowing SecretBytes, of text: String, into mac: UnsafeMutableRawBufferPointer)
    -> Bool
  {
    let message = Array(text.utf8)
    return key.withSpan { key in
      key.withUnsafeBufferPointer { key in
        bank_hmac_sha256(key.baseAddress, key.count, message, message.count, mac.baseAddress) == 0
      }
    }
  }
}
