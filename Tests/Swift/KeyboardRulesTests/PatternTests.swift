// Patterns by example: what matches, what is malformed and where, and what takes too long.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import Testing

@testable import KeyboardRules

@Suite struct PatternTests {
  @Test func patternsMatchAsInPython() throws {
    for (pattern, text, isFound) in [
      ("", "", true), ("", "a", true), ("a", "", false), ("b", "abc", true), ("^b", "abc", false), ("c$", "abc", true),
      ("c$", "abc\n", false), ("a.c", "a\nc", false), ("a.c", "a한c", true), ("^.$", "😀", true), ("a|", "b", true),
      (#"^\d+$"#, "0123456789", true), (#"\d"#, "٣", false), (#"^\W$"#, "é", true), (#"^\w$"#, "_", true),
      (#"^\s{6}$"#, " \t\n\r\u{b}\u{c}", true), (#"^\S$"#, "\u{a0}", true), ("[]a]", "]", true), ("[^]a]", "]", false),
      ("[a-]", "-", true), ("[-a]", "-", true), ("[a-c-e]", "d", false), ("[a-c-e]", "-", true), (#"[\d-]"#, "-", true),
      ("[^a]", "\n", true), ("[가-힣]", "한", true), (#"[\]\\]"#, #"\"#, true), (#"(a)\1"#, "aa", true),
      (#"(a)?\1"#, "a", false),
      (#"(?:(a)|b)\1"#, "b", false), (#"(?:(a)|b)+\1"#, "aba", true), (#"(?:(a)|b)+\1$"#, "abb", false),
      ("(a*)*b", "aab", true),
      ("(?:a|ab)(?:c|bcd)$", "abcd", true), ("a{2}", "aa", true), ("^a{2,3}$", "aaaa", false),
      ("^a{2,}?$", "aaaa", true),
      ("a{0}b", "b", true), ("(?=(a+))a*b\\1", "baaabac", true), ("(?=(a+))a*b\\1", "aaab", false),
      ("(?!a)b", "ab", true), ("^(?!a)b", "ab", false), (#"(?!(a)b)\1?c"#, "c", true), ("(?:)*", "", true),
      ("(?:a?)*?b", "aab", true),
      ("(?=a)(?!ab)", "ab ac", true), ("}]", "}]", true), ("a{200}", String(repeating: "a", count: 128), false),
      (#"^(.{1,64})\1$"#, String(repeating: "ab", count: 64), true), ("(?:){1000}", "", true),
      ("(?:a|){300,4294967294}", "", true),
      (#"^(\w)(\w)(\w)(\w)(\w)(\w)(\w)(\w)(\w)(\w)\9"#, "abcdefghiji", true),
      (#"^(\w)(\w)(\w)(\w)(\w)(\w)(\w)(\w)(\w)(\w)\9"#, "abcdefghijj", false),
      (#"^((((((((((a))))))))))\9$"#, "aa", true), ("[[:alpha:]]", "a]", true),
    ] { #expect(search(pattern, in: text) == (isFound ? .found : .notFound), "\(pattern) \(text)") }
  }

  /// Each piece is malformed at its own offset, wherever it is in a pattern.
  @Test func faultsAreNamed() throws {
    let pieces: [(String, Int)] = [
      ("*", 0), ("+", 0), ("?", 0), ("{2}", 0), ("(*a)", 1), ("(|*)", 2), ("a**", 2), ("a*+", 2), ("a++", 2),
      ("a?+", 2), ("a{2}+", 4),
      ("a*?*", 3), ("a*??", 3), ("a{2}{3}", 4), ("a{2}?{3}", 5), ("^*", 1), ("$+", 1), ("^{2}", 1), ("(?=a)*", 5),
      ("(?!a){2}", 5),
      ("(?=a)?", 5), ("a{", 1), ("a{}", 1), ("a{,}", 1), ("a{,3}", 1), ("a{x}", 1), ("a{2", 1), ("a{2,", 1),
      ("a{2,3", 1), ("a{2,1}", 1),
      ("a{ 2}", 1), ("a{2 }", 1), ("a{-1}", 1), ("a{2,x}", 1), ("a{4294967295}", 1), ("a{0,99999999999999999999}", 1),
      ("a{3,2}", 1),
      ("\\b", 0), ("\\B", 0), ("\\A", 0), ("\\Z", 0), ("\\z", 0), ("\\n", 0), ("\\t", 0), ("\\r", 0), ("\\x41", 0),
      ("\\u0041", 0), ("\\0", 0),
      ("\\p{L}", 0), ("\\Q", 0), ("\\é", 0), ("\\ ", 0), ("\\\n", 0), ("\\k", 0), ("\\g", 0), ("[z-a]", 1),
      ("[\\d-z]", 1), ("[a-\\d]", 1),
      ("[0\\w-z]", 2), ("[é-a]", 1), ("[a--]", 1), ("[\\b]", 1), ("[\\1]", 1), ("[a\\n]", 2), ("[a-\\x]", 3),
      ("[\\A]", 1), ("(?)", 0),
      ("(?<n>a)", 0), ("(?P<n>a)", 0), ("(?P=n)", 0), ("(?<=a)", 0), ("(?<!a)", 0), ("(?#a)", 0), ("(?i)", 0),
      ("(?i:a)", 0), ("(?>a)", 0),
      ("(?|a)", 0), ("(?'n'a)", 0), ("(?R)", 0), ("(?*a)", 0), ("(a\\9)", 2), ("(?:\\8)", 3), ("(?=\\9)", 3),
      ("a)b)", 1),
    ]
    let fronts = ["", "ab", "é", "(?:x)", "x|", "[*(]", "(a)", "\\*", "한{2,3}?"]
    let backs = ["", "b", "한", ")"]
    var count = 0
    for (piece, offset) in pieces {
      for front in fronts {
        for back in backs {
          // A count at the beginning belongs to what is in front of it, and an open brace may be closed behind it.
          if "*+?{".contains(piece.first!), !front.isEmpty, front != "x|" { continue }
          try #require(
            try fault(front + piece + back) == front.utf8.count + offset, "\(front + piece + back)")
          count += 1
        }
      }
    }
    #expect(count > 2_500)
  }

  @Test func whatIsNotClosedIsNamed() throws {
    for (pattern, position) in [
      ("(", 0), ("a(b", 1), ("((a)", 0), ("(a(b)", 0), ("(a(b", 2), ("é(?:a", 2), ("(?=a", 0), ("(?", 0), ("[", 0),
      ("a[b", 1), ("[]", 0),
      ("[^]", 0), ("[^", 0), ("[a-", 0), ("[\\]", 0), ("[\\", 1), ("\\", 0), ("a\\", 1), (")", 0), ("a)", 1),
      ("(a))", 3), ("é)", 2),
      (#"\1"#, 0), (#"(a\1)"#, 2), (#"\1(a)"#, 0), (#"(a)\2"#, 3), (#"(a)\10"#, 3), (#"(a)\1"# + "0", 3),
      (#"((a)\1)"#, 4), (#"(?:a)\1"#, 5),
      (#"(a)|b\2"#, 5), ("(a)(b(c)\\2)", 8),
    ] { #expect(try fault(pattern) == position, "\(pattern)") }
  }

  @Test func patternsAreUTF8() throws {
    #expect(try fault([0x61, 0xff]) == 1)
    #expect(try fault([0x5b, 0xc3]) == 1)
    #expect(try fault([0x5c, 0xed, 0xa0, 0x80]) == 1)
    #expect(try fault([0x28, 0xf4, 0x90, 0x80, 0x80]) == 1)
  }

  @Test func patternsHave256Bytes() throws {
    #expect(try fault(String(repeating: "a", count: 256)) == nil)
    #expect(throws: KeyboardError.tooLong) { try fault(String(repeating: "a", count: 257)) }
  }

  /// The largest programs, deepest groups, most loops and longest stacks: nothing outside of the memory changes.
  @Test func theLargestPatternsFit() throws {
    let text = String(repeating: "a", count: 128)
    for pattern in [
      String(repeating: "|", count: 256), String(repeating: "()*", count: 85),
      String(repeating: "(", count: 128) + String(repeating: ")", count: 128),
      String(repeating: "(?:", count: 64) + String(repeating: ")", count: 64),
      "[" + String(repeating: "a", count: 254) + "]",
      String(repeating: "[a]", count: 85), String(repeating: "a?", count: 128), String(repeating: "\\w", count: 128),
      String(repeating: "(|)", count: 85), String(repeating: "a*?", count: 85), String(repeating: "(?=)", count: 64),
      "()" + String(repeating: "\\1*", count: 84),
      String(repeating: "(?:", count: 50) + "a" + String(repeating: ")*", count: 50),
      "(" + String(repeating: "a|", count: 127) + ")",
    ] {
      #expect(try fault(pattern) == nil, "\(pattern)")
      _ = search(pattern, in: text)
    }
    #expect(try fault(String(repeating: "(", count: 256)) == 255)
  }

  /// Patterns that a search by trial and error never ends with.
  @Test func whatTakesTooLongIsRefusedByBothRules() throws {
    let a = String(repeating: "a", count: 127)
    for (pattern, text) in [
      ("^(a+)+$", a + "!"), ("^(a*)*$", a + "!"), ("^(?:a|a)*$", a + "!"), ("^(a|aa)+$", a + "!"),
      ("^(?:a?){64}a{64}b", a),
      ("^(([a-z])+.)+[A-Z]([a-z])+$", a), ("(.*)(.*)(.*)(.*)(.*)x", a), ("^(?:(?:a*)*)*b", a),
      ("^(\\w+\\s?)*$", a + "!"), ("(x+x+)+y", String(repeating: "x", count: 128)),
      ("^(?=(?:a+)+b)", a), ("^(?!(?:a+)+b)", a), ("^(?:a*?)*?b", a), ("(?:){60000}", ""), ("^(?:a|){60000}b", a),
      ("(a*)*\\1b", a), ("^(?:.?.?.?.?){32}x", a),
    ] {
      #expect(search(pattern, in: text) == .exhausted, "\(pattern)")
      #expect(try Rules(.match, 0, pattern).refuse(text), "\(pattern)")
      #expect(try Rules(.notMatch, 0, pattern).refuse(text), "\(pattern)")
    }
  }

  /// A set of 62 characters takes longer than one character.
  @Test func theItemsOfASetAreSteps() {
    let text = String(repeating: "z", count: 80)
    let set = "[ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz]"
    #expect(search("z*z*!", in: text) == .notFound)
    #expect(search(set + "*" + set + "*!", in: text) == .exhausted)
  }

  /// Sensible patterns on the longest passcodes are far from the limits.
  @Test func whatIsSensibleIsAnswered() {
    let text = String(repeating: "aB3$", count: 32)
    for pattern in [
      #"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[!-/:-@\[-`{-~])\S{8,128}$"#, #"(.)\1\1\1"#, #"(..+)\1x"#,
      "(?:a|B|3|\\$)+x", #"^(?!.*(\d)\1\1)"#,
      "(?:[a-z]+[A-Z]+\\d+\\W+)+x", "^(?:(?:[a-z]|[A-Z])(?:\\d|\\W)?)+x", "x.*y.*z",
    ] { #expect(search(pattern, in: text) != .exhausted, "\(pattern)") }
  }
}
