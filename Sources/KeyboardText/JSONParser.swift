// The grammar of JSON.
// SPDX-License-Identifier: Apache-2.0

/// Reads a text once, from its beginning to its end, and leaves its values in the document.
///
/// - Source: RFC 8259.
struct JSONParser {
  private let document: JSONDocument
  private var reader: JSONReader
  private var valueCount = 0

  init(_ document: JSONDocument, byteCount: Int) {
    self.document = document
    reader = JSONReader(UnsafeMutableRawBufferPointer(start: document.text, count: byteCount))
  }

  mutating func parseWhole() -> Bool {
    reader.skipSpace()
    guard parseValue(name: (0, 0, 0), depth: 1) else { return false }
    reader.skipSpace()
    return reader.isAtEnd
  }

  // MARK: Values

  private typealias Name = (start: UInt32, count: UInt32, object: UInt32)

  /// Adds a value; what follows it is known later.
  @discardableResult
  private mutating func add(_ kind: JSON.Kind, _ place: Range<Int>, _ name: Name) -> Int {
    precondition(valueCount < JSONDocument.maximumValues)
    document.values[valueCount] = JSONDocument.Value(
      kind: kind, after: UInt32(valueCount + 1), start: UInt32(place.lowerBound), count: UInt32(place.count),
      nameStart: name.start, nameCount: name.count, object: name.object)
    valueCount += 1
    return valueCount - 1
  }

  private mutating func parseValue(name: Name, depth: Int) -> Bool {
    guard let first = reader.byte, depth <= JSONDocument.maximumDepth else { return false }
    switch first {
    case UInt8(ascii: "{"): return parseObject(name: name, depth: depth)
    case UInt8(ascii: "["): return parseArray(name: name, depth: depth)
    case UInt8(ascii: "\""):
      guard let place = try? reader.string() else { return false }
      add(.string, place, name)
      return true
    case UInt8(ascii: "n"): return parseWord("null", .null, name)
    case UInt8(ascii: "f"): return parseWord("false", .no, name)
    case UInt8(ascii: "t"): return parseWord("true", .yes, name)
    default:
      guard let place = reader.number() else { return false }
      add(.number, place, name)
      return true
    }
  }

  private mutating func parseWord(_ word: StaticString, _ kind: JSON.Kind, _ name: Name) -> Bool {
    guard reader.rest.begins(with: word) else { return false }
    reader.skip(word.utf8CodeUnitCount)
    add(kind, 0..<0, name)
    return true
  }

  private mutating func parseArray(name: Name, depth: Int) -> Bool {
    let index = add(.array, 0..<0, name)
    reader.skip(1)
    reader.skipSpace()
    if !reader.take("]") {
      repeat {
        reader.skipSpace()
        guard parseValue(name: (0, 0, 0), depth: depth + 1) else { return false }
        reader.skipSpace()
      } while reader.take(",")
      guard reader.take("]") else { return false }
    }
    document.values[index].after = UInt32(valueCount)
    return true
  }

  private mutating func parseObject(name: Name, depth: Int) -> Bool {
    let index = add(.object, 0..<0, name)
    reader.skip(1)
    reader.skipSpace()
    if !reader.take("}") {
      repeat {
        reader.skipSpace()
        guard let place = try? reader.string() else { return false }
        let member = (UInt32(place.lowerBound), UInt32(place.count), UInt32(index))
        reader.skipSpace()
        guard reader.take(":"), isNew(member) else { return false }
        reader.skipSpace()
        guard parseValue(name: member, depth: depth + 1) else { return false }
        reader.skipSpace()
      } while reader.take(",")
      guard reader.take("}") else { return false }
    }
    document.values[index].after = UInt32(valueCount)
    return true
  }

  // MARK: Members

  /// FNV-1a of the object's place and the name. A sender who chooses names with the same hash makes the search slow,
  /// but not more: a few tenths of a second for 64 KiB.
  private func hash(_ name: Name) -> UInt32 {
    var hash: UInt32 = 0x811c_9dc5 ^ name.object &* 0x9e37_79b1
    for byte in document.bytes(name.start, name.count) { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return hash ^ hash >> 16
  }

  /// Enters a name, whose value comes next, into the table.
  ///
  /// - Returns: false if the object has a member of this name already.
  private func isNew(_ name: Name) -> Bool {
    let mask = JSONDocument.tableSize - 1
    var slot = Int(hash(name)) & mask
    while document.table[slot] != 0 {
      let other = document.values[Int(document.table[slot]) - 1]
      if other.object == name.object,
        document.bytes(other.nameStart, other.nameCount).equals(document.bytes(name.start, name.count))
      {
        return false
      }
      slot = (slot + 1) & mask
    }
    document.table[slot] = UInt32(valueCount + 1)
    return true
  }
}
