// Passcodes: `checkVerifier`, which a server runs for each login, compared with libargon2 under the same costs; and
// `check` with twelve rules of which none refuses, while a person waits.
//
// libargon2 gets salt and hash as bytes, and malloc keeps its memory from one hash to the next. Ours gets the verifier
// as a string. In each call it maps its memory, locks it, wipes it and gives it back.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import Foundation

enum Passcodes {
  static let checkedVerifier = "checkVerifier"
  static let madeVerifier = "makeVerifier"
  static let checkedPIN = "check, PIN"
  static let checkedPassword = "check, password"

  private static let pin = "483725"
  private static let pepper = RepeatableNumbers.bytes(16, seed: 9)

  /// Rules are the same code on every path, so they are measured once.
  static func measure(_ run: Run) -> [Measurement] {
    let verifying = verifying(run)
    guard run.path == SM4Path.available.last else { return verifying }
    let once = Run(effort: run.effort, path: nil)
    return verifying + checking(once, checkedPIN, pin, PasscodeRule.ofPINs)
      + checking(once, checkedPassword, "kgcx879Tmuep", PasscodeRule.ofPasswords)
  }

  // MARK: verifiers

  private static func verifying(_ run: Run) -> [Measurement] {
    let keyboard = Library.keyboard(passcode: pin)
    let secret = allocate(pepper)
    let size = Int(CUSTOM_KEYBOARD_MAXVERIFIERSIZE)
    let verifier = UnsafeMutablePointer<CChar>.allocate(capacity: size)

    let making = Contender(Library.name) { repeats in
      var (codes, length): (UInt32, Int) = (0, 0)
      for _ in 0..<repeats {
        codes |= CustomKeyboard_makeVerifier(keyboard, secret, pepper.count, verifier, size, &length).rawValue
      }
      Library.requireOK(codes, "makeVerifier")
    }
    making.run(1)
    requireSameVerdicts(String(cString: verifier))
    let made = run.measure(.passcodes, madeVerifier, [making])
    requireSameVerdicts(String(cString: verifier))

    let peer = Libargon2(passcode: Array(pin.utf8), pepper: pepper)
    let hash = peer.take(String(cString: verifier))
    let contenders = [
      Contender(Libargon2.name) { repeats in
        for _ in 0..<repeats { require(peer.matches(hash), "libargon2 accepts the passcode") }
      },
      Contender(Library.name) { repeats in
        var codes: UInt32 = 0
        for _ in 0..<repeats {
          codes |= CustomKeyboard_checkVerifier(keyboard, secret, pepper.count, verifier).rawValue
        }
        Library.requireOK(codes, "checkVerifier")
      },
    ]
    return run.measure(.passcodes, checkedVerifier, contenders) + made
  }

  /// Both accept the passcode under this verifier, and refuse another.
  private static func requireSameVerdicts(_ verifier: String) {
    for (passcode, isRight) in [(pin, true), ("483726", false)] {
      let peer = Libargon2(passcode: Array(passcode.utf8), pepper: pepper)
      require(peer.matches(peer.take(verifier)) == isRight, "libargon2 \(isRight ? "accepts" : "refuses") \(passcode)")
      let keyboard = Library.keyboard(passcode: passcode)
      let code = CustomKeyboard_checkVerifier(keyboard, pepper, pepper.count, verifier)
      require(
        code == (isRight ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_MISMATCH),
        "checkVerifier \(isRight ? "accepts" : "refuses") \(passcode)")
      Library.requireOK(CustomKeyboard_destroy(keyboard).rawValue, "destroy")
    }
  }

  // MARK: rules

