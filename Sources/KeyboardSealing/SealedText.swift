// One password in a sealed text.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
package import KeyboardMemory
import KeyboardSHA2

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
///     xwing    enc(1120) ‖ AES-256-GCM(block) ‖ tag(16)
package struct SealedText: ~Copyable {
  package let workspace: Workspace
  let way: SealingWay
  /// As much of the workspace as this way uses, and as is wiped.
  private let byteCount: Int

  /// The padded password: 144 bytes, which the caller fills or reads. Behind it is room for a digest.
  package let password: UnsafeMutableRawPointer
  /// The sealed text: as many bytes as the way's longest text has.
  package let text: UnsafeMutableRawPointer
  /// The key: the secret one to open a text and of `sm4GCM`, otherwise the recipient's public one.
  package let key: UnsafeMutableRawPointer
  private let context: UnsafeMutableRawPointer
  private let work: UnsafeMutableRawPointer

  /// - Parameter opens: whether a text is opened, which takes more memory with RSA than to make one.
  /// - Throws: `.memory`.
  package init(_ way: SealingWay, opens: Bool = false) throws(KeyboardError) {
    self.way = way
    let row = way.row
    let (passwordSize, textSize) = (Self.blockSize + SHA256.digestSize, row.texts.upperBound)
    let keySize = max(row.secretKeys.upperBound, row.publicKeys.upperBound)
    byteCount =
      Pieces.size(passwordSize) + Pieces.size(textSize) + Pieces.size(keySize) + maximumContextLength
      + (opens ? way.workSize : way.workSizeOfSealing)
    workspace = try Workspace(.holding(byteCount), using: byteCount)
    var pieces = Pieces(workspace.memory, byteCount: byteCount)
    password = pieces.take(passwordSize)
    text = pieces.take(textSize)
    key = pieces.take(keySize)
    context = pieces.take(maximumContextLength)
    work = pieces.take(0)
  }

  package static var blockSize: Int { maximumTextLength }

  /// The rest of it.
  var pieces: Pieces { Pieces(work, byteCount: byteCount - (work - workspace.memory)) }

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
    var pieces = pieces
    try sealBlock(key: recipientKey, context: context, from: &source, in: &pieces)
  }

  private func pad(_ byteCount: Int) {
    let padding = UInt8(truncatingIfNeeded: Self.blockSize - byteCount)
    (password + byteCount).initializeMemory(as: UInt8.self, repeating: padding, count: Self.blockSize - byteCount)
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
  /// - Throws: `.key`.
  func checkKey(byteCount: Int) throws(KeyboardError) -> Int {
    try way.textLength(ofSecretKey: UnsafeRawBufferPointer(start: key, count: byteCount), in: pieces)
  }

  /// Opens what was copied, with a key that was checked.
  ///
  /// - Returns: the length of the password in `password`; nil if the text was altered, or made for another key or
  ///   context.
  /// - Throws: only for `rsa`: `.key` if the key is no longer valid, or its primes are not primes.
  func unseal(keyLength: Int, contextLength: Int) throws(KeyboardError) -> Int? {
    var pieces = pieces
    let opened = SealedMemory(way: way, password: password, text: text)
    let isRight = try opened.openBlock(
      key: UnsafeRawBufferPointer(start: key, count: keyLength),
      context: UnsafeRawBufferPointer(start: context, count: contextLength), in: &pieces)
    return isRight ? opened.length : nil
  }
}

/// Where a text is opened.
struct SealedMemory {
  let way: SealingWay
  /// Gets the padded password: 144 bytes. Behind it is room for a digest.
  let password: UnsafeMutableRawPointer
  /// The sealed text.
  let text: UnsafeRawPointer

  /// The length of the password in `password`, or nil if its padding is wrong or it is too long.
  var length: Int? {
    let length = SealedBlock.unpaddedLength(password, blockSize: SealedText.blockSize)
    guard let length, length <= maximumPasswordLength else { return nil }
    return length
  }
}
