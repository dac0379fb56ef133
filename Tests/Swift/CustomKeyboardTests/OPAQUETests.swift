// OPAQUE through the Swift interface: both ends of a login, what ends a step, and what is refused.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Testing

private typealias Bytes = [UInt8]

private let anna = Bytes("anna".utf8)

/// Argon2id at its cheapest.
private func terms(context: String = "shop-1", client: String = "", server: String = "") throws -> OPAQUE.Terms {
  try OPAQUE.Terms(
    context: Bytes(context.utf8), client: Bytes(client.utf8), server: Bytes(server.utf8), memoryKiB: 8, passes: 1,
    lanes: 1)
}

private func typed(_ passcode: String) throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.open()
  try keyboard.input(Bytes(passcode.utf8).span)
  return keyboard
}

private func register(
  _ passcode: String, _ setup: borrowing OPAQUE.Setup, _ terms: OPAQUE.Terms
) throws -> OPAQUE.NewRecord {
  let registration = try typed(passcode).beginRegistration()
  let response = try setup.respond(to: registration.request.span, account: anna.span)
  return try registration.finish(with: response.span, terms: terms)
}

/// "KeyboardError.mismatch".
private func name(of error: any Error) -> String {
  String(reflecting: error).split(separator: ":").first.map(String.init) ?? ""
}

/// The same, or "none".
private func fault(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "none"
  } catch { return name(of: error) }
}

// A closure cannot consume what it captures.

private func fault(
  of registration: consuming OPAQUE.Registration, with response: Bytes, _ terms: OPAQUE.Terms = .init()
) -> String {
  do {
    _ = try registration.finish(with: response.span, terms: terms)
    return "none"
  } catch { return name(of: error) }
}

private func fault(of login: consuming OPAQUE.Login, with ke2: Bytes, _ terms: OPAQUE.Terms = .init()) -> String {
  do {
    _ = try login.finish(with: ke2.span, terms: terms)
    return "none"
  } catch { return name(of: error) }
}

private func fault(of state: consuming OPAQUE.State, with ke3: Bytes) -> String {
  do {
    _ = try state.check(ke3.span)
    return "none"
  } catch { return name(of: error) }
}

private let (noStep, mismatch) = ("KeyboardError.operationDisabled(.noStep)", "KeyboardError.mismatch")

