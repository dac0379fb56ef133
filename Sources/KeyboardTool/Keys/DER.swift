// Reads the distinguished encoding rules of ASN.1, strictly, where the bytes are: nothing of a key is copied.
// SPDX-License-Identifier: Apache-2.0

/// Elements of DER, one after another. Indefinite lengths, lengths that are longer than needed and lengths past the end
/// are faults.
///
/// - Source: ITU-T X.690 §8, §10.
package struct DER {
  private let bytes: UnsafeRawBufferPointer
  private var rest: Range<Int>

  package enum Tag: UInt8 {
    case integer = 0x02
    case bitString = 0x03
    case octetString = 0x04
    case null = 0x05
    case objectIdentifier = 0x06
    case sequence = 0x30
    case first = 0xa0  // [0], with elements in it
    case second = 0xa1  // [1], the same
    case secondBits = 0x81  // [1], with the bytes of a bit string in it
  }

  package init(_ bytes: UnsafeRawBufferPointer) { self.init(bytes, 0..<bytes.count) }

  /// The elements in a part.
  package init(_ bytes: UnsafeRawBufferPointer, _ part: Range<Int>) { (self.bytes, rest) = (bytes, part) }

  package func next(is tag: Tag) -> Bool { !rest.isEmpty && bytes[rest.lowerBound] == tag.rawValue }

  /// The place of the next element's contents.
  package mutating func contents(_ tag: Tag) throws(KeyFault) -> Range<Int> {
    guard next(is: tag) else { throw .form }
    _ = try byte()
    let count = try length()
    guard count <= rest.count else { throw .form }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// The place of the next element, with its tag and length.
  package mutating func whole(_ tag: Tag) throws(KeyFault) -> Range<Int> {
    let start = rest.lowerBound
    return start..<(try contents(tag)).upperBound
  }

  /// The elements in the next element.
  package mutating func elements(_ tag: Tag) throws(KeyFault) -> DER {
    var inner = self
    inner.rest = try contents(tag)
    return inner
  }

  /// Skips an element that may be missing.
  package mutating func skip(_ tag: Tag) throws(KeyFault) { if next(is: tag) { _ = try contents(tag) } }

  /// A number of one byte.
  package mutating func smallInteger() throws(KeyFault) -> UInt8 {
    let range = try contents(.integer)
    guard range.count == 1, bytes[range.lowerBound] < 0x80 else { throw .form }
    return bytes[range.lowerBound]
  }

  /// The bytes of a bit string that has whole bytes.
  package mutating func bits(_ tag: Tag = .bitString) throws(KeyFault) -> Range<Int> {
    let range = try contents(tag)
    guard range.count >= 1, bytes[range.lowerBound] == 0 else { throw .form }
    return range.dropFirst()
  }

  package func end() throws(KeyFault) { guard rest.isEmpty else { throw .form } }

  private mutating func byte() throws(KeyFault) -> Int {
    guard let first = rest.first else { throw .form }
    rest = rest.dropFirst()
    return Int(bytes[first])
  }

  private mutating func length() throws(KeyFault) -> Int {
    let first = try byte()
    switch first {
    case ..<0x80: return first
    case 0x81:
      let count = try byte()
      guard count >= 0x80 else { throw .form }
      return count
    case 0x82:
      let count = try byte() << 8 | byte()
      guard count >= 0x100 else { throw .form }
      return count
    default: throw .form
    }
  }
}
