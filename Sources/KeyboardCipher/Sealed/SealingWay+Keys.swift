// What differs between the ways of sealing: lengths, and which keys are keys.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardCurves
import KeyboardMemory

extension SealingWay {
  /// The length of every sealed text of this way, in bytes.
  ///
  /// - Returns: 172 (`sm4GCM`), 192 (`x25519`), 225 (`p256`), 285 (`sm2`).
  public var textLength: Int {
    let block = SealedText.blockSize + SM4GCM.tagSize
    return switch self {
    case .sm4GCM: SM4GCM.nonceSize + block
    case .x25519: X25519.keySize + block
    case .p256: P256.pointSize + block
    case .sm2: SM2Encryption.ciphertextSize + SM4GCM.nonceSize + block
    }
  }

  /// The length of the key that a keyboard takes, in bytes.
  ///
  /// - Returns: 16 (`sm4GCM`: the secret key), 32 (`x25519`: u, little-endian), 65 (`p256` and `sm2`: 04 ‖ x ‖ y).
  public var publicKeyLength: Int {
    switch self {
    case .sm4GCM: SM4GCM.keySize
    case .x25519: X25519.keySize
    case .p256: P256.pointSize
    case .sm2: SM2.pointSize
    }
  }

  /// The length of the key that opens a text, in bytes.
  ///
  /// - Returns: 16 (`sm4GCM`), 32 (`x25519`: RFC 7748; `p256` and `sm2`: big-endian).
  public var secretKeyLength: Int {
    switch self {
    case .sm4GCM: SM4GCM.keySize
    case .x25519: X25519.keySize
    case .p256: P256.scalarSize
    case .sm2: SM2.scalarSize
    }
  }

  static var longestText: Int { allCases.reduce(0) { max($0, $1.textLength) } }
  static var longestSecretKey: Int { 32 }

  /// The longest key that a keyboard takes, in bytes: 65.
  package static var longestPublicKey: Int { P256.pointSize }

  /// Whether these bytes can seal: a point of the curve, not infinity and not of low order. Any 16 bytes are a key of
  /// SM4.
  ///
  /// - Parameter key: `publicKeyLength` bytes.
  /// - Timing: depends on the answer; the key is public, but for SM4, where nothing depends on it.
  package func isPublicKey(_ key: UnsafeRawPointer) -> Bool {
    switch self {
    case .sm4GCM: true
    case .x25519: X25519.isAcceptablePublicKey(key)
    case .p256: P256.isPoint(key)
    case .sm2: SM2.isPoint(key)
    }
  }

  /// Whether these bytes can open: a scalar of 1…n − 1 (`p256`) or 1…n − 2 (`sm2`); any bytes for the others.
  ///
  /// - Parameter key: `secretKeyLength` bytes.
  /// - Timing: constant up to the answer.
  package func isSecretKey(_ key: UnsafeRawPointer) -> Bool {
    switch self {
    case .sm4GCM, .x25519: true
    case .p256: P256.isPrivateKey(key) != 0
    case .sm2: SM2.isPrivateKey(key) != 0
    }
  }

  /// The suite of HPKE, for the ways that are HPKE.
  var suite: HPKE.Suite? {
    switch self {
    case .x25519: .x25519ChaCha20Poly1305
    case .p256: .p256AES256GCM
    case .sm4GCM, .sm2: nil
    }
  }

  /// Draws a secret key: uniformly, by rejection.
  ///
  /// - Parameter key: gets `secretKeyLength` bytes.
  func drawPrivateKey(into key: UnsafeMutableRawPointer, from source: inout some RandomSource<Never> & ~Copyable) {
    repeat {
      source.fill(UnsafeMutableRawBufferPointer(start: key, count: secretKeyLength))
    } while !isSecretKey(key)
  }

  /// Writes the public key of a secret key. There is none for `sm4GCM`.
  func makePublicKey(of key: UnsafeRawPointer, into publicKey: UnsafeMutableRawPointer) {
    switch self {
    case .sm4GCM: break
    case .x25519: X25519.publicKey(of: key, into: publicKey)
    case .p256: P256.publicKey(of: key, into: publicKey)
    case .sm2: SM2.publicKey(of: key, into: publicKey)
    }
  }

  /// Leaves nothing for the dynamic linker to do while registers hold secrets of this way.
  package func bind() { if suite != nil { HPKE.bind() } }
}
