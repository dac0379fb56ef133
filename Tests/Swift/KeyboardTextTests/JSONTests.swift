// The grammar of JSON: what is refused, and what strings and numbers mean.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardTestSupport
import KeyboardText
import Testing

@Suite struct JSONTests {
  @Test(arguments: [
    "null", " true ", "[]", "{}", "0", "-0", "-1.5e+9", "10", "\"\"", "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]", "[1,2 , 3]",
    "{\"a\":{\"b\":[null]},\"c\":\"\\u00e9\\ud83d\\ude00\"}", "\t\r\n{ \"\" : 1 }\n",
    "{\"a\":1,\"b\":{\"a\":1,\"b\":2}}",
    "[{\"a\":1},{\"a\":1}]", "\"\u{7f}\"", "\"é漢😀\"", "1E5", "0.0", "\"\\/\\b\\f\\n\\r\\t\\\\\\\"\"",
  ])
  func accepts(_ source: String) { #expect(Parsed(source).root != nil) }

  @Test(arguments: [
    "", " ", "nul", "nulll", "True", "[", "]", "[1,]", "[,1]", "[1 2]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}",
    "{a:1}", "{'a':1}", "{\"a\":1 \"b\":2}", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "Infinity", "1 2",
    "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"",
    "\"\\udc00\"", "\"\n\"", "\"\t\"", "\"\u{0}\"", "\u{feff}1", "1//", "/**/1", "[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]",
    "{\"a\":1,\"a\":1}", "{\"a\":1,\"\\u0061\":2}", "{\"b\":1,\"a\":{\"x\":[]},\"c\":0,\"a\":null}", "{\"\":1,\"\":2}",
    "[1]]", "{}}", "\u{a0}1", "[\u{b}]",
  ])
  func refuses(_ source: String) { #expect(Parsed(source).root == nil) }

  @Test(
    arguments: [
      [0x22, 0x80, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xc3, 0x22], [0x22, 0xe0, 0x80, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xf0, 0x80, 0x80, 0x80, 0x22], [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
      [0x22, 0xf5, 0x80, 0x80, 0x80, 0x22], [0x22, 0xe2, 0x82], [0x22, 0xff, 0x22],
    ] as [[UInt8]])
  func refusesWhatIsNotUTF8(_ bytes: [UInt8]) { #expect(Parsed(bytes: bytes).root == nil) }

  @Test func decodesStrings() throws {
    let parsed = Parsed("{\"n\\u0061me\":\"\\u0041\\n\\ud83d\\ude00é\\\\\\u0000\",\"b\":\"x\"}")
    defer { keep(parsed) }
    let root = try #require(parsed.root)
    #expect(text(root.member("name")?.string) == "A\n😀é\\\u{0}")
    #expect(text(root.member("b")?.string) == "x")
    #expect(root.member("c") == nil)
  }

  @Test func nullIsAbsent() throws {
    let parsed = Parsed("{\"a\":null}")
    defer { keep(parsed) }
    #expect(try #require(parsed.root).member("a") == nil)
  }

  @Test(
    arguments: [
      ("0", 0), ("4294967295", .max), ("4294967296", nil), ("-1", nil), ("1.0", nil), ("1e0", nil),
      ("99999999999999999999999999", nil), ("\"1\"", nil),
    ] as [(String, UInt32?)])
  func numbers(_ source: String, _ number: UInt32?) throws {
    let parsed = Parsed(source)
    defer { keep(parsed) }
    #expect(try #require(parsed.root).unsigned == number)
  }

  /// As long and as full as a document may be: every place for a value is used.
  @Test func holdsTheMostValues() throws {
    let most = "[" + String(repeating: "0,", count: JSONDocument.maximumSize / 2 - 1) + "]"
    #expect(Parsed(most).root == nil)
    let whole = "[" + String(repeating: "0,", count: JSONDocument.maximumSize / 2 - 2) + "0 ]"
    #expect(whole.utf8.count == JSONDocument.maximumSize)
    let parsed = Parsed(whole)
    defer { keep(parsed) }
    #expect(try #require(parsed.root).count == JSONDocument.maximumSize / 2 - 1)
    #expect(Parsed(whole + " ").root == nil)
    #expect(Parsed("[" + String(repeating: "[],", count: 20_000) + "0]").root != nil)
  }

  @Test func findsALateDuplicateAmongThousands() {
    let members = (0..<5000).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(Parsed("{\(members)}").root != nil)
    #expect(Parsed("{\(members),\"k17\":0}").root == nil)
  }

  /// Foundation accepts everything that is accepted here, and reads the same.
  @Test func agreesWithFoundation() throws {
    let seed = UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "") ?? .random(in: 0 ... .max)
    var random = TestNumbers(seed: seed)
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "u0041", "1", "-", ".", "e", "true", "null", " ", "\"a\"", "é",
    ]
    var accepted = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<9, using: &random)
      let source = (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined()
      guard Parsed(source).root != nil else { continue }
      accepted += 1
      let theirs = try? JSONSerialization.jsonObject(with: Data(source.utf8), options: .fragmentsAllowed)
      guard theirs != nil else {
        Issue.record("\(source) is refused by Foundation; seed \(seed)")
        return
      }
    }
    #expect(accepted > 100)
  }
}
