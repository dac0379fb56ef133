// Keys as OpenSSL and others write them: SubjectPublicKeyInfo, PKCS#8, SEC 1 and PKCS#1.
// SPDX-License-Identifier: Apache-2.0

/// Where a key is in its DER, and what it is.
///
/// - Source: RFC 5280 §4.1 and RFC 5480 (SubjectPublicKeyInfo), RFC 5958 (PKCS#8), RFC 5915 (SEC 1), RFC 8410
///   (X25519), RFC 8017 (PKCS#1).
struct EncodedKey {
  let algorithm: Algorithm
  let isPublic: Bool
  /// Where the key is. A public key has 32 bytes for X25519, 65 for P-256 and SM2, and is all of the file for RSA. A
  /// private key has 32 bytes, or is RSA's PKCS#1. The library checks what is in a key of RSA.
  let range: Range<Int>

  enum Algorithm {
    case x25519
    case p256
    case sm2
    case rsa

    var name: String {
      switch self {
      case .x25519: "X25519"
      case .p256: "P256"
      case .sm2: "SM2"
      case .rsa: "RSA"
      }
    }

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

  private init(_ algorithm: Algorithm, isPublic: Bool, at range: Range<Int>) {
    (self.algorithm, self.isPublic, self.range) = (algorithm, isPublic, range)
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(KeyFault) {
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

  /// Attributes, and the public key, are skipped.
  private static func pkcs8(_ key: inout DER, in bytes: UnsafeRawBufferPointer) throws(KeyFault) -> EncodedKey {
    let curve = try algorithm(&key, in: bytes)
    let contents = try key.contents(.octetString)
    var inner = DER(bytes, contents)
    try key.skip(.first)
    try key.skip(.secondBits)
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
    return found
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
    try key.skip(.second)
    guard let curve, scalar.count == 32 else { throw .form }
    return EncodedKey(curve, isPublic: false, at: scalar)
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
    guard identifier.elementsEqual(ellipticCurve) else { throw .algorithm }
    let curve = try namedCurve(&algorithm, in: bytes)
    try algorithm.end()
    return curve
  }

  /// - Throws: `.algorithm` for a curve that is given by its numbers, too.
  private static func namedCurve(_ elements: inout DER, in bytes: UnsafeRawBufferPointer) throws(KeyFault) -> Algorithm
  {
    guard elements.next(is: .objectIdentifier) else { throw .algorithm }
    let identifier = bytes[try elements.contents(.objectIdentifier)]
    for curve in [Algorithm.p256, .sm2] where identifier.elementsEqual(curve.identifier) { return curve }
    throw .algorithm
  }
}

/// Why a key file cannot be read.
enum KeyFault: Error {
  /// Not the PEM or DER of a key.
  case form
  /// A key of another algorithm, or of another curve.
  case algorithm
  /// A point of one coordinate and a sign.
  case compressed
  /// A private key under a password.
  case encrypted
}
