// Hexadecimal digits of what is public: ciphertexts, signatures, contexts. Those of secrets are in
// SecretBytes+Reading.swift.
// SPDX-License-Identifier: Apache-2.0

/// Two lower-case digits for each byte. Not for secrets: strings are not wiped.
func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// The bytes of hexadecimal digits, in pairs and nothing else; nil for anything else. Not for secrets.
func bytesOfHexadecimal(_ text: some StringProtocol) -> [UInt8]? {
  let digits = text.utf8.map(hexadecimalDigit)
  guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0]! << 4 | digits[$0 + 1]! }
}

/// The value of a hexadecimal digit; nil for another character.
func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
