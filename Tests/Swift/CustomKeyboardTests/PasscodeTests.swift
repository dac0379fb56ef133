// Rules, comparison, verifiers and the choice of a passcode, as Swift programs use them.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Testing

private func keyboard(_ passcode: String) throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.open()
  try keyboard.input(Array(passcode.utf8).span)
  return keyboard
}

private func type(_ passcode: String, on keyboard: Keyboard) throws {
  try keyboard.input(Array(passcode.utf8).span)
}

@Suite struct PasscodeTests {
  static let rules: PasscodeRules = [
    .digits, .minimumLength(6), .maximumLength(8), .notRun(4), .notSame(4), .notPairs(), .notDoubles(), .notCommon,
    .notDate("1984-03-07"), .notPhone("+49 30 5550199"), .notPattern("(...)\\1", message: "No triple twice."),
    .pattern("."),
  ]

  @Test(arguments: [
    ("48372a", PasscodeRule.digits), ("48372", .minimumLength), ("483725483", .maximumLength), ("992345", .run),
    ("977771", .same), ("171717", .pairs), ("115599", .doubles), ("000007", .same), ("519840", .date),
    ("855019", .phone), ("9048048", .notMatch),
  ]) func theFirstRuleThatRefusesIsNamed(passcode: String, kind: PasscodeRule) throws {
    let rule = try #require(try keyboard(passcode).check(Self.rules))
    #expect(rule.kind == kind)
    #expect(rule.message == (kind == .notMatch ? "No triple twice." : "\(kind.message)"))
  }

  @Test func whatNoRuleRefusesIsAllowed() throws {
    let allowed = try keyboard("483725")
    #expect(try allowed.check(Self.rules) == nil)
    #expect(try allowed.check([]) == nil)
    #expect(try allowed.check([.notText("3725")])?.kind == .text)
    #expect(try allowed.check([.alphanumeric]) == nil)
    try allowed.clearRules()
  }

  @Test func aVerifierIsForOnePasscodeAndOnePepper() throws {
    let (one, pepper) = (try keyboard("483725"), [UInt8](1...32))
    let verifier = try one.makeVerifier(pepper: pepper.span)
    #expect(verifier.string.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    #expect(verifier.string.utf8.count == 97)
    #expect(try one.check(PasscodeVerifier(verifier.string), pepper: pepper.span))
    #expect(try keyboard("483725").check(verifier, pepper: pepper.span))
    #expect(try !keyboard("483726").check(verifier, pepper: pepper.span))
    #expect(try !one.check(verifier, pepper: [UInt8](1...31).span))
    #expect(try one.makeVerifier(pepper: pepper.span) != verifier)
    #expect(throws: KeyboardError.argument) { try one.check(PasscodeVerifier("$argon2id$"), pepper: pepper.span) }
  }

  @Test func aPasscodeIsTypedTwice() throws {
    var prepared = 0
    var choice = try PasscodeChoice(rules: Self.rules, tries: 2) { keyboard in
      try keyboard.setLayout(.pin, shuffle: .eachOpening, maximumCount: 6)
      prepared += 1
    }
    #expect(prepared == 2)
    try type("123456", on: choice.keyboard)
    guard case .refused(let rule) = try choice.enter() else { throw KeyboardError.refused }
    #expect(rule.kind == .run)
    #expect(choice.keyboard.count == 0)

    try type("483725", on: choice.keyboard)
    guard case .typeAgain = try choice.enter() else { throw KeyboardError.refused }
    try type("483726", on: choice.keyboard)
    guard case .different(triesLeft: 1) = try choice.enter() else { throw KeyboardError.refused }
    try type("483727", on: choice.keyboard)
    guard case .startOver = try choice.enter() else { throw KeyboardError.refused }
    #expect(choice.keyboard.count == 0)

    try type("483725", on: choice.keyboard)
    guard case .typeAgain = try choice.enter() else { throw KeyboardError.refused }
    try type("483725", on: choice.keyboard)
    guard case .chosen(let keyboard) = try choice.enter() else { throw KeyboardError.refused }
    #expect(try keyboard.hasSamePassword(as: PasscodeTests.typed("483725")))
  }

  static func typed(_ passcode: String) throws -> Keyboard { try keyboard(passcode) }
}
