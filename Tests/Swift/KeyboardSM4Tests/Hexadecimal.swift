// Bytes as the standards print them.
//
// SPDX-License-Identifier: Apache-2.0

extension Array<UInt8> {
  /// Reads pairs of hexadecimal digits; spaces are for the reader.
  init(hexadecimal text: String) {
    let digits = text.filter { $0 != " " }.map { UInt8($0.hexDigitValue!) }
    precondition(digits.count % 2 == 0)
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
