// The bank's API. Its order of steps is what makes a sealed text a login:
//
//   1. the request waits for its turn              or 503, before anything is used up
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
  let setups: LoginSetups
  let ledger: Ledger
  let passcodes: Passcodes
  let verifications: Verifications
  let admissions: Admissions
  let log: AttemptLog

  func add(to site: inout Site) {
    site.on(.get, "/api/key") { _, _ in key() }
    site.on(.post, "/api/challenge") { request, client in try await challenge(ChallengeMessage(request), client) }
    site.on(.post, "/api/register") { request, client in try await register(RegisterMessage(request), client) }
    site.on(.post, "/api/login") { request, client in try await login(LoginMessage(request), client) }
    site.on(.post, "/api/change") { request, client in
      try await change(ChangeMessage(request), request.session(), client)
    }
    site.on(.get, "/api/account") { request, client in try await account(request.session(), client) }
    site.on(.post, "/api/logout") { request, client in try await logout(request.session(), client) }
    site.on(.post, "/api/logout-everywhere") { request, client in
      try await logoutEverywhere(request.session(), client)
    }
    OPAQUEAPI(
      setups: setups, ledger: ledger, verifications: verifications, admissions: admissions, log: log
    ).add(to: &site)
  }

  private func key() -> Response {
    let key = keys.offered
    let (bytes, id) = (Base64URL.encode(key.publicKey), Base64URL.encode(key.id))
    return Answer(["way": key.way.rawValue, "key": bytes, "keyId": id]).response
  }

  private func challenge(_ message: ChallengeMessage, _ client: ClientAddress) async throws -> Response {
    // A client may have the key that is being replaced, and a passcode typed for it.
    let keyId = message.keyId ?? keys.offered.id
    guard let recipient = keys.recipient(keyId) else { throw Refusal.key }
    let challenge = Challenge(
      bytes: randomBytes(16), purpose: message.purpose, account: message.account, way: recipient.way.rawValue,
      keyId: keyId)
    try await admissions.challenges.admit(client) { try await ledger.add(challenge) }
    let strings = ["challenge": Base64URL.encode(challenge.bytes), "context": Base64URL.encode(challenge.context)]
    return Answer(strings, numbers: ["expires": ledger.limits.challengeSeconds]).response
  }

  // MARK: Register

  private func register(_ message: RegisterMessage, _ client: ClientAddress) async throws -> Response {
    let begun = ContinuousClock.now
    guard keys.recipient(message.keyId) != nil else { throw Refusal.key }
    return try await admissions.registrations.admit(client) {
      guard let registration = try await ledger.useForRegistering(message.challenge, keyId: message.keyId) else {
        throw Refusal.challenge
      }
      guard case .challenge(let challenge) = registration else { throw Refusal.key }
      do {
        let verifier = try await verifications.run {
          try passcodes.verifier(of: message.text, again: message.again, for: challenge)
        }
        // Only now does the answer tell that an account exists. So an attacker who tries names needs a valid text for
        // each of them, and waits as long as the making of a verifier takes.
        guard try await ledger.addAccount(challenge.account, verifier: verifier) else { throw Refusal.exists }
      } catch let refusal as Refusal {
        log.write(.register, challenge.account, refusal.code, client, since: begun)
        throw refusal
      }
      log.write(.register, challenge.account, "right", client, since: begun)
      return Answer(["account": challenge.account]).response
    }
  }

  // MARK: A session

  private func account(_ session: [UInt8], _ client: ClientAddress) async throws -> Response {
    let account = try await admissions.sessions.admit(client) { try await ledger.account(ofSession: session) }
    guard let account else { throw Refusal.session }
    return Answer(["account": account]).response
  }

  private func logout(_ session: [UInt8], _ client: ClientAddress) async throws -> Response {
    let account = try await admissions.sessions.admit(client) { try await ledger.endSession(session) }
    guard let account else { throw Refusal.session }
    return Answer(["account": account]).response
  }

  private func logoutEverywhere(_ session: [UInt8], _ client: ClientAddress) async throws -> Response {
    let ended = try await admissions.sessions.admit(client) { try await ledger.endAllSessions(with: session) }
    guard let ended else { throw Refusal.session }
    return Answer(["account": ended.account], numbers: ["sessions": ended.count]).response
  }
}

extension Request {
  /// The same, of a request that may be sent without one.
  func optionalSession() throws -> [UInt8]? { headers[.authorization] == nil ? nil : try session() }

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
