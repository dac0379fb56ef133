// Binary values in JSON: base64url without padding (RFC 4648 §5). One value has one spelling only.
// SPDX-License-Identifier: Apache-2.0

enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 | Int(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        text.append(alphabet[bits >> bitCount & 63])
      }
      bits &= 1 << bitCount - 1
    }
    if bitCount > 0 { text.append(alphabet[bits << (6 - bitCount) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil for any other character, padding, a length that no bytes have, and bits that are left over and not zero.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for character in text.utf8 {
      guard let value = values[Int(character)] else { return nil }
      bits = bits << 6 | Int(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(bits >> bitCount))
        bits &= 1 << bitCount - 1
      }
    }
    return bitCount < 6 && bits == 0 ? bytes : nil
  }
}
