// base64url without padding, as UAF writes bytes in JSON.
// SPDX-License-Identifier: Apache-2.0

/// - Source: RFC 4648 §5; FIDO UAF Protocol 1.1 §1.1: no padding, no other characters.
package enum Base64URL {
  package static func encodedSize(_ byteCount: Int) -> Int { (byteCount * 4 + 2) / 3 }

  /// How many bytes a text of `count` characters has; nil if none has so many.
  package static func decodedSize(_ count: Int) -> Int? { count % 4 == 1 ? nil : count * 3 / 4 }

  /// - Parameter text: `encodedSize(bytes.count)` bytes, apart from `bytes`.
  package static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawPointer) {
    var (pending, bits, target) = (UInt32(0), 0, text)
    func put(_ index: UInt32) {
      target.storeBytes(of: character(UInt8(index & 63)), as: UInt8.self)
      target += 1
    }
    for byte in bytes {
      pending = pending << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        put(pending >> UInt32(bits))
      }
    }
    if bits > 0 { put(pending << UInt32(6 - bits)) }
  }

  /// - Parameter bytes: `capacity` bytes; may begin where `text` does.
  /// - Returns: how many bytes; nil if the text has other characters, padding, bits that mean nothing, or more bytes.
  package static func decode(
    _ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawPointer, capacity: Int
  ) -> Int? {
    guard let count = decodedSize(text.count), count <= capacity else { return nil }
    var (pending, bits, written) = (UInt32(0), 0, 0)
    for character in text {
      guard let index = index(of: character) else { return nil }
      pending = pending << 6 | UInt32(index)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.storeBytes(of: UInt8(truncatingIfNeeded: pending >> UInt32(bits)), toByteOffset: written, as: UInt8.self)
        written += 1
      }
    }
    guard pending & (1 << UInt32(bits) - 1) == 0 else { return nil }
    return written
  }

  /// Whether a text decodes to a number of bytes in a range.
  package static func isText(_ text: UnsafeRawBufferPointer, of counts: ClosedRange<Int>) -> Bool {
    guard let count = decodedSize(text.count), counts ~= count else { return false }
    for character in text where index(of: character) == nil { return false }
    guard let last = text.last, let index = index(of: last) else { return true }
    return index & UInt8(text.count % 4 == 2 ? 15 : text.count % 4 == 3 ? 3 : 0) == 0
  }

  private static func character(_ index: UInt8) -> UInt8 {
    switch index {
    case 0..<26: UInt8(ascii: "A") + index
    case 26..<52: UInt8(ascii: "a") + index - 26
    case 52..<62: UInt8(ascii: "0") + index - 52
    case 62: UInt8(ascii: "-")
    default: UInt8(ascii: "_")
    }
  }

  private static func index(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
