// Recovery words in Swift: words in a vault, and each failure is the error of its C twin.
// SPDX-License-Identifier: Apache-2.0

import KeyboardVault
import Testing

@Suite struct WordsTests {
  private let key = [UInt8](0..<32)
  private let words = bytes("legal winner thank year wave sausage worth useful legal winner thank yellow")

  @Test func newWordsAreRightAndDiffer() throws {
    for count in [12, 15, 18, 21, 24] {
      let one = try Vault.Words.generate(count: count)
      let other = try Vault.Words.generate(count: count)
      #expect(text(one).split(separator: " ").count == count && text(one) != text(other))
      #expect(try text(one.withSpan { words throws(KeyboardError) in try Vault.Words.check(words) }) == text(one))
    }
    for count in [-12, 0, 11, 13, 27, .max] {
      #expect(throws: KeyboardError.argument) { try Vault.Words.generate(count: count) }
    }
  }

  @Test func whatIsTypedIsKept() throws {
    let folder = try Folder()
    let vault = try Vault(path: folder.vault, key: key.span)
    let phrase = String(decoding: words, as: UTF8.self)
    try vault.keepWords("one", typedOn: typing(phrase.uppercased()))
    #expect(try text(vault.readWords("one")) == phrase)
    #expect(throws: KeyboardError.refused) { try vault.keepWords("two", typedOn: typing(phrase + " legal")) }
    #expect(throws: KeyboardError.operationDisabled) { try vault.keepWords("two", typedOn: closedKeyboard()) }
    #expect(throws: KeyboardError.exists) { try vault.keepWords("one", typedOn: typing(phrase)) }
    try vault.deleteWords("one")
    #expect(throws: KeyboardError.notFound) { try vault.deleteWords("one") }
    #expect(throws: KeyboardError.notFound) { try vault.readWords("one") }
  }

  @Test func theFormsWithAwaitDoTheSame() async throws {
    let folder = try Folder()
    let vault = try await Vault.open(path: folder.vault, key: key.span)
    let phrase = String(decoding: words, as: UTF8.self)
    try await vault.keepWords("one", typedOn: typing(phrase))
    try await vault.keepWords("two", words: words.span)
    #expect(try await vault.wordNames() == ["one", "two"])
    for name in ["one", "two"] { #expect(try await text(vault.readWords(name)) == phrase) }
    try await vault.deleteWords("two")
    await #expect(throws: KeyboardError.notFound) { try await vault.readWords("two") }
    let seed = try await Vault.Words.makeSeed(of: words.span, passphrase: bytes("TREZOR").span)
    #expect(hexadecimal(seed).hasPrefix("2e8905819b8723fe2c1d161860e5ee18"))
    let long = words + [0]
    await #expect(throws: KeyboardError.argument) { try await Vault.Words.makeSeed(of: long.span) }
    await #expect(throws: KeyboardError.argument) { try await vault.keepWords("three", words: long.span) }
  }

  @Test func eachFailureIsTheErrorOfItsCode() throws {
    let folder = try Folder()
    let vault = try Vault(path: folder.vault, key: key.span)
    let rows: [([UInt8], KeyboardError)] = [
      (bytes(""), .refused), (bytes("legal"), .refused), (Array(words.dropLast(2)), .refused),
      (bytes("winner legal thank year wave sausage worth useful legal winner thank yellow"), .refused),
      (words + [0], .argument), (words + [0] + words, .argument), (words + [0xff], .argument),
      (bytes(String(repeating: "legal ", count: 25)), .refused), ([UInt8](repeating: 0x20, count: 100_000), .refused),
    ]
    for (words, error) in rows {
      #expect(throws: error) { try Vault.Words.check(words.span) }
      #expect(throws: error) { try Vault.Words.makeSeed(of: words.span) }
      #expect(throws: error) { try vault.keepWords("one", words: words.span) }
    }
    for passphrase in [bytes("é"), [0], bytes("a\0"), [0x7f], [0x1f]] {
      #expect(throws: KeyboardError.argument) { try Vault.Words.makeSeed(of: words.span, passphrase: passphrase.span) }
    }
    for name in ["", "a\0", String(repeating: "x", count: 256)] {
      #expect(throws: KeyboardError.argument) { try vault.keepWords(name, words: words.span) }
      #expect(throws: KeyboardError.argument) { try vault.keepWords(name, typedOn: typing("legal")) }
      #expect(throws: KeyboardError.argument) { try vault.readWords(name) }
      #expect(throws: KeyboardError.argument) { try vault.deleteWords(name) }
    }
    #expect(try vault.wordNames() == [])
    try vault.keepWords("one", words: words.span)
    #expect(throws: KeyboardError.exists) { try vault.keepWords("one", words: words.span) }
    try vault.close()
    #expect(throws: KeyboardError.argument) { try vault.wordNames() }
  }

  private func text(_ data: borrowing SecretBytes) -> String { String(decoding: copy(data), as: UTF8.self) }

  private func hexadecimal(_ data: borrowing SecretBytes) -> String {
    copy(data).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private func copy(_ data: borrowing SecretBytes) -> [UInt8] {
    data.withSpan { data in data.indices.map { data[$0] } }
  }
}
