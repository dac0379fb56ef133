// What is done with a passcode that came in a sealed text. It is opened on a keyboard of the library (`receive`), and
// stays there, in locked memory and masked: no function here sees it.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

struct Passcodes: Sendable {
  let keys: BankKeys

  /// Also takes verifiers in the form for import, which have no pepper and no Argon2id. They are for measurements only:
  /// whoever can write the database could write one for any account.
  let takesImports: Bool

  /// A verifier of nothing with a pepper that nobody knows. An account that does not exist is checked against it, and
  /// takes as long as one that does.
  private let nobody: PasscodeVerifier

  init(keys: BankKeys, takesImports: Bool) throws {
    (self.keys, self.takesImports) = (keys, takesImports)
    let keyboard = try Keyboard()
    try keyboard.open()
    nobody = try keyboard.makeVerifier(pepper: randomBytes(32).span)
  }

  // MARK: Register

  /// Makes what is stored for an account.
  ///
  /// - Throws: a refusal if a rule refuses the passcode, or the two texts differ.
  func verifier(of text: [UInt8], again: [UInt8], for challenge: Challenge) throws -> PasscodeVerifier {
    guard let first = try received(text, for: challenge), let second = try received(again, for: challenge) else {
      throw Refusal.undecryptable
    }
    if let rule = try first.check(rules(for: challenge.account)) { throw Refusal.rule(rule.message) }
    guard try first.hasSamePassword(as: second) else { throw Refusal.mismatch }
    return try keys.withPepper(of: challenge.account) { pepper throws(KeyboardError) in
      try first.makeVerifier(pepper: pepper)
    }
  }

  /// For choosing a passcode, never for logging in. A short name is no rule: many passcodes contain it, and by opening
  /// accounts with such names, a script in the page would learn digits of a passcode.
  private func rules(for account: String) -> PasscodeRules {
    let rules: [PasscodeRules.Rule] = [
      .digits(message: "Use digits only."), .minimumLength(6, message: "Use six digits."),
      .maximumLength(6, message: "Use six digits."), .notSame(3), .notRun(3), .notPairs(), .notDoubles(), .notCommon,
    ]
    let name = PasscodeRules.Rule.notText(account, message: "The passcode must not contain the account's name.")
    return PasscodeRules(account.utf8.count < 4 ? rules : rules + [name])
  }

  // MARK: Log in

  /// Tells whether the text holds the account's passcode.
  ///
  /// - Parameter verifier: the account's, or nil if there is no such account.
  func check(_ text: [UInt8], for challenge: Challenge, verifier: String?) throws -> Bool {
    guard let keyboard = try received(text, for: challenge) else { return false }
    let stored = verifier.map { PasscodeVerifier($0) } ?? nobody
    if takesImports, stored.isImported {
      let none: [UInt8] = []
      return try keyboard.check(stored, pepper: none.span)
    }
    let isRight = try keys.withPepper(of: challenge.account) { pepper throws(KeyboardError) in
      try keyboard.check(stored, pepper: pepper)
    }
    return isRight && verifier != nil
  }

  /// A keyboard with the passcode of a text, which it wipes when it is released; nil for every fault of the text.
  private func received(_ text: [UInt8], for challenge: Challenge) throws -> Keyboard? {
    let keyboard = try Keyboard()
    do {
      try keys.withPrivateKey { key throws(KeyboardError) in
        try keyboard.receive(text.span, way: .x25519, key: key, context: challenge.context.span)
      }
    } catch .undecryptable {
      return nil
    }
    return keyboard
  }
}

extension PasscodeVerifier {
  fileprivate var isImported: Bool { string.hasPrefix("$sha256") }
}
