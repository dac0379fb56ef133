// The paper's CUSTOM_ENCWAY, shared by all modules. The integers are in Include/custom_keyboard.h and nowhere else.

private import CCustomKeyboard

/// The algorithm that a password is encrypted with: ECB with PKCS#5/#7 padding.
///
/// A later version may add algorithms, so a `switch` in another package needs an `@unknown default`.
@nonexhaustive
public enum EncryptionWay: CaseIterable, Sendable {
  /// DES, by mbedTLS. Broken; for old peers only.
  case des
  /// 3DES (EDE) with two or three keys, by mbedTLS. Retired by NIST (SP 800-131A).
  case tripleDES
  /// SM4, GB/T 32907-2016, our own and constant-time.
  case sm4
}

extension EncryptionWay {
  /// The `CUSTOM_ENCWAY` of the C header.
  public var code: UInt32 {
    switch self {
    case .des: CUSTOM_ENCWAY_DES.rawValue
    case .tripleDES: CUSTOM_ENCWAY_3DES.rawValue
    case .sm4: CUSTOM_ENCWAY_SM4.rawValue
    }
  }

  /// The algorithm with this `CUSTOM_ENCWAY`, or nil if there is none.
  public init?(code: UInt32) {
    switch code {
    case CUSTOM_ENCWAY_DES.rawValue: self = .des
    case CUSTOM_ENCWAY_3DES.rawValue: self = .tripleDES
    case CUSTOM_ENCWAY_SM4.rawValue: self = .sm4
    default: return nil
    }
  }
}
