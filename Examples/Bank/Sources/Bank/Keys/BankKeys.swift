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
  /// Verifiers are made with it.
  let master: MasterKey
  /// Another one, while a master key is replaced. Verifiers that were made with it are checked with it.
  let secondMaster: MasterKey?

  /// Reads the keys, and makes those that do not exist yet.
  ///
  /// - Parameters:
  ///   - way: how texts for the pair that clients are told of are sealed. The second pair may have another way.
  ///   - mayMakeMaster: whether a master key may be made, with this one beside it.
  init(_ files: KeyFiles, way: TextWay, mayMakeMaster: (_ second: MasterKey?) -> Bool) throws {
    try files.recipient.makeIfMissing(way)
    secondMaster = files.secondMasterKey.exists ? try MasterKey(files.secondMasterKey) : nil
    if !files.masterKey.exists {
      guard mayMakeMaster(secondMaster) else {
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
    master = try MasterKey(files.masterKey)
    guard offered.id != second?.id else {
      throw Failure("\(files.second.privateKey.path) is the same key as \(files.recipient.privateKey.path).")
    }
  }

  /// The pair with this id; nil if the bank has no such pair.
  func recipient(_ id: [UInt8]) -> Recipient? { id == offered.id ? offered : id == second?.id ? second : nil }

  /// The master key with this id; nil if the bank has no such key.
  func master(_ id: String) -> MasterKey? { id == master.id ? master : id == secondMaster?.id ? secondMaster : nil }
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
