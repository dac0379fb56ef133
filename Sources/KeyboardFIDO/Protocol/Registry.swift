// The numbers of FIDO's registries that are used here, and what our two authenticators are.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardText

/// The versions of the protocol that are spoken here. A later one comes first where there is a choice.
package struct ProtocolVersion: Equatable, Sendable {
  package let major: UInt32
  package let minor: UInt32

  package init(major: UInt32, minor: UInt32) {
    self.major = major
    self.minor = minor
  }

  package var isKnown: Bool { major == 1 && minor <= 1 }

  package func isBelow(_ other: ProtocolVersion) -> Bool {
    major != other.major ? major < other.major : minor < other.minor
  }

  /// - Parameter json: a dictionary with `major` and `minor`, numbers of 16 bits.
  package init?(_ json: JSON?) {
    guard let major = json?.member("major")?.unsigned, let minor = json?.member("minor")?.unsigned,
      major <= UInt32(UInt16.max), minor <= UInt32(UInt16.max)
    else { return nil }
    self.init(major: major, minor: minor)
  }
}

/// An authenticator of this client.
///
/// - C: `CUSTOM_FIDO_AUTHENTICATOR`, with the same integers.
package enum Authenticator: Int32, Sendable {
  case passcode = 1
  case pattern = 2

  package static var count: Int { 2 }
  package static func at(_ index: Int) -> Authenticator { index == 0 ? .passcode : .pattern }
  var index: Int { Int(rawValue) - 1 }
}

/// What a metadata statement says of an authenticator. Both are software in the app; the screen is the app's, too.
///
/// - Source: FIDO Registry of Predefined Values 1.1 §3; FIDO UAF Registry 1.1.
extension Authenticator {
  /// USER_VERIFY_PASSCODE, USER_VERIFY_PATTERN.
  var userVerification: UInt32 { self == .passcode ? 0x4 : 0x80 }
  /// KEY_PROTECTION_SOFTWARE.
  static var keyProtection: UInt32 { 0x1 }
  /// MATCHER_PROTECTION_SOFTWARE.
  static var matcherProtection: UInt32 { 0x1 }
  /// ATTACHMENT_HINT_INTERNAL.
  static var attachmentHint: UInt32 { 0x1 }
  /// TRANSACTION_CONFIRMATION_DISPLAY_ANY.
  static var transactionDisplay: UInt32 { 0x1 }
  /// ALG_SIGN_SECP256R1_ECDSA_SHA256_RAW.
  static var signatureAlgorithm: UInt16 { 0x0001 }
  /// ALG_KEY_ECC_X962_RAW.
  static var keyFormat: UInt16 { 0x0100 }
  /// TAG_ATTESTATION_BASIC_SURROGATE.
  static var attestationType: UInt32 { UInt32(Tag.surrogateAttestation.rawValue) }
  static var version: UInt16 { 1 }
  static var assertionScheme: StaticString { "UAFV1TLV" }
}

/// USER_VERIFY_ALL: all of the methods are needed, not one of them.
let userVerifyAll: UInt32 = 0x400

/// The length of an AAID: vendor and model in four hexadecimal digits each, and # between.
package let aaidSize = 9

/// Whether a text is an AAID.
///
/// - Source: FIDO UAF Protocol 1.1 §3.1.4.
package func isAAID(_ text: UnsafeRawBufferPointer) -> Bool {
  text.count == aaidSize && text[4] == UInt8(ascii: "#") && areDigits(text[..<4]) && areDigits(text[5...])
}

/// Whether a text is the vendor's part of an AAID.
func isVendorID(_ text: UnsafeRawBufferPointer) -> Bool { text.count == 4 && areDigits(text[...]) }

private func areDigits(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
  for byte in text {
    let isDigit =
      byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
      || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f")
    guard isDigit else { return false }
  }
  return true
}

/// Whether two AAIDs are the same: digits in either case.
func isSameAAID(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
  guard one.count == other.count else { return false }
  for i in 0..<one.count where one[i] | 0x20 != other[i] | 0x20 { return false }
  return true
}
