// Writes a key in a form that others read.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardMemory
import KeyboardTerminal
import KeyboardText

/// What bare bytes are.
package enum KeyKind: String, ExpressibleByArgument, CaseIterable {
  case `private`, `public`
}

/// How a key is written.
package enum KeyForm: String, ExpressibleByArgument, CaseIterable {
  /// As the library takes it: of RSA this is DER.
  case raw
  case hex, base64url, der, pem
  /// The name of the public key: `keyIdentifier`.
  case id

  /// Whether a line ends it.
  package var isText: Bool { self != .raw && self != .der }
}

extension SecretBytes {
  /// Turns a key, as the library takes it, into another form, in place.
  package mutating func encode(_ way: SealingWay, isPublic: Bool, as form: KeyForm) throws(Failure) {
    let isStandard = form == .pem || form == .der
    guard way != .xwing || !isStandard else {
      throw Failure("Say --to raw, hex or base64url: no standard has X-Wing's keys in PEM or DER yet.", .usage)
    }
    guard way != .sm4GCM || !isStandard else {
      throw Failure("Say another form: a key of SM4-GCM has neither PEM nor DER.", .usage)
    }
    switch form {
    case .raw, .id: break
    case .hex: encodeHexadecimal()
    case .base64url: try encodeBase64URL()
    case .der: try insert(way.prefixOfDER(isPublic: isPublic))
    case .pem:
      try insert(way.prefixOfDER(isPublic: isPublic))
      try encodeBase64Lines()
      let label = "\(way == .rsa && !isPublic ? "RSA " : "")\(isPublic ? "PUBLIC" : "PRIVATE") KEY"
      try insert(Array("-----BEGIN \(label)-----\n".utf8))
      try add("-----END \(label)-----".utf8)
    }
    if form.isText { try add("\n".utf8) }
  }

  /// Base64url without padding.
  private mutating func encodeBase64URL() throws(Failure) {
    var encoded = try SecretBytes()
    try encoded.addBase64(.url, of: bytes)
    swap(&self, &encoded)
  }

  /// Base64 in lines of 64 characters, with padding.
  private mutating func encodeBase64Lines() throws(Failure) {
    var encoded = try SecretBytes()
    for start in stride(from: 0, to: count, by: 48) {
      let line = bytes[start..<min(start + 48, count)]
      try encoded.addBase64(.standard, of: UnsafeRawBufferPointer(rebasing: line))
      try encoded.add((String(repeating: "=", count: (3 - line.count % 3) % 3) + "\n").utf8)
    }
    swap(&self, &encoded)
  }

  private mutating func addBase64(_ alphabet: Base64, of bytes: UnsafeRawBufferPointer) throws(Failure) {
    let length = Base64.characterCount(byteCount: bytes.count)
    try extend { memory throws(Failure) in
      guard memory.count >= length else { throw Failure(KeyboardError.tooLong) }
      alphabet.encode(bytes, into: memory.baseAddress!)
      return length
    }
  }
}

extension SealingWay {
  /// What comes before the bytes of a key in SubjectPublicKeyInfo or PKCS#8; nothing for RSA, whose keys are DER.
  ///
  /// - Source: RFC 8410 §4, §7; RFC 5480 §2; RFC 5915 §3; RFC 5958.
  fileprivate func prefixOfDER(isPublic: Bool) -> [UInt8] {
    let x25519: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e]
    let curve: [UInt8] = [0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08]
    let p256 = curve + [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
    let sm2 = curve + [0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x82, 0x2d]
    return switch (self, isPublic) {
    case (.x25519, true): [0x30, 0x2a] + x25519 + [0x03, 0x21, 0x00]
    case (.x25519, false): [0x30, 0x2e, 0x02, 0x01, 0x00] + x25519 + [0x04, 0x22, 0x04, 0x20]
    case (.p256, true): [0x30, 0x59] + p256 + [0x03, 0x42, 0x00]
    case (.sm2, true): [0x30, 0x59] + sm2 + [0x03, 0x42, 0x00]
    // PKCS#8 around SEC 1, without the public key.
    case (.p256, false): [0x30, 0x41, 0x02, 0x01, 0x00] + p256 + Self.prefixOfScalar
    case (.sm2, false): [0x30, 0x41, 0x02, 0x01, 0x00] + sm2 + Self.prefixOfScalar
    default: []
    }
  }

  private static var prefixOfScalar: [UInt8] { [0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20] }
}
