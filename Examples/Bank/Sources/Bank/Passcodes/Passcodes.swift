// What is done with a passcode that came in a sealed text. It is opened on a keyboard of the library (`receive`), and
// stays there, in locked memory and masked: no function here sees it.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

struct Passcodes: Sendable {
  let keys: BankKeys
  /// The id of the master key whose verifiers name none.
  let firstMaster: String

  /// Also takes verifiers in the form for import, which have no pepper and no Argon2id. They are for measurements only:
  /// somebody who can write the database could write one for any account.
  let takesImports: Bool

  /// A verifier of nothing with a pepper that nobody knows. An account that does not exist is checked against it, and
  /// takes as long as one that does.
  private let nobody: PasscodeVerifier

  init(keys: BankKeys, firstMaster: String, takesImports: Bool) throws {
    (self.keys, self.firstMaster, self.takesImports) = (keys, firstMaster, takesImports)
    let keyboard = try Keyboard()
    try keyboard.open()
    nobody = try keyboard.makeVerifier(pepper: randomBytes(32).span)
  }

  // MARK: Register

  /// Makes what is stored for an account.
  ///
  /// - Throws: a refusal if a rule refuses the passcode, or the two texts differ.
  func verifier(of text: [UInt8], again: [UInt8], for challenge: Challenge) throws -> String {
    try verifier(of: chosen(text, again: again, for: challenge), account: challenge.account)
  }

  /// What a person has chosen and typed twice.
  private func chosen(_ text: [UInt8], again: [UInt8], for challenge: Challenge) throws -> Keyboard {
    guard let first = try received(text, for: challenge), let second = try received(again, for: challenge) else {
      throw Refusal.undecryptable
    }
    if let rule = try first.check(rules(for: challenge.account)) { throw Refusal.rule(rule) }
    guard try first.hasSamePassword(as: second) else { throw Refusal.mismatch }
    return first
  }

  private func verifier(of keyboard: Keyboard, account: String) throws -> String {
    let verifier = try keys.master.withPepper(of: account) { pepper throws(KeyboardError) in
      try keyboard.makeVerifier(pepper: pepper)
    }
    return (keys.master.id == firstMaster ? "" : keys.master.id) + verifier.string
  }

  /// What the database has for an account: the verifier, and the master key that it was made with.
  private func parts(of stored: String) throws -> (MasterKey, PasscodeVerifier) {
    let end = stored.firstIndex(of: "$") ?? stored.endIndex
    let id = end == stored.startIndex ? firstMaster : String(stored[..<end])
    guard let master = keys.master(id) else {
      throw Failure("A passcode was stored with a master key that this server lacks: give it to all servers.")
    }
    return (master, PasscodeVerifier(String(stored[end...])))
  }

  /// For choosing a passcode, never for logging in. There is no rule for a short name: many passcodes contain one, and
  /// by opening accounts with such names, a script in the page would learn digits of a passcode.
  private func rules(for account: String) -> PasscodeRules {
    let rules: [PasscodeRules.Rule] = [
      .digits(message: "Use digits only."), .minimumLength(6, message: "Use six digits."),
      .maximumLength(6, message: "Use six digits."), .notSame(3), .notRun(3), .notPairs(), .notDoubles(), .notCommon,
    ]
    let name = PasscodeRules.Rule.notText(account, message: "The passcode must not contain the account's name.")
    return PasscodeRules(account.utf8.count < 4 ? rules : rules + [name])
  }

  // MARK: Log in

  /// What a text has shown. Clients are told whether it is `right`, and nothing else; the bank's log has the rest.
  enum Verdict: String, Sendable {
    case right
    case wrong
    /// The text cannot be opened.
    case unreadable
    /// There is no such account.
    case unknown
  }

  /// - Parameter verifier: the account's, or nil if there is no such account.
  /// - Returns: the verdict; and what to store from now on, if the passcode is right and its verifier was made with an
  ///   older master key.
  func check(
    _ text: [UInt8], for challenge: Challenge, verifier: String?
  ) throws -> (verdict: Verdict, renewed: String?) {
    guard let keyboard = try received(text, for: challenge) else { return (.unreadable, nil) }
    let verdict = try check(keyboard, for: challenge, verifier: verifier)
    guard verdict == .right, let verifier, try parts(of: verifier).0.id != keys.master.id else { return (verdict, nil) }
    return (verdict, try self.verifier(of: keyboard, account: challenge.account))
  }

  private func check(_ keyboard: Keyboard, for challenge: Challenge, verifier: String?) throws -> Verdict {
    let (master, stored) = try verifier.map(parts) ?? (keys.master, nobody)
    if takesImports, stored.isImported {
      let none: [UInt8] = []
      return try keyboard.check(stored, pepper: none.span) ? .right : .wrong
    }
    let isRight = try master.withPepper(of: challenge.account) { pepper throws(KeyboardError) in
      try keyboard.check(stored, pepper: pepper)
    }
    return verifier == nil ? .unknown : isRight ? .right : .wrong
  }

  // MARK: Change

  enum Change: Sendable {
    /// The old passcode is not right.
    case wrong(Verdict)
    /// The old one is right, and the new one is refused.
    case refused(Refusal)
    case verifier(String)
  }

  /// Makes what is stored from now on, if the old passcode is right. If it is wrong, nothing is told about the new one.
  func change(
    _ old: [UInt8], to text: [UInt8], again: [UInt8], for challenge: Challenge, verifier stored: String?
  ) throws -> Change {
    guard let current = try received(old, for: challenge) else { return .wrong(.unreadable) }
    let verdict = try check(current, for: challenge, verifier: stored)
    guard verdict == .right else { return .wrong(verdict) }
    do {
      let new = try chosen(text, again: again, for: challenge)
      guard try !new.hasSamePassword(as: current) else { return .refused(.same) }
      return .verifier(try verifier(of: new, account: challenge.account))
    } catch let refusal as Refusal {
      return .refused(refusal)
    }
  }

  // MARK: Texts

  /// A keyboard with the passcode of a text, which it wipes when it is released; nil for every fault of the text.
  private func received(_ text: [UInt8], for challenge: Challenge) throws -> Keyboard? {
    guard let recipient = keys.recipient(challenge.keyId), challenge.way == recipient.way.rawValue else {
      throw Refusal.key
    }
    let keyboard = try Keyboard()
    do {
      try recipient.withPrivateKey { key throws(KeyboardError) in
        try keyboard.receive(text.span, way: recipient.way.sealing, key: key, context: challenge.context.span)
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
