// The sentences in each language: every rule and code has one, and English is what the library says.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Foundation
import Testing

@Suite struct MessageTests {
  private struct Catalogue: Decodable {
    let rules: [String: String]
    let codes: [String: String]
  }

  private func projectFile(_ path: String) -> URL {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appending(path: path)
  }

  private func catalogue(_ language: MessageLanguage) throws -> Catalogue {
    let file = projectFile("Messages/\(language.rawValue).json")
    return try JSONDecoder().decode(Catalogue.self, from: Data(contentsOf: file))
  }

  /// The names and numbers of an enumeration of the C header.
  private func enumerators(_ prefix: String) throws -> [(name: String, number: UInt32)] {
    let header = try String(contentsOf: projectFile("Include/custom_keyboard.h"), encoding: .utf8)
    let enumeration = prefix == "CUSTOM_KEYBOARD_" ? "CUSTOM_KEYBOARD_RV {" : "CUSTOM_KEYBOARD_RULE {"
    let body = try #require(header.components(separatedBy: "enum " + enumeration).last?.split(separator: "}").first)
    return body.split(separator: "\n").compactMap { line in
      let words = line.split { " ,".contains($0) }
      guard words.count > 2, words[0].hasPrefix(prefix), words[1] == "=" else { return nil }
      return UInt32(words[2]).map { (String(words[0].dropFirst(prefix.count)), $0) }
    }
  }

  @Test func everyLanguageHasEveryRuleAndCodeOfTheHeader() throws {
    let (rules, codes) = (try enumerators("CUSTOM_KEYBOARD_RULE_"), try enumerators("CUSTOM_KEYBOARD_"))
    try #require(rules.count == PasscodeRule.allCases.count && rules.count >= 14 && codes.count >= 11)
    try #require(MessageLanguage.allCases.count >= 5)
    for language in MessageLanguage.allCases {
      let file = try catalogue(language)
      #expect(Set(file.rules.keys) == Set(rules.map(\.name)) && Set(file.codes.keys) == Set(codes.map(\.name)))
      for rule in rules {
        let kind = try #require(PasscodeRule(rawValue: UInt8(rule.number)))
        #expect(kind.message(in: language) == file.rules[rule.name])
      }
      for code in codes {
        #expect(KeyboardError.message(forCode: code.number, in: language) == file.codes[code.name])
      }
    }
  }

  @Test func englishIsWhatTheLibrarySays() throws {
    for rule in PasscodeRule.allCases { #expect(rule.message(in: .english) == "\(rule.message)") }
    for code in try enumerators("CUSTOM_KEYBOARD_").map(\.number) {
      #expect(KeyboardError.message(forCode: code, in: .english) == "\(KeyboardError.message(forCode: code))")
    }
  }

  @Test func noTwoSentencesOfALanguageAreTheSame() throws {
    var seen: Set<String> = []
    for language in MessageLanguage.allCases {
      let file = try catalogue(language)
      for text in Array(file.rules.values) + file.codes.values {
        #expect(seen.insert(text).inserted, "\(language): \(text)")
        #expect(text.hasSuffix(".") || text.hasSuffix("。"), "\(text)")
      }
    }
  }

  @Test func unknownCodesHaveTheLibrarysSentence() {
    for language in MessageLanguage.allCases {
      for code: UInt32 in [1_000, .max] {
        #expect(KeyboardError.message(forCode: code, in: language) == "\(KeyboardError.message(forCode: code))")
      }
    }
  }

  @Test func anErrorsSentenceIsItsCodes() {
    #expect(
      KeyboardError.refused.message(in: .german)
        == "Wählen Sie einen anderen Code, oder laden Sie neue Schlüssel: Dieser Code ist nicht erlaubt, oder alle "
        + "Schlüssel sind verbraucht.")
    #expect(KeyboardError.argument(.overlap).message(in: .korean) == KeyboardError.argument.message(in: .korean))
  }

  @Test func aRulesOwnSentenceComesFirst() throws {
    let keyboard = try Keyboard()
    try keyboard.open()
    try keyboard.input(Array("2580".utf8).span)
    let refused = try #require(try keyboard.check([.notCommon]))
    #expect(refused.message(in: .chinese) == "很多人都使用这个密码。请选择一个更难猜的密码。")
    #expect(refused.message == "\(PasscodeRule.common.message)")
    let own = try #require(try keyboard.check([.minimumLength(6, message: "Six, please.")]))
    #expect(own.message(in: .chinese) == "Six, please." && own.message == "Six, please.")
  }

  @Test func aTagNamesItsLanguage() {
    for (tag, language) in [
      ("de", MessageLanguage.german), ("de-CH", .german), ("ko_KR.UTF-8", .korean), ("JA-jp", .japanese),
      ("zh", .chinese), ("zh-CN", .chinese), ("zh_Hans_HK", .chinese), ("en-GB", .english),
    ] {
      #expect(MessageLanguage(identifier: tag) == language, "\(tag)")
    }
    for tag in ["", "-", "fr", "deu", "zh-TW", "zh-Hant", "zh_HK.UTF-8", "C", "e"] {
      #expect(MessageLanguage(identifier: tag) == nil, "\(tag)")
    }
    #expect(MessageLanguage(preferring: ["fr-FR", "zh-TW", "ja-JP", "de"]) == .japanese)
    #expect(MessageLanguage(preferring: ["fr-FR"]) == .english)
    #expect(MessageLanguage(preferring: [String]()) == .english)
  }
}
