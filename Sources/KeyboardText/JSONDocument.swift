// A JSON text as a tree of values, in memory of the caller's: what a server sends, and nobody else has checked.
// SPDX-License-Identifier: Apache-2.0

/// A parsed JSON text: a view of memory, in which `parse` leaves the values.
///
///     ├ text (64 KiB) ┼ values, each followed by those inside it ┼ table of members, while parsing ┤
///
/// Strings are decoded where they are in the text. Values are in the order in which they begin, so all values inside an
/// array or object follow it directly.
///
/// - Source: RFC 8259. Stricter: depth 16, 64 KiB, no member twice, no byte order mark, strings of whole characters.
package struct JSONDocument {
  let memory: UnsafeMutableRawPointer

  package static var maximumSize: Int { 64 * 1024 }
  package static var maximumDepth: Int { 16 }
  /// A value takes two bytes of text at least: itself, and a comma or bracket.
  package static var maximumValues: Int { maximumSize / 2 + 1 }
  /// A power of two: the shortest member takes five bytes of text, so a fifth of the table is used at most.
  static var tableSize: Int { 64 * 1024 }

  /// Bytes of memory for a document: zero pages, of which a short text touches few.
  package static var byteCount: Int {
    maximumSize + maximumValues * MemoryLayout<Value>.stride + tableSize * MemoryLayout<UInt32>.stride
  }

  /// What is known of a value.
  struct Value: BitwiseCopyable {
    var kind: JSON.Kind
    /// The value after this one and all inside it.
    var after: UInt32
    /// A string's decoded bytes; the digits of a number.
    var start: UInt32
    var count: UInt32
    /// The name of a member of an object.
    var nameStart: UInt32
    var nameCount: UInt32
    /// The object that a member is in.
    var object: UInt32
  }

  /// - Parameter memory: `byteCount` bytes aligned to 8.
  package init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  /// Where the text is, before it is parsed.
  package var text: UnsafeMutableRawPointer { memory }
  var values: UnsafeMutablePointer<Value> {
    (memory + Self.maximumSize).assumingMemoryBound(to: Value.self)
  }
  /// For each member, the place of its value plus one; 0 where there is none.
  var table: UnsafeMutablePointer<UInt32> {
    (memory + Self.maximumSize + Self.maximumValues * MemoryLayout<Value>.stride).assumingMemoryBound(to: UInt32.self)
  }

  func bytes(_ start: UInt32, _ count: UInt32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text + Int(start), count: Int(count))
  }

  /// Parses a text that is not in the document's memory yet.
  ///
  /// - Returns: nil if it is not well-formed, or too long.
  package func parse(copying text: UnsafeRawBufferPointer) -> JSON? {
    guard text.count <= Self.maximumSize, let start = text.baseAddress else { return nil }
    self.text.copyMemory(from: start, byteCount: text.count)
    return parse(byteCount: text.count)
  }

  /// The first value of a text that was parsed.
  package var root: JSON { JSON(self, at: 0) }

  /// Parses the first `byteCount` bytes of `text`.
  @inline(never) @export(interface)
  package func parse(byteCount: Int) -> JSON? {
    guard byteCount <= Self.maximumSize else { return nil }
    table.initialize(repeating: 0, count: Self.tableSize)
    var parser = JSONParser(self, byteCount: byteCount)
    return parser.parseWhole() ? root : nil
  }
}

/// A value of a document.
package struct JSON {
  private let document: JSONDocument
  /// The value's place in its document.
  package let index: Int

  package enum Kind: UInt8, BitwiseCopyable {
    case null, no, yes, number, string, array, object
  }

  package init(_ document: JSONDocument, at index: Int) {
    self.document = document
    self.index = index
  }

  private var value: JSONDocument.Value { document.values[index] }
  package var kind: Kind { value.kind }

  /// The decoded bytes of a string: UTF-8, which may contain NUL.
  package var string: UnsafeRawBufferPointer? {
    kind == .string ? document.bytes(value.start, value.count) : nil
  }

  package var boolean: Bool? {
    switch kind {
    case .yes: true
    case .no: false
    default: nil
    }
  }

  /// A whole number of 32 bits, written in digits only.
  package var unsigned: UInt32? {
    guard kind == .number else { return nil }
    var number: UInt64 = 0
    for digit in document.bytes(value.start, value.count) {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      number = number * 10 + UInt64(digit - UInt8(ascii: "0"))
      guard number <= UInt64(UInt32.max) else { return nil }
    }
    return UInt32(number)
  }

  /// A number as it is written.
  package var digits: UnsafeRawBufferPointer { document.bytes(value.start, value.count) }

  /// The values inside an array or object; of others none.
  package var elements: Elements {
    guard kind == .array || kind == .object else { return Elements(document, index + 1, end: index + 1) }
    return Elements(document, index + 1, end: Int(value.after))
  }

  package var count: Int {
    var (all, count) = (elements, 0)
    while all.next() != nil { count += 1 }
    return count
  }

  /// The name of a member.
  package var name: UnsafeRawBufferPointer { document.bytes(value.nameStart, value.nameCount) }

  /// A member of an object. One whose value is null is absent.
  package func member(_ name: StaticString) -> JSON? {
    guard kind == .object else { return nil }
    var all = elements
    while let element = all.next() {
      if element.name.equals(name) { return element.kind == .null ? nil : element }
    }
    return nil
  }

  package struct Elements {
    private let document: JSONDocument
    private var index: Int
    private let end: Int

    fileprivate init(_ document: JSONDocument, _ index: Int, end: Int) {
      self.document = document
      self.index = index
      self.end = end
    }

    package mutating func next() -> JSON? {
      guard index < end else { return nil }
      defer { index = Int(document.values[index].after) }
      return JSON(document, at: index)
    }
  }
}
