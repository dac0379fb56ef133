// Keys as OpenSSL and others write them: SubjectPublicKeyInfo, PKCS#8, SEC 1 and PKCS#1.
// SPDX-License-Identifier: Apache-2.0

/// Where a key is in its DER, and what it is.
///
/// - Source: RFC 5280 §4.1 and RFC 5480 (SubjectPublicKeyInfo), RFC 5958 (PKCS#8), RFC 5915 (SEC 1), RFC 8410
///   (X25519), RFC 8017 (PKCS#1).
package struct EncodedKey {
  package let algorithm: Algorithm
  package let isPublic: Bool
  /// Where the key is. A public key has 32 bytes for X25519, 65 for P-256 and SM2, and is all of the file for RSA. A
  /// private key has 32 bytes, or is RSA's PKCS#1. The library checks what is in a key of RSA.
  package let range: Range<Int>
  /// Of a private key, where its public key is: the point, or of RSA RSAPublicKey; nil if it is not there.
  package let publicRange: Range<Int>?

  package enum Algorithm {
    case x25519
    case p256
    case sm2
    case rsa

    package var name: String { way.name }

    fileprivate var identifier: [UInt8] {
      switch self {
      case .x25519: [0x2b, 0x65, 0x6e]  // 1.3.101.110
      case .p256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]  // 1.2.840.10045.3.1.7
      case .sm2: [0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x82, 0x2d]  // 1.2.156.10197.1.301
      case .rsa: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]  // 1.2.840.113549.1.1.1
      }
    }
  }

  /// id-ecPublicKey, 1.2.840.10045.2.1
  private static let ellipticCurve: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]

  private init(_ algorithm: Algorithm, isPublic: Bool, at range: Range<Int>, publicRange: Range<Int>? = nil) {
    (self.algorithm, self.isPublic, self.range) = (algorithm, isPublic, range)
    self.publicRange = publicRange
  }

  package init(_ bytes: UnsafeRawBufferPointer) throws(KeyFault) {
    var whole = DER(bytes)
    var key = try whole.elements(.sequence)
    try whole.end()
    if key.next(is: .sequence) {
      self = try Self.publicKey(&key, in: bytes)
    } else {
      // PKCS#8 has version 0, or 1 if a public key is in it, and then a sequence. SEC 1 has version 1, and then the
      // key. PKCS#1 has version 0, and then numbers.
      let version = try key.smallInteger()
      guard version <= 1 else { throw .form }
      if key.next(is: .sequence) {
        self = try Self.pkcs8(&key, in: bytes)
      } else if version == 0 {
        self = try Self.pkcs1(&key, at: 0..<bytes.count)
      } else {
        self = try Self.sec1(&key, curve: nil, in: bytes)
      }
    }
    try key.end()
  }

  private static func publicKey(_ key: inout DER, in bytes: UnsafeRawBufferPointer) throws(KeyFault) -> EncodedKey {
    let curve = try algorithm(&key, in: bytes)
    let point = try key.bits()
    if curve == .rsa { return EncodedKey(curve, isPublic: true, at: 0..<bytes.count) }
    if curve == .x25519 {
      guard point.count == 32 else { throw .form }
    } else {
      if point.count == 33, [2, 3].contains(bytes[point.lowerBound]) { throw .compressed }
      guard point.count == 65, bytes[point.lowerBound] == 4 else { throw .form }
    }
    return EncodedKey(curve, isPublic: true, at: point)
  }

  /// Attributes are skipped.
  private static func pkcs8(_ key: inout DER, in bytes: UnsafeRawBufferPointer) throws(KeyFault) -> EncodedKey {
    let curve = try algorithm(&key, in: bytes)
    let contents = try key.contents(.octetString)
    var inner = DER(bytes, contents)
    try key.skip(.first)
    let publicRange = key.next(is: .secondBits) ? try key.bits(.secondBits) : nil
    let found: EncodedKey
    if curve == .rsa {
      var numbers = try inner.elements(.sequence)
      guard try numbers.smallInteger() == 0 else { throw .form }
      found = try pkcs1(&numbers, at: contents)
      try numbers.end()
    } else if curve == .x25519 {
      found = EncodedKey(curve, isPublic: false, at: try inner.contents(.octetString))
      guard found.range.count == 32 else { throw .form }
    } else {
      var elements = try inner.elements(.sequence)
      guard try elements.smallInteger() == 1 else { throw .form }
      found = try sec1(&elements, curve: curve, in: bytes)
      try elements.end()
    }
    try inner.end()
    guard let publicRange else { return found }
    // SEC 1 has a place for it, too.
    guard found.publicRange == nil || bytes[found.publicRange!].elementsEqual(bytes[publicRange]) else {
      throw .otherPair
    }
    return EncodedKey(curve, isPublic: false, at: found.range, publicRange: publicRange)
  }

  /// What follows the version: eight numbers.
  private static func pkcs1(_ key: inout DER, at range: Range<Int>) throws(KeyFault) -> EncodedKey {
    for _ in 0..<8 { _ = try key.contents(.integer) }
    return EncodedKey(.rsa, isPublic: false, at: range)
  }

  /// What follows the version.
  ///
  /// - Parameter curve: the one that PKCS#8 names; nil if SEC 1 must name it.
  private static func sec1(
    _ key: inout DER, curve: Algorithm?, in bytes: UnsafeRawBufferPointer
  ) throws(KeyFault) -> EncodedKey {
    let scalar = try key.contents(.octetString)
    var curve = curve
    if key.next(is: .first) {
      var parameters = try key.elements(.first)
      let named = try namedCurve(&parameters, in: bytes)
      try parameters.end()
      guard curve == nil || curve == named else { throw .form }
      curve = named
    }
    var publicRange: Range<Int>?
    if key.next(is: .second) {
      var second = try key.elements(.second)
      publicRange = try second.bits()
      try second.end()
    }
    guard let curve, scalar.count == 32 else { throw .form }
    return EncodedKey(curve, isPublic: false, at: scalar, publicRange: publicRange)
  }

  private static func algorithm(_ key: inout DER, in bytes: UnsafeRawBufferPointer) throws(KeyFault) -> Algorithm {
    var algorithm = try key.elements(.sequence)
    let identifier = bytes[try algorithm.contents(.objectIdentifier)]
    if identifier.elementsEqual(Algorithm.x25519.identifier) {
      try algorithm.end()
      return .x25519
    }
    if identifier.elementsEqual(Algorithm.rsa.identifier) {
      guard try algorithm.contents(.null).isEmpty else { throw .form }
      try algorithm.end()
      return .rsa
    }
    guard identifier.elementsEqual(ellipticCurve) else { throw fault(of: identifier) }
    let curve = try namedCurve(&algorithm, in: bytes)
    try algorithm.end()
    return curve
  }

  private static func namedCurve(_ elements: inout DER, in bytes: UnsafeRawBufferPointer) throws(KeyFault) -> Algorithm
  {
    if elements.next(is: .sequence) { throw .explicitCurve }
    let identifier = bytes[try elements.contents(.objectIdentifier)]
    for curve in [Algorithm.p256, .sm2] where identifier.elementsEqual(curve.identifier) { return curve }
    throw fault(of: identifier)
  }

  /// What an algorithm or a curve is that the library does not have.
  private static func fault(of identifier: Slice<UnsafeRawBufferPointer>) -> KeyFault {
    if identifier.elementsEqual(rsassaPSS) { return .pssOnly }
    if passwordBased.contains(where: { identifier.starts(with: $0) }) { return .encrypted }
    return .algorithm(others.first { identifier.elementsEqual($0.identifier) }?.name)
  }

  /// id-RSASSA-PSS, 1.2.840.113549.1.1.10
  private static let rsassaPSS: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a]

  /// PKCS#5, 1.2.840.113549.1.5, and PKCS#12's, 1.2.840.113549.1.12.1: what a password encrypts.
  private static let passwordBased: [[UInt8]] = [
    [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05], [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01],
  ]

  private static let others: [(name: String, identifier: [UInt8])] = [
    ("Ed25519", [0x2b, 0x65, 0x70]),
    ("X448", [0x2b, 0x65, 0x6f]),
    ("Ed448", [0x2b, 0x65, 0x71]),
    ("P-384", [0x2b, 0x81, 0x04, 0x00, 0x22]),
    ("P-521", [0x2b, 0x81, 0x04, 0x00, 0x23]),
    ("secp256k1", [0x2b, 0x81, 0x04, 0x00, 0x0a]),
    ("DSA", [0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01]),
  ]
}
