// Hybrid public key encryption (RFC 9180) in base mode, for one text: the three suites that CryptoKit
// has ready-made.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardMbedTLS
import KeyboardCurves
import KeyboardGCM
import KeyboardLattice
import KeyboardMemory
import KeyboardSHA2
import Synchronization

/// A suite of HPKE, and the memory that one text takes. Secrets are in that memory, in registers and on the stack; the
/// caller wipes all of it.
///
/// - Timing: depends on the lengths, and `open` on its verdict. AES-GCM is constant-time where the processor has AES
///   instructions; elsewhere mbedTLS looks up tables, under a key that is used once.
/// - Source: RFC 9180 §4.1, §5.1, §5.2; draft-connolly-cfrg-xwing-kem §6 (KEM 0x647A).
struct HPKE {
  private let suite: Suite
  /// For HMAC; the key agreement uses the same memory before it, and AES-GCM after it.
  private let scratch: UnsafeMutableRawPointer
  /// The Diffie-Hellman value or X-Wing's shared secret, and in the end the RFC's `secret`.
  let shared: UnsafeMutableRawPointer
  let schedule: UnsafeMutableRawPointer
  let key: UnsafeMutableRawPointer
  let nonce: UnsafeMutableRawPointer
  private let chachapoly: UnsafeMutableRawPointer

  enum Suite {
    case x25519ChaCha20Poly1305
    case p256AES256GCM
    case xwingAES256GCM

    /// Bytes of `enc`; on a curve, also of a public key.
    var encSize: Int {
      switch self {
      case .x25519ChaCha20Poly1305: X25519.keySize
      case .p256AES256GCM: P256.pointSize
      case .xwingAES256GCM: XWing.ciphertextSize
      }
    }

    fileprivate var kem: UInt16 {
      switch self {
      case .x25519ChaCha20Poly1305: 0x0020
      case .p256AES256GCM: 0x0010
      case .xwingAES256GCM: 0x647a
      }
    }

    fileprivate var aead: UInt16 {
      switch self {
      case .x25519ChaCha20Poly1305: 0x0003
      case .p256AES256GCM, .xwingAES256GCM: 0x0002
      }
    }
  }

  static var tagSize: Int { 16 }
  static var nonceSize: Int { 12 }
  /// mode(1) ‖ psk_id_hash(32) ‖ info_hash(32)
  static var scheduleSize: Int { 1 + 2 * SHA256.digestSize }
  private static var scratchSize: Int {
    max(P256.scratchSize, max(AESGCM.byteCount, HMAC.byteCount + SHA256.digestSize))
  }

  /// Bytes of memory that a suite takes.
  ///
  /// - Parameter agrees: whether the key agreement is made here, too.
  static func byteCount(_ suite: Suite, agrees: Bool = true) -> Int {
    Pieces.size(scratchSize(suite, agrees)) + 2 * Pieces.size(SHA256.digestSize) + Pieces.size(scheduleSize)
      + Pieces.size(nonceSize) + Pieces.size(chachapolySize)
  }

  private static func scratchSize(_ suite: Suite, _ agrees: Bool) -> Int {
    agrees && suite == .xwingAES256GCM ? max(scratchSize, XWing.byteCount) : scratchSize
  }

  private static var chachapolySize: Int { MemoryLayout<mbedtls_chachapoly_context>.stride }

  init(_ suite: Suite, agrees: Bool = true, in pieces: inout Pieces) {
    self.suite = suite
    scratch = pieces.take(Self.scratchSize(suite, agrees))
    shared = pieces.take(SHA256.digestSize)
    schedule = pieces.take(Self.scheduleSize)
    key = pieces.take(SHA256.digestSize)
    nonce = pieces.take(Self.nonceSize)
    chachapoly = pieces.take(Self.chachapolySize)
  }

  private static let isBound = Atomic<Bool>(false)

  /// Leaves nothing for the dynamic linker to do while registers hold secrets. (In one file only, and with it the C
  /// function.)
  @inline(never) @export(interface)
  static func bind() {
    guard !isBound.load(ordering: .acquiring) else { return }
    keyboard_bind_mbedtls_hpke()
    isBound.store(true, ordering: .releasing)
  }

  // MARK: Whole texts

