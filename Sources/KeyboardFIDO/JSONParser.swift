// The grammar of JSON.
// SPDX-License-Identifier: Apache-2.0

/// Reads a text once, from its beginning to its end, and leaves its values in the document.
///
/// - Source: RFC 8259.
struct JSONParser {
  private let document: JSONDocument
  private let text: UnsafeMutablePointer<UInt8>
  private let end: Int
  private var place = 0
  private var valueCount = 0

  init(_ document: JSONDocument, byteCount: Int) {
    self.document = document
    text = document.text.assumingMemoryBound(to: UInt8.self)
    end = byteCount
  }

  mutating func parseWhole() -> Bool {
    skipSpace()
    guard parseValue(name: (0, 0, 0), depth: 1) else { return false }
    skipSpace()
    return place == end
  }

  // MARK: Values

  private typealias Name = (start: UInt32, count: UInt32, object: UInt32)

  private var whole: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: text, count: end) }
  private var byte: UInt8? { place < end ? text[place] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { place += 1 }
  }

  /// Adds a value; what follows it is known later.
  private mutating func add(_ kind: JSON.Kind, _ start: Int, _ count: Int, _ name: Name) -> Int {
    precondition(valueCount < JSONDocument.maximumValues)
    document.values[valueCount] = JSONDocument.Value(
      kind: kind, after: UInt32(valueCount + 1), start: UInt32(start), count: UInt32(count), nameStart: name.start,
      nameCount: name.count, object: name.object)
    valueCount += 1
    return valueCount - 1
  }

  private mutating func parseValue(name: Name, depth: Int) -> Bool {
    guard let first = byte, depth <= JSONDocument.maximumDepth else { return false }
    switch first {
    case UInt8(ascii: "{"): return parseObject(name: name, depth: depth)
    case UInt8(ascii: "["): return parseArray(name: name, depth: depth)
    case UInt8(ascii: "\""):
      guard let (start, count) = parseString() else { return false }
      _ = add(.string, start, count, name)
      return true
    case UInt8(ascii: "n"): return parseWord("null", .null, name)
    case UInt8(ascii: "f"): return parseWord("false", .no, name)
    case UInt8(ascii: "t"): return parseWord("true", .yes, name)
    default: return parseNumber(name)
    }
  }

  private mutating func parseWord(_ word: StaticString, _ kind: JSON.Kind, _ name: Name) -> Bool {
    let rest = UnsafeRawBufferPointer(start: text + place, count: end - place)
    guard rest.begins(with: word) else { return false }
    place += word.utf8CodeUnitCount
    _ = add(kind, place, 0, name)
    return true
  }

  private mutating func parseArray(name: Name, depth: Int) -> Bool {
    let index = add(.array, place, 0, name)
    place += 1
    skipSpace()
    if !take("]") {
      repeat {
        skipSpace()
        guard parseValue(name: (0, 0, 0), depth: depth + 1) else { return false }
        skipSpace()
      } while take(",")
      guard take("]") else { return false }
    }
    document.values[index].after = UInt32(valueCount)
    return true
  }

  private mutating func parseObject(name: Name, depth: Int) -> Bool {
    let index = add(.object, place, 0, name)
    place += 1
    skipSpace()
    if !take("}") {
      repeat {
        skipSpace()
        guard byte == UInt8(ascii: "\""), let (start, count) = parseString() else { return false }
        let member = (UInt32(start), UInt32(count), UInt32(index))
        skipSpace()
        guard take(":"), isNew(member) else { return false }
        skipSpace()
        guard parseValue(name: member, depth: depth + 1) else { return false }
        skipSpace()
      } while take(",")
      guard take("}") else { return false }
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

  // MARK: Numbers

  private mutating func parseNumber(_ name: Name) -> Bool {
    let start = place
    _ = take("-")
    if !take("0") {
      guard takeDigits() else { return false }
    }
    if take(".") {
      guard takeDigits() else { return false }
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      place += 1
      if !take("+") { _ = take("-") }
      guard takeDigits() else { return false }
    }
    _ = add(.number, start, place - start, name)
    return true
  }

  /// One digit or more.
  private mutating func takeDigits() -> Bool {
    let start = place
    while let byte, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { place += 1 }
    return place > start
  }

  // MARK: Strings

  /// Decodes a string in its place: no escape is shorter than what it means.
  private mutating func parseString() -> (start: Int, count: Int)? {
    place += 1
    let start = place
    var target = place
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        place += 1
        return (start, target - start)
      case UInt8(ascii: "\\"):
        guard let scalar = parseEscape() else { return nil }
        for unit in UTF8.encode(scalar)! {
          text[target] = unit
          target += 1
        }
      case 0..<0x20: return nil
      case 0x20..<0x80:
        text[target] = byte
        target += 1
        place += 1
      default:
        guard let count = UTF8Text.characterSize(whole, at: place) else { return nil }
        for i in 0..<count { text[target + i] = text[place + i] }
        target += count
        place += count
      }
    }
    return nil
  }

  private mutating func parseEscape() -> Unicode.Scalar? {
    place += 1
    guard let byte else { return nil }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      guard let high = parseHexadecimal() else { return nil }
      guard high & 0xfc00 == 0xd800 else { return Unicode.Scalar(high) }
      guard take("\\"), take("u"), let low = parseHexadecimal(), low & 0xfc00 == 0xdc00 else { return nil }
      return Unicode.Scalar(0x10000 + (high & 0x3ff) << 10 + low & 0x3ff)
    default: return nil
    }
  }

  private mutating func parseHexadecimal() -> UInt32? {
    guard place + 4 <= end else { return nil }
    var number: UInt32 = 0
    for i in 0..<4 {
      let digit: UInt8
      switch text[place + i] {
      case let byte where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case let byte where byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"):
        digit = (byte | 0x20) - UInt8(ascii: "a") + 10
      default: return nil
      }
      number = number << 4 | UInt32(digit)
    }
    place += 4
    return number
  }
}
