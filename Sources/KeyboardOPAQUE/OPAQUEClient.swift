// The client's steps. What is between two of them is in the keyboard's slot; here it is for the time of one.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardCurves
import KeyboardHashes
package import KeyboardMemory
import KeyboardSHA2
import KeyboardStretching

/// The computation of one step of the client, in a workspace. All but Argon2id's long part runs on a stack of its own.
///
/// - Timing: depends on the lengths, and as Argon2id's on the password; not on it otherwise, nor on the blind or a key,
///   up to the verdict.
package struct OPAQUEClient: ~Copyable {
  package let workspace: Workspace
  /// What is typed: at most 128 bytes.
  package let password: UnsafeMutableRawPointer
  /// What a begun step keeps: blind ‖ private keyshare ‖ KE1, `secretSize` bytes of it secret.
  package let step: UnsafeMutableRawPointer
  /// A response, or KE2.
  package let message: UnsafeMutableRawPointer
  package let terms: LentTerms
  /// What `draw` draws: the blind's 64 bytes, a nonce, the keyshare's seed.
  private let drawn: UnsafeMutableRawPointer
  /// The OPRF's output, and behind it the same, stretched.
  private let output: UnsafeMutableRawPointer
  /// client_public_key ‖ masking_key ‖ envelope
  package let record: UnsafeMutableRawPointer
  package let exportKey: UnsafeMutableRawPointer
  private let randomized: UnsafeMutableRawPointer
  private let key: UnsafeMutableRawPointer
  private let privateKey: UnsafeMutableRawPointer
  /// server_public_key ‖ envelope
  private let unmasked: UnsafeMutableRawPointer
  private let hmac: UnsafeMutableRawPointer
  private let argon2: UnsafeMutableRawPointer
  private let oprf: OPRF
  private let exchange: KeyExchange

  package static var secretSize: Int { 2 * OPAQUE.scalarSize }
  package static var stepSize: Int { secretSize + OPAQUE.ke1Size }
  private static var drawnSize: Int { Ristretto255.uniformSize + OPAQUE.nonceSize + OPAQUE.scalarSize }
  /// Of Argon2id.
  private static var saltSize: Int { 16 }

  /// - Parameter terms: copied, too.
  /// - Throws: `.memory`.
  package init(_ given: LentTerms = LentTerms()) throws(KeyboardError) {
    workspace = try Workspace(.sealedText)
    var pieces = Pieces(workspace.memory, byteCount: Workspace.Size.sealedText.byteCount)
    password = pieces.take(maximumPasswordLength)
    step = pieces.take(Self.stepSize)
    message = pieces.take(OPAQUE.ke2Size)
    terms = given.copied(in: &pieces)
    drawn = pieces.take(Self.drawnSize)
    output = pieces.take(2 * OPAQUE.keySize)
    record = pieces.take(OPAQUE.recordSize)
    exportKey = pieces.take(OPAQUE.keySize)
    randomized = pieces.take(OPAQUE.keySize)
    key = pieces.take(OPAQUE.keySize)
    privateKey = pieces.take(OPAQUE.scalarSize)
    unmasked = pieces.take(2 * OPAQUE.keySize)
    hmac = pieces.take(HMAC512.byteCount)
    argon2 = pieces.take(Argon2id.scratchSize)
    oprf = OPRF(in: &pieces)
    exchange = KeyExchange(oprf, hmac: hmac, in: &pieces)
  }

  private var blind: UnsafeMutableRawPointer { step }
  private var privateKeyshare: UnsafeMutableRawPointer { step + OPAQUE.scalarSize }
  /// A request is its first 32 bytes.
  package var ke1: UnsafeMutableRawPointer { step + Self.secretSize }
  package var ke3: UnsafeMutableRawPointer { exchange.clientTag }
  package var sessionKey: UnsafeMutableRawPointer { exchange.sessionKey }
  private var envelope: UnsafeMutableRawPointer { record + OPAQUE.elementSize + OPAQUE.keySize }

  // MARK: The first step

  /// Draws all that `begin` needs. 0 as a blind comes out once in 2²⁵² draws, and is drawn again.
  ///
  /// - Throws: `.random`.
  package func draw() throws(KeyboardError) {
    var stream = try workspace.randomStream(byteCount: Self.drawnSize)
    repeat {
      stream.fill(UnsafeMutableRawBufferPointer(start: drawn, count: Self.drawnSize))
    } while Ristretto255.reduce(drawn, into: blind) == 0
    (ke1 + OPAQUE.requestSize).copyMemory(from: drawn + Ristretto255.uniformSize, byteCount: OPAQUE.nonceSize)
    setKeyshare(seed: drawn + Ristretto255.uniformSize + OPAQUE.nonceSize)
  }

  package func setKeyshare(seed: UnsafeRawPointer) {
    exchange.deriveKeyPair(seed, privateKey: privateKeyshare, publicKey: ke1 + OPAQUE.clientKeyshareOffset)
  }

  /// Blinds the password with what was drawn: `ke1` is then whole.
  ///
  /// - Source: RFC 9807 §5.2.1, §6.2.1.
  package func begin(passwordLength: Int) {
    oprf.blind(UnsafeRawBufferPointer(start: password, count: passwordLength), by: blind, into: ke1)
  }

  // MARK: The second step, in three parts

  /// Takes the blind back from the answer in `message`. The password and the blind are not needed any more, and are
  /// wiped.
  ///
  /// - Returns: all ones if the answer's element is accepted; otherwise 0.
  package func takeAnswer(passwordLength: Int) -> UInt64 {
    let isElement = oprf.finalize(
      UnsafeRawBufferPointer(start: password, count: passwordLength), blind: blind, evaluated: message, into: output)
    wipe(password, byteCount: passwordLength)
    wipe(blind, byteCount: OPAQUE.scalarSize)
    return isElement
  }

  /// Stretches what `takeAnswer` left. Takes Argon2id's time and memory.
  ///
  /// - Returns: false if a fork emptied Argon2id's memory.
  /// - Throws: `.memory`.
  package func stretch() throws(KeyboardError) -> Bool {
    // The salt is zero. `key` is not used yet.
    let input = Argon2id.Input(
      password: UnsafeRawBufferPointer(start: output, count: OPAQUE.keySize),
      salt: UnsafeRawBufferPointer(start: key, count: Self.saltSize), secret: OPAQUE.none)
    let (costs, scratch) = (terms.costs, argon2)
    try Residue.wipedOnce(.ownStack) { costs.take(input, tagSize: OPAQUE.keySize, scratch: scratch) }
    let stretched = UnsafeMutableRawBufferPointer(start: output + OPAQUE.keySize, count: OPAQUE.keySize)
    return try costs.run(scratch: scratch, into: stretched)
  }

  /// In place of `stretch`: the RFC's vectors stretch nothing.
  package func stretchNothing() {
    (output + OPAQUE.keySize).copyMemory(from: output, byteCount: OPAQUE.keySize)
  }

  // MARK: The third part

  /// Makes the record and the export key, with an answer whose elements were accepted.
  ///
  /// - Parameter nonce: of the envelope, 32 random bytes.
  /// - Source: RFC 9807 §5.2.3, §4.1.2.
  package func makeRecord(nonce: UnsafeRawPointer) {
    randomize()
    envelope.copyMemory(from: nonce, byteCount: OPAQUE.nonceSize)
    expand(OPAQUE.none, "MaskingKey", into: record + OPAQUE.elementSize)
    seal(serverKey: message + OPAQUE.elementSize, tag: envelope + OPAQUE.nonceSize)
  }

  /// Draws the envelope's nonce.
  ///
  /// - Throws: `.random`.
  package func drawNonce() throws(KeyboardError) -> UnsafeRawPointer {
    var stream = try workspace.randomStream(byteCount: OPAQUE.nonceSize)
    stream.fill(UnsafeMutableRawBufferPointer(start: drawn, count: OPAQUE.nonceSize))
    return UnsafeRawPointer(drawn)
  }

  /// Opens the envelope in KE2, and makes KE3, the session key and the export key.
  ///
  /// - Parameter isElement: what `takeAnswer` returned.
  /// - Returns: all ones if everything is right: the password, the terms, the server, every byte of KE2; otherwise 0.
  /// - Timing: the same for every fault.
  /// - Source: RFC 9807 §6.2.3, §6.3.2.3, §4.1.3, §6.4.3.
  package func makeKE3(isElement: UInt64) -> UInt64 {
    randomize()
    unmask()
    let serverKey = unmasked
    let tag = unmasked + OPAQUE.elementSize + OPAQUE.nonceSize
    envelope.copyMemory(from: unmasked + OPAQUE.elementSize, byteCount: OPAQUE.nonceSize)
    seal(serverKey: serverKey, tag: envelope + OPAQUE.nonceSize)
    var isRight = isElement
    isRight &= mask(ConstantTime.isEqual(tag, envelope + OPAQUE.nonceSize, count: OPAQUE.keySize))
    let serverKeyshare = message + OPAQUE.keyshareOffset
    isRight &= exchange.agree(0, privateKeyshare, serverKeyshare)
    isRight &= exchange.agree(1, privateKeyshare, serverKey)
    isRight &= exchange.agree(2, privateKey, serverKeyshare)
    exchange.finish(
      KeyExchange.Transcript(terms: terms, clientKey: record, serverKey: serverKey, ke1: ke1, ke2: message))
    let theirs = message + OPAQUE.transcribedSize
    return isRight & mask(ConstantTime.isEqual(theirs, exchange.serverTag, count: OPAQUE.keySize))
  }

  private func mask(_ verdict: Bool) -> UInt64 { 0 &- UInt64(verdict ? 1 : 0) }

  // MARK: Parts of it

  /// The randomized password: HKDF's extraction of the OPRF's output and the stretched one, without a salt.
  private func randomize() {
    var hmac = HMAC512(key: OPAQUE.none, at: hmac)
    hmac.absorb(output, count: 2 * OPAQUE.keySize)
    hmac.finish(into: randomized)
  }

  private func expand(_ info: UnsafeRawBufferPointer, _ label: StaticString, into output: UnsafeMutableRawPointer) {
    var hmac = HMAC512(key: UnsafeRawBufferPointer(start: randomized, count: OPAQUE.keySize), at: hmac)
    hmac.expand(info, label, into: output)
  }

  /// server_public_key ‖ envelope, with the pad of the masking key. With another password it is anything.
  private func unmask() {
    expand(OPAQUE.none, "MaskingKey", into: key)
    var hmac = HMAC512(key: UnsafeRawBufferPointer(start: key, count: OPAQUE.keySize), at: hmac)
    let nonce = UnsafeRawBufferPointer(start: message + OPAQUE.elementSize, count: OPAQUE.nonceSize)
    hmac.expand(nonce, "CredentialResponsePad", digestCount: 2, into: unmasked)
    exclusiveOr(unmasked, message + OPAQUE.maskedOffset, count: OPAQUE.maskedSize)
  }

  /// From the envelope's nonce to the client's keys, the export key and the envelope's tag.
  private func seal(serverKey: UnsafeRawPointer, tag: UnsafeMutableRawPointer) {
    let nonce = UnsafeRawBufferPointer(start: envelope, count: OPAQUE.nonceSize)
    expand(nonce, "ExportKey", into: exportKey)
    expand(nonce, "PrivateKey", into: key)
    exchange.deriveKeyPair(key, privateKey: privateKey, publicKey: record)
    expand(nonce, "AuthKey", into: key)
    var hmac = HMAC512(key: UnsafeRawBufferPointer(start: key, count: OPAQUE.keySize), at: hmac)
    hmac.absorb(nonce)
    hmac.absorb(serverKey, count: OPAQUE.elementSize)
    absorb(LentTerms.identity(terms.server, orKey: serverKey), hmac)
    absorb(LentTerms.identity(terms.client, orKey: record), hmac)
    hmac.finish(into: tag)
  }

  /// The length in two bytes, and the bytes.
  private func absorb(_ bytes: UnsafeRawBufferPointer, _ hmac: HMAC512) {
    hmac.absorb(UInt16(truncatingIfNeeded: bytes.count))
    hmac.absorb(bytes)
  }
}
