// RSA by mbedTLS: OAEP for sealed texts, PSS for signatures, both with SHA-256 (RFC 8017).
// SPDX-License-Identifier: Apache-2.0

import CKeyboardMbedTLS
import CKeyboardStack
package import KeyboardCodes
package import KeyboardMemory
import KeyboardSHA2
import Synchronization

/// One computation with a key of RSA. Keys are DER in memory that must not change meanwhile.
///
/// Secrets are in that memory, in registers, on the stack, and in the heap: mbedTLS keeps numbers in memory that it
/// allocates, and wipes it before it frees it. That memory is neither locked nor left out of core dumps. `fork()` waits
/// until it is free. The caller wipes the rest.
///
/// mbedTLS's context is on the stack, and not in a workspace, because it holds the addresses of the numbers. If a fork
/// emptied it in the middle of a computation, the child would go on without them, and never end.
///
/// - Timing: as good as mbedTLS. The private exponent and the text are always blinded. But mbedTLS before 2.28.7 and
///   3.5.2 takes a time for a text that tells a little of what is in it (Marvin, CVE-2024-23170), and a private key's
///   check divides by its primes.
/// - Source: RFC 8017 §7.1, §8.1.
package enum RSA {
  /// Bytes in a modulus, and so in a text and in a signature: 2048 to 4096 bits.
  package static var lengths: ClosedRange<Int> { 256...512 }

  /// Bytes in a SubjectPublicKeyInfo: from 2048 bits and an exponent of a byte, to 4096 bits and one of eight.
  package static var publicKeyLengths: ClosedRange<Int> { 292...556 }

  /// Bytes in a private key. A PKCS#8 of 4096 bits, with primes of half as many, has 2,383 at most.
  package static var privateKeyLengths: ClosedRange<Int> { 1...2383 }

  /// About how many random bytes a private computation draws: two numbers as long as the modulus, and a little.
  private static var randomByteCount: Int { 1280 }

  private static let isBound = Atomic<Bool>(false)

  /// Leaves nothing for the dynamic linker to do while registers hold secrets.
  @inline(never) @export(interface)
  package static func bind() {
    guard !isBound.load(ordering: .acquiring) else { return }
    keyboard_bind_mbedtls_rsa()
    isBound.store(true, ordering: .releasing)
  }

  // MARK: Keys

  /// The bytes in a signature under this private key: 256 … 512.
  ///
  /// - Throws: `.key` if it is not a private key of RSA, or one whose numbers do not belong together; `.memory`.
  @inline(never) @export(interface)
  package static func length(ofPrivateKey key: UnsafeRawBufferPointer) throws(KeyboardError) -> Int {
    let key = try RSAKey(privateKey: key)
    guard try run(with: key, { rsa in keyboard_rsa_check(rsa) }) == 0 else { throw .key(.value) }
    return key.length
  }

  /// The bytes in a text for this public key, and in a signature that it verifies: 256 … 512.
  ///
  /// - Throws: `.key` if it is not a public key of RSA.
  @inline(never) @export(interface)
  package static func length(ofPublicKey key: UnsafeRawBufferPointer) throws(KeyboardError) -> Int {
    try RSAKey(subjectPublicKeyInfo: key).length
  }

  // MARK: OAEP

  /// Encrypts a short message.
  ///
  /// - Parameters:
  ///   - message: `byteCount` bytes, at most 190.
  ///   - publicKey: SubjectPublicKeyInfo.
  ///   - seed: 32 random bytes.
  ///   - text: gets as many bytes as the modulus has.
  /// - Throws: `.key`, `.memory`.
  /// - Source: RFC 8017 §7.1.1.
  @inline(never) @export(interface)
  package static func encrypt(
    _ message: UnsafeRawPointer, byteCount: Int, publicKey: UnsafeRawBufferPointer, seed: UnsafeMutableRawPointer,
    into text: UnsafeMutableRawPointer
  ) throws(KeyboardError) {
    let error = try run(with: RSAKey(subjectPublicKeyInfo: publicKey)) { rsa in
      keyboard_rsa_encrypt(
        rsa,
        { seed, bytes, count in
          UnsafeMutableRawPointer(bytes!).copyMemory(from: seed!, byteCount: count)
          return 0
        }, seed, message.assumingMemoryBound(to: UInt8.self), byteCount, text.assumingMemoryBound(to: UInt8.self))
    }
    guard error == 0 else { throw .key(.value) }
  }

  /// Decrypts a text.
  ///
  /// - Parameters:
  ///   - text: as many bytes as the modulus has.
  ///   - privateKey: one that was checked.
  ///   - stream: for blinding.
  ///   - message: gets at most `capacity` bytes.
  /// - Returns: how many bytes the message has; nil for a malformed text, or one whose message is longer.
  /// - Throws: `.key`, `.memory`.
  /// - Source: RFC 8017 §7.1.2.
  @inline(never) @export(interface)
  package static func decrypt(
    _ text: UnsafeRawPointer, privateKey: UnsafeRawBufferPointer, blindedBy stream: inout RandomStream,
    into message: UnsafeMutableRawPointer, capacity: Int
  ) throws(KeyboardError) -> Int? {
    var count = 0
    let key = try RSAKey(privateKey: privateKey)
    let isDone = try withUnsafeMutablePointer(to: &stream) { stream throws(KeyboardError) in
      try runPrivate(with: key) { rsa in
        keyboard_rsa_decrypt(
          rsa, fill, stream, text.assumingMemoryBound(to: UInt8.self), message.assumingMemoryBound(to: UInt8.self),
          capacity, &count)
      }
    }
    return isDone ? count : nil
  }

  // MARK: PSS

  /// Signs a digest, with a salt of 32 bytes.
  ///
  /// - Parameters:
  ///   - digest: SHA-256 of the message, 32 bytes.
  ///   - privateKey: PKCS#8 or PKCS#1, one that was checked.
  ///   - workspace: gives the salt, and the numbers for blinding.
  ///   - signature: gets `length(ofPrivateKey:)` bytes.
  /// - Throws: `.key`, `.memory`, `.random`.
  /// - Timing: as good as mbedTLS.
  /// - Source: RFC 8017 §8.1.1.
  @inline(never) @export(interface)
  package static func sign(
    _ digest: UnsafeRawPointer, privateKey: UnsafeRawBufferPointer, using workspace: borrowing Workspace,
    into signature: UnsafeMutableRawPointer
  ) throws(KeyboardError) {
    let key = try RSAKey(privateKey: privateKey)
    var stream = try randomStream(workspace)
    let isDone = try withUnsafeMutablePointer(to: &stream) { stream throws(KeyboardError) in
      try runPrivate(with: key) { rsa in
        keyboard_rsa_sign(
          rsa, fill, stream, digest.assumingMemoryBound(to: UInt8.self),
          signature.assumingMemoryBound(to: UInt8.self))
      }
    }
    guard isDone else { throw .key(.value) }
  }

  /// Whether a signature with a salt of 32 bytes is one of this digest.
  ///
  /// - Parameters:
  ///   - digest: SHA-256 of the message, 32 bytes.
  ///   - publicKey: SubjectPublicKeyInfo.
  /// - Throws: `.key`, `.memory`.
  /// - Timing: depends on everything; nothing is secret.
  /// - Source: RFC 8017 §8.1.2.
  @inline(never) @export(interface)
  package static func isSignature(
    _ signature: UnsafeRawBufferPointer, of digest: UnsafeRawPointer, publicKey: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Bool {
    let key = try RSAKey(subjectPublicKeyInfo: publicKey)
    guard signature.count == key.length else { return false }
    let bytes = signature.baseAddress!.assumingMemoryBound(to: UInt8.self)
    return try run(with: key) { rsa in
      keyboard_rsa_verify(rsa, digest.assumingMemoryBound(to: UInt8.self), bytes)
    } == 0
  }

  // MARK: mbedTLS

  package static func randomStream(_ workspace: borrowing Workspace) throws(KeyboardError) -> RandomStream {
    try workspace.randomStream(byteCount: randomByteCount)
  }

  /// Runs a private computation. mbedTLS looks at its result with the public key. If it is not right, memory was short
  /// (mbedTLS 2.28 forgets one such error), the processor has erred, or the primes are not primes. A second try shows
  /// which.
  ///
  /// - Returns: whether mbedTLS has done it.
  /// - Throws: `.memory`; `.key` if the primes are not primes.
  private static func runPrivate(
    with key: RSAKey, _ body: (UnsafeMutablePointer<mbedtls_rsa_context>) -> Int32
  ) throws(KeyboardError) -> Bool {
    var error = try run(with: key, body)
    if error == MBEDTLS_ERR_RSA_VERIFY_FAILED { error = try run(with: key, body) }
    guard error != MBEDTLS_ERR_RSA_VERIFY_FAILED else { throw .key(.value) }
    return error == 0
  }

  /// Runs a function of mbedTLS with a key, which mbedTLS copies to the heap, and wipes at the end.
  ///
  /// - Returns: 0, or an error of mbedTLS's.
  /// - Throws: `.memory`.
  @inline(never)
  private static func run(
    with key: RSAKey, _ body: (UnsafeMutablePointer<mbedtls_rsa_context>) -> Int32
  ) throws(KeyboardError) -> Int32 {
    var signals: UInt64 = 0
    guard keyboard_hold_forks(&signals) != 0 else { throw .memory }
    defer { keyboard_let_forks(signals) }
    let error = withUnsafeTemporaryAllocation(of: mbedtls_rsa_context.self, capacity: 1) { context in
      let rsa = context.baseAddress!
      var numbers = key.numbers
      keyboard_rsa_begin(rsa)
      defer { mbedtls_rsa_free(rsa) }
      let error = keyboard_rsa_import(rsa, &numbers)
      return error == 0 ? body(rsa) : error
    }
    // An error of mbedTLS's arithmetic is in the lowest seven bits of any other error.
    guard error != MBEDTLS_ERR_MD_ALLOC_FAILED, -error & 0x7f != -MBEDTLS_ERR_MPI_ALLOC_FAILED else { throw .memory }
    return error
  }
}

/// Random bytes of a `RandomStream` for mbedTLS.
private func fill(
  _ stream: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int
) -> Int32 {
  let stream = stream!.assumingMemoryBound(to: RandomStream.self)
  stream.pointee.fill(UnsafeMutableRawBufferPointer(start: bytes, count: count))
  return 0
}
