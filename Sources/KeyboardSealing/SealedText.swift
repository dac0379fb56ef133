// One password in a sealed text.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardCurves
package import KeyboardMemory
import KeyboardRSA
import KeyboardSHA256

/// A password, its sealed text and everything between the two, in a workspace.
///
/// What is sealed is a block of 144 bytes: the password with PKCS#7 padding. So all texts of a way have the same
/// length.
///
///     way      sealed text
///     sm4GCM   nonce(12) ‖ SM4-GCM(block) ‖ tag(16)
///     x25519   enc(32) ‖ ChaCha20-Poly1305(block) ‖ tag(16)
///     p256     enc(65) ‖ AES-256-GCM(block) ‖ tag(16)
///     sm2      SM2(key) = 04 ‖ x ‖ y ‖ C3(32) ‖ C2(16), then as sm4GCM
///     rsa      OAEP(block ‖ SHA-256(context))
package struct SealedText: ~Copyable {
  package let workspace: Workspace
  let way: SealingWay

  /// The padded password: 144 bytes, which the caller fills or reads. Behind it is room for a digest.
  package let password: UnsafeMutableRawPointer
  /// The sealed text: as many bytes as the way's longest text has.
  package let text: UnsafeMutableRawPointer
  /// The key: the secret one to open a text and of `sm4GCM`, otherwise the recipient's public one.
  package let key: UnsafeMutableRawPointer
  private let context: UnsafeMutableRawPointer
  private let work: UnsafeMutableRawPointer

  /// - Throws: `.memory`.
  package init(_ way: SealingWay) throws(KeyboardError) {
    self.way = way
    workspace = try Workspace(.sealedText)
    var pieces = Pieces(workspace.memory, byteCount: Workspace.Size.sealedText.byteCount)
    password = pieces.take(Self.blockSize + SHA256.digestSize)
    text = pieces.take(way.textLengths.upperBound)
    key = pieces.take(max(way.secretKeyLengths.upperBound, way.publicKeyLengths.upperBound))
    context = pieces.take(maximumContextLength)
    work = pieces.take(0)
  }

  package static var blockSize: Int { maximumTextLength }

  private var pieces: Pieces {
    let used = work - workspace.memory
    return Pieces(work, byteCount: Workspace.Size.sealedText.byteCount - used)
  }

  // MARK: Sealing

  /// Copies what the caller owns. `seal` reads only the copies.
  ///
  /// - Parameters:
  ///   - recipient: the public key, checked; nil for `sm4GCM`, whose caller fills `key`.
  ///   - context: at most 256 bytes.
  package func copy(recipient: UnsafeRawBufferPointer?, context given: UnsafeRawBufferPointer) {
    if let recipient { key.copyMemory(from: recipient.baseAddress!, byteCount: recipient.count) }
    if let start = given.baseAddress { context.copyMemory(from: start, byteCount: given.count) }
  }

  /// Pads and seals the password, of `byteCount` bytes, with the key and the context that were copied.
  ///
  /// - Throws: `.random`, `.memory`; `.key` if the recipient's key is no longer valid.
  package func seal(byteCount: Int, keyLength: Int, contextLength: Int) throws(KeyboardError) {
    var stream = try workspace.randomStream(byteCount: 128)
    try seal(
      byteCount: byteCount, key: UnsafeRawBufferPointer(start: key, count: keyLength),
      context: UnsafeRawBufferPointer(start: context, count: contextLength), from: &stream)
  }

  /// The same, with randomness from anywhere: vectors of standards have their own.
  func seal(
    byteCount: Int, key recipientKey: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
    from source: inout some RandomSource<Never> & ~Copyable
  ) throws(KeyboardError) {
    pad(byteCount)
    let recipient = recipientKey.baseAddress!
    var pieces = pieces
    switch way {
    case .sm4GCM:
      encrypt(key: recipient, context: context, into: text, from: &source, in: &pieces)
    case .x25519, .p256:
      let ephemeral = pieces.take(SealingWay.longestDrawnKey)
      way.drawPrivateKey(into: ephemeral, from: &source)
      let hpke = HPKE(way.suite!, in: &pieces)
      let isSealed = hpke.seal(
        password, byteCount: Self.blockSize, for: recipient, info: context, ephemeral: ephemeral, into: text)
      // The recipient's key was checked. Where a fork has emptied it, the caller notices that too.
      guard isSealed else { throw .memory }
    case .sm2:
      let (ephemeral, sessionKey) = (pieces.take(SM2.scalarSize), pieces.take(GCM.Cipher.sm4.keySize))
      source.fill(UnsafeMutableRawBufferPointer(start: sessionKey, count: GCM.Cipher.sm4.keySize))
      let encryption = SM2Encryption(in: &pieces)
      // The first scalar practically never fails. All of them fail where a fork has emptied the recipient's key.
      var isEncrypted = false
      for _ in 0..<8 where !isEncrypted {
        way.drawPrivateKey(into: ephemeral, from: &source)
        isEncrypted = encryption.encrypt(sessionKey, for: recipient, ephemeral: ephemeral, into: text)
      }
      guard isEncrypted else { throw .random }
      let rest = text + SM2Encryption.ciphertextSize
      encrypt(key: sessionKey, context: context, into: rest, from: &source, in: &pieces)
    case .rsa:
      digest(context, into: password + Self.blockSize, in: &pieces)
      let seed = pieces.take(SHA256.digestSize)
      source.fill(UnsafeMutableRawBufferPointer(start: seed, count: SHA256.digestSize))
      try RSA.encrypt(
        password, byteCount: Self.blockSize + SHA256.digestSize, publicKey: recipientKey, seed: seed, into: text)
    }
  }

  private func pad(_ byteCount: Int) {
    let padding = UInt8(truncatingIfNeeded: Self.blockSize - byteCount)
    (password + byteCount).initializeMemory(as: UInt8.self, repeating: padding, count: Self.blockSize - byteCount)
  }

  /// nonce ‖ SM4-GCM(block) ‖ tag
  private func encrypt(
    key: UnsafeRawPointer, context: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer,
    from source: inout some RandomSource<Never> & ~Copyable, in pieces: inout Pieces
  ) {
    let ciphertext = output + GCM.nonceSize
    source.fill(UnsafeMutableRawBufferPointer(start: output, count: GCM.nonceSize))
    GCM.seal(
      UnsafeRawBufferPointer(start: password, count: Self.blockSize), by: .sm4, key: key, nonce: output,
      additionalData: context, into: ciphertext, tag: ciphertext + Self.blockSize,
      scratch: pieces.take(GCM.scratchSize))
  }

  // MARK: Opening

  /// Copies what the caller owns, because another thread may change it. `open` reads only the copies.
  ///
  /// - Parameters:
  ///   - sealed: at most as many bytes as the way's longest text has.
  ///   - secretKey: one of the way's `secretKeyLengths`.
  ///   - given: the context, at most 256 bytes.
  func copy(
    _ sealed: UnsafeRawBufferPointer, key secretKey: UnsafeRawBufferPointer, context given: UnsafeRawBufferPointer
  ) {
    key.copyMemory(from: secretKey.baseAddress!, byteCount: secretKey.count)
    if let start = sealed.baseAddress { text.copyMemory(from: start, byteCount: sealed.count) }
    if let start = given.baseAddress { context.copyMemory(from: start, byteCount: given.count) }
  }

  /// Checks the copied key.
  ///
  /// - Returns: how many bytes a text for this key has.
  /// - Throws: `.key`, `.memory`.
  func checkKey(byteCount: Int) throws(KeyboardError) -> Int {
    if way == .rsa { return try RSA.length(ofPrivateKey: UnsafeRawBufferPointer(start: key, count: byteCount)) }
    guard way.isSecretKey(key) else { throw .key(.value) }
    return way.textLengths.upperBound
  }

  /// Opens what was copied, with a key that was checked.
  ///
  /// - Returns: the length of the password in `password`; nil if the text was altered, or made for another key or
  ///   context.
  /// - Throws: only for `rsa`: `.memory`, `.random`; `.key` if the key is no longer valid.
  func open(keyLength: Int, contextLength: Int) throws(KeyboardError) -> Int? {
    let context = UnsafeRawBufferPointer(start: context, count: contextLength)
    var pieces = pieces
    let isRight: Bool
    switch way {
    case .sm4GCM:
      isRight = decrypt(text, key: key, context: context, in: &pieces)
    case .x25519, .p256:
      let publicKey = pieces.take(P256.pointSize)
      let hpke = HPKE(way.suite!, in: &pieces)
      isRight = hpke.open(
        text, byteCount: Self.blockSize, with: key, info: context, into: password, publicKey: publicKey)
    case .sm2:
      let sessionKey = pieces.take(GCM.Cipher.sm4.keySize)
      let isKey = SM2Encryption(in: &pieces).decrypt(text, with: key, into: sessionKey)
      // The rest is opened with a wrong key too, so that the time does not tell which of the two was wrong.
      let rest = text + SM2Encryption.ciphertextSize
      isRight = decrypt(rest, key: sessionKey, context: context, in: &pieces) && isKey
    case .rsa:
      let key = UnsafeRawBufferPointer(start: key, count: keyLength)
      isRight = try decrypt(key: key, context: context, in: &pieces)
    }
    guard isRight else { return nil }
    let length = SealedBlock.unpaddedLength(password, blockSize: Self.blockSize)
    guard let length, length <= maximumPasswordLength else { return nil }
    return length
  }

  private func decrypt(
    _ input: UnsafeRawPointer, key: UnsafeRawPointer, context: UnsafeRawBufferPointer, in pieces: inout Pieces
  ) -> Bool {
    let ciphertext = input + GCM.nonceSize
    return GCM.open(
      UnsafeRawBufferPointer(start: ciphertext, count: Self.blockSize), tag: ciphertext + Self.blockSize, by: .sm4,
      key: key, nonce: input, additionalData: context, into: password, scratch: pieces.take(GCM.scratchSize))
  }

  // MARK: RSA

  /// Leaves the block in `password`, if what the text holds has the right length and the digest of the context.
  private func decrypt(
    key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer, in pieces: inout Pieces
  ) throws(KeyboardError) -> Bool {
    let (expected, length) = (pieces.take(SHA256.digestSize), Self.blockSize + SHA256.digestSize)
    digest(context, into: expected, in: &pieces)
    var stream = try RSA.randomStream(workspace)
    let count = try RSA.decrypt(
      text, privateKey: key, blindedBy: &stream, into: password, capacity: length)
    var difference: UInt64 = 0
    for offset in stride(from: 0, to: SHA256.digestSize, by: 8) {
      let word = password.load(fromByteOffset: Self.blockSize + offset, as: UInt64.self)
      difference |= word ^ expected.load(fromByteOffset: offset, as: UInt64.self)
    }
    return count == length && difference == 0
  }

  private func digest(
    _ context: UnsafeRawBufferPointer, into digest: UnsafeMutableRawPointer, in pieces: inout Pieces
  ) {
    let sha256 = SHA256(at: pieces.take(SHA256.byteCount))
    if let start = context.baseAddress { sha256.absorb(start, count: context.count) }
    sha256.finish(into: digest)
  }
}
