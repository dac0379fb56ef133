// Registrations and logins against RFC 9807. Both ends with one another: Tests/C/opaque.c.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardHashes
import KeyboardMemory
import KeyboardOPAQUE
import KeyboardTestSupport
import Testing

private func read(_ place: UnsafeRawPointer, _ count: Int) -> Bytes {
  Bytes(UnsafeRawBufferPointer(start: place, count: count))
}

private func write(_ bytes: Bytes, to place: UnsafeMutableRawPointer) {
  bytes.withUnsafeBytes { place.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
}

/// One end's terms, with bytes that live as long as `body` runs.
private func withTerms<Result>(
  context: Bytes = [], client: Bytes = [], server: Bytes = [], _ body: (LentTerms) throws -> Result
) rethrows -> Result {
  try context.withUnsafeBytes { context in
    try client.withUnsafeBytes { client in
      try server.withUnsafeBytes { server in
        var terms = LentTerms()
        (terms.context, terms.client, terms.server) = (context, client, server)
        terms.costs = Argon2id(memorySize: 8, passCount: 1, laneCount: 1)
        return try body(terms)
      }
    }
  }
}

@Suite struct OPAQUEVectors {
  /// What a server answers to KE1 with the randomness of a vector.
  private static func ke2(
    _ vector: [Substring: Bytes], record: Bytes, _ terms: LentTerms, state: inout Bytes
  ) throws -> Bytes {
    let server = try OPAQUEServer(terms)
    write(vector["oprf_seed"]! + vector["server_private_key"]!, to: server.setup)
    write(vector["credential_identifier"]!, to: server.account)
    write(record, to: server.record)
    write(vector["KE1"]!, to: server.message)
    write(vector["masking_nonce"]! + vector["server_nonce"]! + vector["server_keyshare_seed"]!, to: server.drawn)
    let isRight = server.answer(accountLength: vector["credential_identifier"]!.count, hasRecord: true)
    #expect(isRight == (.max, .max))
    state = read(server.state, OPAQUE.stateSize)
    return read(server.answer, OPAQUE.ke2Size)
  }

  private static func begin(_ client: borrowing OPAQUEClient, _ vector: [Substring: Bytes], blind: Substring) {
    let password = vector["password"]!
    write(password, to: client.password)
    write(vector[blind]!, to: client.step)
    write(vector["client_nonce"]!, to: client.ke1 + OPAQUE.requestSize)
    client.setKeyshare(seed: vector["client_keyshare_seed"]!)
    client.begin(passwordLength: password.count)
  }

  @Test(arguments: ["real1", "real2"]) func registrationsAreTheRFCs(_ name: String) throws {
    let vector = try #require(try named("opaque.txt", count: 80)[name[...]])
    try withTerms(client: vector["client_identity"] ?? [], server: vector["server_identity"] ?? []) { terms throws in
      let client = try OPAQUEClient(terms)
      Self.begin(client, vector, blind: "blind_registration")
      #expect(read(client.ke1, OPAQUE.requestSize) == vector["registration_request"])

      let server = try OPAQUEServer()
      write(vector["oprf_seed"]! + vector["server_private_key"]!, to: server.setup)
      write(vector["credential_identifier"]!, to: server.account)
      write(vector["registration_request"]!, to: server.message)
      #expect(server.respond(accountLength: vector["credential_identifier"]!.count) == .max)
      #expect(read(server.answer, OPAQUE.responseSize) == vector["registration_response"])

      write(vector["registration_response"]!, to: client.message)
      #expect(client.takeAnswer(passwordLength: vector["password"]!.count) == .max)
      client.stretchNothing()
      client.makeRecord(nonce: vector["envelope_nonce"]!)
      #expect(read(client.record, OPAQUE.recordSize) == vector["registration_upload"])
      #expect(read(client.exportKey, OPAQUE.keySize) == vector["export_key"])
      #expect(read(client.password, 128) == Bytes(repeating: 0, count: 128))
      #expect(read(client.step, 32) == Bytes(repeating: 0, count: 32))
    }
  }

  @Test(arguments: ["real1", "real2"]) func loginsAreTheRFCs(_ name: String) throws {
    let vector = try #require(try named("opaque.txt", count: 80)[name[...]])
    try withTerms(
      context: vector["context"]!, client: vector["client_identity"] ?? [], server: vector["server_identity"] ?? []
    ) { terms in
      let client = try OPAQUEClient(terms)
      Self.begin(client, vector, blind: "blind_login")
      #expect(read(client.ke1, OPAQUE.ke1Size) == vector["KE1"])
      var state: Bytes = []
      let ke2 = try Self.ke2(vector, record: vector["registration_upload"]!, terms, state: &state)
      #expect(ke2 == vector["KE2"])
      #expect(state == vector["KE3"]! + vector["session_key"]!)

      write(ke2, to: client.message)
      let isElement = client.takeAnswer(passwordLength: vector["password"]!.count)
      client.stretchNothing()
      #expect(client.makeKE3(isElement: isElement) == .max)
      #expect(read(client.ke3, OPAQUE.ke3Size) == vector["KE3"])
      #expect(read(client.sessionKey, OPAQUE.keySize) == vector["session_key"])
      #expect(read(client.exportKey, OPAQUE.keySize) == vector["export_key"])
    }
  }

  @Test func aFakeAnswerIsTheRFCs() throws {
    let vector = try #require(try named("opaque.txt", count: 80)["fake1"])
    try withTerms(
      context: vector["context"]!, client: vector["client_identity"]!, server: vector["server_identity"]!
    ) { terms in
      let record = vector["client_public_key"]! + vector["masking_key"]! + Bytes(repeating: 0, count: 96)
      var state: Bytes = []
      let ke2 = try Self.ke2(vector, record: record, terms, state: &state)
      #expect(ke2 == vector["KE2"])
    }
  }
}
