// Whether a rule refuses a passcode.
// SPDX-License-Identifier: Apache-2.0

/// A passcode that is being checked.
struct RuleCheck {
  private let passcode: UnsafeRawBufferPointer
  private let characterCount: Int
  private let scalars: Scalars
  private let patternMemory: UnsafeMutableRawPointer

  init(_ passcode: UnsafeRawBufferPointer, characterCount: Int, scratch: UnsafeMutableRawPointer) {
    self.passcode = passcode
    self.characterCount = characterCount
    scalars = Scalars(passcode, at: scratch)
    patternMemory = scratch + Scalars.byteCount
  }

  func refuses(_ rule: RuleList.Rule) -> Bool {
    switch rule.kind {
    case .minimumLength: characterCount < rule.number
    case .maximumLength: characterCount > rule.number
    case .digits: !scalars.allSatisfy(isDigit)
    case .alphanumeric: !scalars.allSatisfy { isDigit($0) || isLetter($0) }
    case .same: scalars.hasSame(rule.number)
    case .run: scalars.hasRun(rule.number)
    case .pairs: scalars.isPairs
    case .doubles: scalars.isDoubles
    case .text: PersonalData.isText(rule.text, in: passcode)
    case .date: PersonalData.isDate(rule.text, in: passcode)
    case .phone: PersonalData.isPhone(rule.text, length: rule.number, in: passcode)
    case .common: CommonPasscodes.contains(passcode)
    // A search that ends without an answer refuses, whichever of the two it was for.
    case .match: search(rule.text) != .found
    case .notMatch: search(rule.text) != .notFound
    }
  }

  private func search(_ pattern: UnsafeRawBufferPointer) -> PatternResult {
    Pattern.search(pattern, in: scalars, memory: PatternMemory(at: patternMemory))
  }
}
