// The schemes of Derived Unique Key Per Transaction: CUSTOM_DUKPT. The integers are in Include/custom_keyboard.h only.
// SPDX-License-Identifier: Apache-2.0

private import CCustomKeyboard

/// How a terminal gets a key for each transaction, and what kind of key that is.
///
/// A later version may add schemes, so a `switch` in another package needs an `@unknown default`.
///
/// - Source: ANSI X9.24-1:2009 (`tripleDES`), X9.24-3:2017 (the others).
/// - C: `CUSTOM_DUKPT`.
@nonexhaustive
public enum DUKPTScheme: CaseIterable, Sendable {
  /// 3DES throughout, with two keys. About a million transactions.
  case tripleDES
  /// AES; the working key is one of AES-128. As all schemes of AES, over two thousand million transactions.
  case aes128
  /// AES; the working key is one of AES-192.
  case aes192
  /// AES; the working key is one of AES-256.
  case aes256
  /// AES; the working key is one of 3DES with two keys.
  case aesTwoKeyTripleDES
  /// AES; the working key is one of 3DES with three keys.
  case aesThreeKeyTripleDES
}

extension DUKPTScheme {
  /// The scheme's `CUSTOM_DUKPT` in the C header.
  public var code: UInt32 {
    switch self {
    case .tripleDES: CUSTOM_DUKPT_TDES.rawValue
    case .aes128: CUSTOM_DUKPT_AES128.rawValue
    case .aes192: CUSTOM_DUKPT_AES192.rawValue
    case .aes256: CUSTOM_DUKPT_AES256.rawValue
    case .aesTwoKeyTripleDES: CUSTOM_DUKPT_AES_2TDEA.rawValue
    case .aesThreeKeyTripleDES: CUSTOM_DUKPT_AES_3TDEA.rawValue
    }
  }

  /// The scheme with this `CUSTOM_DUKPT`, or nil if there is none.
  public init?(code: UInt32) {
    switch code {
    case CUSTOM_DUKPT_TDES.rawValue: self = .tripleDES
    case CUSTOM_DUKPT_AES128.rawValue: self = .aes128
    case CUSTOM_DUKPT_AES192.rawValue: self = .aes192
    case CUSTOM_DUKPT_AES256.rawValue: self = .aes256
    case CUSTOM_DUKPT_AES_2TDEA.rawValue: self = .aesTwoKeyTripleDES
    case CUSTOM_DUKPT_AES_3TDEA.rawValue: self = .aesThreeKeyTripleDES
    default: return nil
    }
  }

  /// Bytes in a key serial number: 10 (`tripleDES`), otherwise 12.
  public var serialNumberSize: Int { self == .tripleDES ? 10 : 12 }

  /// Bytes in a working key.
  public var workingKeySize: Int {
    switch self {
    case .tripleDES, .aes128, .aesTwoKeyTripleDES: 16
    case .aes192, .aesThreeKeyTripleDES: 24
    case .aes256: 32
    }
  }

  /// Whether a base key or an initial key may have so many bytes: 16 (`tripleDES`); 16, 24 or 32, as many as an AES
  /// working key or more.
  public func acceptsKey(byteCount: Int) -> Bool {
    switch self {
    case .tripleDES: byteCount == 16
    case .aes128, .aesTwoKeyTripleDES, .aesThreeKeyTripleDES: byteCount == 16 || byteCount == 24 || byteCount == 32
    case .aes192: byteCount == 24 || byteCount == 32
    case .aes256: byteCount == 32
    }
  }

  /// Whether the working key is one of AES.
  public var hasAESWorkingKey: Bool {
    switch self {
    case .aes128, .aes192, .aes256: true
    case .tripleDES, .aesTwoKeyTripleDES, .aesThreeKeyTripleDES: false
    }
  }
}
