// Base64 and hexadecimal digits without tables, compared with Foundation's.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardTestSupport
import Testing

@testable import KeyboardVerifiers

private func encoded(_ bytes: Bytes) -> String {
  let text = GuardedMemory(Base64.characterCount(byteCount: bytes.count))
  Base64.encode(bytes, byteCount: bytes.count, into: text.start)
  #expect(text.isIntact)
  return String(decoding: text.bytes, as: UTF8.self)
}

private func decoded(_ text: Bytes) -> Bytes? {
  let bytes = GuardedMemory(3 * text.count / 4)
  let isRight = Base64.decode(text, characterCount: text.count, into: bytes.start)
  #expect(bytes.isIntact)
  return isRight ? bytes.bytes : nil
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
    let ofOne = two.compactMap(decoded)
    #expect(ofOne.count == 256)
    #expect(Set(ofOne).count == 256)
    let ofTwo = alphabet.map { [65, 65, $0] }.compactMap(decoded)
    #expect(ofTwo.count == 16)
    for count in [1, 5, 9, 129] { try #require(decoded(Bytes(repeating: 65, count: count)) == nil, "\(count)") }
    #expect(decoded([]) == [])
  }

  @Test func hexadecimalDigitsAreThoseOfEveryByte() throws {
    for byte in UInt8.min...UInt8.max {
      let text = GuardedMemory(2)
      Hexadecimal.encode([byte], byteCount: 1, into: text.start)
      #expect(text.isIntact)
      try #require(String(decoding: text.bytes, as: UTF8.self) == String(format: "%02x", byte))
    }
    for high in UInt8.min...UInt8.max {
      for (digits, place) in [([high, 48], 0), ([48, high], 1)] {
        let byte = GuardedMemory(1)
        let isRight = Hexadecimal.decode(digits, byteCount: 1, into: byte.start)
        #expect(byte.isIntact)
        let digit = high < 128 ? Character(Unicode.Scalar(high)).hexDigitValue : nil
        try #require(isRight == (digit != nil))
        if let digit { try #require(byte.bytes == [UInt8(place == 0 ? digit << 4 : digit)]) }
      }
    }
  }
}
