// PEM in the memory of the secret: what is between the lines BEGIN and END, decoded in place.
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

  /// Decodes the first block that is not about parameters. Text around blocks is skipped.
  ///
  /// - Parameter takesCertificates: whether it may be a certificate.
  /// - Throws: `.encrypted` for a key under a password.
  /// - Source: RFC 7468 §2, §3.
  mutating func decodePEM(takesCertificates: Bool = false) throws(KeyFault) {
    var position = 0
    while let begin = find("-----BEGIN ", from: position) {
      guard let label = find("-----", from: begin.upperBound) else { throw .form }
      let name = begin.upperBound..<label.lowerBound
      guard let end = find("-----END ", from: label.upperBound) else { throw .form }
      position = end.upperBound
      if isText("PARAMETERS", endOf: name) { continue }
      if isText("ENCRYPTED PRIVATE KEY", endOf: name) { throw .encrypted }
      let isKey = isText("PUBLIC KEY", endOf: name) || isText("PRIVATE KEY", endOf: name)
      guard isKey || takesCertificates && isText("CERTIFICATE", endOf: name) else { throw .algorithm }
      // The END line has the same label.
      guard position + name.count + 5 <= count, bytes[position..<position + name.count].elementsEqual(bytes[name]),
        find("-----", from: position + name.count)?.lowerBound == position + name.count
      else { throw .form }
      keep(label.upperBound..<end.lowerBound)
      // The older way to encrypt a key has lines in front of the digits.
      guard find("Proc-Type:", from: 0) == nil else { throw .encrypted }
      return try decodeBase64()
    }
    throw .form
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

  private func find(_ text: StaticString, from start: Int) -> Range<Int>? {
    let size = text.utf8CodeUnitCount
    guard count >= size, start <= count - size else { return nil }
    for place in start...count - size where matches(text, at: place) { return place..<place + size }
    return nil
  }

  private func isText(_ text: StaticString, endOf range: Range<Int>) -> Bool {
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
