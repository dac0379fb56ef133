// Characters counted as Swift's own String counts them, and UTF-8 accepted as Swift's decoder accepts it.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CustomKeyboard

private func characters(_ bytes: [UInt8]) -> Characters? {
  bytes.withUnsafeBytes { Characters($0, byteCount: $0.count) }
}

@Test(arguments: [
  "", "a", "kgcx879@", "한글é👨‍👩‍👧🇰🇷", "e\u{301}\u{302}", "🇰🇷🇨🇳🇩", "\r\n", "\n\r", "각", "नमस्ते", "👍🏽👍", "\u{301}a", "☝🏿️", "ก็",
  "\u{0}x\u{7f}",
])
func charactersAreCountedAsStringCountsThem(text: String) throws {
  let found = try #require(characters(Array(text.utf8)))
  #expect(found.count == text.count)
  #expect(found.lastOffset == text.dropLast().utf8.count, "\(Array(text.utf8))")
}

@Test func theIssuesFiveCharacters() throws {
  #expect(try #require(characters(Array("한글é👨‍👩‍👧🇰🇷".utf8))).count == 5)
}

@Test(
  arguments: [
    [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80],
    [0xed, 0xbf, 0xbf], [0xe2, 0x82], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xff], [0xfe], [0x61, 0x80], [0xc3, 0x28],
    [0xf0, 0x9f, 0x98], [0x61, 0xc3],
  ] as [[UInt8]])
func whatIsNotUTF8IsRefused(bytes: [UInt8]) { #expect(characters(bytes) == nil) }

@Test func everyTwoBytesAreJudgedAsTheStandardLibraryJudgesThem() throws {
  for first in UInt8.min...UInt8.max {
    for second in UInt8.min...UInt8.max {
      let bytes = [first, second]
      try #require((characters(bytes) != nil) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
    }
  }
}

@Test func randomTextsAreCountedAsStringCountsThem() throws {
  let pieces = [
    "a", "é", "e\u{301}", "한", "👨‍👩‍👧", "🇰", "\u{200d}", "\u{fe0f}", "👍🏽", "\r", "\n", "\u{301}", "ก", "็", "क", "्", "ष",
  ]
  var generator = SystemRandomNumberGenerator()
  for _ in 0..<2000 {
    let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in pieces.randomElement(using: &generator)! }
      .joined()
    let found = try #require(characters(Array(text.utf8)))
    try #require(found.count == text.count, "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
    try #require(found.lastOffset == text.dropLast().utf8.count, "\(Array(text.utf8))")
  }
}
