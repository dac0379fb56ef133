// The ways of a sealed text: CUSTOM_ENCWAY's numbers from 3 on. The integers are in Include/custom_keyboard.h only.
// SPDX-License-Identifier: Apache-2.0

private import CCustomKeyboard

/// How a password is sealed: so that only the recipient can open it, only unaltered, and only in its context.
///
/// A way of its own, not an `EncryptionWay`: a sealed text cannot be decrypted as an ECB text, nor the other way round,
/// and no function takes both.
///
/// A later version may add ways, so a `switch` in another package needs an `@unknown default`.
@nonexhaustive
public enum SealingWay: CaseIterable, Sendable {
  /// SM4 in Galois/Counter Mode (RFC 8998), under a key of 16 bytes that both ends have.
  case sm4GCM
  /// HPKE (RFC 9180, base mode): DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305.
  case x25519
  /// HPKE (RFC 9180, base mode): DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM.
  case p256
  /// SM2 encryption (GM/T 0003.4) of a fresh key for SM4 in Galois/Counter Mode.
  case sm2
  /// RSAES-OAEP with SHA-256 (RFC 8017), of the password and a digest of the context.
  case rsa
  /// HPKE (RFC 9180, base mode): X-Wing, which is ML-KEM-768 (FIPS 203) and X25519 together, HKDF-SHA256, AES-256-GCM.
  /// Secure for as long as one of the two is, against quantum computers too.
  case xwing
}

extension SealingWay {
  /// The `CUSTOM_ENCWAY` of the C header.
  public var code: UInt32 {
    switch self {
    case .sm4GCM: CUSTOM_ENCWAY_SM4_GCM.rawValue
    case .x25519: CUSTOM_ENCWAY_X25519.rawValue
    case .p256: CUSTOM_ENCWAY_P256.rawValue
    case .sm2: CUSTOM_ENCWAY_SM2.rawValue
    case .rsa: CUSTOM_ENCWAY_RSA.rawValue
    case .xwing: CUSTOM_ENCWAY_XWING.rawValue
    }
  }

  /// The way with this `CUSTOM_ENCWAY`, or nil if that way does not seal.
  public init?(code: UInt32) {
    switch code {
    case CUSTOM_ENCWAY_SM4_GCM.rawValue: self = .sm4GCM
    case CUSTOM_ENCWAY_X25519.rawValue: self = .x25519
    case CUSTOM_ENCWAY_P256.rawValue: self = .p256
    case CUSTOM_ENCWAY_SM2.rawValue: self = .sm2
    case CUSTOM_ENCWAY_RSA.rawValue: self = .rsa
    case CUSTOM_ENCWAY_XWING.rawValue: self = .xwing
    default: return nil
    }
  }
}
