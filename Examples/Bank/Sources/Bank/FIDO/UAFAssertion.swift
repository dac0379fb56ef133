// What an authenticator signs: the assertion of FIDO UAF 1.1 in its TLV form (UAFV1TLV), with a key on P-256. What can
// be checked without a record is checked here; FIDOAPI compares the rest with the bank's own.
//
// Source: FIDO UAF Authenticator Commands 1.1 §5.2; FIDO UAF Protocol 1.1 §3.4.6.5, §3.5.7.5.
// SPDX-License-Identifier: Apache-2.0

import CBankMbedTLS

struct UAFAssertion: Sendable {
  let aaid: String
  let keyID: [UInt8]
  /// How often the key has signed. Never the same twice: a copy of the key would be noticed.
  let counter: Int
  let kind: Kind
  /// The SHA-256 of the parameters that the client has signed for.
  let finalChallenge: [UInt8]
  /// What is signed: a structure with its tag and length.
  private let signed: [UInt8]
  private let signature: [UInt8]

  enum Kind: Sendable {
    case registration(publicKey: [UInt8])
    /// With the SHA-256 of the text that the person has confirmed, if there is one.
    case authentication(transaction: [UInt8]?)
  }

  /// - Throws: what is wrong with its form.
  init(_ bytes: [UInt8]) throws(UAFRefusal) {
    guard let whole = TLV.one(bytes[...]), let parts = whole.fields else { throw .content("The assertion is not TLV.") }
    let inner: TLV?
    switch (whole.tag, parts.count) {
    case (.registration, 2):
      // A surrogate: the new key signs itself. There is no certificate to look at.
      inner = parts[.registrationData]
      let attestation = parts[.surrogate]?.fields
      guard let attestation, attestation.count == 1, let signature = attestation[.signature]?.value else {
        throw UAFRefusal(.attestation, "Only basic surrogate attestation is taken.")
      }
      self.signature = Array(signature)
    case (.authentication, 2):
      inner = parts[.signedData]
      guard let signature = parts[.signature]?.value else { throw .content("The assertion has no signature.") }
      self.signature = Array(signature)
    default:
      throw .content("The assertion is neither a registration nor an authentication.")
    }
    guard let inner, let fields = inner.fields else { throw .content("The assertion has no signed data.") }
    signed = Array(inner.whole)

    guard let aaid = fields[.aaid]?.value, aaid.count == 9, let keyID = fields[.keyID]?.value, keyID.count == 32,
      let challenge = fields[.finalChallenge]?.value, challenge.count == 32, let info = fields[.info]?.value,
      let counters = fields[.counters]?.value
    else { throw .content("A field of the assertion is missing, or has the wrong length.") }
    self.aaid = String(decoding: aaid, as: UTF8.self)
    (self.keyID, finalChallenge) = (Array(keyID), Array(challenge))

    // Version, mode, algorithm 1: ECDSA on P-256 with SHA-256, raw; key format 0x100: a raw point.
    if whole.tag == .registration {
      guard fields.count == 6, let key = fields[.publicKey]?.value, key.count == 65, counters.count == 8 else {
        throw .content("The registration's fields are not those that its metadata states.")
      }
      guard info.elementsEqual([1, 0, 1, 1, 0, 0, 1]) else { throw .algorithm }
      kind = .registration(publicKey: Array(key))
    } else {
      guard fields.count == 7, let nonce = fields[.nonce]?.value, nonce.count >= 8, counters.count == 4,
        let transaction = fields[.transactionHash]?.value
      else { throw .content("The authentication's fields are not those that its metadata states.") }
      let isConfirmed = transaction.count == 32
      guard isConfirmed || transaction.isEmpty else { throw .content("The transaction's hash is not a SHA-256.") }
      guard info.elementsEqual([1, 0, isConfirmed ? 2 : 1, 1, 0]) else { throw .algorithm }
      kind = .authentication(transaction: isConfirmed ? Array(transaction) : nil)
    }
    counter = counters.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Whether this key has signed it.
  ///
  /// - Parameter publicKey: 65 bytes, from the registration itself or from the bank's records.
  func isSigned(by publicKey: [UInt8]) -> Bool {
    signature.count == 64 && bank_verify_p256(publicKey, sha256(signed), signature) == 0
  }
}

/// A tag, a length and a value, the numbers in two bytes each with the low byte first.
private struct TLV {
  enum Tag: UInt16 {
    case registration = 0x3e01
    case authentication = 0x3e02
    case registrationData = 0x3e03
    case signedData = 0x3e04
    case surrogate = 0x3e08
    case signature = 0x2e06
    case keyID = 0x2e09
    case finalChallenge = 0x2e0a
    case aaid = 0x2e0b
    case publicKey = 0x2e0c
    case counters = 0x2e0d
    case info = 0x2e0e
    case nonce = 0x2e0f
    case transactionHash = 0x2e10
  }

  let tag: Tag
  let value: ArraySlice<UInt8>
  let whole: ArraySlice<UInt8>

  /// The first of the bytes.
  private init?(_ bytes: ArraySlice<UInt8>) {
    func number(_ place: Int) -> UInt16 { UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8 }
    let start = bytes.startIndex
    guard bytes.count >= 4, let tag = Tag(rawValue: number(start)) else { return nil }
    let end = start + 4 + Int(number(start + 2))
    guard end <= bytes.endIndex else { return nil }
    (self.tag, value, whole) = (tag, bytes[start + 4..<end], bytes[start..<end])
  }

  /// All of the bytes.
  static func one(_ bytes: ArraySlice<UInt8>) -> TLV? {
    TLV(bytes).flatMap { $0.whole.count == bytes.count ? $0 : nil }
  }

  /// What is inside, if that is structures up to the end, each known and there once.
  var fields: [Tag: TLV]? {
    var (fields, rest) = ([Tag: TLV](), value)
    while !rest.isEmpty {
      guard let next = TLV(rest), fields.updateValue(next, forKey: next.tag) == nil else { return nil }
      rest = rest[next.whole.endIndex...]
    }
    return fields
  }
}
