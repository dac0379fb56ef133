// A keyboard's steps of OPAQUE, among all other calls: what ends a begun step, and what does not. The messages are a
// server's, or nobody's; what becomes of altered ones is looked at by the fuzzer `opaque`.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  public func opaqueAnything(_ handle: CUSTOM_KEYBOARD) {
    switch reader.number(below: 4) {
    case 0...1: begin(handle, isLogin: reader.flag())
    case 2: endRegistration(handle)
    default: endLogin(handle)
    }
  }

  private func begin(_ handle: CUSTOM_KEYBOARD, isLogin: Bool) {
    let size = isLogin ? 96 : 32
    let space = memory.space(reader.one(of: [size, size, size, size - 1, size + 8]))
    let answer = anyAnswer()
    var due = stateCode(handle, whileOpen: true)
    if answer == nil { due = CUSTOM_KEYBOARD_ARGUMENT }
    if due == CUSTOM_KEYBOARD_OK {
      let isPINOfBlock = keyboards[handle]!.origin != nil
      due = isPINOfBlock ? CUSTOM_KEYBOARD_REFUSED : space.count < size ? CUSTOM_KEYBOARD_SPACE : due
    }
    expectAnswer("begun", due, size, answer, in: space) {
      call(isLogin ? "opaqueLogin" : "opaqueRegister", handle, due: due) {
        isLogin
          ? CustomKeyboard_opaqueLogin(handle, space.start, space.count, answer)
          : CustomKeyboard_opaqueRegister(handle, space.start, space.count, answer)
      }
    }
    if due == CUSTOM_KEYBOARD_OK { keyboards[handle]!.begunStep = (isLogin, Array(space.bytes.prefix(size))) }
  }

  private func endRegistration(_ handle: CUSTOM_KEYBOARD) {
    let terms = OPAQUETerms(self)
    let response = reader.number(below: 4) > 0 ? responseOfServer(handle) : [UInt8](repeating: 0, count: 64)
    let message = memory.copyThatMayBeOverrun(response ?? [1])
    let space = memory.space(reader.one(of: [192, 192, 192, 191, 200]))
    let answer = anyAnswer()
    var due = stepCode(handle, isLogin: false)
    if answer == nil { due = CUSTOM_KEYBOARD_ARGUMENT }
    if due == CUSTOM_KEYBOARD_OK {
      // An element of zeros is the identity.
      let isElement = response?.contains { $0 != 0 } == true
      due = !isElement ? CUSTOM_KEYBOARD_UNDECRYPTABLE : space.count < 192 ? CUSTOM_KEYBOARD_SPACE : due
    }
    let typed = keyboards[handle]?.typed
    if due == CUSTOM_KEYBOARD_OK { keyboards[handle]!.begunStep = nil }
    expectAnswer("the record", due, 192, answer, in: space) {
      call("opaqueRecord", handle, due: due) {
        terms.lend { terms in
          CustomKeyboard_opaqueRecord(
            handle, message.start, message.claimed, terms, space.start, space.count, answer, nil)
        }
      }
    }
    if due == CUSTOM_KEYBOARD_OK { records.append((Array(space.bytes.prefix(192)), typed!, terms)) }
  }

  private func endLogin(_ handle: CUSTOM_KEYBOARD) {
    let record = records.isEmpty || reader.number(below: 4) == 0 ? nil : reader.one(of: records)
    let terms = record?.terms ?? OPAQUETerms(self)
    let message = memory.copyThatMayBeOverrun(answerOfServer(handle, record?.record ?? [], terms) ?? [1])
    let space = memory.space(reader.one(of: [64, 64, 64, 63, 72]))
    let answer = anyAnswer()
    var due = stepCode(handle, isLogin: true)
    if answer == nil { due = CUSTOM_KEYBOARD_ARGUMENT }
    if due == CUSTOM_KEYBOARD_OK {
      let isRight = record != nil && record!.typed == keyboards[handle]!.typed && message.count == 320
      due = space.count < 64 ? CUSTOM_KEYBOARD_SPACE : isRight ? due : CUSTOM_KEYBOARD_MISMATCH
    }
    if due == CUSTOM_KEYBOARD_OK || due == CUSTOM_KEYBOARD_MISMATCH { keyboards[handle]!.begunStep = nil }
    expectAnswer("KE3", due, 64, answer, in: space) {
      call("opaqueFinish", handle, due: due) {
        terms.lend { terms in
          CustomKeyboard_opaqueFinish(
            handle, message.start, message.claimed, terms, space.start, space.count, answer, nil, nil)
        }
      }
    }
  }

  /// The expected code of the end of a step.
  private func stepCode(_ handle: CUSTOM_KEYBOARD, isLogin: Bool) -> CUSTOM_KEYBOARD_RV {
    let code = stateCode(handle, whileOpen: true)
    let isBegun = keyboards[handle]?.begunStep.map { $0.isLogin == isLogin } ?? false
    return code == CUSTOM_KEYBOARD_OK && !isBegun ? CUSTOM_KEYBOARD_OP_DISABLE : code
  }

  private func anyAnswer() -> UnsafeMutablePointer<Int>? { reader.number(below: 16) == 0 ? nil : memory.answer() }

  /// Makes a call, and complains unless it writes its length, and `size` bytes if it answers OK.
  private func expectAnswer(
    _ name: StaticString, _ due: CUSTOM_KEYBOARD_RV, _ size: Int, _ answer: UnsafeMutablePointer<Int>?,
    in space: Piece, _ call: () -> Void
  ) {
    let before = (space.bytes, answer?.pointee)
    call()
    let isAnswered = due == CUSTOM_KEYBOARD_OK || due == CUSTOM_KEYBOARD_SPACE
    expect(answer?.pointee == (isAnswered ? size : before.1), "\(name) has another length")
    let written = due == CUSTOM_KEYBOARD_OK ? size : 0
    expect(space.bytes.dropFirst(written) == before.0.dropFirst(written), "\(name) is longer than that")
    expect(written == 0 || space.bytes.prefix(written) != before.0.prefix(written), "\(name) is not there")
  }

  // MARK: - The server

  /// - Returns: nil if no registration was begun.
  private func responseOfServer(_ handle: CUSTOM_KEYBOARD) -> [UInt8]? {
    guard let step = keyboards[handle]?.begunStep, !step.isLogin else { return nil }
    var (response, length) = ([UInt8](repeating: 0, count: 64), 0)
    let setup = OPAQUESetup.all[0]
    let code = CustomKeyboard_opaqueRespond(
      setup, setup.count, [1], 1, step.message, step.message.count, &response, response.count, &length)
    expect(code == CUSTOM_KEYBOARD_OK, "opaqueRespond answers \(code.rawValue)")
    return response
  }

  /// - Returns: nil if no login was begun.
  private func answerOfServer(_ handle: CUSTOM_KEYBOARD, _ record: [UInt8], _ terms: OPAQUETerms) -> [UInt8]? {
    guard let step = keyboards[handle]?.begunStep, step.isLogin else { return nil }
    var (ke2, length) = ([UInt8](repeating: 0, count: 320), 0)
    var (state, stateLength) = ([UInt8](repeating: 0, count: 128), 0)
    let setup = OPAQUESetup.all[0]
    let code = terms.lend { terms in
      CustomKeyboard_opaqueAnswer(
        setup, setup.count, [1], 1, record, record.count, terms, step.message, step.message.count, &ke2, ke2.count,
        &length, &state, state.count, &stateLength)
    }
    expect(code == CUSTOM_KEYBOARD_OK, "opaqueAnswer answers \(code.rawValue)")
    return ke2
  }
}
