// Writes a key in a form that others read.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard

/// What bare bytes are.
enum KeyKind: String, ExpressibleByArgument, CaseIterable {
  case `private`, `public`
}

/// How a key is written.
enum KeyForm: String, ExpressibleByArgument, CaseIterable {
  /// As the library takes it: of RSA this is DER.
  case raw
  case hex, base64url, der, pem
  /// The name of the public key: `keyIdentifier`.
  case id

  /// Whether a line ends it.
  var isText: Bool { self != .raw && self != .der }
}

extension SecretBytes {
  /// Turns a key, as the library takes it, into another form, in place.
  mutating func encode(_ way: SealingWay, isPublic: Bool, as form: KeyForm) throws(Failure) {
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
    case .base64url: try encodeBase64(isForAddresses: true)
    case .der: try insert(way.prefixOfDER(isPublic: isPublic))
    case .pem:
      try insert(way.prefixOfDER(isPublic: isPublic))
      try encodeBase64(isForAddresses: false)
      let label = "\(way == .rsa && !isPublic ? "RSA " : "")\(isPublic ? "PUBLIC" : "PRIVATE") KEY"
      try insert(Array("-----BEGIN \(label)-----\n".utf8))
      try add("-----END \(label)-----".utf8)
    }
    if form.isText { try add("\n".utf8) }
  }

  /// - Parameter isForAddresses: base64url without padding; otherwise lines of 64 with padding.
  private mutating func encodeBase64(isForAddresses: Bool) throws(Failure) {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    let last = Array((isForAddresses ? "-_" : "+/").utf8)
    var encoded = try SecretBytes()
    var column = 0
    for start in stride(from: 0, to: count, by: 3) {
      let group = bytes[start..<min(start + 3, count)]
      let value = group.enumerated().reduce(UInt32(0)) { value, byte in
        value | UInt32(byte.element) << UInt32(16 - 8 * byte.offset)
      }
      for place in 0..<4 {
        let digit = Int(value >> UInt32(18 - 6 * place)) & 63
        if place <= group.count {
          try encoded.add([digit < 62 ? digits[digit] : last[digit - 62]])
        } else if !isForAddresses {
          try encoded.add("=".utf8)
        }
      }
      column += 4
      if !isForAddresses && (column % 64 == 0 || start + 3 >= count) { try encoded.add("\n".utf8) }
    }
    swap(&self, &encoded)
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
