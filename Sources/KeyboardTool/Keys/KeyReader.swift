// Reads a key, as hexadecimal digits, PEM or DER.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

/// What is done with a key.
enum KeyUse {
  case encryption, decryption, signing, verification

  /// Whether it is done with the public one of two keys.
  var isOfPublicKey: Bool { self == .encryption || self == .verification }

  fileprivate var verb: String {
    switch self {
    case .encryption: "Encrypt"
    case .decryption: "Decrypt"
    case .signing: "Sign"
    case .verification: "Verify"
    }
  }
}

/// A key in a file, in an argument, or asked for.
struct KeyReader {
  let way: Way
  let use: KeyUse
  let key: String?
  let keyFile: String?

  /// The key, of a length that is right for the algorithm.
  ///
  /// - Throws: a failure that says what to do, before anything is read but the key.
  func read() throws(Failure) -> SecretBytes {
    var secret = try SecretBytes()
    try fill(&secret, isPublic: way.isPublic(use))
    let isEncoded = keyFile != nil && !secret.isHexadecimal && (secret.isPEM || secret.bytes.first == 0x30)
    if isEncoded {
      try decode(&secret)
    } else {
      try secret.decodeHexadecimal(name: keyFile.map { "the key in \($0)" } ?? "the key")
    }
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

  /// Finds the key in PEM or DER.
  private func decode(_ secret: inout SecretBytes) throws(Failure) {
    let name = keyFile ?? ""
    guard case .sealed(let sealing) = way, sealing.hasPublicKey else {
      throw Failure("Give the key in hexadecimal digits: \(name) is PEM or DER, which no key of \(way.name) is.", .data)
    }
    let key: EncodedKey
    do throws(KeyFault) {
      if secret.isPEM { try secret.decodePEM() }
      key = try EncodedKey(secret.bytes)
    } catch .encrypted {
      throw Failure(
        "Take the password off the key in \(name), into a file that only you can read: "
          + "(umask 077; openssl pkey -in \(shellWord(name)) -out plain.pem)", .data)
    } catch .compressed {
      throw Failure(
        "Give the public key in \(name) with both coordinates: openssl pkey -pubin -in \(shellWord(name)) "
          + "-ec_conv_form uncompressed -out key.pem", .data)
    } catch .algorithm {
      throw Failure("Give a key of \(way.name), which \(name) does not hold.", .data)
    } catch {
      throw Failure("Give a whole key in PEM or DER, or hexadecimal digits; \(name) is not one.", .data)
    }
    guard key.algorithm.name == way.name else {
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
    secret.keep(key.range)
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
