// Registrations and logins against RFC 9807, and with one another.
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

@Suite struct OPAQUEEnds {
  /// A login of a password that was registered as another or the same, with one bit of KE2 changed or none.
  private struct Login {
    var registered: Bytes, typed: Bytes
    var clientContext: Bytes = [], serverContext: Bytes = [], bit: Int?, bitOfKE1: Int?
    var hasRecord = true

    /// - Returns: whether the client takes the answer; nil if the server does not take KE1.
    func run() throws -> Bool? {
      let setup = try OPAQUEServer()
      write(OPAQUEEnds.setup, to: setup.setup)
      write(OPAQUEEnds.account, to: setup.account)
      let registering = try OPAQUEClient()
      try begin(registering, registered)
      write(read(registering.ke1, OPAQUE.requestSize), to: setup.message)
      #expect(setup.respond(accountLength: 4) == .max)
      write(read(setup.answer, OPAQUE.responseSize), to: registering.message)
      #expect(registering.takeAnswer(passwordLength: registered.count) == .max)
      registering.stretchNothing()
      registering.makeRecord(nonce: try registering.drawNonce())

      return try withTerms(context: serverContext) { terms in
        let server = try OPAQUEServer(terms)
        write(OPAQUEEnds.setup, to: server.setup)
        write(OPAQUEEnds.account, to: server.account)
        write(read(registering.record, OPAQUE.recordSize), to: server.record)
        return try withTerms(context: clientContext) { terms in
          let client = try OPAQUEClient(terms)
          try begin(client, typed)
          var ke1 = read(client.ke1, OPAQUE.ke1Size)
          if let bitOfKE1 { ke1 = ke1.flipped(bitOfKE1) }
          write(ke1, to: server.message)
          try server.draw()
          let (isRecord, isMessage) = server.answer(accountLength: 4, hasRecord: hasRecord)
          #expect(isRecord == .max)
          guard isMessage == .max else { return nil }
          var ke2 = read(server.answer, OPAQUE.ke2Size)
          if let bit { ke2 = ke2.flipped(bit) }
          write(ke2, to: client.message)
          let isElement = client.takeAnswer(passwordLength: typed.count)
          client.stretchNothing()
          let isRight = client.makeKE3(isElement: isElement) == .max
          guard isRight else { return false }
          #expect(read(client.ke3, OPAQUE.ke3Size) + read(client.sessionKey, 64) == read(server.state, 128))
          #expect(read(client.exportKey, OPAQUE.keySize) == read(registering.exportKey, OPAQUE.keySize))
          return true
        }
      }
    }

    private func begin(_ client: borrowing OPAQUEClient, _ password: Bytes) throws {
      if !password.isEmpty { write(password, to: client.password) }
      try client.draw()
      client.begin(passwordLength: password.count)
    }
  }

  private static let setup = Bytes(repeating: 7, count: 64) + [9] + Bytes(repeating: 1, count: 30) + [0]
  private static let account = Bytes("anna".utf8)

  @Test func theSamePasswordLogsIn() throws {
    for password in [[], Bytes("0417".utf8), Bytes(repeating: 0x61, count: 128)] {
      #expect(try Login(registered: password, typed: password).run() == true)
    }
  }

  @Test func anotherPasswordDoesNot() throws {
    let pairs = [("0417", "0418"), ("0417", ""), ("0417", "04170"), ("", "0")]
    for (registered, typed) in pairs {
      #expect(try Login(registered: Bytes(registered.utf8), typed: Bytes(typed.utf8)).run() == false)
    }
  }

  @Test func anotherContextDoesNot() throws {
    let password = Bytes("0417".utf8)
    #expect(try Login(registered: password, typed: password, clientContext: [1], serverContext: [1]).run() == true)
    #expect(try Login(registered: password, typed: password, clientContext: [1], serverContext: [2]).run() == false)
  }

  /// Each byte of KE2, and of KE1 on its way.
  @Test func anAlteredMessageDoesNot() throws {
    let password = Bytes("0417".utf8)
    for byte in 0..<OPAQUE.ke2Size {
      let login = Login(registered: password, typed: password, bit: 8 * byte + byte % 8)
      try #require(try login.run() == false, "byte \(byte)")
    }
    for byte in 0..<OPAQUE.ke1Size {
      let login = Login(registered: password, typed: password, bitOfKE1: 8 * byte + byte % 8)
      try #require(try login.run() != true, "byte \(byte)")
    }
  }

  /// The identity, and what encodes nothing, in each place for an element.
  @Test func whatIsNoElementIsRefused() throws {
    let server = try OPAQUEServer()
    let client = try OPAQUEClient()
    try client.draw()
    client.begin(passwordLength: 0)
    let (ke1, key) = (read(client.ke1, OPAQUE.ke1Size), read(client.ke1, OPAQUE.elementSize))
    for wrong in [Bytes(repeating: 0, count: 32), Bytes(repeating: 0xff, count: 32)] {
      write(Self.setup, to: server.setup)
      write(key, to: server.record)
      write(wrong + ke1.dropFirst(32), to: server.message)
      #expect(server.respond(accountLength: 0) == 0)
      #expect(server.answer(accountLength: 0, hasRecord: true) == (.max, 0))
      write(ke1.dropLast(32) + wrong, to: server.message)
      #expect(server.answer(accountLength: 0, hasRecord: true) == (.max, 0))
      write(ke1, to: server.message)
      #expect(server.answer(accountLength: 0, hasRecord: true) == (.max, .max))
      write(wrong, to: server.record)
      #expect(server.answer(accountLength: 0, hasRecord: true) == (0, .max))
    }
  }

  @Test func anAccountThatDoesNotExistAnswersAlikeAndTakesNobody() throws {
    let password = Bytes("0417".utf8)
    #expect(try Login(registered: password, typed: password, hasRecord: false).run() == false)
    // The made-up key and pad depend on setup and account only; what is drawn is new in each answer.
    let client = try OPAQUEClient()
    write(password, to: client.password)
    try client.draw()
    client.begin(passwordLength: password.count)
    let answers = try (0..<2).map { _ in
      let server = try OPAQUEServer()
      write(Self.setup, to: server.setup)
      write(Self.account, to: server.account)
      write(read(client.ke1, OPAQUE.ke1Size), to: server.message)
      write(Bytes(repeating: 5, count: 96), to: server.drawn)
      _ = server.answer(accountLength: 4, hasRecord: false)
      return read(server.answer, OPAQUE.ke2Size)
    }
    #expect(answers[0] == answers[1])
  }
}
