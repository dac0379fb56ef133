// What a call can answer but success, for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  import CCustomFido
  import KeyboardCodes

  /// Why a call did not do what it should: a code of the guide, or below 0 the negative of a `KeyboardError`'s.
  ///
  ///     do {
  ///       try await client.resume(.passcode, typedOn: keyboard)
  ///     } catch .wrong {
  ///       // Not the passcode. The request still waits.
  ///     } catch .locked {
  ///       show("Too many tries.")
  ///     }
  ///
  /// - C: `CUSTOM_FIDO_RESULT`.
  public struct FIDOError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number that C has.
    public var code: Int32 { result.code }

    let result: FidoResult

    /// - Parameter code: any number that C has.
    public init(code: Int32) { result = FidoResult(code: code) }

    init(_ result: FidoResult) { self.result = result }
    init(_ result: CUSTOM_FIDO_RESULT) { self.result = FidoResult(result) }

    /// One sentence in English: what is wrong, as exactly as the call knew it.
    ///
    /// - C: `CustomFido_cause`.
    public var description: String { String(cString: result.cause) }

    /// Hashes the code, which is what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The task was cancelled, or `cancel` was called while a message was under way.
    public static let cancelled = FIDOError(CUSTOM_FIDO_USER_CANCEL)
    /// A text with a NUL, a number out of range, or a URL that is not https.
    public static let invalidParameter = FIDOError(CUSTOM_FIDO_INVALID_PARAMETER)
    /// Not a JSON object of texts; or the server knows another TLS connection.
    public static let channelBinding = FIDOError(CUSTOM_FIDO_SET_CHANNEL_BINDING)
    /// The server's message is not one of UAF.
    public static let malformed = FIDOError(CUSTOM_FIDO_JSON_PARSER)
    /// A server's: this user has a key already.
    public static let alreadyRegistered = FIDOError(CUSTOM_FIDO_ALREADY_REG_USER)
    /// There is no key for this user here.
    public static let notRegistered = FIDOError(CUSTOM_FIDO_NOT_REG_USER)
    /// Not visible ASCII, or more than 128 bytes.
    public static let invalidUserName = FIDOError(CUSTOM_FIDO_INVALID_USERNAME)
    /// It has no AAID.
    public static let invalidAuthenticator = FIDOError(CUSTOM_FIDO_INVALID_AUTHENTICATOR_TYPE)
    /// No request waits, or it has expired.
    public static let noRequest = FIDOError(CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST)
    /// The server does not list this app.
    public static let untrustedFacet = FIDOError(CUSTOM_FIDO_UNTRUSTED_FACET_ID)
    /// The server accepts none of those that are here.
    public static let noSuitableAuthenticator = FIDOError(CUSTOM_FIDO_NO_SUITABLE_AUTHENTICATOR)
    /// The message is of no version that is known here: 1.0 or 1.1.
    public static let unsupportedVersion = FIDOError(CUSTOM_FIDO_UNSUPPORTED_VERSION)
    /// No passcode or pattern is set: it must be typed twice.
    public static let notSet = FIDOError(CUSTOM_FIDO_STATE_NOT_REGISTERED)
    /// Not the passcode or pattern.
    public static let wrong = FIDOError(CUSTOM_FIDO_FAIL_VERIFY)
    /// For a time: see `attempts`.
    public static let locked = FIDOError(CUSTOM_FIDO_FAIL_VERIFY_LOCKED)
    /// Until `reset`.
    public static let lockedForGood = FIDOError(CUSTOM_FIDO_MAX_LOCK_COUNT_OVER)
    /// Wrong tries are counted, so an option of locking stays.
    public static let triesAreCounted = FIDOError(CUSTOM_FIDO_IGNORE_LOCK_OPTION_SET)
    /// The server was not reached, or its answer was not whole.
    public static let network = FIDOError(CUSTOM_FIDO_NETWORK_STATE)
    /// `change`: the old value is wrong or locked.
    public static let notChanged = FIDOError(CUSTOM_FIDO_CHANGE_FAIL)
    /// `change`: nothing is set.
    public static let nothingToChange = FIDOError(CUSTOM_FIDO_CHANGE_INVALID)
    /// `reset`: nothing is set.
    public static let nothingToReset = FIDOError(CUSTOM_FIDO_RESET_NONE)
    /// A server's: not now, or not without a session.
    public static let forbidden = FIDOError(CUSTOM_FIDO_FORBIDDEN)
    /// A server's, which has no number here.
    public static let unknown = FIDOError(CUSTOM_FIDO_UNKNOWN)
    /// A server's: it does not know the user.
    public static let serverHasNoUser = FIDOError(CUSTOM_FIDO_SERVER_NO_USER)
    /// A server's: it has no key of the user's.
    public static let serverHasNoRegistration = FIDOError(CUSTOM_FIDO_SERVER_NO_REGISTRATION)
    /// A server is asked for nobody.
    public static let emptyUserName = FIDOError(CUSTOM_FIDO_EMPTY_USERNAME)
    /// What was typed twice differs.
    public static let typedDifferently = FIDOError(.mismatch)
    /// An option or a rule of the keyboard refuses the new value.
    public static let refused = FIDOError(.refused)
    /// The vault was closed.
    public static let closed = FIDOError(.argument)
    /// Another message is under way.
    public static let busy = FIDOError(.busy)

    init(_ error: KeyboardError) { result = FidoResult(error) }
  }

  /// Runs `body`, whose failure gets the name that Swift programs know.
  func naming<Result: ~Copyable>(
    _ body: () throws(FidoResult) -> Result
  ) throws(FIDOError) -> Result {
    do throws(FidoResult) { return try body() } catch { throw FIDOError(error) }
  }

  extension FidoResult {
    /// - Throws: everything but this result.
    func expect(_ expected: CUSTOM_FIDO_RESULT) throws(FIDOError) {
      guard code == Int32(expected.rawValue) else { throw FIDOError(self) }
    }
  }
#endif
