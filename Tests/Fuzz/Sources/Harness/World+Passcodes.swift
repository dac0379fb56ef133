// The calls that look at a passcode: rules, comparison, verifiers. Each is compared with its model.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  /// Any rule but the list of common passcodes, which the model does not have; with any number and text.
  ///
  /// - Returns: the rule; its text as it is passed; and whether that may be passed at all.
  func anyRule() -> (rule: RuleModel, text: Piece, isPointer: Bool)? {
    let kind = CUSTOM_KEYBOARD_RULE(rawValue: UInt32(reader.number(below: 16)))
    let wantsNumber = [0, 1, 4, 5, 10].contains(kind.rawValue) != (reader.number(below: 8) == 0)
    let number = wantsNumber ? reader.one(of: [2, 3, 4, 8, 1, 0, 128, 129, UInt.max]) : 0
    let rule = RuleModel(kind: kind, number: number, text: ruleText(kind))
    guard kind != CUSTOM_KEYBOARD_RULE_COMMON else { return nil }
    var text = memory.copyThatMayBeOverrun(rule.text)
    var isPointer = true
    switch reader.number(below: 32) {
    case 30: (text, isPointer) = (Piece(start: nil, claimed: 3), false)
    case 31: (text, isPointer) = (.pastTheEnd(text.claimed + 1), false)
    default: break
    }
    return (rule, text, isPointer)
  }

  public func addAnyRule(_ handle: CUSTOM_KEYBOARD) {
    guard let (rule, text, isPointer) = anyRule() else { return }
    var due = CUSTOM_KEYBOARD_OK
    if !isPointer || keyboards[handle] == nil || !rule.isRule {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if rule.text.count > 256 || keyboards[handle]!.rules.count == 16 {
      due = CUSTOM_KEYBOARD_MAXLEN
    } else {
      keyboards[handle]!.rules.append(rule)
    }
    trace("addRule: \(rule.kind.rawValue), \(rule.number), \(rule.text)")
    call("addRule", handle, due: due) {
      CustomKeyboard_addRule(handle, rule.kind, Int(bitPattern: rule.number), text.start, text.claimed)
    }
  }

  private func ruleText(_ kind: CUSTOM_KEYBOARD_RULE) -> [UInt8] {
    let usual: [String]
    switch kind {
    case CUSTOM_KEYBOARD_RULE_TEXT: usual = ["ab", "B", "é", "2", String(repeating: "x", count: 257)]
    case CUSTOM_KEYBOARD_RULE_DATE: usual = ["1987-04-23", "1987-13-01", "1987-4-23", "19870423"]
    case CUSTOM_KEYBOARD_RULE_PHONE: usual = ["010-8765", "1", "+82 b 10"]
    case CUSTOM_KEYBOARD_RULE_MATCH, CUSTOM_KEYBOARD_RULE_NOT_MATCH: usual = RuleModel.patterns.map(\.pattern)
    default: usual = [""]
    }
    let text = Array(reader.one(of: usual).utf8)
    guard reader.number(below: 16) == 0, text.count <= 256 else { return text }
    return text.isEmpty ? [0x61] : text + [0xff]
  }

  public func clearRules(_ handle: CUSTOM_KEYBOARD) {
    let due = keyboards[handle] == nil ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK
    keyboards[handle]?.rules = []
    call("clearRules", handle, due: due) { CustomKeyboard_clearRules(handle) }
  }

  public func checkRules(_ handle: CUSTOM_KEYBOARD) {
    let answer = reader.number(below: 16) == 0 ? nil : memory.answer()
    let before = answer?.pointee
    var due = stateCode(handle, whileOpen: true)
    if answer == nil { due = CUSTOM_KEYBOARD_ARGUMENT }
    var broken: Int?
    if due == CUSTOM_KEYBOARD_OK, let model = keyboards[handle] {
      broken = model.rules.firstIndex { $0.refuses(model) }
      if broken != nil { due = CUSTOM_KEYBOARD_REFUSED }
    }
    call("check", handle, due: due) { CustomKeyboard_check(handle, answer) }
    expect(answer?.pointee == broken ?? before, "check answers rule \(answer?.pointee ?? -1), expected \(broken ?? -1)")
  }

  public func compare(_ handle: CUSTOM_KEYBOARD, _ other: CUSTOM_KEYBOARD) {
    var due = CUSTOM_KEYBOARD_OK
    if let one = keyboards[handle], let two = keyboards[other] {
      if !one.isOpen || !two.isOpen {
        due = CUSTOM_KEYBOARD_OP_DISABLE
      } else if one.typed != two.typed {
        due = CUSTOM_KEYBOARD_MISMATCH
      }
    } else {
      due = CUSTOM_KEYBOARD_ARGUMENT
    }
    call("compare", handle, due: due) { CustomKeyboard_compare(handle, other) }
  }

  // MARK: - Verifiers

  /// A pepper of any length; sometimes NULL with a length.
  private func anyPepper() -> Piece {
    var pepper = memory.copyThatMayBeOverrun(reader.take(reader.one(of: [0, 0, 8, 64, 65])))
    if reader.number(below: 16) == 0 { pepper = Piece(start: nil, claimed: 1) }
    return pepper
  }

  public func makeAnyVerifier(_ handle: CUSTOM_KEYBOARD) {
    let pepper = anyPepper()
    // Argon2id takes too long to be called each time.
    let isWhole = reader.number(below: 64) == 0
    let space = memory.space(isWhole ? 98 : reader.number(below: 98))
    let answer = reader.number(below: 16) == 0 ? nil : memory.answer()
    let before = (space.bytes, answer?.pointee)
    var due = stateCode(handle, whileOpen: true)
    if !pepper.isPointer || answer == nil {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if due == CUSTOM_KEYBOARD_OK {
      due = pepper.claimed > 64 ? CUSTOM_KEYBOARD_MAXLEN : isWhole ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_SPACE
    }
    let start = UnsafeMutableRawPointer(space.start)?.assumingMemoryBound(to: CChar.self)
    call("makeVerifier", handle, due: due) {
      CustomKeyboard_makeVerifier(handle, pepper.start, pepper.claimed, start, space.claimed, answer)
    }
    let length = due == CUSTOM_KEYBOARD_OK ? 97 : due == CUSTOM_KEYBOARD_SPACE ? 98 : before.1
    expect(answer?.pointee == length, "makeVerifier answers another length")
    guard due == CUSTOM_KEYBOARD_OK else {
      return expect(space.bytes == before.0, "makeVerifier answers \(due.rawValue) but has written")
    }
    call("checkVerifier", handle, due: CUSTOM_KEYBOARD_OK) {
      CustomKeyboard_checkVerifier(handle, pepper.start, pepper.claimed, start)
    }
  }

  public func checkAnyVerifier(_ handle: CUSTOM_KEYBOARD) {
    let pepper = anyPepper()
    /// Verifiers, and whether they are digests, which are taken without a pepper only; and other texts.
    let strings: [(text: String, isDigest: Bool?)] = [
      ("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WA", false),
      ("$sha256d$" + String(repeating: "0", count: 64), true),
      ("$sha256x2$" + String(repeating: "aB", count: 32), true),
      ("", nil), ("$sha256d$", nil), ("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$", nil),
      ("$argon2id$v=19$m=1048576,t=5,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WA", nil),
    ]
    let (text, isDigest) = reader.one(of: strings)
    let verifier = memory.copy(Array(text.utf8) + [0])
    let isNull = reader.number(below: 16) == 0
    var due = stateCode(handle, whileOpen: true)
    if !pepper.isPointer || isNull || keyboards[handle] == nil || isDigest == nil || isDigest! && pepper.claimed > 0 {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if due == CUSTOM_KEYBOARD_OK {
      due = pepper.claimed > 64 ? CUSTOM_KEYBOARD_MAXLEN : CUSTOM_KEYBOARD_MISMATCH
    }
    let start = UnsafeRawPointer(verifier.start)?.assumingMemoryBound(to: CChar.self)
    call("checkVerifier", handle, due: due) {
      CustomKeyboard_checkVerifier(handle, pepper.start, pepper.claimed, isNull ? nil : start)
    }
  }

  // MARK: - Without a keyboard

  public func checkAnyPattern() {
    let (pattern, matches) = reader.one(of: RuleModel.patterns)
    let piece = memory.copyThatMayBeOverrun(Array(pattern.utf8))
    let answer = memory.answer()
    let before = answer.pointee
    let got = CustomKeyboard_checkPattern(piece.start, piece.claimed, answer)
    expect(got == (matches == nil ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK), "\(pattern): \(got.rawValue)")
    expect(matches == nil ? 0...piece.count ~= answer.pointee : answer.pointee == before, "\(pattern): another place")
  }
}
