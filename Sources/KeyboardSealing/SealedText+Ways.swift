// How each way seals and opens the block of a sealed text.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardCurves
import KeyboardGCM
import KeyboardLattice
import KeyboardMemory
import KeyboardRSA
import KeyboardSHA2

// MARK: - SM4-GCM

extension SealedText {
  static var workSizeOfSM4: Int { Pieces.size(SM4GCM.scratchSize) }

  /// nonce ‖ SM4-GCM(block) ‖ tag
  @inline(never)
  func sealBySM4(
    key: UnsafeRawPointer, context: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer,
    from source: inout some RandomSource<Never> & ~Copyable, in pieces: inout Pieces
  ) {
    let ciphertext = output + GCM.nonceSize
    source.fill(UnsafeMutableRawBufferPointer(start: output, count: GCM.nonceSize))
    SM4GCM.seal(
      UnsafeRawBufferPointer(start: password, count: Self.blockSize), key: key, nonce: output,
      additionalData: context, into: ciphertext, tag: ciphertext + Self.blockSize,
      scratch: pieces.take(SM4GCM.scratchSize))
  }
}

extension SealedMemory {
  @inline(never)
  func openBySM4(
    _ input: UnsafeRawPointer, key: UnsafeRawPointer, context: UnsafeRawBufferPointer, in pieces: inout Pieces
  ) -> Bool {
    let ciphertext = input + GCM.nonceSize
    return SM4GCM.open(
      UnsafeRawBufferPointer(start: ciphertext, count: SealedText.blockSize), tag: ciphertext + SealedText.blockSize,
      key: key, nonce: input, additionalData: context, into: password, scratch: pieces.take(SM4GCM.scratchSize))
  }
}

// MARK: - HPKE

extension SealedText {
  static func workSize(of suite: HPKE.Suite) -> Int {
    max(Pieces.size(P256.pointSize), Pieces.size(XWing.randomnessSize)) + HPKE.byteCount(suite)
  }

  @inline(never)
  func sealByHPKE(
    _ suite: HPKE.Suite, for recipient: UnsafeRawPointer, context: UnsafeRawBufferPointer,
    from source: inout some RandomSource<Never> & ~Copyable, in pieces: inout Pieces
  ) throws(KeyboardError) {
    let ephemeral: UnsafeMutableRawPointer
    if suite == .xwingAES256GCM {
      ephemeral = pieces.take(XWing.randomnessSize)
      source.fill(UnsafeMutableRawBufferPointer(start: ephemeral, count: XWing.randomnessSize))
    } else {
      ephemeral = pieces.take(SealingWay.longestDrawnKey)
      way.drawPrivateKey(into: ephemeral, from: &source)
    }
    let hpke = HPKE(suite, in: &pieces)
    let isSealed = hpke.seal(
      password, byteCount: Self.blockSize, for: recipient, info: context, ephemeral: ephemeral, into: text)
    // The recipient's key was checked. Where a fork has emptied it, the caller notices that too.
    guard isSealed else { throw .memory }
  }
}

extension SealedMemory {
  @inline(never)
  func openByHPKE(
    _ suite: HPKE.Suite, key: UnsafeRawPointer, context: UnsafeRawBufferPointer, in pieces: inout Pieces
  ) -> Bool {
    let publicKey = pieces.take(P256.pointSize)  // X-Wing needs none
    let hpke = HPKE(suite, in: &pieces)
    return hpke.open(
      text, byteCount: SealedText.blockSize, with: key, info: context, into: password, publicKey: publicKey)
  }

  /// The same after a key agreement that was made elsewhere.
  @inline(never)
  func openByHPKE(
    _ suite: HPKE.Suite, _ agreed: UnsafeRawPointer, publicKey: UnsafeRawPointer?, _ context: UnsafeRawBufferPointer,
    in pieces: inout Pieces
  ) -> Bool {
    HPKE(suite, agrees: false, in: &pieces).open(
      text, byteCount: SealedText.blockSize, agreed: agreed, publicKey: publicKey, info: context, into: password)
  }
}

// MARK: - SM2

extension SealedText {
  static var workSizeOfSM2: Int {
    Pieces.size(SM2.scalarSize) + Pieces.size(SM4GCM.keySize) + SM2Encryption.byteCount + workSizeOfSM4
  }

