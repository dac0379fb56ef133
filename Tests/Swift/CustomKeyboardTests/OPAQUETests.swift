// OPAQUE's client through the Swift interface: a login, what ends a step, and what is refused.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Testing

private typealias Bytes = [UInt8]

private let anna = Bytes("anna".utf8)

/// Argon2id at its cheapest.
func terms(context: String = "shop-1", client: String = "", server: String = "") throws -> OPAQUE.Terms {
  try OPAQUE.Terms(
    context: Bytes(context.utf8), client: Bytes(client.utf8), server: Bytes(server.utf8), memoryKiB: 8, passes: 1,
    lanes: 1)
}

func typing(_ passcode: String) throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.open()
  try keyboard.input(Bytes(passcode.utf8).span)
  return keyboard
}

func register(
  _ passcode: String, _ setup: borrowing OPAQUE.Setup, _ terms: OPAQUE.Terms
) throws -> OPAQUE.NewRecord {
  let registration = try typing(passcode).beginRegistration()
  let response = try setup.respond(to: registration.request.span, account: anna.span)
  return try registration.finish(with: response, terms: terms)
}

/// "KeyboardError.mismatch".
func name(of error: any Error) -> String {
  String(reflecting: error).split(separator: ":").first.map(String.init) ?? ""
}

/// The same, or "none".
func fault(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "none"
  } catch { return name(of: error) }
}

// A closure cannot consume what it captures.

func fault(
  of registration: consuming OPAQUE.Registration, with response: [UInt8], _ terms: OPAQUE.Terms = .init()
) -> String {
  do {
    _ = try registration.finish(with: response.span, terms: terms)
    return "none"
  } catch { return name(of: error) }
}

func fault(of login: consuming OPAQUE.Login, with ke2: [UInt8], _ terms: OPAQUE.Terms = .init()) -> String {
  do {
    _ = try login.finish(with: ke2.span, terms: terms)
    return "none"
  } catch { return name(of: error) }
}

let (noStep, mismatch) = ("KeyboardError.operationDisabled(.noStep)", "KeyboardError.mismatch")

@Suite struct OPAQUELogins {
  @Test func bothEndsHaveOneSessionKey() throws {
    let setup = try OPAQUE.Setup()
    let terms = try terms(client: "anna", server: "shop")
    let new = try register("0417", setup, terms)
    #expect(new.record.count == 192)
    #expect(new.exportKey.count == 64)
    for _ in 0..<2 {
      let login = try typing("0417").beginLogin()
      let answer = try setup.answer(to: login.ke1.span, account: anna.span, record: new.record, terms: terms)
      let ke2 = answer.ke2
      let session = try login.finish(with: ke2.span, terms: terms)
      let isSameExportKey = session.exportKey.isEqual(to: new.exportKey)
      #expect(isSameExportKey)
      let key = try answer.state.check(session.ke3.span)
      let isSameKey = key.isEqual(to: session.sessionKey)
      #expect(isSameKey)
      #expect(key.count == 64)
    }
  }

  /// Without terms, with Argon2id's usual costs, off this executor, and with arrays.
  @Test func aLoginCanBeAwaited() async throws {
    let setup = try OPAQUE.Setup()
    let keyboard = try typing("0417")
    let registration = try keyboard.beginRegistration()
    let response = try setup.respond(to: registration.request.span, account: anna.span)
    let record = try await registration.finish(with: response).record
    let login = try keyboard.beginLogin()
    let answer = try setup.answer(to: login.ke1.span, account: anna.span, record: record)
    let ke2 = answer.ke2
    let session = try await login.finish(with: ke2)
    let isSameKey = try answer.state.check(session.ke3.span).isEqual(to: session.sessionKey)
    #expect(isSameKey)
  }
}

@Suite struct OPAQUESteps {
  /// The number of a login that the keyboard has begun, or the fault that says that there is none.
  private func begun(_ keyboard: Keyboard) -> String {
    fault { _ = try keyboard.keyboardHandle.number(of: .login) }
  }

