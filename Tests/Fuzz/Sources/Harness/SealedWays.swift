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
    /// Any 32 bytes; the public key's numbers are below q, and its end is one of X25519.
    case xwing
    case curve(Curve)
    /// In DER, of many lengths.
    case rsa
  }

  /// What a model knows of bytes that may be a secret key.
  enum Verdict {
    case key, none
    /// A key of RSA if its primes are primes, or a strange form of one: the library may take it or not.
    case unclear
  }

  let way: CUSTOM_ENCWAY
  /// Of RSA the usual lengths: those of the first pair.
  let secretLength, publicLength, textLength: Int
  let keys: Keys
  /// Made once in each process; `generateKey` is checked elsewhere. Those of RSA are in `RSAKeys`.
  let pairs: [KeyPair]

  static let all: [SealedWay] = [
    SealedWay(CUSTOM_ENCWAY_SM4_GCM, secret: 16, open: 16, text: 172, .shared),
    SealedWay(CUSTOM_ENCWAY_X25519, secret: 32, open: 32, text: 192, .x25519),
    SealedWay(CUSTOM_ENCWAY_P256, secret: 32, open: 65, text: 225, .curve(.p256)),
    SealedWay(CUSTOM_ENCWAY_SM2, secret: 32, open: 65, text: 285, .curve(.sm2)),
    SealedWay(CUSTOM_ENCWAY_XWING, secret: 32, open: 1216, text: 1280, .xwing),
    SealedWay(rsa: RSAKeys.all),
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

  private init(rsa keys: [RSAPrivateKey]) {
    (way, self.keys) = (CUSTOM_ENCWAY_RSA, .rsa)
    // Both forms of a private key.
    pairs = keys.enumerated().map { number, key in
      KeyPair(secret: number == 1 ? key.pkcs1 : key.pkcs8, open: key.publicKey.der)
    }
    (secretLength, publicLength) = (pairs[0].secret.count, pairs[0].open.count)
    textLength = keys[0].publicKey.length
  }

  /// Whether `generateKey` makes keys.
  var hasGenerator: Bool { way != CUSTOM_ENCWAY_RSA }

  /// How much of a secret key the library looks at.
  var longestSecret: UInt { UInt(way == CUSTOM_ENCWAY_RSA ? RSAPrivateKey.longest : secretLength) }

  /// Bytes in a text for this public key.
  func textLength(for open: [UInt8]) -> Int {
    guard case .rsa = keys else { return textLength }
    return RSAPublicKey(open)!.length
  }

  func verdict(onSecret bytes: [UInt8]) -> Verdict {
    switch keys {
    case .shared, .x25519, .xwing: return bytes.count == secretLength ? .key : .none
    case .curve(let curve): return curve.isScalar(bytes) ? .key : .none
    case .rsa:
      guard let key = RSAPrivateKey(bytes) else { return .none }
      if RSAKeys.all.contains(key) || Plant.numbers { return .key }
      return key.belongTogether ? .unclear : .none
    }
  }

  func isPublic(_ bytes: [UInt8]) -> Bool {
    switch keys {
    case .shared: bytes.count == publicLength
    case .x25519: isRecipientOfX25519(bytes)
    case .xwing: bytes.count == publicLength && areBelowQ(bytes) && isRecipientOfX25519(Array(bytes.suffix(32)))
    case .curve(let curve): curve.isPoint(bytes)
    case .rsa: RSAPublicKey(bytes) != nil
    }
  }

  /// FIPS 203 §7.2: the numbers of 12 bits in the first 1152 bytes are below 3329.
  private func areBelowQ(_ bytes: [UInt8]) -> Bool {
    stride(from: 0, to: 1152, by: 3).allSatisfy { place in
      let (low, middle, high) = (Int(bytes[place]), Int(bytes[place + 1]), Int(bytes[place + 2]))
      return low | (middle & 15) << 8 < 3329 && middle >> 4 | high << 4 < 3329
    }
  }

  /// Whether two secret keys open the same texts. X25519 ignores five bits (RFC 7748 §5). RSA has two forms.
  func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    func clamped(_ key: [UInt8]) -> [UInt8] { [key[0] & 0xf8] + key[1..<31] + [key[31] & 0x3f] }
    return switch keys {
    case .x25519: clamped(one) == clamped(other)
    case .rsa: one == other || RSAPrivateKey(one)?.publicKey == RSAPrivateKey(other)?.publicKey
    default: one == other
    }
  }

  /// The public key of a secret one, if it is known.
  func open(of secret: [UInt8]) -> [UInt8]? {
    if let pair = pairs.first(where: { $0.secret == secret }) { return pair.open }
    guard case .rsa = keys else { return nil }
    return RSAPrivateKey(secret)?.publicKey.der
  }

  /// The secret key of a public one, if it is known.
  func secret(of open: [UInt8]) -> [UInt8]? {
    if case .shared = keys { return open }
    if let pair = pairs.first(where: { $0.open == open }) { return pair.secret }
    guard case .curve(let curve) = keys, let pair = pairs.first(where: { curve.mirrored($0.open) == open })
    else { return nil }
    let mirrored = (curve.order &- Number(pair.secret)).bytes
    return curve.isScalar(mirrored) ? mirrored : nil
  }
}

/// A way of signing, and the way of sealing that has the same keys.
public struct SignedWay: Sendable {
  let way: CUSTOM_SIGNWAY
  let keys: SealedWay
  /// Whether (r, n − s) is a signature too.
  let hasTwins: Bool

  static let all: [SignedWay] = [
    SignedWay(way: CUSTOM_SIGNWAY_P256, keys: SealedWay.of(CUSTOM_ENCWAY_P256)!, hasTwins: true),
    SignedWay(way: CUSTOM_SIGNWAY_SM2, keys: SealedWay.of(CUSTOM_ENCWAY_SM2)!, hasTwins: false),
    SignedWay(way: CUSTOM_SIGNWAY_RSA, keys: SealedWay.of(CUSTOM_ENCWAY_RSA)!, hasTwins: false),
  ]

  static func of(_ way: CUSTOM_SIGNWAY) -> SignedWay? { all.first { $0.way == way } }

  /// Bytes in a signature under this key, which has the form of one.
  func signatureLength(under secret: [UInt8]) -> Int {
    guard case .rsa = keys.keys else { return 64 }
    return RSAPrivateKey(secret)!.publicKey.length
  }

  /// The other signature that is as right as this one, or none.
  func twin(of signature: [UInt8]) -> [UInt8]? {
    guard hasTwins, signature.count == 64, case .curve(let curve) = keys.keys else { return nil }
    return signature[..<32] + (curve.order &- Number(signature[32...])).bytes
  }
}
