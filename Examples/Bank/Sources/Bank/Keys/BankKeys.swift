// The bank's secrets: the private keys that open sealed texts, and the master key of the peppers. They are in different
// files, so that they can be kept in different places, and none is where the database is.
// SPDX-License-Identifier: Apache-2.0

import CBankMbedTLS
import CBankSystem
import CustomKeyboard
import Glibc

final class BankKeys: Sendable {
  /// The pair that clients are told of. One key serves one way.
  let offered: Recipient
  /// Another pair, while one is replaced. Texts for it are opened too, but no client is told of it.
  let second: Recipient?
  private let masterKey: SecretBytes

  /// Reads the keys, and makes those that do not exist yet.
  ///
  /// - Parameters:
  ///   - way: how texts for the pair that clients are told of are sealed. The second pair may have another way.
  ///   - mayMakeMaster: false if there are accounts whose peppers come from a master key that is lost.
  init(_ files: KeyFiles, way: TextWay, mayMakeMaster: Bool) throws {
    try files.recipient.makeIfMissing(way)
    if !files.masterKey.exists {
      guard mayMakeMaster else {
        throw Failure(
          """
          \(files.masterKey.path) is missing, and the database was made with a master key. With another one, every \
          right passcode would be wrong, and would lock its owner. Put the file back, from the backup of the keys or \
          from another server.
          """)
      }
      try files.masterKey.makeRandom()
    }
    offered = try Recipient(files.recipient)
    guard offered.way == way else {
      throw Failure(
        """
        \(files.recipient.publicKey.path) is a key for \(offered.way), and --way says \(way). To change the way, move \
        the pair to \(files.second.privateKey.path) and \(files.second.publicKey.path): a new one is made, and texts \
        for the old one are still opened.
        """)
    }
    second = files.second.isThere ? try Recipient(files.second) : nil
    masterKey = try files.masterKey.readSecret()
    guard offered.id != second?.id else {
      throw Failure("\(files.second.privateKey.path) is the same key as \(files.recipient.privateKey.path).")
    }
  }

  /// The pair with this id; nil if the bank has no such pair.
  func recipient(_ id: [UInt8]) -> Recipient? { id == offered.id ? offered : id == second?.id ? second : nil }

  /// HMAC-SHA-256 of the account under the master key. Each account has another pepper, so that somebody who can write
  /// the database cannot give one account the verifier of another.
  func withPepper<Result>(
    of account: String, _ body: (Span<UInt8>) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    var pepper = try SecretBytes(capacity: 32)
    try pepper.extend { room throws(KeyboardError) in
      guard mac(of: Array(account.utf8), into: room) else { throw .memory }
      return room.count
    }
    return try body(pepper.span)
  }

  /// Tells two master keys apart, and nothing about one. No account's name has a space, so it is nobody's pepper.
  func masterKeyCheck() throws -> String {
    var check: [UInt8] = Array(repeating: 0, count: 32)
    guard check.withUnsafeMutableBytes({ mac(of: Array("check of the master key".utf8), into: $0) }) else {
      throw Failure("There is no memory for HMAC-SHA-256.")
    }
    return Base64URL.encode(check.prefix(16))
  }

  private func mac(of message: [UInt8], into mac: UnsafeMutableRawBufferPointer) -> Bool {
    masterKey.withSpan { key in
      key.withUnsafeBufferPointer { key in
        bank_hmac_sha256(key.baseAddress, key.count, message, message.count, mac.baseAddress) == 0
      }
    }
  }
}

/// A pair of keys for sealed texts.
final class Recipient: Sendable {
  let way: TextWay
  let publicKey: [UInt8]
  /// Travels beside a text, so that a text for another key is known without trying keys one after another.
  let id: [UInt8]
  private let privateKey: SecretBytes

  init(_ files: RecipientFiles) throws {
    privateKey = try files.privateKey.readSecret()
    (publicKey, way) = try files.publicKey.readPublic()
    id = Array(sha256(publicKey).prefix(8))
    try check(files)
  }

  func withPrivateKey<Result>(
    _ body: (Span<UInt8>) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    try privateKey.withSpan(body)
  }

  /// Seals something and opens it again: a public key of another pair would make every text unreadable.
  private func check(_ files: RecipientFiles) throws {
    let (challenge, publicKey) = (randomBytes(16), publicKey)
    let typed = try Keyboard()
    let received = try Keyboard()
    try typed.open()
    do {
      let text = try typed.seal(for: way.recipient(publicKey), context: challenge.span)
      try withPrivateKey { key throws(KeyboardError) in
        try received.receive(Array(text.bytes).span, way: way.sealing, key: key, context: challenge.span)
      }
    } catch .undecryptable {
      throw Failure("The public key \(files.publicKey.path) does not belong to \(files.privateKey.path).")
    } catch .key {
      throw Failure("\(files.publicKey.path) is not a public key for \(way).")
    }
  }
}

func sha256(_ bytes: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 32)
  guard bank_sha256(bytes, bytes.count, &digest) == 0 else { preconditionFailure("SHA-256 takes all bytes") }
  return digest
}
