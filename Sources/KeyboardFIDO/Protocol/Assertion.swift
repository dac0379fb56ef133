// What an authenticator signs: UAFV1TLV with basic surrogate attestation.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardText

/// What both kinds of assertions have. All of it is public.
///
///     registration      3E01 { 3E03 { AAID, info, final challenge, key ID, counters, public key } 3E08 { signature } }
///     authentication    3E02 { 3E04 { AAID, info, nonce, final challenge, transaction, key ID, counter } signature }
///
/// - Source: FIDO UAF Authenticator Commands 1.1 §5.2.
package struct Assertion {
  /// `aaidSize` bytes.
  let aaid: UnsafeRawBufferPointer
  /// `digestSize` bytes.
  let finalChallengeHash: UnsafeRawBufferPointer
  let keyID: UnsafeRawBufferPointer
  let signCounter: UInt32

  package static var digestSize: Int { 32 }
  package static var keyIDSize: Int { 32 }
  package static var publicKeySize: Int { 65 }
  package static var signatureSize: Int { 64 }
  package static var nonceSize: Int { 16 }
  /// The longest assertion, which is that of a registration: 257 bytes.
  package static var capacity: Int { 320 }

  package init(
    aaid: UnsafeRawBufferPointer, finalChallengeHash: UnsafeRawBufferPointer, keyID: UnsafeRawBufferPointer,
    signCounter: UInt32
  ) {
    self.aaid = aaid
    self.finalChallengeHash = finalChallengeHash
    self.keyID = keyID
    self.signCounter = signCounter
  }

  /// What a person did before the signature.
  enum Mode: UInt8 {
    case verified = 1
    /// The person also saw a text, and confirmed it.
    case confirmedTransaction = 2
  }

  /// - Parameters:
  ///   - registrationCounter: how many keys the authenticator has made.
  ///   - sign: gets the key registration data and a place for the signature.
  package func writeRegistration(
    publicKey: UnsafeRawBufferPointer, registrationCounter: UInt32, to writer: inout ByteWriter,
    sign: (UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Void
  ) {
    writer.put(.registrationAssertion) { writer in
      let signed = writing(.keyRegistrationData, to: &writer) { writer in
        writer.put(.aaid, aaid)
        putInfo(.verified, withKeyFormat: true, to: &writer)
        writer.put(.finalChallengeHash, finalChallengeHash)
        writer.put(.keyID, keyID)
        writer.put(.counters) {
          $0.putLittleEndian(signCounter)
          $0.putLittleEndian(registrationCounter)
        }
        writer.put(.publicKey, publicKey)
      }
      writer.put(.surrogateAttestation) { putSignature(of: signed, to: &$0, sign) }
    }
  }

  /// - Parameters:
  ///   - nonce: random bytes, so that no two signatures are over the same text.
  ///   - transactionHash: SHA-256 of the text that the person confirmed; empty if there is none.
  package func writeAuthentication(
    nonce: UnsafeRawBufferPointer, transactionHash: UnsafeRawBufferPointer, to writer: inout ByteWriter,
    sign: (UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Void
  ) {
    writer.put(.authenticationAssertion) { writer in
      let signed = writing(.signedData, to: &writer) { writer in
        writer.put(.aaid, aaid)
        putInfo(transactionHash.isEmpty ? .verified : .confirmedTransaction, withKeyFormat: false, to: &writer)
        writer.put(.authenticatorNonce, nonce)
        writer.put(.finalChallengeHash, finalChallengeHash)
        writer.put(.transactionContentHash, transactionHash)
        writer.put(.keyID, keyID)
        writer.put(.counters) { $0.putLittleEndian(signCounter) }
      }
      putSignature(of: signed, to: &writer, sign)
    }
  }

  /// Writes a tag, and tells where it is: what is signed begins with the tag itself.
  private func writing(
    _ tag: Tag, to writer: inout ByteWriter, _ body: (inout ByteWriter) -> Void
  ) -> UnsafeRawBufferPointer {
    let start = writer.count
    writer.put(tag, body)
    return UnsafeRawBufferPointer(rebasing: writer.bytes[start...])
  }

  private func putInfo(_ mode: Mode, withKeyFormat: Bool, to writer: inout ByteWriter) {
    writer.put(.assertionInfo) {
      $0.putLittleEndian(Authenticator.version)
      $0.put(mode.rawValue)
      $0.putLittleEndian(Authenticator.signatureAlgorithm)
      if withKeyFormat { $0.putLittleEndian(Authenticator.keyFormat) }
    }
  }

  private func putSignature(
    of signed: UnsafeRawBufferPointer, to writer: inout ByteWriter,
    _ sign: (UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Void
  ) {
    writer.put(.signature) {
      if let place = $0.advance(Self.signatureSize) { sign(signed, place) }
    }
  }
}