  func sealBySM2(
    for recipient: UnsafeRawPointer, context: UnsafeRawBufferPointer,
    from source: inout some RandomSource<Never> & ~Copyable, in pieces: inout Pieces
  ) throws(KeyboardError) {
    let (ephemeral, sessionKey) = (pieces.take(SM2.scalarSize), pieces.take(SM4GCM.keySize))
    source.fill(UnsafeMutableRawBufferPointer(start: sessionKey, count: SM4GCM.keySize))
    let encryption = SM2Encryption(in: &pieces)
    // The first scalar practically never fails. All of them fail where a fork has emptied the recipient's key.
    var isEncrypted = false
    for _ in 0..<8 where !isEncrypted {
      way.drawPrivateKey(into: ephemeral, from: &source)
      isEncrypted = encryption.encrypt(sessionKey, for: recipient, ephemeral: ephemeral, into: text)
    }
    guard isEncrypted else { throw .random }
    let rest = text + SM2Encryption.ciphertextSize
    sealBySM4(key: sessionKey, context: context, into: rest, from: &source, in: &pieces)
  }
}

extension SealedMemory {
  /// - Parameter agreed: x2 ‖ y2 where it was computed elsewhere; the key is then not used.
  func openBySM2(
    key: UnsafeRawPointer, agreed: UnsafeRawPointer? = nil, context: UnsafeRawBufferPointer, in pieces: inout Pieces
  ) -> Bool {
    let sessionKey = pieces.take(SM4GCM.keySize)
    let encryption = SM2Encryption(in: &pieces)
    let isKey =
      if let agreed {
        encryption.decrypt(text, agreed: agreed, into: sessionKey)
      } else {
        encryption.decrypt(text, with: key, into: sessionKey)
      }
    // The rest is opened with a wrong key too, so that the time does not tell which of the two was wrong.
    let rest = text + SM2Encryption.ciphertextSize
    return openBySM4(rest, key: sessionKey, context: context, in: &pieces) && isKey
  }
}

// MARK: - RSA

extension SealedText {
  static var workSizeOfRSA: Int { workSizeOfRSA(RSA.privateWorkSize) }
  static var workSizeOfSealingByRSA: Int { workSizeOfRSA(RSA.publicWorkSize) }

  private static func workSizeOfRSA(_ byteCount: Int) -> Int {
    Pieces.size(SHA256.byteCount) + 2 * Pieces.size(SHA256.digestSize) + byteCount
  }

  func sealByRSA(
    for recipient: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
    from source: inout some RandomSource<Never> & ~Copyable, in pieces: inout Pieces
  ) throws(KeyboardError) {
    RSA.digest(context, into: password + Self.blockSize, in: &pieces)
    let seed = pieces.take(SHA256.digestSize)
    source.fill(UnsafeMutableRawBufferPointer(start: seed, count: SHA256.digestSize))
    try RSA.encrypt(
      password, byteCount: Self.blockSize + SHA256.digestSize, publicKey: recipient, seed: seed, into: text,
      in: pieces)
  }
}

extension SealedMemory {
  /// Leaves the block in `password`. Whether what the text holds has the right length, and whether it has the digest of
  /// the context, is one answer.
  func openByRSA(
    key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer, in pieces: inout Pieces
  ) throws(KeyboardError) -> Bool {
    try openByRSA(power: nil, key: key, context: context, in: &pieces)
  }

  /// The same.
  ///
  /// - Parameter power: what `RSA.powers` has left of the text, if it was computed with others.
  func openByRSA(
    power: UnsafeRawPointer?, key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer, in pieces: inout Pieces
  ) throws(KeyboardError) -> Bool {
    let expected = pieces.take(SHA256.digestSize)
    RSA.digest(context, into: expected, in: &pieces)
    let byteCount = SealedText.blockSize + SHA256.digestSize
    let isText =
      if let power {
        try RSA.decode(power, privateKey: key, into: password, byteCount: byteCount, in: pieces)
      } else {
        try RSA.decrypt(text, privateKey: key, into: password, byteCount: byteCount, in: pieces)
      }
    let isRight = ConstantTime.isEqual(password + SealedText.blockSize, expected, count: SHA256.digestSize)
    return isText && isRight
  }
}

extension RSA {
  fileprivate static func digest(
    _ context: UnsafeRawBufferPointer, into digest: UnsafeMutableRawPointer, in pieces: inout Pieces
  ) {
    let sha256 = SHA256(at: pieces.take(SHA256.byteCount))
    if let start = context.baseAddress { sha256.absorb(start, count: context.count) }
    sha256.finish(into: digest)
  }
}
