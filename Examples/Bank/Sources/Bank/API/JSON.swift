// JSON as clients send it (RFC 8259). A general decoder guesses the encoding, ignores members that nobody knows, and
// takes one of two members with the same name; so a hostile client could send what two programs read differently. Here
// each of these is an error.
// SPDX-License-Identifier: Apache-2.0

enum JSON: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Int)
  /// With a fraction, an exponent, or more digits: the bank reads none of these.
  case otherNumber
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// - Parameter bytes: UTF-8. Nil for a fault, for two members with one name, and for more than eight levels.
  init?(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var reader = Reader(bytes: bytes)
    reader.skipSpace()
    guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
    self = value
  }

  subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  var string: String? {
    guard case .string(let string) = self else { return nil }
    return string
  }

  var number: Int? {
    guard case .number(let number) = self else { return nil }
    return number
  }

  var elements: [JSON]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }
}

/// The body of a request of the bank's own API: one flat object whose members are all strings.
struct StringObject {
  /// No request has more members.
  private static let maximumCount = 8

  let members: [String: String]

  /// - Parameter bytes: anything but one flat object of strings is nil.
  init?(_ bytes: [UInt8]) {
    guard case .object(let all)? = JSON(bytes), all.count <= Self.maximumCount else { return nil }
    let members = all.compactMapValues(\.string)
    guard members.count == all.count else { return nil }
    self.members = members
  }
}

/// In ASCII, so that no quotation mark, control character or line separator has a meaning anywhere.
func quotedJSON(_ string: String) -> String {
  var quoted = "\""
  for unit in string.utf16 {
    if 0x20..<0x7f ~= unit, unit != 0x22, unit != 0x5c, unit != 0x3c {
      quoted.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
    } else {
      let digits = String(unit, radix: 16)
      quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
  return quoted + "\""
}

/// Reads from left to right. Every function answers nil for a fault, and skips the white space behind what it read.
private struct Reader {
  let bytes: [UInt8]
  var place = 0

  var isAtEnd: Bool { place == bytes.count }

  /// No message has more levels.
  static let maximumDepth = 8

  mutating func value(depth: Int) -> JSON? {
    guard depth < Self.maximumDepth, place < bytes.count else { return nil }
    switch bytes[place] {
    case UInt8(ascii: "{"): return object(depth: depth).map(JSON.object)
    case UInt8(ascii: "["): return array(depth: depth).map(JSON.array)
    case UInt8(ascii: "\""): return string().map(JSON.string)
    case UInt8(ascii: "t"): return takeWord("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return takeWord("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return takeWord("null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> [String: JSON]? {
    var members: [String: JSON] = [:]
    guard take("{") else { return nil }
    if take("}") { return members }
    repeat {
      guard let name = string(), take(":"), let value = value(depth: depth + 1) else { return nil }
      guard members.updateValue(value, forKey: name) == nil else { return nil }
    } while take(",")
    return take("}") ? members : nil
  }

  private mutating func array(depth: Int) -> [JSON]? {
    var elements: [JSON] = []
    guard take("[") else { return nil }
    if take("]") { return elements }
    repeat {
      guard let element = value(depth: depth + 1) else { return nil }
      elements.append(element)
    } while take(",")
    return take("]") ? elements : nil
  }

  private mutating func number() -> JSON? {
    let characters = bytes[place...].prefix { byte in
      0x30...0x39 ~= byte || [0x2b, 0x2d, 0x2e, 0x45, 0x65].contains(byte)
    }
    let text = String(decoding: characters, as: UTF8.self)
    guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil else { return nil }
    place += characters.count
    skipSpace()
    return Int(text).map(JSON.number) ?? .otherNumber
  }

  private mutating func takeWord(_ word: String) -> Bool {
    guard bytes[place...].starts(with: word.utf8) else { return false }
    place += word.utf8.count
    skipSpace()
    return true
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

  /// Four hexadecimal digits, or two times four: a pair of surrogates. One surrogate alone is not a character.
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

  mutating func skipSpace() {
    while place < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[place]) { place += 1 }
  }
}
