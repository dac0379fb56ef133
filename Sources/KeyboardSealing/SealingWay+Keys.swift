// What differs between the ways of sealing: lengths, and which keys are keys.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardCurves
package import KeyboardMemory
import KeyboardRSA

extension SealingWay {
  /// The lengths of sealed texts of this way, in bytes. All texts for one key have the same length.
  ///
  /// - Returns: one length: 172 (`sm4GCM`), 192 (`x25519`), 225 (`p256`), 285 (`sm2`); or 256…512 (`rsa`: that of the
  ///   key's modulus).
  public var textLengths: ClosedRange<Int> {
    let block = SealedText.blockSize + GCM.tagSize
    return switch self {
    case .sm4GCM: .only(GCM.nonceSize + block)
    case .x25519: .only(X25519.keySize + block)
    case .p256: .only(P256.pointSize + block)
    case .sm2: .only(SM2Encryption.ciphertextSize + GCM.nonceSize + block)
    case .rsa: RSA.lengths
    }
  }

  /// The lengths of keys that a keyboard takes, in bytes.
  ///
  /// - Returns: one length: 16 (`sm4GCM`: the secret key), 32 (`x25519`: u, little-endian), 65 (`p256` and `sm2`:
  ///   04 ‖ x ‖ y); or 292…556 (`rsa`: SubjectPublicKeyInfo in DER).
  public var publicKeyLengths: ClosedRange<Int> {
    switch self {
    case .sm4GCM: .only(GCM.Cipher.sm4.keySize)
    case .x25519: .only(X25519.keySize)
    case .p256: .only(P256.pointSize)
    case .sm2: .only(SM2.pointSize)
    case .rsa: RSA.publicKeyLengths
    }
  }

  /// The lengths of keys that open a text, in bytes.
  ///
  /// - Returns: one length: 16 (`sm4GCM`), 32 (`x25519`: RFC 7748; `p256` and `sm2`: big-endian); or 1…2383 (`rsa`:
  ///   PKCS#8 without attributes, or PKCS#1, in DER).
  public var secretKeyLengths: ClosedRange<Int> {
    switch self {
    case .sm4GCM: .only(GCM.Cipher.sm4.keySize)
    case .x25519: .only(X25519.keySize)
    case .p256: .only(P256.scalarSize)
    case .sm2: .only(SM2.scalarSize)
    case .rsa: RSA.privateKeyLengths
    }
  }

  /// The longest key that a keyboard takes, in bytes: 556.
  package static var longestPublicKey: Int { RSA.publicKeyLengths.upperBound }

  /// The length of a sealed text for this key, in bytes.
  ///
  /// - Parameter publicKey: one that was checked; nil for the key of `sm4GCM`.
  /// - Throws: `.key` if it is no longer valid.
  package func textLength(for publicKey: UnsafeRawBufferPointer?) throws(KeyboardError) -> Int {
    guard self == .rsa, let publicKey else { return textLengths.upperBound }
    return try RSA.length(ofPublicKey: publicKey)
  }

  /// Whether these bytes can seal: a point of the curve, not infinity and not of low order; a key of RSA in exactly its
  /// form. Any 16 bytes are a key of SM4.
  ///
  /// - Parameter key: one of `publicKeyLengths`.
  /// - Timing: depends on the answer; the key is public, but for SM4, where nothing depends on it.
  package func isPublicKey(_ key: UnsafeRawBufferPointer) -> Bool {
    let start = key.baseAddress!
    return switch self {
    case .sm4GCM: true
    case .x25519: X25519.isAcceptablePublicKey(start)
    case .p256: P256.isPoint(start)
    case .sm2: SM2.isPoint(start)
    case .rsa: (try? RSA.length(ofPublicKey: key)) != nil
    }
  }

  /// Whether these bytes can open: a scalar of 1…n − 1 (`p256`) or 1…n − 2 (`sm2`); any bytes for `sm4GCM` and
  /// `x25519`. A key of RSA has a check of its own.
  ///
  /// - Parameter key: as many bytes as the way's keys have.
  /// - Timing: constant up to the answer.
  func isSecretKey(_ key: UnsafeRawPointer) -> Bool {
    switch self {
    case .sm4GCM, .x25519: true
    case .p256: P256.isPrivateKey(key) != 0
    case .sm2: SM2.isPrivateKey(key) != 0
    case .rsa: false
    }
  }

  /// The same for a key in the caller's memory, which another thread may change: the copy is checked again. True for
  /// `rsa`, whose check needs memory.
  ///
  /// - Throws: never; wipes the stack and the registers.
  func mayBeSecretKey(_ key: UnsafeRawBufferPointer) throws(KeyboardError) -> Bool {
    guard self == .p256 || self == .sm2 else { return true }
    return try Residue.wiped { () throws(KeyboardError) in isSecretKey(key.baseAddress!) }
  }

  /// The suite of HPKE, for the ways that are HPKE.
  var suite: HPKE.Suite? {
    switch self {
    case .x25519: .x25519ChaCha20Poly1305
    case .p256: .p256AES256GCM
    case .sm4GCM, .sm2, .rsa: nil
    }
  }

  /// The longest key that `drawPrivateKey` draws, in bytes.
  static var longestDrawnKey: Int { 32 }

  /// Draws a secret key: uniformly, by rejection. Not for `rsa`.
  ///
  /// - Parameter key: gets as many bytes as the way's secret keys have.
  func drawPrivateKey(into key: UnsafeMutableRawPointer, from source: inout some RandomSource<Never> & ~Copyable) {
    repeat {
      source.fill(UnsafeMutableRawBufferPointer(start: key, count: secretKeyLengths.upperBound))
    } while !isSecretKey(key)
  }

  /// Writes the public key of a secret key. There is none for `sm4GCM`. Not for `rsa`.
  func makePublicKey(of key: UnsafeRawPointer, into publicKey: UnsafeMutableRawPointer) {
    switch self {
    case .sm4GCM, .rsa: break
    case .x25519: X25519.publicKey(of: key, into: publicKey)
    case .p256: P256.publicKey(of: key, into: publicKey)
    case .sm2: SM2.publicKey(of: key, into: publicKey)
    }
  }

  /// Where computations on secrets of this way run. Curves and RSA keep secrets on the stack. SM4-GCM does where SM4
  /// does, and is too short for holding back signals elsewhere.
  package var reach: Residue.Reach { self == .sm4GCM ? .cipher : .ownStack }

  /// Leaves nothing for the dynamic linker to do while registers hold secrets of this way.
  package func bind() {
    if suite != nil { HPKE.bind() }
    if self == .rsa { RSA.bind() }
  }
}
