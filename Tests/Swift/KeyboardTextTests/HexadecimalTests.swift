// Hexadecimal digits, compared with Foundation's and with Character's.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardTestSupport
import KeyboardText
import Testing

@Suite struct HexadecimalTests {
  @Test func digitsAreThoseOfEveryByte() throws {
    for byte in UInt8.min...UInt8.max {
      let text = GuardedMemory(2)
      withUnsafeBytes(of: byte) { Hexadecimal.encode($0, into: text.start) }
      #expect(text.isIntact)
      try #require(String(decoding: text.bytes, as: UTF8.self) == String(format: "%02x", byte))
    }
  }

  @Test func refusesEveryCharacterThatIsNoDigit() throws {
    for character in UInt8.min...UInt8.max {
      let digit = character < 128 ? Character(Unicode.Scalar(character)).hexDigitValue : nil
      try #require(Hexadecimal.isDigit(character) == (digit != nil))
      for (digits, place) in [([character, 48], 0), ([48, character], 1)] {
        let byte = GuardedMemory(1)
        let isRight = digits.withUnsafeBytes { Hexadecimal.decode($0, into: byte.start) }
        #expect(byte.isIntact)
        try #require(isRight == (digit != nil))
        if let digit { try #require(byte.bytes == [UInt8(place == 0 ? digit << 4 : digit)]) }
      }
    }
  }

  @Test func worksInPlace() throws {
    for count in 0...70 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
      var text = bytes + Bytes(repeating: 0, count: count + 1)
      text.withUnsafeMutableBytes { text in
        Hexadecimal.encode(UnsafeRawBufferPointer(rebasing: text[..<count]), into: text.baseAddress!)
      }
      try #require(String(decoding: text[..<(2 * count)], as: UTF8.self) == Hexadecimal.string(of: bytes[...]))
      let isRight = text.withUnsafeMutableBytes { text in
        Hexadecimal.decode(UnsafeRawBufferPointer(rebasing: text[..<(2 * count)]), into: text.baseAddress!)
      }
      try #require(isRight && text[..<count] == bytes[...])
    }
  }

  @Test func stringsArePairsOfDigits() {
    #expect(Hexadecimal.string(of: [0, 0xa5, 0xff]) == "00a5ff")
    #expect(Hexadecimal.bytes(of: "00A5ff") == [0, 0xa5, 0xff])
    #expect(Hexadecimal.bytes(of: "") == [])
    for text in ["0", "000", "0g", " 00", "0x00"] { #expect(Hexadecimal.bytes(of: text) == nil, "\(text)") }
  }
}
