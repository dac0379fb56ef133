// OPAQUE: both ends, whose messages arrive as they are, altered, cut, or in another one's place, with typing between
// the steps. A model knows what each message is an answer to, and so whose login succeeds.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import Harness

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOpaque(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  World.run(start, count) { world in
    let ends = Ends(world)
    while !world.reader.isAtEnd { ends.step() }
  }
}

/// A message, and whether it is as it was made.
struct Message {
  let bytes: [UInt8]
  var isWhole = true
}

/// What an answer of the server goes back to.
struct Answered {
  /// The request, or KE1.
  let question: Message
  let setup: Int
  let account: [UInt8]
}

/// A record that the server keeps.
struct Record {
  let message: Message
  let answered: Answered
  let typed: [UInt8]
  let terms: OPAQUETerms
  let exportKey: [UInt8]
}

/// An answer to KE1, and what the server keeps until KE3.
struct LoginAnswer {
  let ke2, state: [UInt8]
  let answered: Answered
  let record: Record?
  let terms: OPAQUETerms
}

/// A keyboard, and a server with two setups. Each call is compared with what the header says of it.
final class Ends {
  enum Begun {
    case nothing
    case registration([UInt8])
    case login([UInt8])
  }

  let world: World
  let keyboard: CUSTOM_KEYBOARD
  var begun = Begun.nothing
  var records: [Record] = []

  init(_ world: World) {
    self.world = world
    keyboard = world.create()
    world.open(keyboard)
  }

  private var reader: Reader { world.reader }
  private var model: KeyboardModel { world.keyboards[keyboard]! }

  func step() {
    switch reader.number(below: 8) {
    case 0...2: register()
    case 3...5: logIn()
    default: disturb()
    }
  }

  /// What ends a begun step, or does not.
  func disturb() {
    let before = model.typed
    switch reader.number(below: 8) {
    case 0: world.close(keyboard)
    case 1:
      world.clear(keyboard)
      begun = .nothing
    case 2: world.deleteBackward(keyboard)
    case 3: world.checkText(keyboard)
    case 4: begin(isLogin: reader.flag())
    default:
      world.open(keyboard)
      world.input(keyboard, [UInt8(ascii: "0") + UInt8(reader.number(below: 3))])
    }
    if !model.isOpen || model.typed != before { begun = .nothing }
  }

  private func disturbSometimes() {
    if reader.number(below: 8) == 0 { disturb() }
  }

  // MARK: Registration

  private func register() {
    begin(isLogin: false)
    guard case .registration(let request) = begun else { return }
    disturbSometimes()
    let (setup, account) = (reader.number(below: OPAQUESetup.all.count), anyAccount())
    guard let (response, answered) = respond(to: arrived(request), setup, account) else { return }
    disturbSometimes()
    endRegistration(arrived(response), answered)
  }

  func begin(isLogin: Bool) {
    let message = world.memory.space(isLogin ? 96 : 32)
    var length = 0
    let code =
      isLogin
      ? CustomKeyboard_opaqueLogin(keyboard, message.start, message.count, &length)
      : CustomKeyboard_opaqueRegister(keyboard, message.start, message.count, &length)
    expectCode(code, model.isOpen ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_OP_DISABLE, "a beginning")
    guard code == CUSTOM_KEYBOARD_OK else { return }
    expect(length == message.count, "a first message has \(length) bytes")
    begun = isLogin ? .login(message.bytes) : .registration(message.bytes)
  }

  /// - Returns: nil if the server refuses.
  private func respond(to request: Message, _ setup: Int, _ account: [UInt8]) -> ([UInt8], Answered)? {
    let (secret, name) = (world.memory.copy(OPAQUESetup.all[setup]), world.memory.copy(account))
    let question = world.memory.copyThatMayBeOverrun(request.bytes)
    let response = world.memory.space(64)
    var length = 0
    let code = CustomKeyboard_opaqueRespond(
      secret.start, secret.count, name.start, name.count, question.start, question.claimed, response.start,
      response.count, &length)
    expectTaken(code, request, refusal: CUSTOM_KEYBOARD_UNDECRYPTABLE, "respond")
    guard code == CUSTOM_KEYBOARD_OK else { return nil }
    return (response.bytes, Answered(question: request, setup: setup, account: account))
  }

