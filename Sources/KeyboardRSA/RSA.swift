// RSA: OAEP for sealed texts, PSS for signatures, both with SHA-256 (RFC 8017).
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
package import KeyboardMemory
import KeyboardSHA2

/// One computation with a key of RSA. Keys are DER in memory that must not change meanwhile.
///
/// Secrets are in that memory, in the caller's `Pieces`, in registers and on the stack. The caller wipes all four.
///
/// - Timing: private computations depend on the key's length, on the lengths of its numbers in bytes, on the public
///   exponent and on the verdict. Public ones depend on the key; a message is not seen.
/// - Source: RFC 8017 §7.1, §8.1.
package enum RSA {
  /// Bytes in a modulus, and so in a text and in a signature: 2048 to 4096 bits.
  package static var lengths: ClosedRange<Int> { 256...512 }

  /// Bytes in a SubjectPublicKeyInfo: from 2048 bits and an exponent of a byte, to 4096 bits and one of eight.
  package static var publicKeyLengths: ClosedRange<Int> { 292...556 }

  /// Bytes in a private key. A PKCS#8 of 4096 bits has 2,383 at most.
  package static var privateKeyLengths: ClosedRange<Int> { 1...2383 }

  /// Bytes in the longest prime.
  static var primeSize: Int { lengths.upperBound / 2 }

  /// Bytes that a public computation takes of its pieces.
  package static var publicWorkSize: Int { PublicPower.byteCount + max(OAEP.byteCount, PSS.byteCount) }

  /// Bytes that a private computation takes of its pieces, or the check of a private key.
  package static var privateWorkSize: Int {
    max(PrivatePower.byteCount + max(OAEP.byteCount, PSS.byteCount + PSS.saltSize), RSAKey.checkSize)
  }

  // MARK: Keys

  /// The bytes in a signature under this private key: 256 … 512.
  ///
  /// - Parameter pieces: `privateWorkSize` bytes, free again afterwards, as in all functions here.
  /// - Throws: `.key` if it is not a private key of RSA, or one whose numbers do not belong together.
  @inline(never) @export(interface)
  package static func length(
    ofPrivateKey key: UnsafeRawBufferPointer, in pieces: Pieces
  ) throws(KeyboardError) -> Int {
    let key = try RSAKey(privateKey: key)
    try key.check(in: pieces)
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
  ///   - pieces: `publicWorkSize` bytes.
  /// - Throws: `.key`.
  /// - Source: RFC 8017 §7.1.1.
  @inline(never) @export(interface)
  package static func encrypt(
    _ message: UnsafeRawPointer, byteCount: Int, publicKey: UnsafeRawBufferPointer, seed: UnsafeRawPointer,
    into text: UnsafeMutableRawPointer, in pieces: Pieces
  ) throws(KeyboardError) {
    var pieces = pieces
    let key = try RSAKey(subjectPublicKeyInfo: publicKey)
    let oaep = OAEP(length: key.length, in: &pieces)
    oaep.encode(message, byteCount: byteCount, seed: seed)
    // The block begins with a zero, so it is below the modulus.
    _ = PublicPower(key, in: &pieces).run(oaep.block, into: text)
  }

  /// Decrypts a text.
  ///
  /// - Parameters:
  ///   - text: as many bytes as the modulus has.
  ///   - privateKey: one that was checked.
  ///   - message: gets `byteCount` bytes, whatever the answer is.
  ///   - pieces: `privateWorkSize` bytes.
  /// - Returns: whether it is a text with a message of `byteCount` bytes.
  /// - Throws: `.key` if its primes are not primes.
  /// - Source: RFC 8017 §7.1.2.
  @inline(never) @export(interface)
  package static func decrypt(
    _ text: UnsafeRawPointer, privateKey: UnsafeRawBufferPointer, into message: UnsafeMutableRawPointer,
    byteCount: Int, in pieces: Pieces
  ) throws(KeyboardError) -> Bool {
    var pieces = pieces
    let key = try RSAKey(privateKey: privateKey)
    let oaep = OAEP(length: key.length, in: &pieces)
    let power = PrivatePower(key, in: &pieces)
    guard power.load(text) else { return false }
    try power.run()
    Numbers.store(power.m, into: oaep.block, byteCount: key.length)
    return ConstantTime.isZero(UInt64(oaep.decode(into: message, byteCount: byteCount)))
  }

  // MARK: Many texts under one key

  /// Bytes of memory for `powers`; nil where it would compute one power after another.
  package static var togetherSize: Int? {
    #if arch(x86_64)
      if RSAPath.current == .ifma { return PrivatePowers.byteCount }
    #endif
    return nil
  }

  /// The fewest texts for which `powers` takes less time than `decrypt` for each, measured with 2048, 2080, 3072 and
  /// 4096 bits.
  ///
  /// - Parameter length: bytes in the modulus.
  package static func fewestTogether(length: Int) -> Int { length > 320 ? 6 : 5 }

  /// The first half of `decrypt` for up to eight texts: their powers with the private exponent.
  ///
  /// - Parameters:
  ///   - texts: the first of `count` texts, each `stride` bytes after the one before.
  ///   - privateKey: one that was checked.
  ///   - output: gets the powers, as many bytes as the modulus has, at the same distance.
  ///   - memory: `togetherSize` bytes, aligned to 64.
  ///   - pieces: `privateWorkSize` bytes.
  /// - Returns: a bit for each text, the first one's lowest. `isBelow`: 0 if the text must be refused. `isRight`: 0 if
  ///   its power does not come out right, because the key's primes are not primes.
  /// - Throws: `.key` if it is not a private key of RSA.
  @inline(never) @export(interface)
  package static func powers(
    _ texts: UnsafeRawPointer, privateKey: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer, stride: Int,
    count: Int, at memory: UnsafeMutableRawPointer, in pieces: Pieces
  ) throws(KeyboardError) -> (isBelow: UInt64, isRight: UInt64) {
    #if arch(x86_64)
      let key = try RSAKey(privateKey: privateKey)
      var (isBelow, isRight) = PrivatePowers(key, at: memory).run(texts, into: output, stride: stride, count: count)
      let wrong = isBelow & ~isRight
      for index in 0..<count where wrong &>> UInt64(truncatingIfNeeded: index) & 1 == 1 {
        // A fault of the machine, or of the key: alone, a second try shows which.
        var pieces = pieces
        let power = PrivatePower(key, in: &pieces)
        _ = power.load(texts + index &* stride)
        do { try power.run() } catch { continue }
        Numbers.store(power.m, into: output + index &* stride, byteCount: key.length)
        isRight |= 1 &<< UInt64(truncatingIfNeeded: index)
      }
      return (isBelow, isRight)
    #else
      throw .memory
    #endif
  }

  /// The second half of `decrypt`.
  ///
  /// - Parameter power: what `powers` has left.
  @inline(never) @export(interface)
  package static func decode(
    _ power: UnsafeRawPointer, privateKey: UnsafeRawBufferPointer, into message: UnsafeMutableRawPointer,
    byteCount: Int, in pieces: Pieces
  ) throws(KeyboardError) -> Bool {
    var pieces = pieces
    let key = try RSAKey(privateKey: privateKey)
    let oaep = OAEP(length: key.length, in: &pieces)
    oaep.block.copyMemory(from: power, byteCount: key.length)
    return ConstantTime.isZero(UInt64(oaep.decode(into: message, byteCount: byteCount)))
  }

  // MARK: PSS

  /// Signs a digest, with a salt of 32 bytes.
  ///
  /// - Parameters:
  ///   - digest: SHA-256 of the message, 32 bytes.
  ///   - privateKey: PKCS#8 or PKCS#1, one that was checked.
  ///   - workspace: gives the salt.
  ///   - signature: gets as many bytes as the modulus has.
  ///   - pieces: `privateWorkSize` bytes.
  /// - Throws: `.random`; `.key` if its primes are not primes.
  /// - Source: RFC 8017 §8.1.1.
  @inline(never) @export(interface)
  package static func sign(
    _ digest: UnsafeRawPointer, privateKey: UnsafeRawBufferPointer, using workspace: borrowing Workspace,
    into signature: UnsafeMutableRawPointer, in pieces: Pieces
  ) throws(KeyboardError) {
    var pieces = pieces
    let key = try RSAKey(privateKey: privateKey)
    let salt = UnsafeMutableRawBufferPointer(start: pieces.take(PSS.saltSize), count: PSS.saltSize)
    var stream = try workspace.randomStream(byteCount: salt.count)
    stream.fill(salt)
    let pss = PSS(key, in: &pieces)
    pss.encode(digest, salt: salt.baseAddress!)
    let power = PrivatePower(key, in: &pieces)
    // The block has one bit less than the modulus, so it is below it.
    guard power.load(pss.block) else { throw .key(.value) }
    try power.run()
    Numbers.store(power.m, into: signature, byteCount: key.length)
  }

  /// Whether a signature with a salt of 32 bytes is one of this digest.
  ///
  /// - Parameters:
  ///   - digest: SHA-256 of the message, 32 bytes.
  ///   - publicKey: SubjectPublicKeyInfo.
  ///   - pieces: `publicWorkSize` bytes.
  /// - Throws: `.key`.
  /// - Timing: depends on everything; nothing is secret.
  /// - Source: RFC 8017 §8.1.2.
  @inline(never) @export(interface)
  package static func isSignature(
    _ signature: UnsafeRawBufferPointer, of digest: UnsafeRawPointer, publicKey: UnsafeRawBufferPointer,
    in pieces: Pieces
  ) throws(KeyboardError) -> Bool {
    var pieces = pieces
    let key = try RSAKey(subjectPublicKeyInfo: publicKey)
    guard signature.count == key.length else { return false }
    let pss = PSS(key, in: &pieces)
    guard PublicPower(key, in: &pieces).run(signature.baseAddress!, into: pss.block) else { return false }
    return pss.isRight(digest)
  }
}
