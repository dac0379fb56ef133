// What to tell people in their language: a sentence for each rule and each code. The C library has English only.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  public import KeyboardCodes
  public import KeyboardRules

  /// A language in which there is a sentence for each rule and each code.
  ///
  ///     import Foundation
  ///
  ///     let language = MessageLanguage(preferring: Locale.preferredLanguages)
  ///     if let rule = try keyboard.check(rules) { show(rule.message(in: language)) }
  ///
  /// The sentences are in `Messages/`, for programs in other languages. A later version may have more of them.
  @nonexhaustive
  public enum MessageLanguage: String, Sendable, CaseIterable {
    /// For everyone whose language is not here.
    case english = "en"
    /// Formal, as banks address people.
    case german = "de"
    /// Polite.
    case japanese = "ja"
    /// Polite.
    case korean = "ko"
    /// In simplified characters.
    case chinese = "zh"

    /// The language that a tag means.
    ///
    /// - Parameter identifier: `ko`, `ko-KR` or `ko_KR.UTF-8`. Traditional Chinese is not one of our languages.
    public init?(identifier: some StringProtocol) {
      let parts = identifier.lowercased().split { "-_.@".contains($0) }
      guard let first = parts.first, let language = Self(rawValue: String(first)) else { return nil }
      let isTraditional = !parts.contains("hans") && parts.contains { ["hant", "tw", "hk", "mo"].contains($0) }
      if language == .chinese && isTraditional { return nil }
      self = language
    }

    /// The first of these languages that there is, or English.
    ///
    /// - Parameter identifiers: the person's languages, the best first.
    public init(preferring identifiers: some Sequence<some StringProtocol>) {
      self = identifiers.lazy.compactMap { Self(identifier: $0) }.first ?? .english
    }

    /// The sentences of the rules by their numbers, then those of the codes.
    private static let lines: [Self: [String]] = Dictionary(
      uniqueKeysWithValues: allCases.map { ($0, $0.sentences.split(separator: "\n").map(String.init)) })

    fileprivate func sentence(ofRule number: Int) -> String { Self.lines[self]![number] }

    fileprivate func sentence(ofCode code: UInt32) -> String? {
      let index = PasscodeRule.allCases.count + Int(code)
      return index < Self.lines[self]!.count ? Self.lines[self]![index] : nil
    }
  }

  extension PasscodeRule {
    /// What to tell a person whose passcode breaks the rule.
    public func message(in language: MessageLanguage) -> String { language.sentence(ofRule: Int(rawValue)) }
  }

  extension PasscodeRules.Rule {
    /// What to tell a person whose passcode breaks the rule: the app's own sentence, or the library's in this language.
    public func message(in language: MessageLanguage) -> String { ownMessage ?? kind.message(in: language) }
  }

  extension KeyboardError {
    /// What to do about a code. English says what `message(forCode:)` says, unknown codes included.
    public static func message(forCode code: UInt32, in language: MessageLanguage) -> String {
      language.sentence(ofCode: code) ?? "\(message(forCode: code))"
    }

    /// What to do about the error. It knows the code only; `description` may know more, in English.
    public func message(in language: MessageLanguage) -> String { Self.message(forCode: code, in: language) }
  }
#endif
