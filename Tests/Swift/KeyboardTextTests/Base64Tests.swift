// Base64 and hexadecimal digits without tables, compared with Foundation's.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardTestSupport
import Testing

@testable import KeyboardText

private func encoded(_ bytes: Bytes, _ alphabet: Base64 = .standard) -> String {
  let text = GuardedMemory(Base64.characterCount(byteCount: bytes.count))
  bytes.withUnsafeBytes { alphabet.encode($0, into: text.start) }
  #expect(text.isIntact)
  return String(decoding: text.bytes, as: UTF8.self)
}

private func decoded(_ text: Bytes, _ alphabet: Base64 = .standard) -> Bytes? {
  let bytes = GuardedMemory(3 * text.count / 4)
  let room = UnsafeMutableRawBufferPointer(start: bytes.start, count: 3 * text.count / 4)
  let count = text.withUnsafeBytes { alphabet.decode($0, into: room) }
  #expect(bytes.isIntact)
  #expect(text.withUnsafeBytes { alphabet.isText($0, of: 0...200) } == (count != nil))
  return count.map { Bytes(bytes.bytes[..<$0]) }
}

private func unpadded(_ bytes: Bytes) -> String {
  Data(bytes).base64EncodedString().replacingOccurrences(of: "=", with: "")
}

@Suite struct Base64Tests {
  @Test func equalsFoundationAtEveryLength() throws {
    for count in 0...130 {
      for _ in 0..<50 {
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
        try #require(encoded(bytes) == unpadded(bytes))
        try #require(decoded(Bytes(unpadded(bytes).utf8)) == bytes)
      }
    }
  }

  /// One, two and three bytes of each value: every character in every place.
  @Test func encodesEveryByteInEveryPlace() throws {
    for byte in UInt8.min...UInt8.max {
      for bytes in [[byte], [7, byte], [200, 100, byte]] {
        try #require(encoded(bytes) == unpadded(bytes))
        try #require(decoded(Bytes(unpadded(bytes).utf8)) == bytes)
      }
    }
  }

  @Test func refusesEveryCharacterThatIsNotItsOwn() throws {
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    #expect(alphabet.count == 64)
    for place in 0..<8 {
      for character in UInt8.min...UInt8.max {
        var text = Bytes("Zm9vYmFy".utf8)
        text[place] = character
        try #require((decoded(text) != nil) == alphabet.contains(character), "\(character) at \(place)")
      }
    }
  }

  /// Of all texts of two and three characters, those whose last bits are zero: as many as there are bytes.
  @Test func acceptsEveryByteInOneWayOnly() throws {
    let alphabet = Bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let two = alphabet.flatMap { first in alphabet.map { [first, $0] } }
    let ofOne = two.compactMap { decoded($0) }
    #expect(ofOne.count == 256)
    #expect(Set(ofOne).count == 256)
    let ofTwo = alphabet.map { [65, 65, $0] }.compactMap { decoded($0) }
    #expect(ofTwo.count == 16)
    for count in [1, 5, 9, 129] { try #require(decoded(Bytes(repeating: 65, count: count)) == nil, "\(count)") }
    #expect(decoded([]) == [])
  }

  /// In both alphabets, with what is in memory where the text is.
  @Test func decodesInPlace() throws {
    for alphabet in [Base64.standard, .url] {
      for count in 0...99 {
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
        var text = Bytes(encoded(bytes, alphabet).utf8)
        let decoded = text.withUnsafeMutableBytes { alphabet.decode(UnsafeRawBufferPointer($0), into: $0) }
        try #require(decoded == count && text[..<count] == bytes[...])
      }
    }
  }

  @Test func addressesHaveOtherLastCharacters() throws {
    for count in 1..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
      let theirs = unpadded(bytes).replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      try #require(encoded(bytes, .url) == theirs)
      try #require(decoded(Bytes(theirs.utf8), .url) == bytes)
    }
  }

  /// RFC 4648 §10, without padding.
  @Test(arguments: [("Zg", "f"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYg", "foob"), ("Zm9vYmFy", "foobar"), ("", "")])
  func decodesTheExamples(_ source: String, _ clear: String) {
    #expect(decoded(Bytes(source.utf8), .url) == Bytes(clear.utf8))
  }

  @Test(arguments: ["Z", "Zg==", "Zg=", "Zh", "Zm9", "Z+8v", "Z/8v", "Zm9v Yg", "Zm9v\n", "Zm9vY", "Zé"])
  func addressesRefuse(_ source: String) { #expect(decoded(Bytes(source.utf8), .url) == nil) }

  @Test func knowsTheSizeWithoutDecoding() {
    let text = Bytes("Zm9vYg".utf8)
    for (sizes, isText) in [(4...4, true), (5...9, false), (1...3, false)] {
      #expect(text.withUnsafeBytes { Base64.url.isText($0, of: sizes) } == isText)
    }
    let room = GuardedMemory(3)
    let small = UnsafeMutableRawBufferPointer(start: room.start, count: 3)
    #expect(text.withUnsafeBytes { Base64.url.decode($0, into: small) } == nil)
    #expect(room.isIntact)
  }

  @Test(
    arguments: [
      ("", ""), ("Zm9v", "Zm9v"), ("Zm8=", "Zm8"), ("Zg==", "Zg"), ("Zg", "Zg"), ("Zg=", nil), ("Zm9v====", nil),
      ("Z===", nil), ("Zm8==", nil), ("==Zm", "==Zm"),
    ] as [(String, String?)])
  func paddingFillsTheLastGroup(_ source: String, _ text: String?) {
    let found = Bytes(source.utf8).withUnsafeBytes { bytes in
      Base64.unpadded(bytes).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(found == text)
  }
}
