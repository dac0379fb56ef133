// Hexadecimal digits of what is public: ciphertexts, signatures, contexts. Secrets have those of SecretBytes.
// SPDX-License-Identifier: Apache-2.0

/// Two lower-case digits for each byte. Not for secrets: strings are not wiped.
func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// The bytes of hexadecimal digits, in pairs and nothing else; nil for anything else. Not for secrets.
func bytesOfHexadecimal(_ text: some StringProtocol) -> [UInt8]? {
  let digits = text.utf8.map(SecretBytes.digit)
  guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0]! << 4 | digits[$0 + 1]! }
}
