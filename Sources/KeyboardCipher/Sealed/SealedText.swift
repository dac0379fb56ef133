// One password in a sealed text.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardCurves
package import KeyboardMemory

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
package struct SealedText: ~Copyable {
  package let workspace: Workspace
  let way: SealingWay

  /// The padded password: 144 bytes, which the caller fills or reads.
  package let password: UnsafeMutableRawPointer
  /// The sealed text, `way.textLength` bytes.
  package let text: UnsafeMutableRawPointer
  /// Room for a secret key, which the caller fills: 32 bytes.
  package let key: UnsafeMutableRawPointer
  private let context: UnsafeMutableRawPointer
  private let work: UnsafeMutableRawPointer

  /// - Throws: `.memory`.
  package init(_ way: SealingWay) throws(KeyboardError) {
    self.way = way
    workspace = try Workspace(.sealedText, using: Workspace.Size.sealedText.byteCount)
    var pieces = Pieces(workspace.memory, byteCount: Workspace.Size.sealedText.byteCount)
    password = pieces.take(Self.blockSize)
    text = pieces.take(SealingWay.longestText)
    key = pieces.take(SealingWay.longestSecretKey)
    context = pieces.take(maximumContextLength)
    work = pieces.take(0)
  }

  package static var blockSize: Int { maximumTextLength }

  private var pieces: Pieces {
    let used = work - workspace.memory
    return Pieces(work, byteCount: Workspace.Size.sealedText.byteCount - used)
  }

  // MARK: Sealing

  /// Pads and seals the password, of `byteCount` bytes.
  ///
  /// - Parameters:
  ///   - key: the recipient's public key, checked; for `sm4GCM` the secret key, which may be this one's `key`.
  ///   - context: at most 256 bytes.
  /// - Throws: `.random`, `.memory`.
  package func seal(
    byteCount: Int, key recipient: UnsafeRawPointer, context: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    var stream = try workspace.randomStream(byteCount: 128)
    try seal(byteCount: byteCount, key: recipient, context: context, from: &stream)
  }

  /// The same, with randomness from anywhere: vectors of standards have their own.
  func seal(
    byteCount: Int, key recipient: UnsafeRawPointer, context: UnsafeRawBufferPointer,
    from source: inout some RandomSource<Never> & ~Copyable
  ) throws(KeyboardError) {
    pad(byteCount)
    var pieces = pieces
    switch way {
    case .sm4GCM:
      encrypt(key: recipient, context: context, into: text, from: &source, in: &pieces)
    case .x25519, .p256:
      let ephemeral = pieces.take(SealingWay.longestSecretKey)
      way.drawPrivateKey(into: ephemeral, from: &source)
      let hpke = HPKE(way.suite!, in: &pieces)
      let isSealed = hpke.seal(
        password, byteCount: Self.blockSize, for: recipient, info: context, ephemeral: ephemeral, into: text)
      // The recipient's key was checked, so what was missing is memory for AES.
      guard isSealed else { throw .memory }
    case .sm2:
      let (ephemeral, sessionKey) = (pieces.take(SM2.scalarSize), pieces.take(SM4GCM.keySize))
      source.fill(UnsafeMutableRawBufferPointer(start: sessionKey, count: SM4GCM.keySize))
      let encryption = SM2Encryption(in: &pieces)
      repeat {
        way.drawPrivateKey(into: ephemeral, from: &source)
      } while !encryption.encrypt(
        sessionKey, for: recipient, ephemeral: ephemeral, into: text)
      let rest = text + SM2Encryption.ciphertextSize
      encrypt(key: sessionKey, context: context, into: rest, from: &source, in: &pieces)
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
    let ciphertext = output + SM4GCM.nonceSize
    source.fill(UnsafeMutableRawBufferPointer(start: output, count: SM4GCM.nonceSize))
    SM4GCM.seal(
      UnsafeRawBufferPointer(start: password, count: Self.blockSize), key: key, nonce: output,
      additionalData: context, into: ciphertext, tag: ciphertext + Self.blockSize,
      scratch: pieces.take(SM4GCM.scratchSize))
  }

  // MARK: Opening

  /// Copies what the caller owns, because another thread may change it, and checks the key.
  ///
  /// - Returns: whether the key is one of this way. The memory is then ready for `open`.
  package func take(
    _ sealed: UnsafeRawBufferPointer, key secretKey: UnsafeRawBufferPointer, context given: UnsafeRawBufferPointer
  ) -> Bool {
    guard secretKey.count == way.secretKeyLength else { return false }
    key.copyMemory(from: secretKey.baseAddress!, byteCount: secretKey.count)
    if let start = sealed.baseAddress { text.copyMemory(from: start, byteCount: min(sealed.count, way.textLength)) }
    if let start = given.baseAddress { context.copyMemory(from: start, byteCount: given.count) }
    return way.isSecretKey(key)
  }

  /// Opens what `take` has taken.
  ///
  /// - Returns: the length of the password in `password`; nil if the text was altered, or made for another key or
  ///   context.
  package func open(contextLength: Int) -> Int? {
    let context = UnsafeRawBufferPointer(start: context, count: contextLength)
    var pieces = pieces
    let isRight: Bool
    switch way {
    case .sm4GCM:
      isRight = decrypt(text, key: key, context: context, in: &pieces)
    case .x25519, .p256:
      let publicKey = pieces.take(way.publicKeyLength)
      let hpke = HPKE(way.suite!, in: &pieces)
      isRight = hpke.open(
        text, byteCount: Self.blockSize, with: key, info: context, into: password, publicKey: publicKey)
    case .sm2:
      let sessionKey = pieces.take(SM4GCM.keySize)
      let isKey = SM2Encryption(in: &pieces).decrypt(text, with: key, into: sessionKey)
      // The rest is opened with a wrong key too, so that the time does not tell which of the two was wrong.
      let rest = text + SM2Encryption.ciphertextSize
      isRight = decrypt(rest, key: sessionKey, context: context, in: &pieces) && isKey
    }
    guard isRight else { return nil }
    let length = PKCS7.unpaddedLength(password, blockSize: Self.blockSize)
    guard let length, length <= maximumPasswordLength else { return nil }
    return length
  }

  private func decrypt(
    _ input: UnsafeRawPointer, key: UnsafeRawPointer, context: UnsafeRawBufferPointer, in pieces: inout Pieces
  ) -> Bool {
    let ciphertext = input + SM4GCM.nonceSize
    return SM4GCM.open(
      UnsafeRawBufferPointer(start: ciphertext, count: Self.blockSize), tag: ciphertext + Self.blockSize, key: key,
      nonce: input, additionalData: context, into: password, scratch: pieces.take(SM4GCM.scratchSize))
  }
}
