// Signatures over a text and its context. They need a key, and no keyboard.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardCurves
import KeyboardMemory

/// Signs a text in a context.
///
/// What is signed is the context's length (8 bytes, big-endian) ‖ context ‖ text. Two signatures of one text differ,
/// and others can make a further one from each of them: never use a signature as a token that must not come twice.
///
/// - Parameters:
///   - text: any number of bytes.
///   - way: how to sign.
///   - key: the private key, `way.secretKeyLength` bytes. Do not use a key for sealed texts too.
///   - context: what the signature is for, 0 … 256 bytes.
///   - signature: gets the signature; it overlaps nothing else.
/// - Returns: the signature's length, `way.signatureLength`.
/// - Throws: `.argument` for an overlap, `.tooLong` for the context, `.key` for a wrong length or value,
///   `.spaceTooSmall`,
///   `.memory`, `.random`. Nothing is then written.
/// - Timing: depends on the lengths, and on nothing else; a nonce is out of range once in 2³² signatures.
/// - Source: FIPS 186-5 §6.4.1, RFC 6979 §3.6; GB/T 32918.2-2016 §6.1.
/// - C: `CustomKeyboard_signText`.
public func signText(
  _ text: UnsafeRawBufferPointer, way: SigningWay, key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
  into signature: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Int {
  let target = UnsafeRawBufferPointer(signature)
  guard target.isInMemory, text.isInMemory, key.isInMemory, context.isInMemory else { throw .argument(.pastMemory) }
  guard !text.overlaps(target), !key.limited(to: way.secretKeyLength).overlaps(target),
    !context.limited(to: maximumContextLength).overlaps(target)
  else { throw .argument(.overlap) }
  guard context.count <= maximumContextLength else { throw .tooLong(.context) }
  guard key.count == way.secretKeyLength else { throw .key(.length) }
  HPKE.bind()
  while true {
    let length = try Residue.whole { () throws(KeyboardError) in
      try signOnce(SignedMessage(context: context, text: text), way: way, key: key, into: signature)
    }
    if let length { return length }
  }
}

/// Tells whether a signature of a text in a context is right. Returns if it is, and throws if it is not, so that nobody
/// can overlook the answer.
///
/// - Parameters:
///   - signature: any bytes.
///   - text: what was signed.
///   - way: how it was signed. Take it from your own record, never from the message.
///   - publicKey: the signer's, `way.publicKeyLength` bytes, from your own record.
///   - context: what it was signed for, 0 … 256 bytes, from your own record.
/// - Throws: `.mismatch` if it is not this signer's signature of this text in this context; `.argument` for a buffer
///   that
///   runs past the end of memory, `.tooLong` for the context, `.key` for a wrong length or no point of the curve,
///   `.memory`.
/// - Timing: depends on everything given. Nothing of it is secret.
/// - Source: FIPS 186-5 §6.4.2; GB/T 32918.2-2016 §7.1.
/// - C: `CustomKeyboard_verifyText`.
public func verifyText(
  _ signature: UnsafeRawBufferPointer, of text: UnsafeRawBufferPointer, way: SigningWay,
  publicKey: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer
) throws(KeyboardError) {
  guard signature.isInMemory, text.isInMemory, publicKey.isInMemory, context.isInMemory
  else { throw .argument(.pastMemory) }
  guard context.count <= maximumContextLength else { throw .tooLong(.context) }
  guard publicKey.count == way.publicKeyLength else { throw .key(.length) }
  HPKE.bind()
  while true {
    let isRight = try Residue.whole { () throws(KeyboardError) in
      try verifyOnce(signature, of: SignedMessage(context: context, text: text), way: way, publicKey: publicKey)
    }
    guard let isRight else { continue }
    guard isRight else { throw .mismatch }
    return
  }
}

/// - Returns: nil if a fork emptied the workspace in the middle: the child must start again.
@inline(never)
private func signOnce(
  _ message: SignedMessage, way: SigningWay, key: UnsafeRawBufferPointer,
  into output: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Int? {
  defer { Residue.wipeRegisters() }
  let workspace = try Workspace(.sealedText, using: Workspace.Size.sealedText.byteCount)
  var pieces = Pieces(workspace.memory, byteCount: Workspace.Size.sealedText.byteCount)
  let copy = pieces.take(way.secretKeyLength)
  let signature = pieces.take(way.signatureLength)
  var (isKey, isSigned) = (false, false)
  let hasRoom = output.count >= way.signatureLength
  try Residue.wiped(.deep) { () throws(KeyboardError) in
    copy.copyMemory(from: key.baseAddress!, byteCount: way.secretKeyLength)
    guard way.isSecretKey(copy) else { return }
    isKey = true
    guard hasRoom else { return }
    var stream = try workspace.randomStream(byteCount: HedgedNonces.nonceSize)
    isSigned = way.sign(message, key: copy, into: signature, from: &stream, in: &pieces)
  }
  guard !workspace.wasEmptied else { return nil }
  guard isKey else { throw .key(.value) }
  guard hasRoom else { throw .spaceTooSmall(needed: way.signatureLength) }
  guard isSigned else { throw .random }
  output.baseAddress!.copyMemory(from: signature, byteCount: way.signatureLength)
  return workspace.wasEmptied ? nil : way.signatureLength
}

/// Copies what the caller owns, because another thread may change it, and verifies. Nothing here is secret, but it is
/// wiped like everything else.
///
/// - Returns: nil if a fork emptied the workspace in the middle: in the child, no verdict means anything.
@inline(never)
private func verifyOnce(
  _ signature: UnsafeRawBufferPointer, of message: SignedMessage, way: SigningWay, publicKey: UnsafeRawBufferPointer
) throws(KeyboardError) -> Bool? {
  let workspace = try Workspace(.sealedText, using: Workspace.Size.sealedText.byteCount)
  var pieces = Pieces(workspace.memory, byteCount: Workspace.Size.sealedText.byteCount)
  var (isKey, isRight) = (false, false)
  try Residue.wiped(.deep) { () throws(KeyboardError) in
    let (key, copy) = (pieces.take(way.publicKeyLength), pieces.take(way.signatureLength))
    key.copyMemory(from: publicKey.baseAddress!, byteCount: way.publicKeyLength)
    isKey = way.isPublicKey(key)
    guard isKey, signature.count == way.signatureLength else { return }
    copy.copyMemory(from: signature.baseAddress!, byteCount: way.signatureLength)
    isRight = way.verify(copy, of: message, publicKey: key, in: &pieces)
  }
  guard !workspace.wasEmptied else { return nil }
  guard isKey else { throw .key(.value) }
  return isRight
}

extension SigningWay {
  /// Signs with a hedged nonce.
  ///
  /// - Parameters:
  ///   - key: a private key that was checked.
  ///   - signature: gets `signatureLength` bytes.
  /// - Returns: false if no nonce gave a signature.
  func sign(
    _ message: SignedMessage, key: UnsafeRawPointer, into signature: UnsafeMutableRawPointer,
    from source: inout some RandomSource<Never> & ~Copyable, in pieces: inout Pieces
  ) -> Bool {
    let added = UnsafeMutableRawBufferPointer(start: pieces.take(HedgedNonces.nonceSize), count: HedgedNonces.nonceSize)
    source.fill(added)
    let digest = pieces.take(Self.digestSize)
    let publicKey = pieces.take(publicKeyLength)
    if self == .sm2 { SM2.publicKey(of: key, into: publicKey) }
    message.hash(for: self, publicKey: publicKey, into: digest, scratch: pieces.take(SignedMessage.scratchSize))
    return sign(digest: digest, key: key, adding: UnsafeRawBufferPointer(added), into: signature, in: &pieces)
  }

  /// Signs a digest. With nothing added, the nonces are the plain ones of RFC 6979, as its vectors want them.
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

  func verify(
    _ signature: UnsafeRawPointer, of message: SignedMessage, publicKey: UnsafeRawPointer, in pieces: inout Pieces
  ) -> Bool {
    let digest = pieces.take(Self.digestSize)
    message.hash(for: self, publicKey: publicKey, into: digest, scratch: pieces.take(SignedMessage.scratchSize))
    return switch self {
    case .p256:
      P256.verify(signature, hash: digest, publicKey: publicKey, scratch: pieces.take(P256.scratchSize))
    case .sm2:
      SM2.verify(signature, digest: digest, publicKey: publicKey, scratch: pieces.take(SM2.scratchSize))
    }
  }

  private func isScalar(_ nonce: UnsafeRawPointer) -> UInt64 {
    switch self {
    case .p256: P256.isScalar(nonce)
    case .sm2: SM2.isScalar(nonce)
    }
  }

  private func reduceModuloOrder(_ digest: UnsafeRawPointer, into reduced: UnsafeMutableRawPointer) {
    switch self {
    case .p256: P256.reduceModuloOrder(digest, into: reduced)
    case .sm2: SM2.reduceModuloOrder(digest, into: reduced)
    }
  }

  private func sign(
    digest: UnsafeRawPointer, key: UnsafeRawPointer, nonce: UnsafeRawPointer, into signature: UnsafeMutableRawPointer
  ) -> UInt64 {
    switch self {
    case .p256: P256.sign(hash: digest, key: key, nonce: nonce, into: signature)
    case .sm2: SM2.sign(digest: digest, key: key, nonce: nonce, into: signature)
    }
  }
}
