// Logging in with a key on the person's own device instead of a PIN that is sent: a relying party of FIDO UAF 1.1, for
// apps of version 1.0 too. The order of steps, as in BankAPI:
//
//   1. the answer waits for its turn               or 503, before anything is used up
//   2. the challenge is used up                    one answer gets it, whatever comes of that
//   3. the answer is compared with the bank's own record and rules, and its signature is checked
//   4. the counter goes up and the session begins, in one transaction of the database
//
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

struct FIDOAPI: Sendable {
  let rules: FIDORules
  let ledger: Ledger
  let verifications: Verifications
  let admissions: Admissions
  let log: AttemptLog

  func add(to site: inout Site) {
    site.serve(rules.facetList, at: FIDORules.path)
    site.on(.post, "/uaf/request") { request, client in
      try await replying { try await start(UAFStart(request), client) }
    }
    site.on(.post, "/uaf/response") { request, client in
      try await replying { try await finish(UAFAnswer(request), client) }
    }
  }

  private func replying(_ body: () async throws -> Response) async throws -> Response {
    do { return try await body() } catch let refusal as UAFRefusal { return UAFReply.refusal(refusal) }
  }

  // MARK: What an app wants

  /// Anybody gets a challenge for any name, so that nobody learns which accounts exist. Only a deregistration needs a
  /// session: it deletes keys at once. To add a key to an account, the session must have begun just before.
  private func start(_ message: UAFStart, _ client: ClientAddress) async throws -> Response {
    try await admissions.challenges.admit(client) {
      let seconds = ledger.limits.challengeSeconds
      guard message.operation != .deregistration else {
        guard let session = message.session,
          let keys = try await ledger.removeKeys(of: message.account, session: session, isAll: message.isAll)
        else { throw UAFRefusal.session }
        return UAFReply.request(.deregistration, rules.deregistration(of: keys), seconds: seconds)
      }
      let record = UAFRecord(
        challenge: randomBytes(32), operation: message.operation, account: message.account,
        transaction: message.transaction)
      try await ledger.add(record, session: message.session)
      let request =
        message.operation == .registration
        ? rules.registration(challenge: record.challenge, account: record.account)
        : rules.authentication(challenge: record.challenge, transaction: record.transaction)
      return UAFReply.request(message.operation, request, seconds: seconds)
    }
  }

  // MARK: What its authenticator has signed

  private func finish(_ answer: UAFAnswer, _ client: ClientAddress) async throws -> Response {
    let admission = answer.operation == .registration ? admissions.registrations : admissions.attempts
    let begun = ContinuousClock.now
    return try await admission.admit(client) {
      guard let record = try await ledger.use(answer.parameters.challenge, for: answer.operation) else {
        throw UAFRefusal.challenge
      }
      let purpose = record.operation == .registration ? "fido-register" : "fido-login"
      do {
        try compare(answer, with: record)
        let response =
          switch answer.assertion.kind {
          case .registration(let publicKey): try await register(answer.assertion, publicKey, record)
          case .authentication: try await login(answer.assertion, record)
          }
        log.write(purpose, record.account, "right", client, since: begun)
        return response
      } catch let refusal as UAFRefusal {
        log.write(purpose, record.account, "\(refusal.status)", client, since: begun)
        throw refusal
      }
    }
  }

  /// Everything but the key: that the answer is one to the bank's own request, by an app that the bank knows.
  ///
  /// - Source: FIDO UAF Protocol 1.1 §3.4.6.5, §3.5.7.5.
  private func compare(_ answer: UAFAnswer, with record: UAFRecord) throws(UAFRefusal) {
    guard FIDORules.versions.contains(answer.version) else { throw .content("The bank has not sent this version.") }
    let parameters = answer.parameters
    guard rules.facets.contains(parameters.facetID) else {
      throw UAFRefusal(.forbidden, "The bank does not know this app.")
    }
    // Somebody in the middle shows the app another certificate. What the app has seen is signed. An app that cannot
    // tell gives no certificate.
    if let certificate = rules.certificate, let seen = parameters.channelBinding["tlsServerCertificate"] {
      guard seen == .string(certificate) else {
        throw UAFRefusal(.channelBinding, "The app has seen another certificate.")
      }
    }
    // An empty appID becomes the app's own.
    let appID = rules.appID.isEmpty ? parameters.facetID : rules.appID
    guard answer.appID == appID, parameters.appID == appID else { throw .content("The answer has another appID.") }
    guard rules.aaids.contains(answer.assertion.aaid) else {
      throw UAFRefusal(.unknownAAID, "The bank does not take this authenticator.")
    }
    // The hash is that of the text as it came: another spelling of the same parameters has another hash.
    guard answer.assertion.finalChallenge == sha256(Array(answer.parametersText.utf8)) else {
      throw .content("The authenticator has signed other parameters.")
    }
    let confirmed = record.transaction.isEmpty ? nil : sha256(Array(record.transaction.utf8))
    switch (answer.assertion.kind, record.operation) {
    case (.registration, .registration): break
    case (.authentication(confirmed), .authentication): break
    case (.authentication, .authentication): throw .content("The person has not confirmed this transaction.")
    default: throw .content("The assertion is for another operation.")
    }
  }

  private func register(
    _ assertion: UAFAssertion, _ publicKey: [UInt8], _ record: UAFRecord
  ) async throws -> Response {
    // That the new key signs itself shows that the app has it, and nothing about the device.
    guard try await verifications.run({ assertion.isSigned(by: publicKey) }) else {
      throw UAFRefusal.content("The signature is wrong.")
    }
    let key = FIDOKey(
      name: FIDOKey.Name(aaid: assertion.aaid, keyID: assertion.keyID), account: record.account,
      publicKey: publicKey)
    try await ledger.add(key, counter: assertion.counter, owner: record.owner)
    return UAFReply.success()
  }

  private func login(_ assertion: UAFAssertion, _ record: UAFRecord) async throws -> Response {
    let name = FIDOKey.Name(aaid: assertion.aaid, keyID: assertion.keyID)
    guard let key = try await ledger.key(name) else { throw UAFRefusal.unknownKey }
    guard key.account == record.account else { throw UAFRefusal.content("The key is another account's.") }
    guard try await verifications.run({ assertion.isSigned(by: key.publicKey) }) else {
      throw UAFRefusal.content("The signature is wrong.")
    }
    let session = randomBytes(16)
    guard try await ledger.finishLogin(key, counter: assertion.counter, session: session) else {
      throw UAFRefusal.counter
    }
    return UAFReply.success(session: session)
  }
}
