// The ways of sealing: a row for each, and what each does.
// SPDX-License-Identifier: Apache-2.0
//
// All that differs between the ways is in this file, and the compiler asks every list here for a new one. The functions
// are lists by themselves, not columns of the row: a program that never opens a text then has no code that opens one.

package import KeyboardCodes
import KeyboardCurves
import KeyboardGCM
import KeyboardLattice
package import KeyboardMemory
import KeyboardRSA

// MARK: - The rows

extension SealingWay {
  /// What is known of a way without a key. Lengths are in bytes.
  struct Row {
    /// Of keys that open a text.
    let secretKeys: ClosedRange<Int>
    /// Of keys that a keyboard takes.
    let publicKeys: ClosedRange<Int>
    /// Of sealed texts. All texts for one key have the same length.
    let texts: ClosedRange<Int>
    let origin: KeyOrigin
    /// Where computations on secrets run. Curves and RSA keep secrets on the stack. SM4-GCM does where SM4 does, and is
    /// too short for holding back signals elsewhere.
    var reach = Residue.Reach.ownStack
  }

  /// Where the keys of a way come from.
  package enum KeyOrigin: Sendable {
    /// Any bytes are a key, which both ends have.
    case shared
    /// The private key is drawn here, and the public one follows from it.
    case pair
    /// Both are made elsewhere, and written in DER.
    case elsewhere
  }

  @inline(never) @export(interface)
  var row: Row {
    let block = SealedText.blockSize + GCM.tagSize
    return switch self {
    case .sm4GCM:
      Row(
        secretKeys: .only(SM4GCM.keySize), publicKeys: .only(SM4GCM.keySize),
        texts: .only(GCM.nonceSize + block), origin: .shared, reach: .cipherWithTag)
    case .x25519:
      Row(
        secretKeys: .only(X25519.keySize), publicKeys: .only(X25519.keySize), texts: .only(X25519.keySize + block),
        origin: .pair)
    case .p256:
      Row(
        secretKeys: .only(P256.scalarSize), publicKeys: .only(P256.pointSize), texts: .only(P256.pointSize + block),
        origin: .pair)
    case .sm2:
      Row(
        secretKeys: .only(SM2.scalarSize), publicKeys: .only(SM2.pointSize),
        texts: .only(SM2Encryption.ciphertextSize + GCM.nonceSize + block), origin: .pair)
    case .rsa:
      Row(
        secretKeys: RSA.privateKeyLengths, publicKeys: RSA.publicKeyLengths, texts: RSA.lengths, origin: .elsewhere)
    case .xwing:
      Row(
        secretKeys: .only(XWing.privateKeySize), publicKeys: .only(XWing.publicKeySize),
        texts: .only(XWing.ciphertextSize + block), origin: .pair)
    }
  }

  package var origin: KeyOrigin { row.origin }
  package var reach: Residue.Reach { row.reach }

  /// Bytes of a workspace that `sealBlock` takes in pieces.
  var workSizeOfSealing: Int { self == .rsa ? SealedText.workSizeOfSealingByRSA : workSize }

  /// Bytes that `openBlock` takes, or `sealBlock`.
  var workSize: Int {
    switch self {
    case .sm4GCM: SealedText.workSizeOfSM4
    case .x25519: SealedText.workSize(of: .x25519ChaCha20Poly1305)
    case .p256: SealedText.workSize(of: .p256AES256GCM)
    case .sm2: SealedText.workSizeOfSM2
    case .rsa: SealedText.workSizeOfRSA
    case .xwing: SealedText.workSize(of: .xwingAES256GCM)
    }
  }

  /// The longest public key, in bytes: 1216.
  package static var longestPublicKey: Int { XWing.publicKeySize }

  /// The longest key that is drawn here, in bytes.
  static var longestDrawnKey: Int { 32 }

  /// Leaves nothing for the dynamic linker to do while registers hold secrets of this way.
  package func bind() {
    switch self {
    case .sm4GCM, .sm2, .rsa: break
    case .x25519, .p256, .xwing: HPKE.bind()
    }
  }
}

// MARK: - Keys

