// The bank's two secrets: the private key that opens sealed texts, and the master key of the peppers. They are in two
// files, so that they can be kept in two places, and neither is where the database is.
// SPDX-License-Identifier: Apache-2.0

import CBankMbedTLS
import CBankSystem
import CustomKeyboard
import Glibc

struct BankKeys: Sendable {
  /// The way of all texts: one key serves one way.
  let way = "x25519"
  let publicKey: [UInt8]
  /// Travels beside a text, so that a text for another key is known without trying keys one after another.
  let id: [UInt8]
  private let privateKey: SecretBytes
  private let masterKey: SecretBytes

  /// Reads the keys, and makes those that do not exist yet.
  init(_ files: KeyFiles) throws {
    try files.makeMissing()
    privateKey = try files.privateKey.readSecret()
    publicKey = try files.publicKey.readPublic()
    masterKey = try files.masterKey.readSecret()
    id = Array(sha256(publicKey).prefix(8))
    try checkPair()
  }

  func withPrivateKey<Result>(
    _ body: (Span<UInt8>) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    try body(privateKey.bytes.bindMemory(to: UInt8.self).span)
  }

  /// HMAC-SHA-256 of the account under the master key. Each account has another pepper, so that whoever can write the
  /// database cannot give one account the verifier of another.
  func withPepper<Result>(
    of account: String, _ body: (Span<UInt8>) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    var pepper: [UInt8] = Array(repeating: 0, count: 32)
    defer { pepper.withUnsafeMutableBytes { wipe($0) } }
    let name = Array(account.utf8)
    let key = masterKey.bytes.bindMemory(to: UInt8.self)
    let code = bank_hmac_sha256(key.baseAddress, key.count, name, name.count, &pepper)
    guard code == 0 else { throw .memory }
    return try body(pepper.span)
  }

  /// Seals something and opens it again: a public key of another pair would make every text unreadable.
  private func checkPair() throws {
    let challenge = randomBytes(16)
    let typed = try Keyboard()
    let received = try Keyboard()
    try typed.open()
    do {
      let text = try typed.seal(for: .x25519(publicKey.span), context: challenge.span)
      try withPrivateKey { key throws(KeyboardError) in
        try received.receive(Array(text.bytes).span, way: .x25519, key: key, context: challenge.span)
      }
    } catch .undecryptable {
      throw Failure("The recipient's public key does not belong to its private key.")
    } catch .key {
      throw Failure("The recipient's public key is no key for X25519.")
    }
  }
}

/// Where the keys are.
struct KeyFiles {
  let privateKey: KeyFile
  let publicKey: KeyFile
  let masterKey: KeyFile

  func makeMissing() throws {
    switch (privateKey.exists, publicKey.exists) {
    case (true, true): break
    case (false, false): try makePair()
    case (true, false): throw Failure("\(privateKey.path) is there, but not its public key \(publicKey.path).")
    case (false, true): throw Failure("\(publicKey.path) is there, but not its private key \(privateKey.path).")
    }
    if !masterKey.exists {
      let key = try SecretBytes(count: KeyFile.keyLength) { bytes in
        guard getrandom(bytes.baseAddress!, bytes.count, 0) == bytes.count else {
          throw Failure("The system gives no random bytes.")
        }
      }
      try masterKey.write(key.bytes, mode: 0o600)
    }
  }

  private func makePair() throws {
    var open = [UInt8](repeating: 0, count: KeyFile.keyLength)
    let secret = try SecretBytes(count: KeyFile.keyLength) { bytes in
      try open.withUnsafeMutableBytes { open in
        try generateKey(.x25519, into: bytes.baseAddress!, publicKey: open.baseAddress)
      }
    }
    try open.withUnsafeBytes { open in try publicKey.write(open, mode: 0o644) }
    try privateKey.write(secret.bytes, mode: 0o600)
  }
}

func sha256(_ bytes: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 32)
  guard bank_sha256(bytes, bytes.count, &digest) == 0 else { preconditionFailure("SHA-256 takes all bytes") }
  return digest
}
