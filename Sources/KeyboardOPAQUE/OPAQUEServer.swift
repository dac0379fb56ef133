// The server's steps. They need no keyboard, and keep nothing.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardCurves
package import KeyboardMemory
import KeyboardSHA2

/// The computation of one step of the server, in a workspace. Runs on a stack of its own.
///
/// - Timing: depends on the lengths and on the verdict; not on the setup or the record, nor on whether there is one.
package struct OPAQUEServer: ~Copyable {
  package let workspace: Workspace
  package let setup: UnsafeMutableRawPointer
  package let account: UnsafeMutableRawPointer
  /// KE1, or a request.
  package let message: UnsafeMutableRawPointer
  package let record: UnsafeMutableRawPointer
  private let fake: UnsafeMutableRawPointer
  package let terms: LentTerms
  /// KE2, or a response.
  package let answer: UnsafeMutableRawPointer
  /// masking_nonce ‖ server_nonce ‖ the keyshare's seed, which `draw` draws; for a new setup its 64 bytes of a seed.
  package let drawn: UnsafeMutableRawPointer
  private let privateKeyshare: UnsafeMutableRawPointer
  private let key: UnsafeMutableRawPointer
  private let pad: UnsafeMutableRawPointer
  private let hmac: UnsafeMutableRawPointer
  private let oprf: OPRF
  private let exchange: KeyExchange

  static var drawnSize: Int { 2 * OPAQUE.nonceSize + OPAQUE.scalarSize }

  /// - Parameter terms: copied, too.
  /// - Throws: `.memory`.
  package init(_ given: LentTerms = LentTerms()) throws(KeyboardError) {
    workspace = try Workspace(.sealedText)
    var pieces = Pieces(workspace.memory, byteCount: Workspace.Size.sealedText.byteCount)
    setup = pieces.take(OPAQUE.setupSize)
    account = pieces.take(OPAQUE.longestAccount)
    message = pieces.take(OPAQUE.ke1Size)
    record = pieces.take(OPAQUE.recordSize)
    fake = pieces.take(OPAQUE.recordSize)
    terms = given.copied(in: &pieces)
    answer = pieces.take(OPAQUE.ke2Size)
    drawn = pieces.take(Self.drawnSize)
    privateKeyshare = pieces.take(OPAQUE.scalarSize)
    key = pieces.take(OPAQUE.keySize)
    pad = pieces.take(2 * OPAQUE.keySize)
    hmac = pieces.take(HMAC512.byteCount)
    oprf = OPRF(in: &pieces)
    exchange = KeyExchange(oprf, hmac: hmac, in: &pieces)
  }

  private var privateKey: UnsafeMutableRawPointer { setup + OPAQUE.keySize }
  /// expected client_mac ‖ session key
  package var state: UnsafeMutableRawPointer { exchange.clientTag }

  // MARK: Steps

  /// - Throws: `.random`.
  package func draw() throws(KeyboardError) {
    var stream = try workspace.randomStream(byteCount: Self.drawnSize)
    stream.fill(UnsafeMutableRawBufferPointer(start: drawn, count: Self.drawnSize))
  }

  /// Makes a setup of 128 drawn bytes, and leaves its public key in `answer`.
  ///
  /// - Throws: `.random`.
  func makeSetup() throws(KeyboardError) {
    var stream = try workspace.randomStream(byteCount: 3 * OPAQUE.keySize)
    stream.fill(UnsafeMutableRawBufferPointer(start: setup, count: OPAQUE.keySize))
    repeat {
      stream.fill(UnsafeMutableRawBufferPointer(start: key, count: Ristretto255.uniformSize))
    } while Ristretto255.reduce(key, into: privateKey) == 0
    makePublicKey()
  }

  /// Leaves the setup's public key in `answer`.
  func makePublicKey() { Ristretto255.multiplyGenerator(privateKey, into: answer) }

  /// Evaluates a request under the account's key: evaluated_message ‖ server_public_key.
  ///
  /// - Returns: all ones if the request is accepted; otherwise 0.
  /// - Source: RFC 9807 §5.2.2.
  package func respond(accountLength: Int) -> UInt64 {
    Ristretto255.multiplyGenerator(privateKey, into: answer + OPAQUE.elementSize)
    return evaluate(UnsafeRawBufferPointer(start: account, count: accountLength))
  }

  /// Makes KE2 and the state. Computes what a made-up record needs, whether there is a record or not.
  ///
  /// - Parameter hasRecord: whether the account exists.
  /// - Returns: all ones for what is accepted: the record's key, and KE1.
  /// - Source: RFC 9807 §6.2.2, §6.3.2.2, §6.4.4.
  package func answer(accountLength: Int, hasRecord: Bool) -> (record: UInt64, message: UInt64) {
    let account = UnsafeRawBufferPointer(start: account, count: accountLength)
    makeFake(account)
    let record = UnsafeRawPointer(hasRecord ? record : fake)
    var isMessage = evaluate(account)
    mask(record)
    let (nonce, seed) = (drawn + OPAQUE.nonceSize, drawn + 2 * OPAQUE.nonceSize)
    (answer + OPAQUE.nonceOffset).copyMemory(from: nonce, byteCount: OPAQUE.nonceSize)
    let publicKeyshare = answer + OPAQUE.keyshareOffset
    exchange.deriveKeyPair(seed, privateKey: privateKeyshare, publicKey: publicKeyshare)
    let clientKeyshare = message + OPAQUE.clientKeyshareOffset
    isMessage &= exchange.agree(0, privateKeyshare, clientKeyshare)
    _ = exchange.agree(1, privateKey, clientKeyshare)
    let isRecord = exchange.agree(2, privateKeyshare, record)
    // `pad` begins with the server's public key.
    exchange.finish(
      KeyExchange.Transcript(terms: terms, clientKey: record, serverKey: pad, ke1: message, ke2: answer))
    (answer + OPAQUE.transcribedSize).copyMemory(from: exchange.serverTag, byteCount: OPAQUE.keySize)
    return (isRecord, isMessage)
  }

  // MARK: Parts of them

  private func expand(_ account: UnsafeRawBufferPointer, _ label: StaticString, into output: UnsafeMutableRawPointer) {
    var hmac = HMAC512(key: UnsafeRawBufferPointer(start: setup, count: OPAQUE.keySize), at: hmac)
    hmac.expand(account, label, into: output)
  }

  private func evaluate(_ account: UnsafeRawBufferPointer) -> UInt64 {
    expand(account, "OprfKey", into: key)
    oprf.deriveKey(key, info: "OPAQUE-DeriveKeyPair", into: key)
    return Ristretto255.multiply(key, message, into: answer)
  }

  /// The record of an account that does not exist: the same in every answer, and the envelope is zero.
  private func makeFake(_ account: UnsafeRawBufferPointer) {
    expand(account, "FakeClientKey", into: key)
    exchange.deriveKeyPair(key, privateKey: key, publicKey: fake)
    expand(account, "FakeMaskingKey", into: fake + OPAQUE.elementSize)
    (fake + OPAQUE.elementSize + OPAQUE.keySize)
      .initializeMemory(as: UInt8.self, repeating: 0, count: OPAQUE.envelopeSize)
  }

  /// masking_nonce ‖ masked_response. Leaves the server's public key at the beginning of `pad`.
  private func mask(_ record: UnsafeRawPointer) {
    let nonce = answer + OPAQUE.elementSize
    nonce.copyMemory(from: drawn, byteCount: OPAQUE.nonceSize)
    var hmac = HMAC512(
      key: UnsafeRawBufferPointer(start: record + OPAQUE.elementSize, count: OPAQUE.keySize), at: hmac)
    let masked = answer + OPAQUE.maskedOffset
    hmac.expand(
      UnsafeRawBufferPointer(start: nonce, count: OPAQUE.nonceSize), "CredentialResponsePad", digestCount: 2,
      into: masked)
    Ristretto255.multiplyGenerator(privateKey, into: pad)
    (pad + OPAQUE.elementSize)
      .copyMemory(from: record + OPAQUE.elementSize + OPAQUE.keySize, byteCount: OPAQUE.envelopeSize)
    exclusiveOr(masked, pad, count: OPAQUE.maskedSize)
  }
}

/// Adds the bytes of one text to another's, bit by bit.
@inline(never)
func exclusiveOr(_ text: UnsafeMutableRawPointer, _ other: UnsafeRawPointer, count: Int) {
  for i in 0..<count {
    let byte = text.load(fromByteOffset: i, as: UInt8.self) ^ other.load(fromByteOffset: i, as: UInt8.self)
    text.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
  }
}
