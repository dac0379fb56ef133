// Writes messages into memory of a fixed size: bytes, JSON, digits.
// SPDX-License-Identifier: Apache-2.0

/// Memory that is filled from its beginning. What does not fit is not written, and `isWhole` is then false.
package struct ByteWriter {
  private let memory: UnsafeMutableRawPointer
  private let capacity: Int
  package private(set) var count = 0
  package private(set) var isWhole = true

  package init(_ memory: UnsafeMutableRawPointer, capacity: Int) {
    self.memory = memory
    self.capacity = capacity
  }

  /// Says that something else did not fit.
  package mutating func fail() { isWhole = false }

  /// What was written.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  /// The place of the next `byteCount` bytes, which the caller writes; nil if they do not fit.
  package mutating func advance(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    guard isWhole, byteCount <= capacity - count else {
      isWhole = false
      return nil
    }
    defer { count += byteCount }
    return memory + count
  }

  package mutating func put(_ byte: UInt8) {
    advance(1)?.storeBytes(of: byte, as: UInt8.self)
  }

  package mutating func put(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    advance(bytes.count)?.copyMemory(from: start, byteCount: bytes.count)
  }

  package mutating func put(_ text: StaticString) {
    put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  // MARK: JSON

  /// A string with its quotes. Each character is as short as JSON has it, so a text that was parsed does not grow.
  ///
  /// - Parameter text: UTF-8.
  package mutating func putJSON(_ text: UnsafeRawBufferPointer) {
    put(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        put(UInt8(ascii: "\\"))
        put(byte)
      case 0x08: put("\\b")
      case UInt8(ascii: "\t"): put("\\t")
      case UInt8(ascii: "\n"): put("\\n")
      case 0x0c: put("\\f")
      case UInt8(ascii: "\r"): put("\\r")
      case 0..<0x20:
        put("\\u00")
        withUnsafeBytes(of: byte) { putHexadecimal($0) }
      default: put(byte)
      }
    }
    put(UInt8(ascii: "\""))
  }

  /// A member whose value is a string, after a comma unless it is the first.
  package mutating func putMember(_ name: StaticString, _ text: UnsafeRawBufferPointer, isFirst: Bool = false) {
    putName(name, isFirst: isFirst)
    putJSON(text)
  }

  package mutating func putName(_ name: StaticString, isFirst: Bool = false) {
    if !isFirst { put(UInt8(ascii: ",")) }
    put(UInt8(ascii: "\""))
    put(name)
    put("\":")
  }

  package mutating func putDecimal(_ number: UInt32) {
    if number >= 10 { putDecimal(number / 10) }
    put(UInt8(ascii: "0") + UInt8(number % 10))
  }

  /// Bytes as base64url, without quotes.
  package mutating func putBase64URL(_ bytes: UnsafeRawBufferPointer) {
    guard let place = advance(Base64.characterCount(byteCount: bytes.count)) else { return }
    Base64.url.encode(bytes, into: place)
  }

  /// Bytes in hexadecimal digits, in small letters.
  package mutating func putHexadecimal(_ bytes: UnsafeRawBufferPointer) {
    guard let place = advance(2 * bytes.count) else { return }
    Hexadecimal.encode(bytes, into: place)
  }
}
