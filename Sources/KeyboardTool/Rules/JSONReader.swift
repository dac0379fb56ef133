// Reads JSON that has a known form, strictly, and says in which line it has another one.
// SPDX-License-Identifier: Apache-2.0

/// What is wrong in a text of JSON.
struct JSONFault: Error {
  /// One sentence that says what to do.
  let advice: String

  init(_ advice: String) { self.advice = advice }
}

/// Reads from the beginning to the end.
///
/// - Source: RFC 8259.
struct JSONReader {
  private let text: [UInt8]
  private var offset = 0
  /// From 1.
  private(set) var line = 1

  init(_ text: [UInt8]) { self.text = text }

  private mutating func skipSpace() {
    while offset < text.count, [0x20, 0x09, 0x0a, 0x0d].contains(text[offset]) {
      if text[offset] == 0x0a { line += 1 }
      offset += 1
    }
  }

  /// - Returns: whether the character comes next, in front of which may be white space.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard offset < text.count, text[offset] == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  mutating func expect(_ character: Unicode.Scalar, _ advice: String) throws(JSONFault) {
    guard skip(character) else { throw JSONFault(advice) }
  }

  mutating func isAtEnd() -> Bool {
    skipSpace()
    return offset == text.count
  }

  // MARK: Numbers

  /// - Source: RFC 8259 §6, without fractions and exponents.
  mutating func integer() throws(JSONFault) -> Int {
    skipSpace()
    let rest = text[offset...].prefix { Array("+-.0123456789Ee".utf8).contains($0) }
    let digits = rest.first == UInt8(ascii: "-") ? rest.dropFirst() : rest
    guard let first = digits.first, (0x30...0x39).contains(first), first != 0x30 || digits.count == 1,
      let number = Int(String(decoding: rest, as: UTF8.self))
    else { throw JSONFault("Give a whole number, without quotation marks.") }
    offset += rest.count
    return number
  }

  // MARK: Texts

  /// - Source: RFC 8259 §7.
  mutating func string() throws(JSONFault) -> String {
    try expect("\"", "Give a text in quotation marks.")
    var string: [UInt8] = []
    while true {
      switch try nextByte() {
      case UInt8(ascii: "\""):
        guard let string = String(validating: string, as: UTF8.self) else { throw JSONFault("Write UTF-8.") }
        return string
      case UInt8(ascii: "\\"): string += UTF8.encode(try escape())!
      case ..<0x20: throw JSONFault("End the text in its line, and write control characters as \\u and four digits.")
      case let byte: string.append(byte)
      }
    }
  }

  private mutating func nextByte() throws(JSONFault) -> UInt8 {
    guard offset < text.count else { throw JSONFault("End the text with a quotation mark.") }
    defer { offset += 1 }
    return text[offset]
  }

  /// What follows a backslash.
  private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
    switch Unicode.Scalar(try nextByte()) {
    case "\"": return "\""
    case "\\": return "\\"
    case "/": return "/"
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u": return try escapedScalar()
    default: throw JSONFault("Write a backslash in a text as \\\\.")
    }
  }

  private mutating func escapedScalar() throws(JSONFault) -> Unicode.Scalar {
    let first = try escapedUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xdc00, try nextByte() == UInt8(ascii: "\\"), try nextByte() == UInt8(ascii: "u"),
      case let second = try escapedUnit(), (0xdc00..<0xe000).contains(second),
      let scalar = Unicode.Scalar((first - 0xd800) << 10 + (second - 0xdc00) + 0x10000)
    else { throw JSONFault("Write both halves of a character above \\uffff.") }
    return scalar
  }

  private mutating func escapedUnit() throws(JSONFault) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = hexadecimalDigit(try nextByte()) else { throw JSONFault("Give four digits after \\u.") }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }
}
