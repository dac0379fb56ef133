// The ways of sealed texts and signatures: lengths, which bytes are keys, and pairs of keys that are made once.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// A key that opens or signs, and the one for the other end.
public struct KeyPair: Sendable {
  let secret, open: [UInt8]
}

/// A way of sealing, as the header describes it.
public struct SealedWay: Sendable {
  /// What is a key, and what other keys there are.
  enum Keys: Sendable {
    /// Any bytes, at both ends the same.
    case shared
    case x25519
    case curve(Curve)
  }

  let way: CUSTOM_ENCWAY
  let secretLength, publicLength, textLength: Int
  let keys: Keys
  /// Made once in each process. The first two are the usual ones; `generateKey` is checked elsewhere.
  let pairs: [KeyPair]

  static let all: [SealedWay] = [
    SealedWay(CUSTOM_ENCWAY_SM4_GCM, secret: 16, open: 16, text: 172, .shared),
    SealedWay(CUSTOM_ENCWAY_X25519, secret: 32, open: 32, text: 192, .x25519),
    SealedWay(CUSTOM_ENCWAY_P256, secret: 32, open: 65, text: 225, .curve(.p256)),
    SealedWay(CUSTOM_ENCWAY_SM2, secret: 32, open: 65, text: 285, .curve(.sm2)),
  ]

  static func of(_ way: CUSTOM_ENCWAY) -> SealedWay? { all.first { $0.way == way } }

  private init(_ way: CUSTOM_ENCWAY, secret: Int, open: Int, text: Int, _ keys: Keys) {
    (self.way, secretLength, publicLength, textLength, self.keys) = (way, secret, open, text, keys)
    pairs = (0..<2).map { _ in
      var (pair, lengths) = (([UInt8](repeating: 0, count: secret), [UInt8](repeating: 0, count: open)), (0, 0))
      let code = CustomKeyboard_generateKey(way, &pair.0, secret, &lengths.0, &pair.1, open, &lengths.1)
      expect(code == CUSTOM_KEYBOARD_OK, "generateKey of way \(way.rawValue) answers \(code.rawValue)")
      return KeyPair(secret: pair.0, open: lengths.1 == 0 ? pair.0 : pair.1)
    }
  }

  /// How much of a secret key the library looks at.
  var longestSecret: UInt { UInt(secretLength) }

  func isSecret(_ bytes: [UInt8]) -> Bool {
    switch keys {
    case .shared, .x25519: bytes.count == secretLength
    case .curve(let curve): curve.isScalar(bytes)
    }
  }

  func isPublic(_ bytes: [UInt8]) -> Bool {
    switch keys {
    case .shared: bytes.count == publicLength
    case .x25519: isRecipientOfX25519(bytes)
    case .curve(let curve): curve.isPoint(bytes)
    }
  }

  /// Whether two secret keys are the same number. X25519 ignores five bits (RFC 7748 §5).
  func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard case .x25519 = keys else { return one == other }
    func clamped(_ key: [UInt8]) -> [UInt8] { [key[0] & 0xf8] + key[1..<31] + [key[31] & 0x3f] }
    return clamped(one) == clamped(other)
  }

  /// The secret key of a public one, if it is known.
  func secret(of open: [UInt8]) -> [UInt8]? {
    if case .shared = keys { return open }
    if let pair = pairs.first(where: { $0.open == open }) { return pair.secret }
    guard case .curve(let curve) = keys, let pair = pairs.first(where: { curve.mirrored($0.open) == open })
    else { return nil }
    let mirrored = (curve.order &- Number(pair.secret)).bytes
    return isSecret(mirrored) ? mirrored : nil
  }
}

/// A way of signing, and the way of `generateKey` that makes its keys.
public struct SignedWay: Sendable {
  let way: CUSTOM_SIGNWAY
  let signatureLength: Int
  let keys: SealedWay
  /// Whether (r, n − s) is a signature too.
  let hasTwins: Bool

  static let all: [SignedWay] = [
    SignedWay(
      way: CUSTOM_SIGNWAY_P256, signatureLength: 64, keys: SealedWay.of(CUSTOM_ENCWAY_P256)!, hasTwins: true),
    SignedWay(way: CUSTOM_SIGNWAY_SM2, signatureLength: 64, keys: SealedWay.of(CUSTOM_ENCWAY_SM2)!, hasTwins: false),
  ]

  static func of(_ way: CUSTOM_SIGNWAY) -> SignedWay? { all.first { $0.way == way } }

  /// The other signature that is as right as this one, or none.
  func twin(of signature: [UInt8]) -> [UInt8]? {
    guard hasTwins, signature.count == 64, case .curve(let curve) = keys.keys else { return nil }
    return signature[..<32] + (curve.order &- Number(signature[32...])).bytes
  }
}