  /// Seals a text.
  ///
  /// - Parameters:
  ///   - text: `byteCount` bytes.
  ///   - recipient: a public key that was checked.
  ///   - ephemeral: a fresh private key, 32 bytes, used for nothing else; for X-Wing 64 random bytes.
  ///   - output: gets enc ‖ ciphertext ‖ tag.
  /// - Returns: false if the public key is invalid.
  func seal(
    _ text: UnsafeRawPointer, byteCount: Int, for recipient: UnsafeRawPointer, info: UnsafeRawBufferPointer,
    ephemeral: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) -> Bool {
    switch suite {
    case .x25519ChaCha20Poly1305, .p256AES256GCM:
      guard agree(ephemeral, recipient, publicKey: output) else { return false }
      shareSecret(enc: output, recipient: recipient)
    case .xwingAES256GCM:
      let xwing = XWing(at: scratch)
      let isZero = xwing.encapsulate(recipient, randomness: ephemeral, into: output, sharedSecret: shared)
      guard isZero == 0 else { return false }
    }
    deriveKey(info: info)
    let ciphertext = output + suite.encSize
    return encrypt(text, byteCount: byteCount, into: ciphertext)
  }

  /// Opens a text.
  ///
  /// - Parameters:
  ///   - text: enc ‖ ciphertext ‖ tag, with a ciphertext of `byteCount` bytes.
  ///   - privateKey: 32 bytes, checked.
  ///   - output: gets `byteCount` bytes; they mean nothing if the answer is false.
  func open(
    _ text: UnsafeRawPointer, byteCount: Int, with privateKey: UnsafeRawPointer, info: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawPointer, publicKey: UnsafeMutableRawPointer
  ) -> Bool {
    var isZero: UInt64 = 0
    switch suite {
    case .x25519ChaCha20Poly1305, .p256AES256GCM:
      guard agree(privateKey, text, publicKey: publicKey) else { return false }
      shareSecret(enc: text, recipient: publicKey)
    case .xwingAES256GCM:
      // If the text has a point of low order, the tag is checked too, so that this takes as long as a wrong tag.
      isZero = XWing(at: scratch).decapsulate(text, privateKey: privateKey, into: shared)
    }
    deriveKey(info: info)
    return decrypt(text + suite.encSize, byteCount: byteCount, into: output) && isZero == 0
  }

  /// Opens a text whose key agreement was made elsewhere.
  ///
  /// - Parameters:
  ///   - text: as for `open`.
  ///   - agreed: the Diffie-Hellman value or X-Wing's shared secret, 32 bytes.
  ///   - publicKey: of the private key that it was made with; nil for X-Wing.
  ///   - output: as for `open`.
  func open(
    _ text: UnsafeRawPointer, byteCount: Int, agreed: UnsafeRawPointer, publicKey: UnsafeRawPointer?,
    info: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer
  ) -> Bool {
    shared.copyMemory(from: agreed, byteCount: SHA256.digestSize)
    if let publicKey { shareSecret(enc: text, recipient: publicKey) }
    deriveKey(info: info)
    return decrypt(text + suite.encSize, byteCount: byteCount, into: output)
  }

  // MARK: The key agreement

  /// Leaves the Diffie-Hellman value in `shared`, and the private key's own public key in `publicKey`.
  ///
  /// - Returns: false for a point that is not on the curve, or of low order.
  private func agree(
    _ privateKey: UnsafeRawPointer, _ point: UnsafeRawPointer, publicKey: UnsafeMutableRawPointer
  ) -> Bool {
    switch suite {
    case .x25519ChaCha20Poly1305:
      return X25519.agree(privateKey, point, into: shared, publicKey: publicKey) == 0
    case .p256AES256GCM:
      guard P256.sharedX(privateKey, point, into: shared, scratch: scratch) else { return false }
      P256.publicKey(of: privateKey, into: publicKey)
      return true
    case .xwingAES256GCM: return false  // no curve
    }
  }

  // MARK: Derived keys

  /// From the Diffie-Hellman value to the shared secret of DHKEM. X-Wing has its own combiner. (RFC 9180 §4.1
  /// ExtractAndExpand)
  private func shareSecret(enc: UnsafeRawPointer, recipient: UnsafeRawPointer) {
    let agreed = UnsafeRawBufferPointer(start: shared, count: SHA256.digestSize)
    extract(salt: none, "eae_prk", agreed, ofKEM: true, into: shared)
    expand(
      "shared_secret", count: SHA256.digestSize, UnsafeRawBufferPointer(start: enc, count: suite.encSize),
      UnsafeRawBufferPointer(start: recipient, count: suite.encSize), ofKEM: true, into: shared)
  }

  /// From the shared secret to the key and the nonce. (RFC 9180 §5.1 KeySchedule)
  private func deriveKey(info: UnsafeRawBufferPointer) {
    let digestSize = SHA256.digestSize
    let agreed = UnsafeRawBufferPointer(start: shared, count: digestSize)
    schedule.storeBytes(of: 0, as: UInt8.self)  // base mode
    extract(salt: none, "psk_id_hash", none, ofKEM: false, into: schedule + 1)
    extract(salt: none, "info_hash", info, ofKEM: false, into: schedule + 1 + digestSize)
    extract(salt: agreed, "secret", none, ofKEM: false, into: shared)
    let whole = UnsafeRawBufferPointer(start: schedule, count: Self.scheduleSize)
    expand("key", count: digestSize, whole, none, ofKEM: false, into: key)
    // Of the tag's 32 bytes, the first 12 are the nonce.
    let tag = scratch + HMAC.byteCount
    expand("base_nonce", count: Self.nonceSize, whole, none, ofKEM: false, into: tag)
    nonce.copyMemory(from: tag, byteCount: Self.nonceSize)
  }

