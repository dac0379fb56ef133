// OPAQUE's server for Swift: a setup answers, and a state checks once.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  public import KeyboardCodes
  public import KeyboardMemory

  extension OPAQUE {
    /// A server's secret, with its public key: drawn once, and kept as long as the records.
    ///
    ///     let setup = try OPAQUE.Setup()
    ///     let response = try setup.respond(to: request.span, account: account.span)
    ///     let answer = try setup.answer(to: ke1.span, account: account.span, record: record)
    ///     let sessionKey = try answer.state.check(ke3.span)
    ///
    /// Count an attempt before a response or KE2 leaves; Docs/OPAQUE.md has a server's other duties. In the child of a
    /// fork a setup is empty, and every call throws `.key`.
    public struct Setup: ~Copyable, Sendable {
      private let secret: SecretBytes

      /// 32 bytes, for apps that hold a server to its key: they compare them with the end of a response.
      public let publicKey: [UInt8]

      /// Draws a setup. Write its bytes to where secrets are kept.
      ///
      /// - Throws: `.memory`, `.random`.
      /// - Timing: depends on how often a draw is rejected, once in 2²⁵² draws.
      /// - Source: RFC 9807 §3.1, §6.
      /// - C: `CustomKeyboard_opaqueSetup`.
      public init() throws(KeyboardError) {
        var secret = try SecretBytes(capacity: OPAQUE.setupSize)
        publicKey = try OPAQUE.message(of: OPAQUE.elementSize) { key throws(KeyboardError) in
          try secret.extend { secret throws(KeyboardError) in
            try OPAQUE.makeSetup(into: secret.baseAddress!, publicKey: key.baseAddress!)
            return secret.count
          }
        }
        self.secret = secret
      }

      /// Takes a setup that was kept.
      ///
      /// - Parameter bytes: 96 bytes, of which this makes a copy: oprf_seed, server_private_key. Of a setup of Rust's
      ///   opaque-ke, which has 128, the first 96.
      /// - Throws: `.key` for another length, and for a private key that is 0, or the group's order or more; `.memory`.
      /// - Timing: depends on the length and the verdict only.
      public init(bytes: Span<UInt8>) throws(KeyboardError) {
        guard bytes.count == OPAQUE.setupSize else { throw .key(.opaqueSetup) }
        let secret = try SecretBytes(copying: bytes)
        publicKey = try OPAQUE.message(of: OPAQUE.elementSize) { key throws(KeyboardError) in
          try OPAQUE.publicKey(ofSetup: secret.bytes, into: key.baseAddress!)
        }
        self.secret = secret
      }

      /// Lends the 96 bytes, which are as secret as a private key.
      ///
      /// - Parameter body: gets the bytes, which exist until it returns.
      /// - Returns: what `body` returns.
      /// - Throws: what `body` throws.
      public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
      ) throws(Failure) -> Result { try secret.withSpan(body) }

      /// Answers a registration. For an account that has a record, this is for its owner only, logged in.
      ///
      /// - Parameters:
      ///   - request: 32 bytes, from the client.
      ///   - account: 1 … 255 bytes: the database's name of the record, never changed, never given to another.
      /// - Returns: the response, 64 bytes for the client. It lets someone try one password.
      /// - Throws: `.argument` for an empty account, `.tooLong`, `.undecryptable` for every fault of the request;
      ///   `.memory`.
      /// - Timing: depends on the account's length and the verdict only.
      /// - Source: RFC 9807 §5.2.2.
      /// - C: `CustomKeyboard_opaqueRespond`.
      public func respond(to request: Span<UInt8>, account: Span<UInt8>) throws(KeyboardError) -> [UInt8] {
        try OPAQUE.message(of: OPAQUE.responseSize) { response throws(KeyboardError) in
          try request.withUnsafeBytes { request throws(KeyboardError) in
            try account.withUnsafeBytes { account throws(KeyboardError) in
              _ = try OPAQUE.respond(setup: secret.bytes, account: account, request: request, into: response)
            }
          }
        }
      }

      /// Answers KE1 of a login.
      ///
      /// - Parameters:
      ///   - ke1: 96 bytes, from the client.
      ///   - account: as in `respond`.
      ///   - record: 192 bytes, as the client sent them; nil if there is no such account, which nobody else can tell.
      ///   - terms: as the client has them.
      /// - Returns: KE2, and the state that waits for KE3.
      /// - Throws: `.argument` for an empty account, `.tooLong`, `.key` for the record, `.undecryptable` for every
      ///   fault of KE1; `.memory`, `.random`.
      /// - Timing: depends on the lengths and the verdict, and not on whether there is a record.
      /// - Source: RFC 9807 §6.2.2, §6.3.2.2, §6.4.4.
      /// - C: `CustomKeyboard_opaqueAnswer`.
      public func answer(
        to ke1: Span<UInt8>, account: Span<UInt8>, record: [UInt8]?, terms: Terms = Terms()
      ) throws(KeyboardError) -> Answer {
        // No bytes mean that there is no account. Here nil does, and no bytes are a fault of the database.
        guard record?.isEmpty != true else { throw .key(.opaqueRecord) }
        let record = record ?? []
        var state = try SecretBytes(capacity: OPAQUE.stateSize)
        let ke2 = try OPAQUE.message(of: OPAQUE.ke2Size) { ke2 throws(KeyboardError) in
          try state.extend { state throws(KeyboardError) in
            try ke1.withUnsafeBytes { ke1 throws(KeyboardError) in
              try account.withUnsafeBytes { account throws(KeyboardError) in
                try record.span.withUnsafeBytes { record throws(KeyboardError) in
                  try terms.lend { terms throws(KeyboardError) in
                    try OPAQUE.answer(
                      setup: secret.bytes, account: account, record: record, terms: terms, ke1: ke1, into: ke2,
                      state: state)
                  }
                }
              }
            }
            return state.count
          }
        }
        return Answer(ke2: ke2, state: State(state))
      }
    }

    /// What a server answers to KE1. Frozen, so that a program can take the two apart.
    @frozen public struct Answer: ~Copyable, Sendable {
      /// 320 bytes, for the client.
      public let ke2: [UInt8]
      /// Waits for KE3. Keep it with its account, because KE3 names none, for a minute at most.
      public let state: State
    }

    /// What a server keeps between KE2 and KE3. It is used once, whatever `check` answers: that consumes it.
    public struct State: ~Copyable, Sendable {
      private let secret: SecretBytes

      fileprivate init(_ secret: consuming SecretBytes) { self.secret = secret }

      /// Takes a state from a store that several processes share. Delete it there first, so that it is used once.
      ///
      /// - Parameter bytes: 128 bytes, of which this makes a copy.
      /// - Throws: `.key` for another length; `.memory`.
      public init(bytes: Span<UInt8>) throws(KeyboardError) {
        guard bytes.count == OPAQUE.stateSize else { throw .key(.opaqueState) }
        secret = try SecretBytes(copying: bytes)
      }

      /// Gives the 128 bytes to such a store. They are secret: with them, anybody has the session.
      public consuming func bytes() -> SecretBytes { secret }

      /// Checks KE3. Do nothing for the client before this has returned.
      ///
      /// - Parameter ke3: 64 bytes, from the client.
      /// - Returns: the session key, 64 bytes, which the client has, too.
      /// - Throws: `.mismatch` for every fault of KE3; `.memory`; in the child of a fork `.key`.
      /// - Timing: depends on the verdict only.
      /// - Source: RFC 9807 §6.4.4.
      /// - C: `CustomKeyboard_opaqueCheck`.
      public consuming func check(_ ke3: Span<UInt8>) throws(KeyboardError) -> SecretBytes {
        var key = try SecretBytes(capacity: OPAQUE.keySize)
        try key.extend { key throws(KeyboardError) in
          try ke3.withUnsafeBytes { ke3 throws(KeyboardError) in
            try secret.withSpan { state throws(KeyboardError) in
              try state.withUnsafeBytes { state throws(KeyboardError) in
                try OPAQUE.check(ke3, state: state, into: key)
              }
            }
          }
        }
        return key
      }
    }

    /// Writes the public key of a setup, which is checked.
    ///
    /// - Throws: `.key`, `.memory`. Nothing is then written.
    private static func publicKey(
      ofSetup setup: UnsafeRawBufferPointer, into publicKey: UnsafeMutableRawPointer
    ) throws(KeyboardError) {
      try Residue.whole { () throws(KeyboardError) -> Void? in
        let server = try OPAQUEServer()
        copy(setup, to: server.setup)
        let isWhole = try compute(on: server) { () throws(KeyboardError) in
          guard isPrivateKey(server.setup) else { throw .key(.opaqueSetup) }
          server.makePublicKey()
        }
        guard isWhole else { return nil }
        publicKey.copyMemory(from: server.answer, byteCount: elementSize)
        return server.workspace.wasEmptied ? nil : ()
      }
    }
  }
#endif
