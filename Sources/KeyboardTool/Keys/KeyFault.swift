// Why a file holds no key that can be used: what it is instead, and the command that makes what is wanted.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardTerminal
import KeyboardText

/// What people give for a key.
package enum KeyFault: Error {
  /// Not the PEM or DER of a key, nor its digits or bytes.
  case form
  /// A key of another algorithm, or of another curve; its name where it is known.
  case algorithm(String?)
  /// A point of one coordinate and a sign.
  case compressed
  /// A private key under a password.
  case encrypted
  /// A private key beside the public key of another one.
  case otherPair
  /// A curve that is given by its numbers, not by its name.
  case explicitCurve
  /// A key of RSA that may sign in one way only, RSASSA-PSS, and decrypt nothing.
  case pssOnly
  /// RSAPublicKey, of PKCS#1.
  case rsaPublicKey
  case request
  case pkcs7
  case pkcs12
  case openSSHPrivate
  case openSSHPublic
  case jsonWebKey
  case utf16
  /// Hexadecimal digits with something between them or before them: `0x`, colons.
  case decoratedDigits
  /// An odd number of hexadecimal digits.
  case digits
  case base64url
  case memory

  /// - Parameters:
  ///   - name: the file.
  ///   - isPublic: whether a public key is wanted.
  package func failure(in name: String, isPublic: Bool?) -> Failure {
    let file = shellWord(name)
    let pkey = isPublic == true ? "openssl pkey -pubin -in \(file)" : "openssl pkey -in \(file)"
    func hidden(_ command: String) -> String { isPublic == true ? command : "(umask 077; \(command))" }
    let advice =
      switch self {
      case .form: "Give a whole key or certificate in PEM or DER, or hexadecimal digits; \(name) is something else."
      case .algorithm(let algorithm):
        "Give a key of X25519, P-256, SM2 or RSA; \(name) holds \(algorithm.map { "one of \($0)" } ?? "another one")."
      case .compressed:
        "Give the public key in \(name) with both coordinates: openssl pkey -pubin -in \(file) "
          + "-ec_conv_form uncompressed -out key.pem"
      case .encrypted:
        "Take the password off the key in \(name), into a file that only you can read: "
          + "(umask 077; openssl pkey -in \(file) -out plain.pem)"
      case .otherPair: "Give a whole pair: \(name) holds a private key, and with it the public key of another one."
      case .explicitCurve:
        "Give the curve of the key in \(name) by its name, not by its numbers: "
          + hidden("\(pkey) -ec_param_enc named_curve -out named.pem")
      case .pssOnly:
        "Make another key: the one in \(name) is of RSA, but only for signatures of RSASSA-PSS. "
          + "(umask 077; openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out private.pem)"
      case .rsaPublicKey:
        "Give the public key in \(name), which is in PKCS#1, as others are: "
          + "openssl rsa -RSAPublicKey_in -in \(file) -pubout -out public.pem"
      case .request:
        "Give a key or a certificate: \(name) is the request for one, whose public key this writes: "
          + "openssl req -in \(file) -pubkey -noout -out public.pem"
      case .pkcs7:
        "Take the certificates out of \(name), which is PKCS#7: "
          + "openssl pkcs7 -in \(file) -print_certs -out certificates.pem"
      case .pkcs12:
        "Take the key out of \(name), which is PKCS#12: "
          + "(umask 077; openssl pkcs12 -in \(file) -nodes -out private.pem)"
      case .openSSHPrivate:
        "Give the key in \(name), which is in OpenSSH's form, in PKCS#8. This changes a copy: "
          + "cp \(file) private.pem && ssh-keygen -p -m PKCS8 -f private.pem"
      case .openSSHPublic:
        "Give the public key in \(name), which is in OpenSSH's form, in PEM: "
          + "ssh-keygen -e -m PKCS8 -f \(file) > public.pem"
      case .jsonWebKey: "Give the key in \(name), which is JSON, in PEM, DER or base64url."
      case .utf16: "Give the key in \(name) in ASCII, not in UTF-16: iconv -f UTF-16 -t ASCII \(file)"
      case .decoratedDigits: "Give the hexadecimal digits in \(name) without 0x, and with nothing between them."
      case .digits:
        "Give the key in \(name) in pairs of hexadecimal digits, 0 to 9 and a to f, and nothing else."
      case .base64url: "Give the key in \(name) as whole base64url, or in another form."
      case .memory: KeyboardError.memory.description
      }
    if case .memory = self { return Failure(KeyboardError.memory) }
    return Failure(advice, .data)
  }
}

// MARK: Naming

extension KeyFault {
  /// What DER is that holds no key.
  package init(ofDER bytes: UnsafeRawBufferPointer) {
    self = (try? Self.name(DER(bytes))) ?? .form
  }

  /// - Source: RFC 2986 §4 (requests), RFC 2315 §7 (PKCS#7), RFC 7292 §4 (PKCS#12), RFC 8017 §A.1.1 (RSAPublicKey).
  private static func name(_ whole: DER) throws(KeyFault) -> KeyFault {
    var whole = whole
    var outer = try whole.elements(.sequence)
    try whole.end()
    if outer.next(is: .objectIdentifier) { return .pkcs7 }
    guard outer.next(is: .integer) else {
      var contents = try outer.elements(.sequence)
      guard try contents.smallInteger() == 0, contents.next(is: .sequence) else { return .form }
      return .request
    }
    _ = try outer.contents(.integer)
    if outer.next(is: .sequence) { return .pkcs12 }
    _ = try outer.contents(.integer)
    try outer.end()
    return .rsaPublicKey
  }

  /// Whether bytes begin as the DER of a key does, which may be cut: its first 32 bytes are not the key.
  package static func isBeginningOfDER(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let begins: [[UInt8]] = [
      [0x06, 0x03, 0x2b, 0x65], [0x06, 0x07, 0x2a, 0x86], [0x06, 0x09, 0x2a, 0x86],  // identifiers of algorithms
      [0x02, 0x01, 0x01, 0x04, 0x20], [0x02, 0x01, 0x00, 0x02, 0x82],  // SEC 1, PKCS#1
    ]
    guard bytes.first == 0x30 else { return false }
    return (1..<min(bytes.count, 24)).contains { place in begins.contains { bytes[place...].starts(with: $0) } }
  }

  /// What a text is that is neither PEM nor digits.
  package init(ofText bytes: UnsafeRawBufferPointer) {
    let text = bytes.drop(while: SecretBytes.isSpace)
    func begins(_ word: String) -> Bool { text.starts(with: word.utf8) }
    self =
      if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
        .utf16
      } else if begins("{") {
        .jsonWebKey
      } else if begins("ssh-") || begins("ecdsa-sha2-") {
        .openSSHPublic
      } else if !text.isEmpty, text.allSatisfy({ Hexadecimal.isDigit($0) || "xX:,- \t\r\n".utf8.contains($0) }) {
        .decoratedDigits
      } else {
        .form
      }
  }
}