  private static func checking(
    _ run: Run, _ item: String, _ passcode: String, _ rules: [PasscodeRule]
  ) -> [Measurement] {
    require(rules.count == 12, "there are twelve rules")
    let keyboard = Library.keyboard(passcode: passcode)
    for rule in rules { rule.add(to: keyboard) }
    for (index, rule) in rules.enumerated() {
      Library.retype(rule.refused, keyboard)
      var broken = rules.count
      let code = CustomKeyboard_check(keyboard, &broken)
      require(code == CUSTOM_KEYBOARD_REFUSED && broken == index, "rule \(index) refuses \(rule.refused)")
    }
    Library.retype(passcode, keyboard)
    let contender = Contender(Library.name) { repeats in
      var (codes, broken): (UInt32, Int) = (0, 0)
      for _ in 0..<repeats { codes |= CustomKeyboard_check(keyboard, &broken).rawValue }
      Library.requireOK(codes, "check")
    }
    return run.measure(.passcodes, item, [contender])
  }
}

/// A rule, and a passcode that it is the first to refuse: a rule that does nothing must not be measured.
private struct PasscodeRule {
  let kind: CUSTOM_KEYBOARD_RULE
  let number: Int
  let text: String
  let refused: String

  init(_ kind: CUSTOM_KEYBOARD_RULE, _ number: Int = 0, _ text: String = "", refuses refused: String) {
    (self.kind, self.number, self.text, self.refused) = (kind, number, text, refused)
  }

  func add(to keyboard: CUSTOM_KEYBOARD) {
    let code = CustomKeyboard_addRule(keyboard, kind, number, text.isEmpty ? nil : Array(text.utf8), text.utf8.count)
    Library.requireOK(code.rawValue, "addRule")
  }

  /// For PINs of six digits. The pattern: three keys of a column of the keypad.
  static let ofPINs = [
    PasscodeRule(CUSTOM_KEYBOARD_RULE_MIN_LENGTH, 6, refuses: "48372"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_MAX_LENGTH, 6, refuses: "4837254"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_DIGITS, refuses: "48372a"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_SAME, 3, refuses: "483777"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_RUN, 3, refuses: "483678"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_PAIRS, refuses: "383838"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_DOUBLES, refuses: "443388"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_COMMON, refuses: "159753"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_DATE, 0, "1987-04-23", refuses: "870423"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_PHONE, 4, "010-8765-4321", refuses: "010829"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_TEXT, 0, "1588", refuses: "715883"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_NOT_MATCH, 0, "147|258|369|741|852|963", refuses: "814738"),
  ]

  /// The pattern: a word, perhaps with a capital, and a number of up to four digits after it.
  static let ofPasswords = [
    PasscodeRule(CUSTOM_KEYBOARD_RULE_MIN_LENGTH, 8, refuses: "kgcx879"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_MAX_LENGTH, 64, refuses: String(repeating: "kgcx8", count: 13)),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_ALPHANUMERIC, refuses: "kgcx879@muep"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_SAME, 3, refuses: "kgcx888Tmuep"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_RUN, 3, refuses: "kgcx789Tmuep"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_PAIRS, refuses: "k8k8k8k8k8k8"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_DOUBLES, refuses: "kkggccxx8877"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_COMMON, refuses: "password1"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_DATE, 0, "1987-04-23", refuses: "kgcx0423Tmue"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_PHONE, 4, "010-8765-4321", refuses: "kgcx0108Tmue"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_TEXT, 0, "example", refuses: "kgEXAMPLE879"),
    PasscodeRule(CUSTOM_KEYBOARD_RULE_NOT_MATCH, 0, "^[A-Z]?[a-z]+\\d{1,4}$", refuses: "Sunflower842"),
  ]
}

extension Libargon2 {
  /// Takes the salt of a verifier. Returns its hash.
  fileprivate func take(_ verifier: String) -> UnsafePointer<CChar> {
    require(verifier.hasPrefix(Libargon2.costs), "a verifier has the costs \(Libargon2.costs)")
    let parts = verifier.split(separator: "$").suffix(2).map { part in
      let padding = String(repeating: "=", count: (4 - part.count % 4) % 4)
      return Data(base64Encoded: part + padding).map { [UInt8]($0) } ?? []
    }
    require(parts.map(\.count) == [Libargon2.saltSize, Libargon2.hashSize], "a verifier has a salt and a hash")
    salt.update(from: parts[0], count: Libargon2.saltSize)
    return UnsafeRawPointer(allocate(parts[1])).assumingMemoryBound(to: CChar.self)
  }
}
