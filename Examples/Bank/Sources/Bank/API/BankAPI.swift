// The bank's API. Its order of steps is what makes a sealed text a login:
//
//   1. a place for a verification is free          or 503, before anything is used up
//   2. the challenge is used up and the attempt is counted, in one transaction of the database
//   3. the text is opened in the context of the bank's own record, on a keyboard, and checked
//   4. a right passcode gives the attempts back
//
// A server that is killed between two steps has lost a challenge at worst, never an attempt.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import HTTPTypes
import Hummingbird

struct BankAPI: Sendable {
  let keys: BankKeys
  let ledger: Ledger
  let passcodes: Passcodes
  let verifications: Verifications

  func add(to site: inout Site) {
    site.on(.get, "/api/key") { _ in key() }
    site.on(.post, "/api/challenge") { request in try await challenge(ChallengeMessage(request)) }
    site.on(.post, "/api/register") { request in try await register(RegisterMessage(request)) }
    site.on(.post, "/api/login") { request in try await login(LoginMessage(request)) }
    site.on(.get, "/api/account") { request in try await account(of: request) }
    site.on(.post, "/api/logout") { request in try await logout(request) }
  }

  private func key() -> Response {
    Answer(["way": keys.way, "key": Base64URL.encode(keys.publicKey), "keyId": Base64URL.encode(keys.id)]).response
  }

  private func challenge(_ message: ChallengeMessage) async throws -> Response {
    let challenge = Challenge(
      bytes: randomBytes(16), purpose: message.purpose, account: message.account, way: keys.way, keyId: keys.id)
    try await ledger.add(challenge)
    let strings = ["challenge": Base64URL.encode(challenge.bytes), "context": Base64URL.encode(challenge.context)]
    return Answer(strings, numbers: ["expires": ledger.limits.challengeSeconds]).response
  }

  // MARK: Register

  private func register(_ message: RegisterMessage) async throws -> Response {
    guard message.keyId == keys.id else { throw Refusal.key }
    return try await verifications.admit {
      guard let challenge = try await ledger.useForRegistering(message.challenge) else { throw Refusal.challenge }
      guard challenge.way == keys.way, challenge.keyId == keys.id else { throw Refusal.key }
      let verifier = try await verifications.run {
        try passcodes.verifier(of: message.text, again: message.again, for: challenge)
      }
      // Only now does the answer tell that an account exists. So an attacker who tries names needs a valid text for
      // each of them, and waits as long as the making of a verifier takes.
      guard try await ledger.addAccount(challenge.account, verifier: verifier.string) else { throw Refusal.exists }
      return Answer(["account": challenge.account]).response
    }
  }

  // MARK: Log in

  private func login(_ message: LoginMessage) async throws -> Response {
    guard message.keyId == keys.id else { throw Refusal.key }
    return try await verifications.admit {
      switch try await ledger.useForLogin(message.challenge) {
      case nil:
        throw Refusal.challenge
      case .locked(let seconds):
        throw Refusal.locked(seconds: seconds)
      case .attempt(let challenge, let verifier, let attemptsLeft):
        guard challenge.way == keys.way, challenge.keyId == keys.id else { throw Refusal.key }
        let isRight = try await verifications.run {
          try passcodes.check(message.text, for: challenge, verifier: verifier)
        }
        guard isRight else { throw Refusal.wrong(attemptsLeft: attemptsLeft) }
        let session = randomBytes(16)
        try await ledger.finishLogin(challenge.account, session: session)
        return Answer(["account": challenge.account, "session": Base64URL.encode(session)]).response
      }
    }
  }

  // MARK: A session

  private func account(of request: Request) async throws -> Response {
    guard let account = try await ledger.account(ofSession: request.session()) else { throw Refusal.session }
    return Answer(["account": account]).response
  }

  private func logout(_ request: Request) async throws -> Response {
    guard let account = try await ledger.endSession(request.session()) else { throw Refusal.session }
    return Answer(["account": account]).response
  }
}

extension Request {
  /// No cookie: another site's page cannot make a browser send this.
  fileprivate func session() throws -> [UInt8] {
    guard let field = headers[.authorization], field.hasPrefix("Bearer "),
      let session = Base64URL.decode(String(field.dropFirst(7))), session.count == 16
    else { throw Refusal.session }
    return session
  }
}

/// From the system's generator.
func randomBytes(_ count: Int) -> [UInt8] {
  var generator = SystemRandomNumberGenerator()
  return (0..<count).map { _ in generator.next() }
}