  /// LabeledExtract: HMAC(salt, "HPKE-v1" ‖ suite ‖ label ‖ material).
  ///
  /// - Parameter salt: HMAC's key. An empty one and one of zeros are the same.
  @inline(never)
  private func extract(
    salt: UnsafeRawBufferPointer, _ label: StaticString, _ material: UnsafeRawBufferPointer, ofKEM: Bool,
    into output: UnsafeMutableRawPointer
  ) {
    let hmac = HMAC(key: salt, at: scratch)
    absorbSuite(hmac, ofKEM: ofKEM)
    hmac.absorb(label)
    hmac.absorb(material)
    hmac.finish(into: output)
  }

  /// LabeledExpand of `shared`, for at most 32 bytes: HMAC(shared, count ‖ "HPKE-v1" ‖ suite ‖ label ‖ info ‖ 1), with
  /// the info in two parts. All 32 are written.
  @inline(never)
  private func expand(
    _ label: StaticString, count: Int, _ info: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer, ofKEM: Bool,
    into output: UnsafeMutableRawPointer
  ) {
    let hmac = HMAC(key: UnsafeRawBufferPointer(start: shared, count: SHA256.digestSize), at: scratch)
    hmac.absorb(UInt16(truncatingIfNeeded: count))
    absorbSuite(hmac, ofKEM: ofKEM)
    hmac.absorb(label)
    hmac.absorb(info)
    hmac.absorb(more)
    hmac.absorb(UInt8(1))
    hmac.finish(into: output)
  }

  @inline(never)
  private func absorbSuite(_ hmac: HMAC, ofKEM: Bool) {
    hmac.absorb("HPKE-v1")
    hmac.absorb(ofKEM ? "KEM" : "HPKE")
    hmac.absorb(suite.kem)
    guard !ofKEM else { return }
    hmac.absorb(UInt16(0x0001))  // HKDF-SHA256
    hmac.absorb(suite.aead)
  }

  // MARK: The cipher

  private func encrypt(_ text: UnsafeRawPointer, byteCount: Int, into output: UnsafeMutableRawPointer) -> Bool {
    let (input, ciphertext) = (bytes(text), bytes(output))
    switch suite {
    case .x25519ChaCha20Poly1305:
      return withChaChaPoly { context in
        mbedtls_chachapoly_encrypt_and_tag(
          context, byteCount, bytes(nonce), nil, 0, input, ciphertext, ciphertext + byteCount)
      }
    case .p256AES256GCM, .xwingAES256GCM:
      gcm.seal(
        UnsafeRawBufferPointer(start: text, count: byteCount), nonce: nonce, additionalData: none, into: output,
        tag: output + byteCount)
      return true
    }
  }

  private func decrypt(_ text: UnsafeRawPointer, byteCount: Int, into output: UnsafeMutableRawPointer) -> Bool {
    let (input, clear) = (bytes(text), bytes(output))
    switch suite {
    case .x25519ChaCha20Poly1305:
      return withChaChaPoly { context in
        mbedtls_chachapoly_auth_decrypt(context, byteCount, bytes(nonce), nil, 0, input + byteCount, input, clear)
      }
    case .p256AES256GCM, .xwingAES256GCM:
      return gcm.open(
        UnsafeRawBufferPointer(start: text, count: byteCount), tag: text + byteCount, nonce: nonce,
        additionalData: none, into: output)
    }
  }

  /// AES-256-GCM under the derived key.
  private var gcm: AESGCM {
    var pieces = Pieces(scratch, byteCount: AESGCM.byteCount)
    let gcm = AESGCM(in: &pieces)
    gcm.setKey(key)
    return gcm
  }

  private func withChaChaPoly(_ body: (UnsafeMutablePointer<mbedtls_chachapoly_context>) -> Int32) -> Bool {
    let context = chachapoly.bindMemory(to: mbedtls_chachapoly_context.self, capacity: 1)
    mbedtls_chachapoly_init(context)
    defer { mbedtls_chachapoly_free(context) }
    return mbedtls_chachapoly_setkey(context, bytes(key)) == 0 && body(context) == 0
  }

  private var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  private func bytes(_ pointer: UnsafeRawPointer) -> UnsafePointer<UInt8> {
    pointer.assumingMemoryBound(to: UInt8.self)
  }

  private func bytes(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt8> {
    pointer.assumingMemoryBound(to: UInt8.self)
  }
}
