// Reads the key that a command works with: hexadecimal digits, PEM, DER, base64url, bare bytes.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardCipher
import KeyboardTerminal

/// What is done with a key.
package enum KeyUse {
  case encryption, decryption, signing, verification

  /// Whether it is done with the public one of two keys.
  package var isOfPublicKey: Bool { self == .encryption || self == .verification }

  fileprivate var verb: String {
    switch self {
    case .encryption: "Encrypt"
    case .decryption: "Decrypt"
    case .signing: "Sign"
    case .verification: "Verify"
    }
  }
}

/// A key in a file, in an argument, or asked for. The command says of which way and use it must be; of what has only
/// been found, `AnyKey` says which it is. Both find it by `SecretBytes.findKey`.
package struct KeyReader {
  private let way: Way
  private let use: KeyUse
  private let key: String?
  private let keyFile: String?

  package init(way: Way, use: KeyUse, key: String?, keyFile: String?) {
    (self.way, self.use, self.key, self.keyFile) = (way, use, key, keyFile)
  }

  /// The key, of a length that is right for the algorithm.
  ///
  /// - Throws: a failure that says what to do, before anything is read but the key.
  package func read() throws(Failure) -> SecretBytes {
    var secret = try SecretBytes(holding: largestKeyFile)
    try fill(&secret, isPublic: way.isPublic(use))
    if let keyFile { try find(in: &secret, keyFile) } else { try secret.decodeHexadecimal(name: "the key") }
    let lengths = way.keyLengths(use)
    guard lengths.contains(where: { $0.contains(secret.count) }) else {
      guard way.keySizes.isEmpty else {
        throw Failure("Give \(article) for \(way.name)\(way.keySizes); this is something else.", .data)
      }
      let digits = lengths.map { "\(2 * $0.upperBound)" }.joined(separator: " or ")
      throw Failure(
        "Give \(article) of \(digits) hexadecimal digits for \(way.name); this one has "
          + "\(2 * secret.count).", .data)
    }
    return secret
  }

  private var article: String {
    guard case .sealed(let way) = way, way.hasPublicKey else { return "a key" }
    return use.isOfPublicKey ? "a public key" : "a private key"
  }

  private func find(in secret: inout SecretBytes, _ name: String) throws(Failure) {
    guard case .sealed(let sealing) = way, sealing.hasPublicKey else {
      return try secret.takeSecretKey(name: name, way: way.name, byteCounts: way.keyLengths(use).map(\.lowerBound))
    }
    let found: FoundKey
    do throws(KeyFault) {
      // A key of RSA is DER.
      let lengths = sealing == .rsa ? [] : way.keyLengths(use).map(\.lowerBound)
      found = try secret.findKey(byteCounts: lengths) {
        $0.algorithm.way == sealing && $0.isPublic == use.isOfPublicKey
      }
    } catch { throw error.failure(in: name, isPublic: use.isOfPublicKey) }
    guard let key = found.encoded else { return }
    guard key.algorithm.way == sealing else {
      throw Failure(
        "Give a key of \(way.name), or --way \(key.algorithm.name.lowercased()): the key in \(name) is one of "
          + "\(key.algorithm.name).", .data)
    }
    guard key.isPublic == use.isOfPublicKey else {
      throw use.isOfPublicKey
        ? Failure(
          "\(use.verb) with the public key: \(name) holds the private one. openssl pkey -in \(shellWord(name)) -pubout "
            + "writes its public key.", .data)
        : Failure("\(use.verb) with the private key: \(name) holds the public one.", .data)
    }
  }

  private func fill(_ secret: inout SecretBytes, isPublic: Bool) throws(Failure) {
    if let key {
      do throws(KeyboardError) { for byte in key.utf8 { try secret.append(byte) } } catch {
        throw Failure(KeyboardError.key)
      }
    } else if let keyFile {
      try secret.read(file: keyFile, kind: "key file", isPublic: isPublic)
    } else {
      guard let terminal = Terminal() else {
        throw Failure("Give a key by --key-file FILE: there is no terminal to ask for it.", .usage)
      }
      try terminal.ask("Key in hexadecimal digits (not shown): ", into: &secret)
    }
  }
}

/// A private key of RSA, 4096 bits, has 3.3 KB in PEM; certificates may be before it.
package let largestKeyFile = 1 << 15

extension SecretBytes {
  /// Finds a key that both ends have, which has neither PEM nor DER.
  ///
  /// - Parameter way: what it is for, for messages.
  package mutating func takeSecretKey(name: String, way: String, byteCounts: [Int]) throws(Failure) {
    let found: FoundKey
    do throws(KeyFault) { found = try findKey(byteCounts: byteCounts) { _ in true } } catch {
      if case .form = error {
        throw Failure("Give a key of \(way) in hexadecimal digits; \(name) is something else.", .data)
      }
      throw error.failure(in: name, isPublic: nil)
    }
    guard found.encoded == nil else {
      throw Failure(
        "Give the key in hexadecimal digits: \(name) is \(found.form), which no key of \(way) is.", .data)
    }
  }
}
