// What differs between the ways of signing: lengths, keys, and what is hashed.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardCurves
import KeyboardHashes
import KeyboardMemory
import KeyboardRSA
import KeyboardSHA2

extension SigningWay {
  /// The lengths of signatures of this way, in bytes. All signatures under one key have the same length.
  ///
  /// - Returns: one length: 64, r ‖ s (`p256`, `sm2`); or 256…512 (`rsa`: that of the key's modulus).
  public var signatureLengths: ClosedRange<Int> {
    switch self {
    case .p256: .only(P256.signatureSize)
    case .sm2: .only(SM2.signatureSize)
    case .rsa: RSA.lengths
    }
  }

  /// The lengths of keys that sign, in bytes.
  ///
  /// - Returns: one length: 32, big-endian (`p256`, `sm2`); or 1…2383 (`rsa`: PKCS#8 without attributes, or PKCS#1, in
  ///   DER).
  public var secretKeyLengths: ClosedRange<Int> {
    switch self {
    case .p256: .only(P256.scalarSize)
    case .sm2: .only(SM2.scalarSize)
    case .rsa: RSA.privateKeyLengths
    }
  }

  /// The lengths of keys that verify, in bytes.
  ///
  /// - Returns: one length: 65, 04 ‖ x ‖ y (`p256`, `sm2`); or 292…556 (`rsa`: SubjectPublicKeyInfo in DER).
  public var publicKeyLengths: ClosedRange<Int> {
    switch self {
    case .p256: .only(P256.pointSize)
    case .sm2: .only(SM2.pointSize)
    case .rsa: RSA.publicKeyLengths
    }
  }

  /// The length of signatures under a private key, which is checked: a scalar of 1…n − 1 (`p256`) or 1…n − 2 (`sm2`),
  /// or numbers of RSA that belong together.
  ///
  /// - Parameters:
  ///   - key: one of `secretKeyLengths`.
  ///   - pieces: for `rsa`, as much as `sign` takes.
  /// - Throws: `.key`.
  /// - Timing: constant up to the answer; for `rsa` the lengths of the key's numbers show.
  func signatureLength(under key: UnsafeRawBufferPointer, in pieces: Pieces) throws(KeyboardError) -> Int {
    guard self != .rsa else { return try RSA.length(ofPrivateKey: key, in: pieces) }
    guard isSecretScalar(key.baseAddress!) else { throw .key(.value) }
    return signatureLengths.upperBound
  }

  /// Whether 32 bytes are a private key of a curve: 1…n − 1 (`p256`), 1…n − 2 (`sm2`).
  ///
  /// - Timing: constant up to the answer.
  func isSecretScalar(_ key: UnsafeRawPointer) -> Bool {
    self == .p256 ? P256.isPrivateKey(key) != 0 : SM2.isPrivateKey(key) != 0
  }

  /// Whether these bytes can verify: a point of the curve, not infinity; a key of RSA in exactly its form.
  ///
  /// - Parameter key: one of `publicKeyLengths`.
  func isPublicKey(_ key: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .p256: P256.isPoint(key.baseAddress!)
    case .sm2: SM2.isPoint(key.baseAddress!)
    case .rsa: (try? RSA.length(ofPublicKey: key)) != nil
    }
  }

  static var digestSize: Int { SM3.digestSize }
}

/// What is signed: the context's length as 8 bytes, big-endian ‖ context ‖ text. Nobody can move a byte from one to the
/// other.
struct SignedMessage {
  let context: UnsafeRawBufferPointer
  let text: UnsafeRawBufferPointer

  /// The parts in their order.
  @inline(__always)
  private func forEachPart(_ body: (UnsafeRawBufferPointer) -> Void) {
    withUnsafeBytes(of: UInt64(context.count).bigEndian, body)
    body(context)
    body(text)
  }

  /// Bytes of memory that `hash` uses.
  static var scratchSize: Int { max(SHA256.byteCount, SM3.byteCount + SM2.parametersSize) }

  /// Writes the digest that is signed, 32 bytes: SHA-256(message) for `p256` and `rsa`, SM3(Z ‖ message) for
  /// `sm2`.
  ///
  /// - Parameters:
  ///   - publicKey: the signer's; only Z depends on it.
  ///   - scratch: `scratchSize` bytes aligned to 8.
  /// - Source: FIPS 186-5 §6.4.1; RFC 8017 §9.1.1; GB/T 32918.2-2016 §5.5, §6.1.
  func hash(
    for way: SigningWay, publicKey: UnsafeRawPointer, into digest: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) {
    switch way {
    case .p256, .rsa:
      let sha256 = SHA256(at: scratch)
      forEachPart { if let start = $0.baseAddress { sha256.absorb(start, count: $0.count) } }
      sha256.finish(into: digest)
    case .sm2:
      Self.identify(publicKey, into: digest, scratch: scratch)
      let sm3 = SM3(at: scratch)
      sm3.begin()
      sm3.absorb(UnsafeRawBufferPointer(start: digest, count: SM3.digestSize))
      forEachPart { sm3.absorb($0) }
      sm3.finish(into: digest)
    }
  }

  /// Z = SM3(bits of the identity ‖ identity ‖ a ‖ b ‖ G ‖ public key), for the default identity. (GB/T 32918.2-2016
  /// §5.5, annex A)
  static func identify(
    _ publicKey: UnsafeRawPointer, into digest: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer
  ) {
    let (sm3, parameters) = (SM3(at: scratch), scratch + SM3.byteCount)
    SM2.writeParameters(into: parameters)
    let identity: StaticString = "1234567812345678"
    let identityBits = UInt16(8 * identity.utf8CodeUnitCount)
    sm3.begin()
    withUnsafeBytes(of: identityBits.bigEndian) { sm3.absorb($0) }
    sm3.absorb(UnsafeRawBufferPointer(start: identity.utf8Start, count: identity.utf8CodeUnitCount))
    sm3.absorb(UnsafeRawBufferPointer(start: parameters, count: SM2.parametersSize))
    sm3.absorb(UnsafeRawBufferPointer(start: publicKey + 1, count: SM2.pointSize - 1))
    sm3.finish(into: digest)
  }
}
