// Every size limit of the library. Include/custom_keyboard.h has the same numbers for C, and a test compares them.
// SPDX-License-Identifier: Apache-2.0

/// The longest password in bytes: 1024 bits, the paper's limit.
///
/// - C: `CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE`.
public let maximumPasswordLength = 128

/// The longest ciphertext in bytes: the longest password and an SM4 block of padding.
///
/// - C: `CUSTOM_KEYBOARD_MAXTEXTSIZE`.
public let maximumTextLength = 144

/// The longest context of a sealed text, in bytes.
///
/// - C: `CUSTOM_KEYBOARD_MAXCONTEXTSIZE`.
public let maximumContextLength = 256

/// The longest sealed text in bytes, of the ways that there are. Later ways may have longer ones.
///
/// - C: `CUSTOM_KEYBOARD_MAXSEALEDSIZE`.
public let maximumSealedLength = 1280

/// The longest pepper of a verifier, in bytes.
public let maximumPepperLength = 64

/// The longest key in bytes: the three DES keys of 3DES.
public let maximumKeyLength = 24

/// The longest secret key that a keyboard holds, in bytes: AES-256's.
package let longestSecretKey = 32

extension ClosedRange<Int> {
  /// The lengths of what has only one.
  package static func only(_ value: Int) -> ClosedRange<Int> { value...value }
}

/// A good size in bytes for the space of `getText` and `decrypt`.
///
/// - Source: the paper, §3.1 (`ENCDATASPACESIZE`).
/// - C: `CUSTOM_KEYBOARD_ENCDATASPACESIZE`.
public let suggestedSpaceSize = 2048
