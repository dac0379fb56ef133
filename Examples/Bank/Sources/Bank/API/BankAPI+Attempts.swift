// What checks a passcode: logging in, and changing it.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Hummingbird

extension BankAPI {
  // MARK: Log in

  func login(_ message: LoginMessage, _ client: ClientAddress) async throws -> Response {
    guard keys.recipient(message.keyId) != nil else { throw Refusal.key }
    let begun = ContinuousClock.now
    return try await admissions.attempts.admit(client) {
      let attempt = try await ledger.useForAttempt(message.challenge, purpose: .login, keyId: message.keyId)
      let (challenge, verifier, attemptsLeft) = try admitted(attempt, client, begun)
      let (verdict, renewed) = try await verifications.run {
        try passcodes.check(message.text, for: challenge, verifier: verifier)
      }
      log.write(.login, challenge.account, verdict.rawValue, client, since: begun, attemptsLeft: attemptsLeft)
      guard verdict == .right, let verifier else { throw Refusal.wrong(attemptsLeft: attemptsLeft) }
      let session = randomBytes(16)
      guard try await ledger.finishLogin(challenge.account, verifier: verifier, session: session) else {
        throw Refusal.challenge
      }
      // If that fails, the next login does it.
      if let renewed { try? await ledger.renewVerifier(of: challenge.account, verifier, with: renewed) }
      // The PIN is still in the client's keyboard, and can move.
      return Answer([
        "account": challenge.account, "session": Base64URL.encode(session), "moves": "opaque",
      ]).response
    }
  }

  // MARK: Change

  /// A session alone is not enough: somebody may have left it open. The old passcode is checked as in a login, and
  /// counted; the new one has to keep the rules, and to be typed twice.
  func change(_ message: ChangeMessage, _ session: [UInt8], _ client: ClientAddress) async throws -> Response {
    guard keys.recipient(message.keyId) != nil else { throw Refusal.key }
    let begun = ContinuousClock.now
    return try await admissions.attempts.admit(client) {
      guard let account = try await ledger.account(ofSession: session) else { throw Refusal.session }
      let attempt = try await ledger.useForAttempt(
        message.challenge, purpose: .change, keyId: message.keyId, account: account)
      let (challenge, stored, attemptsLeft) = try admitted(attempt, client, begun)
      let change = try await verifications.run {
        try passcodes.change(message.old, to: message.text, again: message.again, for: challenge, verifier: stored)
      }
      switch change {
      case .wrong(let verdict):
        log.write(.change, account, verdict.rawValue, client, since: begun, attemptsLeft: attemptsLeft)
        throw Refusal.wrong(attemptsLeft: attemptsLeft)
      case .refused(let refusal):
        log.write(.change, account, refusal.code, client, since: begun)
        try await ledger.forgetAttempts(account)
        throw refusal
      case .verifier(let new):
        // A person who changed it in the meantime ended this session.
        guard let stored,
          let keys = try await ledger.replaceVerifier(of: account, stored, with: new, keeping: session)
        else { throw Refusal.session }
        log.write(.change, account, "right", client, since: begun)
        return Answer(["account": account], numbers: ["keys": keys]).response
      }
    }
  }

  // MARK: Both

  private func admitted(
    _ attempt: Ledger.Attempt?, _ client: ClientAddress, _ begun: ContinuousClock.Instant
  ) throws -> (Challenge, verifier: String?, attemptsLeft: Int) {
    switch attempt {
    case nil:
      throw Refusal.challenge
    case .otherKey:
      throw Refusal.key
    case .locked(let challenge, let seconds):
      log.write(challenge.purpose, challenge.account, "locked", client, since: begun)
      throw Refusal.locked(seconds: seconds)
    case .attempt(let challenge, let verifier, let attemptsLeft):
      return (challenge, verifier, attemptsLeft)
    }
  }
}
