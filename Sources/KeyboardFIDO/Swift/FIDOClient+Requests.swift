// The protocol without a network, for Swift: a server's request in, an answer for it out.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  import CCustomFido
  public import CustomKeyboard

  extension FIDOClient {
    /// What a request has come to.
    @nonexhaustive
    public enum Beginning: Sendable, Hashable {
      /// Show the keyboard, then call `finish`, or `resume` if `start` has begun it.
      case personIsNeeded
      /// The keys are deleted, and nobody is asked.
      case deregistered

      init(_ result: FidoResult) throws(FIDOError) {
        switch CUSTOM_FIDO_RESULT(rawValue: UInt32(bitPattern: result.code)) {
        case CUSTOM_FIDO_AUTH_READY: self = .personIsNeeded
        case CUSTOM_FIDO_SUCCESS: self = .deregistered
        default: throw FIDOError(result)
        }
      }
    }

    /// The appID of a request, so that the app can fetch its list of trusted facets: only if it begins with "https://".
    ///
    /// - Throws: `.malformed`, `.unsupportedVersion`.
    /// - C: `CustomFido_appID`.
    public func appID(of request: String) throws(FIDOError) -> String {
      try request.withBytes { request throws(FidoResult) in
        try Self.text { space, length throws(FidoResult) in
          try handle.appID(of: request, into: space, length: &length)
        }
      }
    }

    /// Takes a server's request. A request that waited is forgotten, whatever is answered, except while a message is
    /// under way.
    ///
    /// - Parameters:
    ///   - request: JSON: an array of requests, or one.
    ///   - trustedFacets: what the appID's URL answered.
    ///   - channelBinding: a JSON object with what is known of the TLS connection.
    /// - Throws: `.malformed`, `.unsupportedVersion`, `.untrustedFacet`, `.noSuitableAuthenticator`, `.notRegistered`,
    ///   `.channelBinding`; `.busy` while a message is under way; what the vault throws.
    /// - C: `CustomFido_begin`.
    public func begin(
      _ request: String, trustedFacets: String? = nil, channelBinding: String? = nil
    ) throws(FIDOError) -> Beginning {
      let result = try request.withBytes { request throws(FidoResult) in
        try (trustedFacets ?? "").withBytesInside { facets throws(FidoResult) in
          try (channelBinding ?? "").withBytesInside { binding throws(FidoResult) in
            try handle.begin(
              request, trustedFacets: trustedFacets == nil ? nil : facets,
              channelBinding: channelBinding == nil ? nil : binding)
          }
        }
      }
      return try Beginning(result)
    }

    /// The authenticators that the policy accepts, in its order.
    ///
    /// - Throws: `.noRequest`.
    /// - C: `CustomFido_choices`.
    public func choices() throws(FIDOError) -> [Authenticator] {
      var found = (CUSTOM_FIDO_PASSCODE, CUSTOM_FIDO_PASSCODE)
      var count = 0
      try naming { () throws(FidoResult) in
        try withUnsafeMutablePointer(to: &found) { found throws(FidoResult) in
          try found.withMemoryRebound(to: CUSTOM_FIDO_AUTHENTICATOR.self, capacity: 2) { each throws(FidoResult) in
            try handle.choices(into: each, capacity: 2, count: &count)
          }
        }
      }
      return [found.0, found.1].prefix(count).compactMap { Authenticator(rawValue: $0.rawValue) }
    }

    /// The users whose keys the policy accepts; for a registration, the one in the request.
    ///
    /// - Throws: `.noRequest`.
    /// - C: `CustomFido_accounts`.
    public func accounts(of authenticator: Authenticator) throws(FIDOError) -> [String] {
      try naming { () throws(FidoResult) in try handle.accountNames(of: authenticator.number) }
    }

    /// The text that the person must see before agreeing; "" if there is none. The signature says that the person has
    /// confirmed it.
    ///
    /// - Throws: `.noRequest`.
    /// - C: `CustomFido_transaction`.
    public func transaction() throws(FIDOError) -> String {
      try naming { () throws(FidoResult) in
        try Self.text { space, length throws(FidoResult) in try handle.transaction(into: space, length: &length) }
      }
    }

    /// Verifies the person, and makes or uses a key. After that the answer is in `response`, and a new key has replaced
    /// the older ones of its user. After any error but `.noRequest` the request still waits, and the older key is used
    /// as before.
    ///
    /// - Parameters:
    ///   - user: not needed if there is one only.
    ///   - keyboard: open.
    ///   - again: the same typed twice, which sets up an authenticator that is not set up; only for a registration.
    /// - Throws: `.noRequest` (also if `start` has begun it: `resume` answers that), `.invalidParameter` (several
    ///   users, and no name), `.noSuitableAuthenticator`, `.notRegistered` (no key; or a newer one was registered
    ///   meanwhile, or the new one reset),
    ///   `.notSet`, `.wrong`, `.locked`, `.lockedForGood`, `.typedDifferently`, `.refused`.
    /// - Timing: about 20 ms, for the verifier; 40 ms if it is set up.
    /// - C: `CustomFido_finish`.
    public func finish(
      _ authenticator: Authenticator, user: String? = nil, typedOn keyboard: Keyboard, again: Keyboard? = nil
    ) throws(FIDOError) {
      let result = try withExtendedLifetime((keyboard, again)) { () throws(FIDOError) in
        try (user ?? "").withBytes { name throws(FidoResult) in
          try handle.finish(
            authenticator.number, userName: user == nil ? nil : name, keyboard: keyboard.handle,
            again: again?.handle ?? 0)
        }
      }
      try result.expect(CUSTOM_FIDO_SUCCESS)
    }

    /// As the other `finish`, without holding up the caller's executor.
    public nonisolated(nonsending) func finish(
      _ authenticator: Authenticator, user: String? = nil, typedOn keyboard: Keyboard, again: Keyboard? = nil
    ) async throws(FIDOError) {
      try await working { client throws(FIDOError) in
        try client.finish(authenticator, user: user, typedOn: keyboard, again: again)
      }
    }

    /// The answer for the server: a JSON array.
    ///
    /// - Throws: `.noRequest` if there is none.
    /// - C: `CustomFido_response`.
    public func response() throws(FIDOError) -> String {
      try naming { () throws(FidoResult) in
        try Self.text { space, length throws(FidoResult) in try handle.response(into: space, length: &length) }
      }
    }

    /// Forgets the request that waits, and its answer.
    ///
    /// - C: `CustomFido_cancel`.
    public func cancel() throws(FIDOError) { try naming { () throws(FidoResult) in try handle.cancel() } }

    /// A text of any length.
    static func text(
      _ fill: (UnsafeMutableRawBufferPointer, inout Int) throws(FidoResult) -> Void
    ) throws(FidoResult) -> String {
      var (capacity, length) = (4096, 0)
      while true {
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        defer { space.deallocate() }
        do throws(FidoResult) {
          try fill(space, &length)
          return String(decoding: space[..<length], as: UTF8.self)
        } catch {
          guard error == FidoResult(CUSTOM_KEYBOARD_SPACE), length >= capacity else { throw error }
          capacity = length + 1
        }
      }
    }
  }

  extension String {
    /// `withBytes` inside of another one.
    fileprivate func withBytesInside<Result>(
      _ body: (UnsafeRawBufferPointer) throws(FidoResult) -> Result
    ) throws(FidoResult) -> Result {
      do throws(FIDOError) { return try withBytes(body) } catch { throw error.result }
    }
  }
#endif