  private func endRegistration(_ response: Message, _ answered: Answered) {
    let (terms, typed) = (OPAQUETerms(world), model.typed)
    let answer = world.memory.copyThatMayBeOverrun(response.bytes)
    let (record, exportKey) = (world.memory.space(192), world.memory.space(64))
    var length = 0
    let code = terms.lend { terms in
      CustomKeyboard_opaqueRecord(
        keyboard, answer.start, answer.claimed, terms, record.start, record.count, &length, exportKey.start)
    }
    guard case .registration(let request) = begun else {
      expectCode(code, CUSTOM_KEYBOARD_OP_DISABLE, "the end of no registration")
      return
    }
    expectTaken(code, response, refusal: CUSTOM_KEYBOARD_UNDECRYPTABLE, "record")
    guard code == CUSTOM_KEYBOARD_OK else { return }
    begun = .nothing
    let isWhole = response.isWhole && answered.question.isWhole && answered.question.bytes == request
    records.append(
      Record(
        message: Message(bytes: record.bytes, isWhole: isWhole), answered: answered, typed: typed, terms: terms,
        exportKey: exportKey.bytes))
  }

  // MARK: Login

  private func logIn() {
    begin(isLogin: true)
    guard case .login(let ke1) = begun else { return }
    disturbSometimes()
    guard let answer = answer(arrived(ke1)) else { return }
    disturbSometimes()
    guard let (ke3, sessionKey) = finish(arrived(answer.ke2), answer) else { return }
    check(answer, arrived(ke3), sessionKey)
  }

  private func answer(_ ke1: Message) -> LoginAnswer? {
    let record = records.isEmpty || reader.number(below: 8) == 0 ? nil : reader.one(of: records)
    let isSame = reader.number(below: 8) > 0
    let account = isSame ? record?.answered.account ?? anyAccount() : anyAccount()
    let setup = isSame ? record?.answered.setup ?? 0 : reader.number(below: OPAQUESetup.all.count)
    let terms = record != nil && reader.number(below: 8) > 0 ? record!.terms : OPAQUETerms(world)
    let kept = record.map { arrived($0.message.bytes) } ?? Message(bytes: [])
    let (secret, name) = (world.memory.copy(OPAQUESetup.all[setup]), world.memory.copy(account))
    let (entry, question) = (world.memory.copy(kept.bytes), world.memory.copyThatMayBeOverrun(ke1.bytes))
    let (ke2, state) = (world.memory.space(320), world.memory.space(128))
    var (length, stateLength) = (0, 0)
    let code = terms.lend { terms in
      CustomKeyboard_opaqueAnswer(
        secret.start, secret.count, name.start, name.count, entry.start, entry.count, terms, question.start,
        question.claimed, ke2.start, ke2.count, &length, state.start, state.count, &stateLength)
    }
    let isRefused = code == CUSTOM_KEYBOARD_ERR && !kept.isWhole
    if !isRefused { expectTaken(code, ke1, refusal: CUSTOM_KEYBOARD_UNDECRYPTABLE, "answer") }
    guard code == CUSTOM_KEYBOARD_OK else { return nil }
    // A record that was emptied is one of no account.
    let known = record.map {
      Record(
        message: Message(bytes: $0.message.bytes, isWhole: $0.message.isWhole && kept.isWhole),
        answered: $0.answered, typed: $0.typed, terms: $0.terms, exportKey: $0.exportKey)
    }
    return LoginAnswer(
      ke2: ke2.bytes, state: state.bytes, answered: Answered(question: ke1, setup: setup, account: account),
      record: known, terms: terms)
  }

