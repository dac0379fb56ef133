// What getText returns if the caller brings no space: the paper's signature (§3.1).
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardText

/// A ciphertext at a random offset in 2048 random bytes (`suggestedSpaceSize`). It is not secret: it may be copied and
/// sent.
public struct EncryptedText: Sendable {
  /// All 2048 bytes: the ciphertext, and random bytes before and after it.
  public let space: [UInt8]

  /// The ciphertext's place in `space`.
  public let range: Range<Int>

  /// The ciphertext: 8 … 136 bytes for DES and 3DES, 16 … 144 for SM4, 172 … 1280 for a sealed text, 8 or 16 for a PIN
  /// block.
  public var bytes: ArraySlice<UInt8> { space[range] }

  #if !hasFeature(Embedded)
    /// The ciphertext in lower-case hexadecimal digits, as the paper prints it.
    public var hexadecimal: String { Hexadecimal.string(of: bytes) }
  #endif
}

extension Keyboard {
  /// Encrypts what was typed, into a space that it makes. May be called again: what was typed stays until `close`.
  ///
  /// - Returns: the ciphertext at a uniformly random offset in 2048 random bytes.
  /// - Throws: `.operationDisabled` while the keyboard is not open; `.key` if no key is set, or one for ECB and a
  ///   context; `.memory`, `.random`.
  /// - Timing: depends on the lengths only (SM4); DES and 3DES look up tables.
  /// - Source: the paper, §3.1; GB/T 32907-2016 §7, FIPS 46-3, RFC 5652 §6.3.
  /// - C: `CustomKeyboard_getText` with a space of `CUSTOM_KEYBOARD_ENCDATASPACESIZE` bytes.
  public func getText() throws(KeyboardError) -> EncryptedText {
    var space = [UInt8](repeating: 0, count: suggestedSpaceSize)
    let range = try space.lendMutable { space throws(KeyboardError) in try keyboardHandle.getText(into: space) }
    return EncryptedText(space: space, range: range)
  }
}
