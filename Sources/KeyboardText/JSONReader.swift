// The parts of JSON: white space, strings, numbers.
// SPDX-License-Identifier: Apache-2.0

/// Reads a text from its beginning to its end, part by part. What it reads next is the caller's choice: `JSONParser`
/// makes a tree of any text, and a program can read a text whose form it knows without one.
///
/// - Source: RFC 8259.
package struct JSONReader {
  /// What is wrong in a string.
  package enum Fault: Error {
    case noString
    /// The text ends before the string does.
    case unended
    /// A character under U+0020.
    case control
    case escape
    /// Something other than four hexadecimal digits.
    case digits
    /// One half of a surrogate pair.
    case half
    case notUTF8
  }

  private let text: UnsafeMutableRawBufferPointer
  package private(set) var place = 0

  /// - Parameter text: strings are decoded where they are in it.
  package init(_ text: UnsafeMutableRawBufferPointer) { self.text = text }

  /// What is not read yet.
  package var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: text[place...]) }
  package var isAtEnd: Bool { place == text.count }
  package var byte: UInt8? { place < text.count ? text[place] : nil }

  package func bytes(_ place: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: text[place]) }

  package mutating func skip(_ count: Int) { place += count }

  package mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { place += 1 }
  }

  /// - Returns: whether the character comes next.
  package mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  // MARK: Numbers

  /// - Returns: where the number is; nil of anything else.
  @inline(never) @export(interface)
  package mutating func number() -> Range<Int>? {
    let start = place
    _ = take("-")
    if !take("0") {
      guard takeDigits() else { return nil }
    }
    if take(".") {
      guard takeDigits() else { return nil }
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard takeDigits() else { return nil }
    }
    // A digit here follows a zero.
    return byte.map(Self.isDigit) == true ? nil : start..<place
  }

  /// One digit or more.
  private mutating func takeDigits() -> Bool {
    let start = place
    while let byte, Self.isDigit(byte) { place += 1 }
    return place > start
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte ^ 0x30 <= 9 }

  // MARK: Strings

  /// Decodes a string in its place: no escape is shorter than what it means.
  ///
  /// - Returns: where the decoded bytes are, which are UTF-8.
  @inline(never) @export(interface)
  package mutating func string() throws(Fault) -> Range<Int> {
    guard take("\"") else { throw .noString }
    let start = place
    var target = place
    func put(_ scalar: Unicode.Scalar) {
      for unit in UTF8.encode(scalar)! {
        text[target] = unit
        target += 1
      }
    }
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        place += 1
        return start..<target
      case UInt8(ascii: "\\"): put(try escape())
      case 0..<0x20: throw .control
      default:
        guard let (_, count) = UTF8Text.scalar(in: UnsafeRawBufferPointer(text), at: place) else { throw .notUTF8 }
        for i in 0..<count { text[target + i] = text[place + i] }
        target += count
        place += count
      }
    }
    throw .unended
  }

  private mutating func escape() throws(Fault) -> Unicode.Scalar {
    place += 1
    guard let byte else { throw .unended }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: throw .escape
    }
    let high = try fourDigits()
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard high & 0xfc00 == 0xd800, take("\\"), take("u") else { throw .half }
    let low = try fourDigits()
    guard low & 0xfc00 == 0xdc00, let scalar = Unicode.Scalar(0x10000 + (high & 0x3ff) << 10 + low & 0x3ff) else {
      throw .half
    }
    return scalar
  }

  private mutating func fourDigits() throws(Fault) -> UInt32 {
    guard place + 4 <= text.count else { throw .unended }
    var number: UInt16 = 0
    let digits = UnsafeRawBufferPointer(rebasing: text[place..<place + 4])
    guard withUnsafeMutableBytes(of: &number, { Hexadecimal.decode(digits, into: $0.baseAddress!) }) else {
      throw .digits
    }
    place += 4
    return UInt32(UInt16(bigEndian: number))
  }
}