@Suite struct OPAQUELogins {
  @Test func bothEndsHaveOneSessionKey() throws {
    let setup = try OPAQUE.Setup()
    let terms = try terms(client: "anna", server: "shop")
    let new = try register("0417", setup, terms)
    #expect(new.record.count == 192)
    #expect(new.exportKey.count == 64)
    for _ in 0..<2 {
      let login = try typed("0417").beginLogin()
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

  /// Without terms, with Argon2id's usual costs, and off this executor.
  @Test func aLoginCanBeAwaited() async throws {
    let setup = try OPAQUE.Setup()
    let keyboard = try typed("0417")
    let registration = try keyboard.beginRegistration()
    let response = try setup.respond(to: registration.request.span, account: anna.span)
    let record = try await registration.finish(with: response.span).record
    let login = try keyboard.beginLogin()
    let answer = try setup.answer(to: login.ke1.span, account: anna.span, record: record)
    let ke2 = answer.ke2
    let session = try await login.finish(with: ke2.span)
    let isSameKey = try answer.state.check(session.ke3.span).isEqual(to: session.sessionKey)
    #expect(isSameKey)
  }

  @Test func aKeptSetupAndAKeptStateAreTheSame() throws {
    let drawn = try OPAQUE.Setup()
    let terms = try terms()
    let setup = try drawn.withBytes { bytes in try OPAQUE.Setup(bytes: bytes) }
    #expect(setup.publicKey == drawn.publicKey)
    let registration = try typed("0417").beginRegistration()
    let response = try drawn.respond(to: registration.request.span, account: anna.span)
    #expect(Bytes(response.suffix(32)) == setup.publicKey)
    let record = try registration.finish(with: response.span, terms: terms).record
    let login = try typed("0417").beginLogin()
    let answer = try setup.answer(to: login.ke1.span, account: anna.span, record: record, terms: terms)
    let ke2 = answer.ke2
    let session = try login.finish(with: ke2.span, terms: terms)
    let kept = answer.state.bytes()
    let key = try OPAQUE.State(bytes: kept.span).check(session.ke3.span)
    let isSameKey = key.isEqual(to: session.sessionKey)
    #expect(isSameKey)
  }

  @Test func anotherPasswordTermsOrServerIsAMismatch() throws {
    let setup = try OPAQUE.Setup()
    let right = try terms(client: "anna", server: "shop")
    let record = try register("0417", setup, right).record
    func login(_ passcode: String, _ clients: OPAQUE.Terms, _ servers: OPAQUE.Terms, flip: Int? = nil) -> String {
      fault {
        let login = try typed(passcode).beginLogin()
        var ke2 = try setup.answer(to: login.ke1.span, account: anna.span, record: record, terms: servers).ke2
        if let flip { ke2[flip] ^= 1 }
        _ = try login.finish(with: ke2.span, terms: clients)
      }
    }
    #expect(login("0417", right, right) == "none")
    #expect(login("0418", right, right) == mismatch)
    #expect(login("0417", right, right, flip: 319) == mismatch)
    for other in [try terms(), try terms(context: "", client: "anna", server: "shop"), try terms(client: "anna")] {
      #expect(login("0417", other, right) == mismatch)
      #expect(login("0417", right, other) == mismatch)
    }
  }

  /// The same form, the same made-up evaluation each time, and never a login.
  @Test func anAccountThatDoesNotExistAnswersAlike() throws {
    let setup = try OPAQUE.Setup()
    let terms = try terms()
    let record = try register("0417", setup, terms).record
    let login = try typed("0417").beginLogin()
    var answers: [Bytes] = []
    for record in [record, nil, nil] {
      answers.append(try setup.answer(to: login.ke1.span, account: anna.span, record: record, terms: terms).ke2)
    }
    for answer in answers {
      #expect(answer.count == 320)
      #expect(answer.prefix(32) == answers[0].prefix(32))
    }
    #expect(answers[1].dropFirst(32) != answers[2].dropFirst(32))
    let wrong = fault(of: login, with: answers[1], terms)
    #expect(wrong == mismatch)
  }

  @Test func aWrongKE3IsAMismatch() throws {
    let setup = try OPAQUE.Setup()
    let terms = try terms()
    let record = try register("0417", setup, terms).record
    for change: (inout Bytes) -> Void in [{ $0[0] ^= 1 }, { $0[63] ^= 128 }, { $0.removeLast() }, { $0 = [] }] {
      let login = try typed("0417").beginLogin()
      let answer = try setup.answer(to: login.ke1.span, account: anna.span, record: record, terms: terms)
      let ke2 = answer.ke2
      var ke3 = try login.finish(with: ke2.span, terms: terms).ke3
      change(&ke3)
      let wrong = fault(of: answer.state, with: ke3)
      #expect(wrong == mismatch)
    }
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
      let keyboard = try typed("0417")
      let login = try keyboard.beginLogin()
      #expect(begun(keyboard) == "none")
      try change(keyboard)
      let wrong = fault(of: login, with: Bytes(repeating: 1, count: 320))
      #expect(wrong == noStep)
    }
  }

  @Test func aClosedKeyboardHasNoStep() throws {
    let keyboard = try typed("0417")
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
    let keyboard = try typed("0417")
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
    let keyboard = try typed("0417")
    do {
      let login = try keyboard.beginLogin()
      #expect(login.ke1.count == 96)
      #expect(begun(keyboard) == "none")
    }
    #expect(begun(keyboard) == noStep)
  }

  /// Also for a fault after which a step stays in C.
  @Test func aStepThatFailsIsOver() throws {
    let keyboard = try typed("0417")
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

  @Test func aSetupIsChecked() {
    let seed = Bytes(repeating: 7, count: 64)
    func setup(_ bytes: Bytes) -> String { fault { _ = try OPAQUE.Setup(bytes: bytes.span) } }
    #expect(setup(seed + [1] + Bytes(repeating: 0, count: 31)) == "none")
    let wrong = [seed, seed + Bytes(repeating: 0, count: 32), seed + Bytes(repeating: 0xff, count: 32)]
    for bytes in wrong + [Bytes(repeating: 1, count: 97)] {
      #expect(setup(bytes) == "KeyboardError.key(.opaqueSetup)")
    }
    let state = Bytes(repeating: 1, count: 127)
    #expect(fault { _ = try OPAQUE.State(bytes: state.span) } == "KeyboardError.key(.opaqueState)")
  }

  @Test func whatAServerGetsIsChecked() throws {
    let setup = try OPAQUE.Setup()
    let keyboard = try typed("0417")
    let request = try keyboard.beginRegistration().request
    let ke1 = try keyboard.beginLogin().ke1
    let (zero, long) = (Bytes(repeating: 0, count: 32), Bytes(repeating: 1, count: 256))
    func respond(_ request: Bytes, _ account: Bytes) -> String {
      fault { _ = try setup.respond(to: request.span, account: account.span) }
    }
    func answer(_ ke1: Bytes, _ account: Bytes, _ record: Bytes?) -> String {
      fault { _ = try setup.answer(to: ke1.span, account: account.span, record: record) }
    }
    #expect(respond(request, anna) == "none")
    #expect(respond(request, []) == "KeyboardError.argument(.emptyName)")
    #expect(respond(request, long) == "KeyboardError.tooLong(.identity)")
    for wrong in [zero, request + [0], []] { #expect(respond(wrong, anna) == "KeyboardError.undecryptable") }
    #expect(answer(ke1, anna, nil) == "none")
    #expect(answer(ke1, [], nil) == "KeyboardError.argument(.emptyName)")
    #expect(answer(ke1, long, nil) == "KeyboardError.tooLong(.identity)")
    for wrong in [zero + ke1.dropFirst(32), ke1.dropLast(32) + zero, Bytes(ke1.dropLast())] {
      #expect(answer(wrong, anna, nil) == "KeyboardError.undecryptable")
    }
    for wrong in [[], Bytes(repeating: 0, count: 192), Bytes(repeating: 1, count: 191)] {
      #expect(answer(ke1, anna, wrong) == "KeyboardError.key(.opaqueRecord)")
    }
  }
}
