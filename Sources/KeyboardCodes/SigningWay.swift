// The ways of a signature: CUSTOM_SIGNWAY. The integers are in Include/custom_keyboard.h only.
// SPDX-License-Identifier: Apache-2.0

private import CCustomKeyboard

/// How a text is signed.
///
/// A later version may add ways, so a `switch` in another package needs an `@unknown default`.
///
/// - C: `CUSTOM_SIGNWAY`.
@nonexhaustive
public enum SigningWay: CaseIterable, Sendable {
  /// ECDSA on P-256 with SHA-256.
  case p256
  /// SM2 with SM3, for the standard's default identity, `1234567812345678`.
  case sm2
  /// RSASSA-PSS with SHA-256, MGF1 with SHA-256, and a salt of 32 bytes.
  case rsa
}

extension SigningWay {
  /// The `CUSTOM_SIGNWAY` of the C header.
  public var code: UInt32 {
    switch self {
    case .p256: CUSTOM_SIGNWAY_P256.rawValue
    case .sm2: CUSTOM_SIGNWAY_SM2.rawValue
    case .rsa: CUSTOM_SIGNWAY_RSA.rawValue
    }
  }

  /// The way with this `CUSTOM_SIGNWAY`, or nil if there is none.
  public init?(code: UInt32) {
    switch code {
    case CUSTOM_SIGNWAY_P256.rawValue: self = .p256
    case CUSTOM_SIGNWAY_SM2.rawValue: self = .sm2
    case CUSTOM_SIGNWAY_RSA.rawValue: self = .rsa
    default: return nil
    }
  }
}