  @Test func typingEndsAStep() throws {
    let changes: [(Keyboard) throws -> Void] = [
      { try $0.input(Bytes("1".utf8).span) }, { try $0.deleteBackward() }, { try $0.clear() },
    ]
    for change in changes {
      let keyboard = try typing("0417")
      let login = try keyboard.beginLogin()
      #expect(begun(keyboard) == "none")
      try change(keyboard)
      let wrong = fault(of: login, with: Bytes(repeating: 1, count: 320))
      #expect(wrong == noStep)
    }
  }

  @Test func aClosedKeyboardHasNoStep() throws {
    let keyboard = try typing("0417")
    let registration = try keyboard.beginRegistration()
    try keyboard.close()
    #expect(fault { _ = try keyboard.beginLogin() } == "KeyboardError.operationDisabled(.notOpen)")
    let setup = try OPAQUE.Setup()
    let response = try setup.respond(to: registration.request.span, account: anna.span)
    let wrong = fault(of: registration, with: response)
    #expect(wrong == "KeyboardError.operationDisabled(.notOpen)")
  }

  /// The end of a step that is over touches neither a later step nor its answer.
  @Test func aLaterStepIsTheKeyboardsOnlyOne() throws {
    let setup = try OPAQUE.Setup()
    let terms = try terms()
    let record = try register("0417", setup, terms).record
    let keyboard = try typing("0417")
    let first = try keyboard.beginLogin()
    let answer = try setup.answer(to: first.ke1.span, account: anna.span, record: record, terms: terms).ke2
    let second = try keyboard.beginLogin()
    let wrong = fault(of: first, with: answer, terms)
    #expect(wrong == noStep)
    let other = try setup.answer(to: second.ke1.span, account: anna.span, record: record, terms: terms)
    let ke2 = other.ke2
    let session = try second.finish(with: ke2.span, terms: terms)
    let isSameKey = try other.state.check(session.ke3.span).isEqual(to: session.sessionKey)
    #expect(isSameKey)
  }

  @Test func aStepThatIsLetGoIsWiped() throws {
    let keyboard = try typing("0417")
    do {
      let login = try keyboard.beginLogin()
      #expect(login.ke1.count == 96)
      #expect(begun(keyboard) == "none")
    }
    #expect(begun(keyboard) == noStep)
  }

  /// Also for a fault after which a step stays in C.
  @Test func aStepThatFailsIsOver() throws {
    let keyboard = try typing("0417")
    let registration = try keyboard.beginRegistration()
    let short = Bytes(repeating: 0, count: 63)
    let wrong = fault(of: registration, with: short)
    #expect(wrong == "KeyboardError.undecryptable")
    #expect(fault { _ = try keyboard.keyboardHandle.number(of: .registration) } == noStep)
    let login = try keyboard.beginLogin()
    let other = fault(of: login, with: short)
    #expect(other == mismatch)
    #expect(begun(keyboard) == noStep)
  }
}

@Suite struct OPAQUEArguments {
  @Test func termsAreChecked() {
    let (context, identity) = (Bytes(repeating: 1, count: 256), Bytes(repeating: 1, count: 255))
    #expect(fault { _ = try OPAQUE.Terms(context: context, client: identity, server: identity) } == "none")
    #expect(fault { _ = try OPAQUE.Terms(context: context + [1]) } == "KeyboardError.tooLong(.context)")
    #expect(fault { _ = try OPAQUE.Terms(context: [], client: identity + [1]) } == "KeyboardError.tooLong(.identity)")
    #expect(fault { _ = try OPAQUE.Terms(context: [], server: identity + [1]) } == "KeyboardError.tooLong(.identity)")
    let costs: [(UInt32, UInt32, UInt32)] = [(7, 1, 1), (8, 0, 1), (8, 1, 17), (0, 1, 0), (15, 1, 2)]
    for (memory, passes, lanes) in costs {
      let wrong = fault { _ = try OPAQUE.Terms(context: [], memoryKiB: memory, passes: passes, lanes: lanes) }
      #expect(wrong == "KeyboardError.argument(.costs)")
    }
  }
}
