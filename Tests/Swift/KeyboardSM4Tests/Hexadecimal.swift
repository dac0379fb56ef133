// Bytes written as in the standards.
//
// SPDX-License-Identifier: Apache-2.0

extension Array<UInt8> {
  /// Reads pairs of hexadecimal digits; spaces are ignored.
  init(hexadecimal text: String) {
    let digits = text.filter { $0 != " " }.map { UInt8($0.hexDigitValue!) }
    precondition(digits.count % 2 == 0)
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
