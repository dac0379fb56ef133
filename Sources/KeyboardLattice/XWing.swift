// X-Wing: ML-KEM-768 and X25519 together, which is secure for as long as one of the two is.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCurves
import KeyboardHashes

/// The key encapsulation X-Wing: a view of memory that belongs to the caller, who wipes it.
///
///     0           11824      11920        11952     12016
///     ├ ML-KEM ───┼ expanded ┼ public key ┼ secrets ┤
///
/// The functions leave secrets in that memory, in registers and up to 1.5 KB deep on the stack, and up to 5 KB where
/// several are opened at a time (computed from the compiled code: 1,488 and 4,608 bytes).
///
/// - Timing: as for `MLKEM768`.
/// - Source: draft-connolly-cfrg-xwing-kem, §5.
package struct XWing {
  /// Bytes of a private key: a seed.
  package static var privateKeySize: Int { 32 }
  package static var publicKeySize: Int { MLKEM768.encapsulationKeySize + X25519.keySize }
  package static var ciphertextSize: Int { MLKEM768.ciphertextSize + X25519.keySize }
  package static var sharedSecretSize: Int { 32 }
  /// Bytes of randomness that `encapsulate` takes.
  package static var randomnessSize: Int { MLKEM768.sharedKeySize + X25519.keySize }

  /// Bytes of memory that the functions take.
  package static var byteCount: Int { MLKEM768.byteCount + expandedSize + X25519.keySize + secretsSize }

  private static var expandedSize: Int { MLKEM768.seedSize + X25519.keySize }
  private static var secretsSize: Int { MLKEM768.sharedKeySize + X25519.keySize }

  private let memory: UnsafeMutableRawPointer
  private let kem: MLKEM768

  /// Views memory. Neither reads nor writes it.
  ///
  /// - Parameter memory: `byteCount` bytes aligned to 8, or better to 64. They must exist for as long as this is used.
  package init(at memory: UnsafeMutableRawPointer) { self.init(at: memory, on: .current) }

  init(at memory: UnsafeMutableRawPointer, on path: VectorPath) {
    self.memory = memory
    kem = MLKEM768(at: memory, on: path)
  }

  /// The seed of ML-KEM's key, and behind it X25519's private key.
  private var expanded: UnsafeMutableRawPointer { memory + MLKEM768.byteCount }
  private var scalar: UnsafeMutableRawPointer { expanded + MLKEM768.seedSize }
  private var publicKey: UnsafeMutableRawPointer { expanded + Self.expandedSize }
  /// Both shared secrets, ML-KEM's first.
  private var secrets: UnsafeMutableRawPointer { publicKey + X25519.keySize }

  /// Whether a public key may be used.
  ///
  /// - Parameter publicKey: 1216 bytes.
  /// - Timing: constant up to the answer.
  /// - Source: FIPS 203 §7.2; for X25519 see `X25519.isAcceptablePublicKey`.
  @inline(never)
  package static func isAcceptablePublicKey(_ publicKey: UnsafeRawPointer) -> Bool {
    MLKEM768.isEncapsulationKey(publicKey)
      && X25519.isAcceptablePublicKey(publicKey + MLKEM768.encapsulationKeySize)
  }

  /// - Parameters:
  ///   - privateKey: 32 bytes.
  ///   - publicKey: gets 1216 bytes. Both are outside this memory.
  /// - Source: §5.2.
  @inline(never)
  package func makePublicKey(of privateKey: UnsafeRawPointer, into publicKey: UnsafeMutableRawPointer) {
    expand(privateKey)
    kem.makeEncapsulationKey(of: expanded, into: publicKey)
    X25519.publicKey(of: scalar, into: publicKey + MLKEM768.encapsulationKeySize)
  }

  /// Makes a shared secret, and the ciphertext that tells it to the owner of a key.
  ///
  /// - Parameters:
  ///   - recipient: 1216 bytes that `isAcceptablePublicKey` accepts.
  ///   - randomness: 64 fresh random bytes, used for nothing else.
  ///   - ciphertext: gets 1120 bytes.
  ///   - sharedSecret: gets 32 bytes. All four are outside this memory.
  /// - Returns: all ones if X25519's output is all zero, which an acceptable key does not cause; otherwise 0. A
  ///   protocol must then stop.
  /// - Source: §5.4.
  @inline(never)
  package func encapsulate(
    _ recipient: UnsafeRawPointer, randomness: UnsafeRawPointer, into ciphertext: UnsafeMutableRawPointer,
    sharedSecret: UnsafeMutableRawPointer
  ) -> UInt64 {
    let ephemeral = randomness + MLKEM768.sharedKeySize
    let theirs = recipient + MLKEM768.encapsulationKeySize
    let ours = ciphertext + MLKEM768.ciphertextSize
    kem.encapsulate(recipient, message: randomness, into: ciphertext, sharedKey: secrets)
    let isZero = X25519.agree(ephemeral, theirs, into: secrets + MLKEM768.sharedKeySize, publicKey: ours)
    combine(ours, theirs, into: sharedSecret)
    return isZero
  }

  /// Finds the shared secret of a ciphertext. For a ciphertext that was changed, or made for another key, the result is
  /// a secret that nobody else can know.
  ///
  /// - Parameters:
  ///   - ciphertext: 1120 bytes.
  ///   - privateKey: 32 bytes.
  ///   - sharedSecret: gets 32 bytes. All three are outside this memory.
  /// - Returns: all ones if X25519's output is all zero, which a point of low order in the ciphertext causes; otherwise
  ///   0. A protocol must then refuse the text.
  /// - Source: §5.5.
  @inline(never)
  package func decapsulate(
    _ ciphertext: UnsafeRawPointer, privateKey: UnsafeRawPointer, into sharedSecret: UnsafeMutableRawPointer
  ) -> UInt64 {
    let theirs = ciphertext + MLKEM768.ciphertextSize
    expand(privateKey)
    kem.decapsulate(ciphertext, seed: expanded, into: secrets)
    let isZero = X25519.agree(scalar, theirs, into: secrets + MLKEM768.sharedKeySize, publicKey: publicKey)
    combine(theirs, publicKey, into: sharedSecret)
    return isZero
  }

  // MARK: Many ciphertexts under one key

  /// Bytes behind this memory in which `expandKey` keeps what ML-KEM would overwrite.
  package static var keptByteCount: Int { MLKEM768.vectorSize }

  private var kept: UnsafeMutableRawPointer { memory + Self.byteCount }

  /// Makes what of `decapsulate` depends on the key only: half of its time.
  ///
  /// - Parameter privateKey: 32 bytes, outside this memory, which has `keptByteCount` bytes more.
  @inline(never)
  package func expandKey(_ privateKey: UnsafeRawPointer) {
    expand(privateKey)
    kem.expandKey(expanded, keeping: kept)
    X25519.publicKey(of: scalar, into: publicKey)
  }

  /// X25519's part of `decapsulate`, for each of up to eight ciphertexts, after `expandKey`.
  ///
  /// - Parameters:
  ///   - ciphertexts: the first of `count` ciphertexts.
  ///   - agreed: gets the first of as many shared secrets of X25519, 32 bytes each.
  ///   - stride: bytes from one ciphertext to the next, and from one secret to the next.
  /// - Returns: a bit for each ciphertext: 1 if its secret is all zero. The text must then be refused.
  @inline(never)
  package func agreeEach(
    _ ciphertexts: UnsafeRawPointer, into agreed: UnsafeMutableRawPointer, stride: Int, count: Int
  ) -> UInt64 {
    X25519.multiplyEach(
      scalar, ciphertexts + MLKEM768.ciphertextSize, into: agreed, stride: stride, count: count)
  }

  /// The rest of `decapsulate`, after `expandKey` and `agreeEach`.
  ///
  /// - Parameter agreed: this ciphertext's secret of X25519, which becomes the shared secret.
  @inline(never)
  package func decapsulate(_ ciphertext: UnsafeRawPointer, agreed: UnsafeMutableRawPointer) {
    kem.decapsulate(ciphertext, seed: expanded, expanded: kept, into: secrets)
    (secrets + MLKEM768.sharedKeySize).copyMemory(from: agreed, byteCount: X25519.keySize)
    combine(ciphertext + MLKEM768.ciphertextSize, publicKey, into: agreed)
  }

  /// expandDecapsulationKey. (§5.2)
  private func expand(_ privateKey: UnsafeRawPointer) {
    kem.digest(.shake256, privateKey, Self.privateKeySize, into: expanded, Self.expandedSize)
  }

  /// The combiner: SHA3-256(ss_M ‖ ss_X ‖ ct_X ‖ pk_X ‖ label). The label is a picture of an X-wing. (§5.3)
  @_optimize(size) @inline(never)
  private func combine(
    _ ciphertext: UnsafeRawPointer, _ publicKey: UnsafeRawPointer, into sharedSecret: UnsafeMutableRawPointer
  ) {
    let hash = kem.hash
    hash.begin(.sha3_256)
    hash.absorb(UnsafeRawBufferPointer(start: secrets, count: Self.secretsSize))
    hash.absorb(UnsafeRawBufferPointer(start: ciphertext, count: X25519.keySize))
    hash.absorb(UnsafeRawBufferPointer(start: publicKey, count: X25519.keySize))
    let label: StaticString = #"\.//^\"#
    hash.absorb(UnsafeRawBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount))
    hash.finish(into: sharedSecret, byteCount: Self.sharedSecretSize)
  }
}
