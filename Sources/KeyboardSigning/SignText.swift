// Signatures over a text and its context. They need a key, and no keyboard.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardCurves
import KeyboardMemory
import KeyboardRSA
import KeyboardSHA2

/// Signs a text in a context.
///
/// What is signed is the context's length (8 bytes, big-endian) ‖ context ‖ text. Two signatures of one text differ,
/// and others can make a further one from each of them: never use a signature as a token that must not come twice.
///
/// - Parameters:
///   - text: any number of bytes.
///   - way: how to sign.
///   - key: the private key, of one of `way.secretKeyLengths`. Do not use a key for sealed texts too.
///   - context: what the signature is for, 0 … 256 bytes.
///   - signature: gets the signature; it overlaps nothing else.
/// - Returns: the signature's length, one of `way.signatureLengths`.
/// - Throws: `.argument` for an overlap, `.tooLong` for the context, `.key` for a wrong length or value,
///   `.spaceTooSmall`, `.memory`, `.random`. Nothing is then written.
/// - Timing: depends on the lengths, and on nothing else; a nonce is out of range once in 2³² signatures. For `rsa` the
///   lengths of the key's numbers show, and its public exponent.
/// - Source: FIPS 186-5 §6.4.1, RFC 6979 §3.6; GB/T 32918.2-2016 §6.1; RFC 8017 §8.1.1.
/// - C: `CustomKeyboard_signText`.
public func signText(
  _ text: UnsafeRawBufferPointer, way: SigningWay, key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
  into signature: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Int {
  let target = UnsafeRawBufferPointer(signature)
  guard target.isInMemory, text.isInMemory, key.isInMemory, context.isInMemory else { throw .argument(.pastMemory) }
  guard !text.overlaps(target), !key.limited(to: way.secretKeyLengths.upperBound).overlaps(target),
    !context.limited(to: maximumContextLength).overlaps(target)
  else { throw .argument(.overlap) }
  guard context.count <= maximumContextLength else { throw .tooLong(.context) }
  guard way.secretKeyLengths.contains(key.count) else { throw .key(.length) }
  return try Residue.whole { () throws(KeyboardError) in
    try signOnce(SignedMessage(context: context, text: text), way: way, key: key, into: signature)
  }
}

/// Tells whether a signature of a text in a context is right. Returns if it is, and throws if it is not, so that nobody
/// can overlook the answer.
///
/// - Parameters:
///   - signature: any bytes.
///   - text: what was signed.
///   - way: how it was signed. Take it from your own record, never from the message.
///   - publicKey: the signer's, of one of `way.publicKeyLengths`, from your own record.
///   - context: what it was signed for, 0 … 256 bytes, from your own record.
/// - Throws: `.mismatch` if it is not this signer's signature of this text in this context; `.argument` for a buffer
///   that runs past the end of memory, `.tooLong` for the context, `.key` for a wrong length or value,
///   `.memory`.
/// - Timing: depends on everything given. Nothing of it is secret.
/// - Source: FIPS 186-5 §6.4.2; GB/T 32918.2-2016 §7.1; RFC 8017 §8.1.2.
/// - C: `CustomKeyboard_verifyText`.
public func verifyText(
  _ signature: UnsafeRawBufferPointer, of text: UnsafeRawBufferPointer, way: SigningWay,
  publicKey: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer
) throws(KeyboardError) {
  guard signature.isInMemory, text.isInMemory, publicKey.isInMemory, context.isInMemory
  else { throw .argument(.pastMemory) }
  guard context.count <= maximumContextLength else { throw .tooLong(.context) }
  guard way.publicKeyLengths.contains(publicKey.count) else { throw .key(.length) }
  let isRight = try Residue.whole { () throws(KeyboardError) in
    try verifyOnce(signature, of: SignedMessage(context: context, text: text), way: way, publicKey: publicKey)
  }
  guard isRight else { throw .mismatch }
}

/// - Returns: nil if a fork emptied the workspace in the middle: the child must start again.
@inline(never)
private func signOnce(
  _ message: SignedMessage, way: SigningWay, key: UnsafeRawBufferPointer,
  into output: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Int? {
  // What can be told without memory is told first. Of RSA, all needs some.
  func check(_ key: UnsafeRawBufferPointer) throws(KeyboardError) {
    guard way != .rsa else { return }
    let isKey = try Residue.wiped { () throws(KeyboardError) in way.isSecretScalar(key.baseAddress!) }
    guard isKey else { throw .key(.value) }
    let length = way.signatureLengths.upperBound
    guard output.count >= length else { throw .spaceTooSmall(needed: length) }
  }
  let size = way.workspaceSize
  let workspace = try make { () throws(KeyboardError) in
    try Workspace(size)
  } orCheck: { () throws(KeyboardError) in
    try check(key)
  }
  var pieces = Pieces(workspace.memory, byteCount: size.byteCount)
  let (key, signature) = (pieces.copy(key), pieces.take(way.signatureLengths.upperBound))
  let (digest, publicKey) = (pieces.take(SigningWay.digestSize), pieces.take(SM2.pointSize))
  let length: Int
  do throws(KeyboardError) {
    try check(key)
    if way == .sm2 {
      try Residue.wiped(.ownStack) { () throws(KeyboardError) in
        _ = try way.signatureLength(under: key, in: pieces)
        SM2.publicKey(of: key.baseAddress!, into: publicKey)
      }
    }
    // The text may be long, and a fault of the caller's may happen in it: it is hashed on the caller's stack.
    try Residue.wiped(.deep) { () throws(KeyboardError) in
      message.hash(for: way, publicKey: publicKey, into: digest, scratch: pieces.take(SignedMessage.scratchSize))
    }
    length = try Residue.wiped(.ownStack) { () throws(KeyboardError) in
      let length = try way.signatureLength(under: key, in: pieces)
      guard output.count >= length else { throw .spaceTooSmall(needed: length) }
      try way.sign(digest: digest, key: key, into: signature, using: workspace, in: &pieces)
      return length
    }
  } catch {
    guard !workspace.wasEmptied else { return nil }
    throw error
  }
  guard !workspace.wasEmptied else { return nil }
  output.baseAddress!.copyMemory(from: signature, byteCount: length)
  return workspace.wasEmptied ? nil : length
}

/// Copies what the caller owns, because another thread may change it, and verifies. Nothing here is secret, but it is
/// wiped like everything else.
///
/// - Returns: nil if a fork emptied the workspace in the middle: in the child, no verdict means anything.
@inline(never)
private func verifyOnce(
  _ signature: UnsafeRawBufferPointer, of message: SignedMessage, way: SigningWay, publicKey: UnsafeRawBufferPointer
) throws(KeyboardError) -> Bool? {
  let workspace = try make { () throws(KeyboardError) in
    try Workspace(.sealedText)
  } orCheck: { () throws(KeyboardError) in
    let isKey = try Residue.wiped(.deep) { () throws(KeyboardError) in way.isPublicKey(publicKey) }
    guard isKey else { throw .key(.value) }
    guard way.signatureLengths.contains(signature.count) else { throw .mismatch }
  }
  var pieces = Pieces(workspace.memory, byteCount: Workspace.Size.sealedText.byteCount)
  let isRight: Bool
  do throws(KeyboardError) {
    isRight = try Residue.wiped(.deep) { () throws(KeyboardError) in
      let key = pieces.copy(publicKey)
      guard way.isPublicKey(key) else { throw .key(.value) }
      guard way.signatureLengths.contains(signature.count) else { return false }
      return try way.verify(pieces.copy(signature), of: message, publicKey: key, in: &pieces)
    }
  } catch {
    guard !workspace.wasEmptied else { return nil }
    throw error
  }
  return workspace.wasEmptied ? nil : isRight
}

extension Pieces {
  fileprivate mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let copy = take(bytes.count)
    copy.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    return UnsafeRawBufferPointer(start: copy, count: bytes.count)
  }
}

extension SigningWay {
  /// What a signature is made in. RSA in AVX-512 takes more memory than others.
  fileprivate var workspaceSize: Workspace.Size {
    guard self == .rsa else { return .sealedText }
    let given = Pieces.size(RSA.privateKeyLengths.upperBound) + RSA.lengths.upperBound
    return .holding(
      given + SigningWay.digestSize + Pieces.size(SM2.pointSize) + SignedMessage.scratchSize + RSA.privateWorkSize)
  }

  /// Signs a digest with a nonce, or a salt, that is random.
  ///
  /// - Parameters:
  ///   - key: a private key that was checked.
  ///   - signature: gets `signatureLength(under: key)` bytes.
  /// - Throws: `.random`, also if no nonce gives a signature; `.key` (`rsa`).
  func sign(
    digest: UnsafeRawPointer, key: UnsafeRawBufferPointer, into signature: UnsafeMutableRawPointer,
    using workspace: borrowing Workspace, in pieces: inout Pieces
  ) throws(KeyboardError) {
    if self == .rsa { return try RSA.sign(digest, privateKey: key, using: workspace, into: signature, in: pieces) }
    let added = UnsafeMutableRawBufferPointer(start: pieces.take(HedgedNonces.nonceSize), count: HedgedNonces.nonceSize)
    var stream = try workspace.randomStream(byteCount: added.count)
    stream.fill(added)
    let isSigned = sign(
      digest: digest, key: key.baseAddress!, adding: UnsafeRawBufferPointer(added), into: signature, in: &pieces)
    guard isSigned else { throw .random }
  }

  /// Signs a digest with a hedged nonce (`p256`, `sm2`). With nothing added, the nonces are the plain ones of RFC 6979,
  /// as its vectors want them.
  ///
  /// - Returns: false if no nonce gave a signature.
  func sign(
    digest: UnsafeRawPointer, key: UnsafeRawPointer, adding added: UnsafeRawBufferPointer,
    into signature: UnsafeMutableRawPointer, in pieces: inout Pieces
  ) -> Bool {
    let (nonce, reduced) = (pieces.take(HedgedNonces.nonceSize), pieces.take(Self.digestSize))
    reduceModuloOrder(digest, into: reduced)
    let nonces = HedgedNonces(key: key, digest: reduced, added: added, in: &pieces)
    // One nonce fails in 2³² signatures. All of them fail where a fork has emptied the memory with the key.
    for _ in 0..<8 {
      nonces.next(into: nonce)
      let isScalar = isScalar(nonce)
      // A nonce that is out of range gives no signature that anyone sees.
      if sign(digest: digest, key: key, nonce: nonce, into: signature) & isScalar != 0 { return true }
    }
    return false
  }

  fileprivate func verify(
    _ signature: UnsafeRawBufferPointer, of message: SignedMessage, publicKey: UnsafeRawBufferPointer,
    in pieces: inout Pieces
  ) throws(KeyboardError) -> Bool {
    let (digest, point, rs) = (pieces.take(Self.digestSize), publicKey.baseAddress!, signature.baseAddress!)
    message.hash(for: self, publicKey: point, into: digest, scratch: pieces.take(SignedMessage.scratchSize))
    return switch self {
    case .p256: P256.verify(rs, hash: digest, publicKey: point, scratch: pieces.take(P256.scratchSize))
    case .sm2: SM2.verify(rs, digest: digest, publicKey: point, scratch: pieces.take(SM2.scratchSize))
    case .rsa: try RSA.isSignature(signature, of: digest, publicKey: publicKey, in: pieces)
    }
  }

  private func isScalar(_ nonce: UnsafeRawPointer) -> UInt64 {
    self == .p256 ? P256.isScalar(nonce) : SM2.isScalar(nonce)
  }

  private func reduceModuloOrder(_ digest: UnsafeRawPointer, into reduced: UnsafeMutableRawPointer) {
    if self == .p256 {
      P256.reduceModuloOrder(digest, into: reduced)
    } else {
      SM2.reduceModuloOrder(digest, into: reduced)
    }
  }

  private func sign(
    digest: UnsafeRawPointer, key: UnsafeRawPointer, nonce: UnsafeRawPointer, into signature: UnsafeMutableRawPointer
  ) -> UInt64 {
    if self == .p256 { return P256.sign(hash: digest, key: key, nonce: nonce, into: signature) }
    return SM2.sign(digest: digest, key: key, nonce: nonce, into: signature)
  }
}