extension SealingWay {
  /// Whether these bytes can seal: a point of the curve, not infinity and not of low order; a key of RSA in exactly its
  /// form; coefficients of ML-KEM below q, and a key of X25519. Any 16 bytes are a key of SM4.
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
    case .xwing: XWing.isAcceptablePublicKey(start)
    }
  }

  /// Whether these bytes can open: a scalar of 1…n − 1 (`p256`) or 1…n − 2 (`sm2`); any bytes for `sm4GCM`,
  /// `x25519` and `xwing`. A key of RSA has a check of its own, `textLength(ofSecretKey:)`.
  ///
  /// - Parameter key: as many bytes as the way's keys have.
  /// - Timing: constant up to the answer.
  func isSecretKey(_ key: UnsafeRawPointer) -> Bool {
    switch self {
    case .sm4GCM, .x25519, .xwing: true
    case .p256: P256.isPrivateKey(key) != 0
    case .sm2: SM2.isPrivateKey(key) != 0
    case .rsa: false
    }
  }

  /// Whether `isSecretKey` computes anything.
  var looksAtSecretKeys: Bool {
    switch self {
    case .p256, .sm2: true
    case .sm4GCM, .x25519, .rsa, .xwing: false
    }
  }

  /// Writes the public key of a secret key. Only for ways with pairs.
  func makePublicKey(
    of key: UnsafeRawPointer, into publicKey: UnsafeMutableRawPointer, in pieces: inout Pieces
  ) {
    switch self {
    case .x25519: X25519.publicKey(of: key, into: publicKey)
    case .p256: P256.publicKey(of: key, into: publicKey)
    case .sm2: SM2.publicKey(of: key, into: publicKey)
    case .xwing: XWing(at: pieces.take(XWing.byteCount)).makePublicKey(of: key, into: publicKey)
    case .sm4GCM, .rsa: break
    }
  }

  /// The length of a sealed text for this key, in bytes.
  ///
  /// - Parameter publicKey: one that was checked; nil for the key of `sm4GCM`.
  /// - Throws: `.key` if it is no longer valid.
  package func textLength(for publicKey: UnsafeRawBufferPointer?) throws(KeyboardError) -> Int {
    guard self == .rsa, let publicKey else { return row.texts.upperBound }
    return try RSA.length(ofPublicKey: publicKey)
  }

  /// The length of a sealed text that this key opens, in bytes. Checks the key.
  ///
  /// - Parameters:
  ///   - key: one of `secretKeyLengths`.
  ///   - pieces: `workSize` bytes.
  /// - Throws: `.key`.
  func textLength(ofSecretKey key: UnsafeRawBufferPointer, in pieces: Pieces) throws(KeyboardError) -> Int {
    guard self != .rsa else { return try RSA.length(ofPrivateKey: key, in: pieces) }
    guard isSecretKey(key.baseAddress!) else { throw .key(.value) }
    return row.texts.upperBound
  }
}

// MARK: - Texts

extension SealedText {
  /// Seals the padded block in `password`, with what was copied.
  ///
  /// - Throws: `.random`, `.memory`; `.key` if the recipient's key is no longer valid.
  func sealBlock(
    key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
    from source: inout some RandomSource<Never> & ~Copyable, in pieces: inout Pieces
  ) throws(KeyboardError) {
    let start = key.baseAddress!
    switch way {
    case .sm4GCM: sealBySM4(key: start, context: context, into: text, from: &source, in: &pieces)
    case .x25519:
      try sealByHPKE(.x25519ChaCha20Poly1305, for: start, context: context, from: &source, in: &pieces)
    case .p256: try sealByHPKE(.p256AES256GCM, for: start, context: context, from: &source, in: &pieces)
    case .sm2: try sealBySM2(for: start, context: context, from: &source, in: &pieces)
    case .rsa: try sealByRSA(for: key, context: context, from: &source, in: &pieces)
    case .xwing: try sealByHPKE(.xwingAES256GCM, for: start, context: context, from: &source, in: &pieces)
    }
  }
}

extension SealedMemory {
  /// Opens what was copied, and leaves the padded block in `password`.
  ///
  /// - Returns: false if the text was altered, or made for another key or context.
  /// - Throws: only for `rsa`: `.key` if the key is no longer valid, or its primes are not primes.
  func openBlock(
    key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer, in pieces: inout Pieces
  ) throws(KeyboardError) -> Bool {
    let start = key.baseAddress!
    return switch way {
    case .sm4GCM: openBySM4(text, key: start, context: context, in: &pieces)
    case .x25519: openByHPKE(.x25519ChaCha20Poly1305, key: start, context: context, in: &pieces)
    case .p256: openByHPKE(.p256AES256GCM, key: start, context: context, in: &pieces)
    case .sm2: openBySM2(key: start, context: context, in: &pieces)
    case .rsa: try openByRSA(key: key, context: context, in: &pieces)
    case .xwing: openByHPKE(.xwingAES256GCM, key: start, context: context, in: &pieces)
    }
  }
}

