// The ways of a PIN block: CUSTOM_ENCWAY's numbers from 9 on. The integers are in Include/custom_keyboard.h only.
// SPDX-License-Identifier: Apache-2.0

private import CCustomKeyboard

/// A format of an encrypted PIN block, as ISO 9564-1 numbers them: what payment networks and hardware security modules
/// take.
///
/// A way of its own, not an `EncryptionWay`: a block holds a PIN of 4…12 digits and nothing else.
///
/// A later version may add formats, so a `switch` in another package needs an `@unknown default`.
///
/// - Source: ISO 9564-1:2017, clause 9.
/// - C: `CUSTOM_ENCWAY`.
@nonexhaustive
public enum PINBlockFormat: CaseIterable, Sendable {
  /// Bound to the account number, under 3DES. The same PIN gives the same block.
  case format0
  /// Not bound to an account number, under 3DES, with random digits.
  case format1
  /// As `format0`, with random digits.
  case format3
  /// Bound to the account number, under AES, with random bytes.
  case format4
}

extension PINBlockFormat {
  /// The `CUSTOM_ENCWAY` of the C header.
  public var code: UInt32 {
    switch self {
    case .format0: CUSTOM_ENCWAY_PIN0.rawValue
    case .format1: CUSTOM_ENCWAY_PIN1.rawValue
    case .format3: CUSTOM_ENCWAY_PIN3.rawValue
    case .format4: CUSTOM_ENCWAY_PIN4.rawValue
    }
  }

  /// The format with this `CUSTOM_ENCWAY`, or nil if that way makes no PIN block.
  public init?(code: UInt32) {
    switch code {
    case CUSTOM_ENCWAY_PIN0.rawValue: self = .format0
    case CUSTOM_ENCWAY_PIN1.rawValue: self = .format1
    case CUSTOM_ENCWAY_PIN3.rawValue: self = .format3
    case CUSTOM_ENCWAY_PIN4.rawValue: self = .format4
    default: return nil
    }
  }

  /// Bytes in a block: 16 (`format4`), otherwise 8.
  public var blockSize: Int { self == .format4 ? 16 : 8 }

  /// Whether a key may have so many bytes: 16, 24 or 32 (AES, `format4`); 16 or 24 (3DES, the others).
  public func acceptsKey(byteCount: Int) -> Bool {
    byteCount == 16 || byteCount == 24 || byteCount == 32 && self == .format4
  }

  /// Whether a block is bound to an account number.
  public var hasAccountNumber: Bool { self != .format1 }

  /// The number in the block's first four bits.
  package var control: UInt64 {
    switch self {
    case .format0: 0
    case .format1: 1
    case .format3: 3
    case .format4: 4
    }
  }
}
