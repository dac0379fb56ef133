// The body of a request: one flat object of JSON whose members are all strings (RFC 8259). A general decoder guesses
// the encoding, ignores members that nobody knows, and takes one of two members with the same name; a hostile client
// could so send what two programs read differently. Here each of these is an error.
// SPDX-License-Identifier: Apache-2.0

/// The members of an object, all of them strings.
struct StringObject {
  private(set) var members: [String: String] = [:]

  /// - Parameter bytes: UTF-8. Anything but one flat object of strings is nil.
  init?(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var reader = Reader(bytes: bytes)
    guard let members = reader.object(), reader.isAtEnd else { return nil }
    self.members = members
  }
}

/// Reads from left to right. Every function answers nil for a fault, and skips the white space behind what it read.
private struct Reader {
  let bytes: [UInt8]
  var place = 0

  var isAtEnd: Bool { place == bytes.count }

  /// No request has more members.
  static let maximumCount = 8

  mutating func object() -> [String: String]? {
    var members: [String: String] = [:]
    skipSpace()
    guard take("{") else { return nil }
    if take("}") { return members }
    repeat {
      guard let name = string(), take(":"), let value = string() else { return nil }
      guard members.updateValue(value, forKey: name) == nil, members.count <= Self.maximumCount else { return nil }
    } while take(",")
    return take("}") ? members : nil
  }

  mutating func string() -> String? {
    guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return nil }
    place += 1
    var text: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: "\""):
        skipSpace()
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        text.append(contentsOf: UTF8.encode(scalar)!)
      case 0..<0x20:
        return nil
      default:
        text.append(byte)
      }
    }
    return nil
  }

  /// What is behind a backslash.
  private mutating func escape() -> Unicode.Scalar? {
    guard place < bytes.count else { return nil }
    place += 1
    switch bytes[place - 1] {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return codePoint()
    default: return nil
    }
  }

  /// Four hexadecimal digits, or two times four: a pair of surrogates. One surrogate alone is no character.
  private mutating func codePoint() -> Unicode.Scalar? {
    guard let first = unit() else { return nil }
    guard 0xd800..<0xdc00 ~= first else { return Unicode.Scalar(first) }
    guard takeBehind("\\"), takeBehind("u"), let second = unit(), 0xdc00..<0xe000 ~= second else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
  }

  private mutating func unit() -> UInt32? {
    guard place + 4 <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[place..<place + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
      value = value << 4 | UInt32(digit)
    }
    place += 4
    return value
  }

  // MARK: Single characters

  /// A character between members and strings, and white space behind it.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard takeBehind(character) else { return false }
    skipSpace()
    return true
  }

  private mutating func takeBehind(_ character: Unicode.Scalar) -> Bool {
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func skipSpace() {
    while place < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[place]) { place += 1 }
  }
}
