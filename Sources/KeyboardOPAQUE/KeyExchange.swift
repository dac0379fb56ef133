// The key exchange of OPAQUE, 3DH: three Diffie-Hellman values, and a transcript that binds them to all that was said.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCurves
import KeyboardMemory
import KeyboardSHA2

/// The keys and tags of one login, in memory that the caller wipes. Both ends compute the same.
///
/// - Timing: depends on the lengths only.
/// - Source: RFC 9807 §6.4.
struct KeyExchange {
  private let oprf: OPRF
  private let hmac: UnsafeMutableRawPointer
  /// The three Diffie-Hellman values.
  private let values: UnsafeMutableRawPointer
  private let transcript: UnsafeMutableRawPointer
  private let secret: UnsafeMutableRawPointer
  private let key: UnsafeMutableRawPointer
  let serverTag: UnsafeMutableRawPointer
  /// The client's tag, and behind it the session key: the server's state.
  let clientTag: UnsafeMutableRawPointer
  var sessionKey: UnsafeMutableRawPointer { clientTag + OPAQUE.keySize }

  /// What both ends have said.
  struct Transcript {
    let terms: LentTerms
    let clientKey, serverKey: UnsafeRawPointer
    let ke1, ke2: UnsafeRawPointer
  }

  /// - Parameters:
  ///   - oprf: lends its memory for hashes.
  ///   - hmac: memory for HMAC.
  init(_ oprf: OPRF, hmac: UnsafeMutableRawPointer, in pieces: inout Pieces) {
    self.oprf = oprf
    self.hmac = hmac
    values = pieces.take(3 * OPAQUE.elementSize)
    transcript = pieces.take(OPAQUE.keySize)
    secret = pieces.take(OPAQUE.keySize)
    key = pieces.take(OPAQUE.keySize)
    serverTag = pieces.take(OPAQUE.keySize)
    clientTag = pieces.take(OPAQUE.stateSize)
  }

  /// Makes one of the three values.
  ///
  /// - Returns: all ones if the element is accepted; otherwise 0, and the value is zero.
  func agree(_ index: Int, _ privateKey: UnsafeRawPointer, _ element: UnsafeRawPointer) -> UInt64 {
    Ristretto255.multiply(privateKey, element, into: values + index * OPAQUE.elementSize)
  }

  /// A new pair of a seed.
  func deriveKeyPair(
    _ seed: UnsafeRawPointer, privateKey: UnsafeMutableRawPointer, publicKey: UnsafeMutableRawPointer
  ) {
    oprf.deriveKey(seed, info: "OPAQUE-DeriveDiffieHellmanKeyPair", into: privateKey)
    Ristretto255.multiplyGenerator(privateKey, into: publicKey)
  }

  /// From the three values to the tags and the session key.
  ///
  /// - Source: RFC 9807 §6.4.2, §6.4.3.
  @inline(never)
  func finish(_ said: Transcript) {
    hash(said, serverTag: nil)
    extract()
    derive("SessionKey", transcript, into: sessionKey)
    derive("HandshakeSecret", transcript, into: secret)
    derive("ServerMAC", nil, into: key)
    tag(into: serverTag)
    hash(said, serverTag: serverTag)
    derive("ClientMAC", nil, into: key)
    tag(into: clientTag)
  }

  /// HKDF's extraction, without a salt.
  private func extract() {
    var hmac = HMAC512(key: OPAQUE.none, at: hmac)
    hmac.absorb(values, count: 3 * OPAQUE.elementSize)
    hmac.finish(into: secret)
  }

  /// Derive-Secret of `secret`. Its output is one digest, which HKDF expands with one tag.
  @inline(never)
  private func derive(_ label: StaticString, _ context: UnsafeRawPointer?, into output: UnsafeMutableRawPointer) {
    let prefix: StaticString = "OPAQUE-"
    var hmac = HMAC512(key: UnsafeRawBufferPointer(start: secret, count: OPAQUE.keySize), at: hmac)
    hmac.absorb(UInt16(truncatingIfNeeded: OPAQUE.keySize))
    hmac.absorb(UInt8(truncatingIfNeeded: prefix.utf8CodeUnitCount + label.utf8CodeUnitCount))
    hmac.absorb(prefix)
    hmac.absorb(label)
    let context = UnsafeRawBufferPointer(start: context, count: context == nil ? 0 : OPAQUE.keySize)
    hmac.absorb(UInt8(truncatingIfNeeded: context.count))
    hmac.expand(context, "", into: output)
  }

  private func tag(into tag: UnsafeMutableRawPointer) {
    var hmac = HMAC512(key: UnsafeRawBufferPointer(start: key, count: OPAQUE.keySize), at: hmac)
    hmac.absorb(transcript, count: OPAQUE.keySize)
    hmac.finish(into: tag)
  }

  /// The digest of the transcript, and of the server's tag behind it.
  private func hash(_ said: Transcript, serverTag: UnsafeRawPointer?) {
    let sha512 = SHA512(at: oprf.hash)
    sha512.absorb("OPAQUEv1-")
    absorb(said.terms.context, sha512)
    absorb(LentTerms.identity(said.terms.client, orKey: said.clientKey), sha512)
    sha512.absorb(said.ke1, count: OPAQUE.ke1Size)
    absorb(LentTerms.identity(said.terms.server, orKey: said.serverKey), sha512)
    sha512.absorb(said.ke2, count: OPAQUE.transcribedSize)
    if let serverTag { sha512.absorb(serverTag, count: OPAQUE.keySize) }
    sha512.finish(into: transcript)
  }

  /// The length in two bytes, and the bytes.
  private func absorb(_ bytes: UnsafeRawBufferPointer, _ sha512: SHA512) {
    sha512.absorb(UInt16(truncatingIfNeeded: bytes.count))
    sha512.absorb(bytes)
  }
}
