// The tags of UAF's assertions: writing them, and reading them.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardText

/// A tag: 16 bits. One with bit 12 has TLV inside.
///
/// - Source: FIDO UAF Authenticator Commands 1.1 §5.2; FIDO UAF Registry 1.1 §3.
package struct Tag: RawRepresentable, Equatable, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static var registrationAssertion: Tag { Tag(rawValue: 0x3e01) }
  package static var authenticationAssertion: Tag { Tag(rawValue: 0x3e02) }
  package static var keyRegistrationData: Tag { Tag(rawValue: 0x3e03) }
  package static var signedData: Tag { Tag(rawValue: 0x3e04) }
  package static var signature: Tag { Tag(rawValue: 0x2e06) }
  package static var surrogateAttestation: Tag { Tag(rawValue: 0x3e08) }
  package static var keyID: Tag { Tag(rawValue: 0x2e09) }
  package static var finalChallengeHash: Tag { Tag(rawValue: 0x2e0a) }
  package static var aaid: Tag { Tag(rawValue: 0x2e0b) }
  package static var publicKey: Tag { Tag(rawValue: 0x2e0c) }
  package static var counters: Tag { Tag(rawValue: 0x2e0d) }
  package static var assertionInfo: Tag { Tag(rawValue: 0x2e0e) }
  package static var authenticatorNonce: Tag { Tag(rawValue: 0x2e0f) }
  package static var transactionContentHash: Tag { Tag(rawValue: 0x2e10) }
  // In the record of a key, which is never sent.
  package static var keyHandle: Tag { Tag(rawValue: 0x2801) }
  package static var appID: Tag { Tag(rawValue: 0x2804) }
  package static var userName: Tag { Tag(rawValue: 0x2806) }
  package static var origin: Tag { Tag(rawValue: 0x2880) }
}

extension ByteWriter {
  /// A number as UAF's TLV has it: little-endian.
  package mutating func putLittleEndian(_ number: UInt16) { withUnsafeBytes(of: number.littleEndian) { put($0) } }
  package mutating func putLittleEndian(_ number: UInt32) { withUnsafeBytes(of: number.littleEndian) { put($0) } }

  package mutating func put(_ tag: Tag, _ value: UnsafeRawBufferPointer) {
    put(tag) { $0.put(value) }
  }

  /// A tag, the length of what `body` writes, and that.
  package mutating func put(_ tag: Tag, _ body: (inout ByteWriter) -> Void) {
    putLittleEndian(tag.rawValue)
    guard let length = advance(2) else { return }
    let start = count
    body(&self)
    guard isWhole, count - start <= Int(UInt16.max) else {
      fail()
      return
    }
    length.storeBytes(of: UInt16(count - start).littleEndian, as: UInt16.self)
  }
}

/// Reads one tag after the other.
package struct TLVReader {
  private var rest: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  package var isAtEnd: Bool { rest.isEmpty }

  /// The next tag and its value; nil at the end, and where no whole one follows.
  package mutating func next() -> (tag: Tag, value: UnsafeRawBufferPointer)? {
    guard rest.count >= 4 else { return nil }
    let count = Int(UInt16(littleEndian: rest.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    guard count <= rest.count - 4 else { return nil }
    let tag = Tag(rawValue: UInt16(littleEndian: rest.loadUnaligned(as: UInt16.self)))
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[(4 + count)...]) }
    return (tag, UnsafeRawBufferPointer(rebasing: rest[4..<4 + count]))
  }

  /// The value of the tag that must come next.
  package mutating func next(_ tag: Tag) -> UnsafeRawBufferPointer? {
    guard let (found, value) = next(), found == tag else { return nil }
    return value
  }
}
