// Logging in with a PIN that the bank never has, not even sealed. Each answer lets somebody try one PIN, KE2 and the
// answer to a registration alike. So the order of steps is:
//
//   1. the request waits for its turn
//   2. the attempt is counted, in the database, for names without an account too
//   3. the answer is made, and its state is in the database
//   4. the answer leaves
//   5. KE3: the state is deleted, and then used
//   6. a right KE3 gives the attempts back, and begins the session that both ends have made from the session key
//
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import HTTPTypes
import Hummingbird

struct OPAQUEAPI: Sendable {
  let setups: LoginSetups
  let ledger: Ledger
  let verifications: Verifications
  let admissions: Admissions
  let log: AttemptLog

  func add(to site: inout Site) {
    site.on(.post, "/api/opaque/login") { request, client in try await login(OPAQUELoginMessage(request), client) }
    site.on(.post, "/api/opaque/register") { request, client in
      try await register(OPAQUERegisterMessage(request), request.optionalSession(), client)
    }
    site.on(.post, "/api/opaque/record") { request, client in try await record(OPAQUERecordMessage(request), client) }
    site.on(.post, "/api/opaque/finish") { request, client in try await finish(OPAQUEFinishMessage(request), client) }
  }

  // MARK: Log in

  private func login(_ message: OPAQUELoginMessage, _ client: ClientAddress) async throws -> Response {
    let begun = ContinuousClock.now
    return try await admissions.attempts.admit(client) {
      let attempt = try await ledger.countLogin(message.account)
      let attemptsLeft = try admitted(attempt.count, .login, message.account, client, begun)
      let setup = try attempt.record.map(setups.setup(of:)) ?? setups.forUnknown
      var step = LoginStep(name: randomBytes(16), kind: .login, account: message.account, setup: setup.id)
      step.record = attempt.record?.record ?? []
      let outcome = attempt.record == nil ? "unknown" : "begun"
      log.write(.login, message.account, outcome, client, since: begun, attemptsLeft: attemptsLeft)
      return try await answer(message.ke1, step, setup, attemptsLeft)
    }
  }

  /// Answers KE1, when its attempt was counted.
  private func answer(
    _ ke1: [UInt8], _ step: LoginStep, _ setup: LoginSetup, _ attemptsLeft: Int
  ) async throws -> Response {
    let record = step.record.isEmpty ? nil : step.record
    let (ke2, state) = try await verifications.run {
      try setup.answer(to: ke1, account: step.account, record: record, step: step.name)
    }
    var step = step
    step.state = state
    try await ledger.add(step)
    return Answer(
      ["step": Base64URL.encode(step.name), "ke2": Base64URL.encode(ke2)], numbers: ["attemptsLeft": attemptsLeft]
    ).response
  }

  // MARK: Register

  /// Whether a name is taken is told at once. To an account that exists, only its owner answers: with a session that
  /// the PIN has begun just now.
  private func register(
    _ message: OPAQUERegisterMessage, _ session: [UInt8]?, _ client: ClientAddress
  ) async throws -> Response {
    let begun = ContinuousClock.now
    return try await admissions.registrations.admit(client) {
      let attempt = try await ledger.countRegistration(message.account, session: session)
      let attemptsLeft = try admitted(attempt.count, .register, message.account, client, begun)
      let setup = setups.current
      var step = LoginStep(name: randomBytes(16), kind: .registration, account: message.account, setup: setup.id)
      step.owner = attempt.owner
      log.write(.register, message.account, "begun", client, since: begun, attemptsLeft: attemptsLeft)
      let response = try await verifications.run { try setup.respond(to: message.request, account: message.account) }
      try await ledger.add(step)
      return Answer(
        ["step": Base64URL.encode(step.name), "response": Base64URL.encode(response)],
        numbers: ["attemptsLeft": attemptsLeft]
      ).response
    }
  }

  /// Answers a login with a record that was just made, and is not stored yet.
  private func record(_ message: OPAQUERecordMessage, _ client: ClientAddress) async throws -> Response {
    let begun = ContinuousClock.now
    return try await admissions.registrations.admit(client) {
      guard let (old, count) = try await ledger.countConfirmation(message.step) else { throw Refusal.challenge }
      let attemptsLeft = try admitted(count, .register, old.account, client, begun)
      guard old.setup == setups.current.id else { throw Refusal.challenge }
      var step = LoginStep(name: randomBytes(16), kind: .confirmation, account: old.account, setup: old.setup)
      step.record = message.record
      step.owner = old.owner
      return try await answer(message.ke1, step, setups.current, attemptsLeft)
    }
  }

  // MARK: Both

  private func finish(_ message: OPAQUEFinishMessage, _ client: ClientAddress) async throws -> Response {
    let begun = ContinuousClock.now
    return try await admissions.attempts.admit(client) {
      // Whatever KE3 is, the state is gone.
      guard let step = try await ledger.use(message.step, for: [.login, .confirmation]) else {
        throw Refusal.challenge
      }
      let purpose: Purpose = step.kind == .login ? .login : .register
      let setup = try setups.setup(of: step.storedRecord)
      let session = try await verifications.run { try setup.check(message.ke3, state: step.state, step: step.name) }
      guard let session else {
        log.write(purpose, step.account, "wrong", client, since: begun)
        throw Refusal.wrong()
      }
      do {
        let answer = try await step.kind == .login ? finishLogin(step, session) : finishRegistration(step, session)
        log.write(purpose, step.account, "right", client, since: begun)
        return answer.response
      } catch let refusal as Refusal {
        log.write(purpose, step.account, refusal.code, client, since: begun)
        throw refusal
      }
    }
  }

  private func finishLogin(_ step: LoginStep, _ session: [UInt8]) async throws -> Answer {
    guard try await ledger.finishLogin(step, session: session) else { throw Refusal.challenge }
    var answer = Answer(["account": step.account])
    if step.setup != setups.current.id { answer.strings["moves"] = "opaque" }
    return answer
  }

  private func finishRegistration(_ step: LoginStep, _ session: [UInt8]) async throws -> Answer {
    guard let owner = step.owner else {
      guard try await ledger.addAccount(step, session: session) else { throw Refusal.exists }
      return Answer(["account": step.account])
    }
    guard let keys = try await ledger.replaceRecord(step, owner: owner, session: session) else {
      throw Refusal.session
    }
    return Answer(["account": step.account], numbers: ["keys": keys])
  }

  private func admitted(
    _ count: Ledger.Count, _ purpose: Purpose, _ account: String, _ client: ClientAddress,
    _ begun: ContinuousClock.Instant
  ) throws -> Int {
    switch count {
    case .counted(let attemptsLeft):
      return attemptsLeft
    case .locked(let seconds):
      log.write(purpose, account, "locked", client, since: begun)
      throw Refusal.locked(seconds: seconds)
    }
  }
}
