// OPAQUE's server through the Swift interface: what is kept, and what is refused.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Testing

private typealias Bytes = [UInt8]

private let anna = Bytes("anna".utf8)

@Suite struct OPAQUEServers {
  @Test func aKeptSetupAndAKeptStateAreTheSame() throws {
    let drawn = try OPAQUE.Setup()
    let terms = try terms()
    let setup = try drawn.withBytes { bytes in try OPAQUE.Setup(bytes: bytes) }
    #expect(setup.publicKey == drawn.publicKey)
    let registration = try typing("0417").beginRegistration()
    let response = try drawn.respond(to: registration.request.span, account: anna.span)
    #expect(Bytes(response.suffix(32)) == setup.publicKey)
    let record = try registration.finish(with: response.span, terms: terms).record
    let login = try typing("0417").beginLogin()
    let answer = try setup.answer(to: login.ke1.span, account: anna.span, record: record, terms: terms)
    let ke2 = answer.ke2
    let session = try login.finish(with: ke2.span, terms: terms)
    let kept = answer.state.bytes()
    let key = try OPAQUE.State(bytes: kept.span).check(session.ke3.span)
    let isSameKey = key.isEqual(to: session.sessionKey)
    #expect(isSameKey)
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
    let keyboard = try typing("0417")
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
