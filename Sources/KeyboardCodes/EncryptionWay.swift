// The paper's CUSTOM_ENCWAY, shared by all modules. The integers are in Include/custom_keyboard.h and nowhere else.
// SPDX-License-Identifier: Apache-2.0

private import CCustomKeyboard

/// The algorithm that a password is encrypted with: ECB with PKCS#5/#7 padding.
///
/// A later version may add algorithms, so a `switch` in another package needs an `@unknown default`.
///
/// - C: `CUSTOM_ENCWAY`.
@nonexhaustive
public enum EncryptionWay: CaseIterable, Sendable {
  /// DES (FIPS 46-3) by mbedTLS, with a key of 8 bytes. Broken: for old peers only. Not constant-time.
  case des
  /// 3DES (EDE, FIPS 46-3) by mbedTLS, with a key of 24 bytes, or of 16 (then K3 = K1). Retired by NIST (SP 800-131A).
  /// Not constant-time.
  case tripleDES
  /// SM4 (GB/T 32907-2016), with a key of 16 bytes. Constant-time, in pure Swift.
  case sm4
}

extension EncryptionWay {
  /// The algorithm's `CUSTOM_ENCWAY` in the C header.
  public var code: UInt32 {
    switch self {
    case .des: CUSTOM_ENCWAY_DES.rawValue
    case .tripleDES: CUSTOM_ENCWAY_3DES.rawValue
    case .sm4: CUSTOM_ENCWAY_SM4.rawValue
    }
  }

  /// The algorithm with a `CUSTOM_ENCWAY` of the C header.
  ///
  /// - Parameter code: any number. The result is nil if no algorithm has it.
  public init?(code: UInt32) {
    switch code {
    case CUSTOM_ENCWAY_DES.rawValue: self = .des
    case CUSTOM_ENCWAY_3DES.rawValue: self = .tripleDES
    case CUSTOM_ENCWAY_SM4.rawValue: self = .sm4
    default: return nil
    }
  }
}
