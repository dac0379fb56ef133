// PEM in the memory of the secret: its blocks, and base64, which is decoded in place.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardMemory

extension SecretBytes {
  /// Whether these are hexadecimal digits and white space, and nothing else. No DER of a key is.
  var isHexadecimal: Bool { bytes.allSatisfy { Self.isSpace($0) || hexadecimalDigit($0) != nil } }

  /// Whether these are characters of base64url, which hexadecimal digits are too, and white space.
  var isTextOfKey: Bool {
    bytes.allSatisfy {
      Self.isSpace($0) || $0 == UInt8(ascii: "=") || Self.base64Digit($0, isForAddresses: true) != nil
    }
  }

  /// Whether a line of PEM begins somewhere.
  var isPEM: Bool { find("-----BEGIN ", from: 0) != nil }

  /// A block of PEM, with what is between its lines.
  struct Block {
    let label, contents: Range<Int>
    let end: Int
  }

  /// The first block behind a place. Text around blocks is skipped.
  ///
  /// - Source: RFC 7468 §2, §3.
  func nextBlock(from start: Int) throws(KeyFault) -> Block? {
    guard let begin = find("-----BEGIN ", from: start) else { return nil }
    guard let dashes = find("-----", from: begin.upperBound) else { throw .form }
    let label = begin.upperBound..<dashes.lowerBound
    // The END line has the same label.
    guard let end = find("-----END ", from: dashes.upperBound), end.upperBound + label.count + 5 <= count,
      bytes[end.upperBound..<end.upperBound + label.count].elementsEqual(bytes[label]),
      matches("-----", at: end.upperBound + label.count)
    else { throw .form }
    return Block(
      label: label, contents: dashes.upperBound..<end.lowerBound, end: end.upperBound + label.count + 5)
  }

  /// What a block is that holds no key; nil of keys and certificates.
  func fault(ofLabel label: Range<Int>) -> KeyFault? {
    if isText("CERTIFICATE REQUEST", endOf: label) { return .request }
    if isText("ENCRYPTED PRIVATE KEY", endOf: label) { return .encrypted }
    if isText("RSA PUBLIC KEY", endOf: label) { return .rsaPublicKey }
    if isText("OPENSSH PRIVATE KEY", endOf: label) { return .openSSHPrivate }
    if isText("PKCS7", endOf: label) || isText("CMS", endOf: label) { return .pkcs7 }
    let isKey = isText("PUBLIC KEY", endOf: label) || isText("PRIVATE KEY", endOf: label)
    return isKey || isText("CERTIFICATE", endOf: label) ? nil : .form
  }

  /// Turns base64 into bytes, in place.
  ///
  /// - Parameter isForAddresses: base64url, whose padding may be missing (RFC 4648 §5).
  mutating func decodeBase64(isForAddresses: Bool = false) throws(KeyFault) {
    let used = count
    var (written, bits, value, padding) = (0, 0, UInt32(0), 0)
    var span = mutableSpan
    for index in 0..<used {
      let byte = span[index]
      if Self.isSpace(byte) { continue }
      if byte == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let digit = Self.base64Digit(byte, isForAddresses: isForAddresses) else { throw .form }
      value = value << 6 | UInt32(digit)
      bits += 6
      if bits >= 8 {
        bits -= 8
        span[written] = UInt8(truncatingIfNeeded: value >> UInt32(bits))
        written += 1
        value &= 1 << UInt32(bits) - 1
      }
    }
    // What is left of the last digit is zero, and its group of four is filled up.
    let isFilledUp = padding == [0: 0, 2: 1, 4: 2][bits]
    guard value == 0, isFilledUp || isForAddresses && padding == 0 && bits != 6 else { throw .form }
    keep(0..<written)
  }

  func find(_ text: StaticString, from start: Int) -> Range<Int>? {
    let size = text.utf8CodeUnitCount
    guard count >= size, start <= count - size else { return nil }
    for place in start...count - size where matches(text, at: place) { return place..<place + size }
    return nil
  }

  func isText(_ text: StaticString, endOf range: Range<Int>) -> Bool {
    range.count >= text.utf8CodeUnitCount && matches(text, at: range.upperBound - text.utf8CodeUnitCount)
  }

  private func matches(_ text: StaticString, at place: Int) -> Bool {
    for offset in 0..<text.utf8CodeUnitCount where bytes[place + offset] != text.utf8Start[offset] { return false }
    return true
  }

  private static func base64Digit(_ byte: UInt8, isForAddresses: Bool) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: isForAddresses ? "-" : "+"): 62
    case UInt8(ascii: isForAddresses ? "_" : "/"): 63
    default: nil
    }
  }
}