// MARK: - Many texts under one key

extension SealingWay {
  /// Bytes of what follows from a key for opening: see `expandKey`.
  var expandedSize: Int {
    switch self {
    case .sm4GCM, .sm2, .rsa: 0
    case .x25519: X25519.keySize
    case .p256: P256.pointSize
    case .xwing: XWing.byteCount + XWing.keptByteCount
    }
  }

  /// Bytes of memory for `agreeEach`, and again for each text.
  var batchWorkSize: Int {
    switch self {
    case .sm4GCM, .rsa: workSize
    case .x25519: HPKE.byteCount(.x25519ChaCha20Poly1305)
    case .p256: max(P256.eachScratchSize, HPKE.byteCount(.p256AES256GCM))
    case .sm2: max(SM2.eachScratchSize, workSize)
    case .xwing: HPKE.byteCount(.xwingAES256GCM, agrees: false)
    }
  }

  /// Computes what depends on a key only: the public key, or X-Wing's expanded key.
  ///
  /// - Parameters:
  ///   - key: one that was checked.
  ///   - expanded: gets `expandedSize` bytes, aligned to 64.
  func expandKey(_ key: UnsafeRawPointer, into expanded: UnsafeMutableRawPointer) {
    switch self {
    case .sm4GCM, .sm2, .rsa: break
    case .x25519: X25519.publicKey(of: key, into: expanded)
    case .p256: P256.publicKey(of: key, into: expanded)
    case .xwing: XWing(at: expanded).expandKey(key)
    }
  }

  /// The key agreement of up to eight texts.
  ///
  /// - Parameters:
  ///   - texts: the first of `count` texts, each `stride` bytes after the one before.
  ///   - agreed: gets 32 bytes for each, or 64 for `sm2`, at the same distance.
  ///   - scratch: `batchWorkSize` bytes aligned to 64.
  /// - Returns: a bit for each text, the first one's lowest: 0 if the text must be refused.
  func agreeEach(
    _ key: UnsafeRawPointer, _ expanded: UnsafeMutableRawPointer, _ texts: UnsafeRawPointer,
    into agreed: UnsafeMutableRawPointer, stride: Int, count: Int, scratch: UnsafeMutableRawPointer
  ) -> UInt64 {
    switch self {
    case .sm4GCM, .rsa: ~0  // no curve
    case .x25519: ~X25519.multiplyEach(key, texts, into: agreed, stride: stride, count: count)
    case .p256: P256.sharedXEach(key, texts, into: agreed, stride: stride, count: count, scratch: scratch)
    case .sm2: SM2.multiplyEach(key, texts, into: agreed, stride: stride, count: count, scratch: scratch)
    case .xwing: ~XWing(at: expanded).agreeEach(texts, into: agreed, stride: stride, count: count)
    }
  }
}

extension SealedMemory {
  /// The same as the other `openBlock`, with what `expandKey` and `agreeEach` have left.
  func openBlock(
    key: UnsafeRawBufferPointer, expanded: UnsafeMutableRawPointer, agreed: UnsafeMutableRawPointer,
    context: UnsafeRawBufferPointer, in pieces: inout Pieces
  ) throws(KeyboardError) -> Bool {
    switch way {
    case .sm4GCM, .rsa: return try openBlock(key: key, context: context, in: &pieces)
    case .x25519: return openByHPKE(.x25519ChaCha20Poly1305, agreed, publicKey: expanded, context, in: &pieces)
    case .p256: return openByHPKE(.p256AES256GCM, agreed, publicKey: expanded, context, in: &pieces)
    case .sm2: return openBySM2(key: key.baseAddress!, agreed: agreed, context: context, in: &pieces)
    case .xwing:
      XWing(at: expanded).decapsulate(text, agreed: agreed)
      return openByHPKE(.xwingAES256GCM, agreed, publicKey: nil, context, in: &pieces)
    }
  }
}
