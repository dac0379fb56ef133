// PEM in the memory of the secret: its blocks, and base64, which is decoded in place.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardMemory
import KeyboardText

extension SecretBytes {
  /// Whether these are hexadecimal digits and white space, and nothing else. No DER of a key is.
  package var isHexadecimal: Bool { bytes.allSatisfy { Self.isSpace($0) || Hexadecimal.isDigit($0) } }

  /// Whether these are characters of base64url, which hexadecimal digits are too, and white space.
  package var isTextOfKey: Bool {
    bytes.allSatisfy {
      Self.isSpace($0) || $0 == UInt8(ascii: "=") || Base64.url.contains($0)
    }
  }

  /// Whether a line of PEM begins somewhere.
  package var isPEM: Bool { find("-----BEGIN ", from: 0) != nil }

  /// A block of PEM, with what is between its lines.
  package struct Block {
    package let label, contents: Range<Int>
    package let end: Int
  }

  /// The first block behind a place. Text around blocks is skipped.
  ///
  /// - Source: RFC 7468 §2, §3.
  package func nextBlock(from start: Int) throws(KeyFault) -> Block? {
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
  package func fault(ofLabel label: Range<Int>) -> KeyFault? {
    if isText("CERTIFICATE REQUEST", endOf: label) { return .request }
    if isText("ENCRYPTED PRIVATE KEY", endOf: label) { return .encrypted }
    if isText("RSA PUBLIC KEY", endOf: label) { return .rsaPublicKey }
    if isText("OPENSSH PRIVATE KEY", endOf: label) { return .openSSHPrivate }
    if isText("PKCS7", endOf: label) || isText("CMS", endOf: label) { return .pkcs7 }
    let isKey = isText("PUBLIC KEY", endOf: label) || isText("PRIVATE KEY", endOf: label)
    return isKey || isText("CERTIFICATE", endOf: label) ? nil : .form
  }

  /// Turns base64 into bytes, in place. White space is left out.
  ///
  /// - Parameter alphabet: the padding of base64url may be missing (RFC 4648 §5).
  package mutating func decodeBase64(_ alphabet: Base64 = .standard) throws(KeyFault) {
    removeSpaces()
    guard let text = Base64.unpadded(bytes), alphabet == .url || count % 4 == 0 else { throw .form }
    var decoded: Int? = 0
    _ = changeInPlace { whole, place in
      decoded = alphabet.decode(text, into: UnsafeMutableRawBufferPointer(start: place, count: whole.count))
      return true
    }
    guard let decoded else { throw .form }
    keep(0..<decoded)
  }

  package mutating func removeSpaces() {
    var span = mutableSpan
    var written = 0
    for place in span.indices where !Self.isSpace(span[place]) {
      span[written] = span[place]
      written += 1
    }
    keep(0..<written)
  }

  package func find(_ text: StaticString, from start: Int) -> Range<Int>? {
    let size = text.utf8CodeUnitCount
    guard count >= size, start <= count - size else { return nil }
    for place in start...count - size where matches(text, at: place) { return place..<place + size }
    return nil
  }

  package func isText(_ text: StaticString, endOf range: Range<Int>) -> Bool {
    range.count >= text.utf8CodeUnitCount && matches(text, at: range.upperBound - text.utf8CodeUnitCount)
  }

  private func matches(_ text: StaticString, at place: Int) -> Bool {
    for offset in 0..<text.utf8CodeUnitCount where bytes[place + offset] != text.utf8Start[offset] { return false }
    return true
  }
}
