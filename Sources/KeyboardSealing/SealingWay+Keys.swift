// What users ask about a way of sealing: which lengths keys and texts have, and where keys come from.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardMemory

extension SealingWay {
  /// The lengths of sealed texts of this way, in bytes. All texts for one key have the same length.
  ///
  /// - Returns: one length: 172 (`sm4GCM`), 192 (`x25519`), 225 (`p256`), 285 (`sm2`), 1280 (`xwing`); or 256…512
  ///   (`rsa`: that of the key's modulus).
  public var textLengths: ClosedRange<Int> { row.texts }

  /// The lengths of keys that a keyboard takes, in bytes.
  ///
  /// - Returns: one length: 16 (`sm4GCM`: the secret key), 32 (`x25519`: u, little-endian), 65 (`p256` and `sm2`:
  ///   04 ‖ x ‖ y), 1216 (`xwing`: ML-KEM's encapsulation key ‖ X25519's u); or 292…556 (`rsa`: SubjectPublicKeyInfo in
  ///   DER).
  public var publicKeyLengths: ClosedRange<Int> { row.publicKeys }

  /// The lengths of keys that open a text, in bytes.
  ///
  /// - Returns: one length: 16 (`sm4GCM`), 32 (`x25519`: RFC 7748; `p256` and `sm2`: big-endian; `xwing`: the seed); or
  ///   1…2383 (`rsa`: PKCS#8 without attributes, or PKCS#1, in DER).
  public var secretKeyLengths: ClosedRange<Int> { row.secretKeys }

  /// Whether a key is a pair of which the public one follows from the private one, and is made here.
  public var hasPairs: Bool { origin == .pair }

  /// Whether the key looks like one for opening, as far as can be told without memory: of our copy, which is used then;
  /// or of the caller's bytes in a call that has no memory for a copy, uses nothing of them, and ends.
  ///
  /// - Throws: never; wipes the stack and the registers.
  @inline(never)
  func mayBeSecretKey(_ key: UnsafeRawBufferPointer) throws(KeyboardError) -> Bool {
    guard looksAtSecretKeys else { return true }
    return try Residue.wiped { () throws(KeyboardError) in isSecretKey(key.baseAddress!) }
  }

  /// Draws a secret key: uniformly, by rejection. Only for ways whose keys are drawn here.
  ///
  /// - Parameter key: gets as many bytes as the way's secret keys have.
  @inline(never)
  func drawPrivateKey(into key: UnsafeMutableRawPointer, from source: inout some RandomSource<Never> & ~Copyable) {
    let byteCount = row.secretKeys.upperBound
    repeat {
      source.fill(UnsafeMutableRawBufferPointer(start: key, count: byteCount))
    } while !isSecretKey(key)
  }
}