  /// - Returns: KE3 and the session key; nil if the login has failed.
  private func finish(_ ke2: Message, _ answer: LoginAnswer) -> ([UInt8], [UInt8])? {
    let terms = reader.number(below: 8) > 0 ? answer.terms : OPAQUETerms(world)
    let message = world.memory.copyThatMayBeOverrun(ke2.bytes)
    let (ke3, sessionKey, exportKey) = (world.memory.space(64), world.memory.space(64), world.memory.space(64))
    var (length, due) = (0, CUSTOM_KEYBOARD_OP_DISABLE)
    if case .login(let ke1) = begun {
      let record = answer.record
      let isRight =
        ke2.isWhole && answer.answered.question.isWhole && answer.answered.question.bytes == ke1
        && record.map {
          $0.message.isWhole && $0.typed == model.typed && $0.answered.setup == answer.answered.setup
            && $0.answered.account == answer.answered.account && $0.terms.areAlikeInRecord(terms)
        } ?? false
        && terms == answer.terms
      // Planted fault: a password of three characters is always wrong.
      due = isRight && !(Plant.answer && model.typed.count == 3) ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_MISMATCH
    }
    let code = terms.lend { terms in
      CustomKeyboard_opaqueFinish(
        keyboard, message.start, message.claimed, terms, ke3.start, ke3.count, &length, sessionKey.start,
        exportKey.start)
    }
    expectCode(code, due, "finish")
    if due != CUSTOM_KEYBOARD_OP_DISABLE { begun = .nothing }
    guard code == CUSTOM_KEYBOARD_OK else {
      let isUntouched = (ke3.bytes + sessionKey.bytes + exportKey.bytes).allSatisfy { $0 == Memory.untouched }
      expect(isUntouched, "a login that failed leaves something")
      return nil
    }
    expect(exportKey.bytes == answer.record!.exportKey, "another export key")
    return (ke3.bytes, sessionKey.bytes)
  }

  private func check(_ answer: LoginAnswer, _ ke3: Message, _ sessionKey: [UInt8]) {
    let (state, message) = (world.memory.copy(answer.state), world.memory.copyThatMayBeOverrun(ke3.bytes))
    let key = world.memory.space(64)
    var length = 0
    let code = CustomKeyboard_opaqueCheck(
      state.start, state.count, message.start, message.claimed, key.start, key.count, &length)
    expectCode(code, ke3.isWhole ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_MISMATCH, "check")
    let due = ke3.isWhole ? sessionKey : [UInt8](repeating: Memory.untouched, count: 64)
    expect(key.bytes == due, "another session key")
  }

  // MARK: On the way

  /// A message as it arrives: seldom another one than was sent.
  private func arrived(_ bytes: [UInt8]) -> Message {
    var other = bytes
    switch reader.number(below: 16) {
    case 0: other[reader.number(below: bytes.count)] ^= UInt8(1 << reader.number(below: 8))
    case 1: other.removeLast(1 + reader.number(below: bytes.count))
    case 2: other.append(reader.byte())
    case 3: other = bytes.map { _ in 0 }
    default: break
    }
    return Message(bytes: other, isWhole: other == bytes)
  }

  private func anyAccount() -> [UInt8] { reader.one(of: [[1], [2], [UInt8](repeating: 3, count: 255)]) }

  /// What is whole is taken; what is not may happen to be an element.
  private func expectTaken(
    _ code: CUSTOM_KEYBOARD_RV, _ message: Message, refusal: CUSTOM_KEYBOARD_RV, _ name: StaticString
  ) {
    let isFine = code == CUSTOM_KEYBOARD_OK || code == refusal && !message.isWhole
    expect(isFine, "\(name) answers \(code.rawValue)")
  }

  private func expectCode(_ code: CUSTOM_KEYBOARD_RV, _ due: CUSTOM_KEYBOARD_RV, _ name: StaticString) {
    expect(code == due, "\(name) answers \(code.rawValue), expected \(due.rawValue)")
  }
}
