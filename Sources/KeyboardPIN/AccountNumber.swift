// The primary account number (PAN), the number of a card, which a PIN block is bound to.
// SPDX-License-Identifier: Apache-2.0

/// A primary account number of 10…19 digits, its check digit included.
///
/// - Source: ISO/IEC 7812-1; ISO 9564-1:2017 §9.3.3 and §9.4.2.3.
package struct AccountNumber: Equatable, Sendable {
  /// The number of digits in the highest byte; below, one digit a nibble, the last one in the lowest. 0 for none.
  package let bits: UInt128

  /// - Parameter bits: another one's; nil for 0.
  package init?(bits: UInt128) {
    guard bits != 0 else { return nil }
    self.bits = bits
  }

  /// - Parameter text: ASCII digits. The check digit is not checked.
  /// - Returns: nil for anything but 10…19 digits.
  /// - Timing: depends on the number, which is not secret here.
  package init?(_ text: UnsafeRawBufferPointer) {
    guard text.count >= 10, text.count <= 19 else { return nil }
    var digits: UInt128 = 0
    for i in 0..<text.count {
      let digit = text[i] ^ 0x30
      guard digit <= 9 else { return nil }
      digits = digits &<< 4 | UInt128(truncatingIfNeeded: digit)
    }
    bits = digits | UInt128(truncatingIfNeeded: text.count) &<< 120
  }

  /// What a block of format 0 or 3 is XORed with: four zeros, and the 12 rightmost digits without the check digit.
  var field: UInt64 { UInt64(truncatingIfNeeded: bits &>> 4) & 0xffff_ffff_ffff }

  /// That of format 4, two words: how many digits there are beyond 12, all digits (12 at least, zeros first), zeros.
  var longField: (UInt64, UInt64) {
    let used = max(Int(truncatingIfNeeded: bits &>> 120), 12)
    // The number of digits leaves at the upper end.
    let field = bits &<< UInt128(truncatingIfNeeded: 4 &* (31 &- used))
    let head = UInt64(truncatingIfNeeded: used &- 12) &<< 60
    return (UInt64(truncatingIfNeeded: field &>> 64) | head, UInt64(truncatingIfNeeded: field))
  }
}
