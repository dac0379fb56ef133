// The Swift interface of the FIDO client: its life, and its authenticators. FidoHandle decides.
// SPDX-License-Identifier: Apache-2.0

// Classes, strings and arrays need Swift's runtime, which the C library does without.
#if !hasFeature(Embedded)
  import CCustomFido
  import CCustomVault
  public import CustomKeyboard
  import Dispatch
  public import KeyboardVault
  import Synchronization

  /// A client of FIDO UAF 1.1: it logs a person in to a server with a passcode or a pattern that stays on the device.
  ///
  ///     let client = try FIDOClient(vault: vault, facetID: "ios:bundle-id:com.example.bank")
  ///     try client.setAAID("4E4E#4005", of: .passcode)
  ///     let uaf = "https://bank.example/uaf"
  ///     try client.setServer(request: uaf + "/request", response: uaf + "/response", send: send)
  ///     if try await client.start(.authentication, user: "kim") == .personIsNeeded {
  ///       try client.applyLayout(of: .passcode, to: keyboard)  // then open it, and let the person type
  ///       try await client.resume(.passcode, typedOn: keyboard)
  ///     }
  ///
  /// Docs/FIDO.md tells the whole way. Any thread may call any function; calls on one client wait for each other, but
  /// not for a message that is under way: `cancel` ends it. A function that is called with `await` works on a thread of
  /// the client's own and leaves the caller's executor free.
  public final class FIDOClient: Sendable {
    let handle: FidoHandle
    /// Where the forms with `await` work, one after the other.
    let queue = DispatchQueue(label: "CustomFido")
    /// What the library's calls to the server go through. A message that is under way keeps its own.
    let sender = Mutex<Sender?>(nil)
    /// It must stay open as long as the client.
    private let vault: Vault

    /// Makes a client that keeps its keys in a vault.
    ///
    /// - Parameters:
    ///   - vault: it stays open; after `close`, every call answers `.closed`.
    ///   - facetID: names the app: visible ASCII of at most 512 bytes, and no https URL. Nothing proves it.
    /// - Throws: `.invalidParameter` for the name; what the vault throws.
    /// - C: `CustomFido_create`.
    public init(vault: Vault, facetID: String) throws(FIDOError) {
      self.vault = vault
      handle = try facetID.withBytes { facetID throws(FidoResult) in
        try FidoHandle.create(vault: vault.handle.rawValue, facetID: facetID)
      }
    }

    deinit { try? handle.destroy() }

    // MARK: Authenticators

    /// How a person proves to be the user. Each has one value for the whole vault, whatever server asks.
    ///
    /// - C: `CUSTOM_FIDO_AUTHENTICATOR`.
    @nonexhaustive
    public enum Authenticator: UInt32, Sendable, CaseIterable {
      /// What is typed: a PIN, or letters and digits.
      case passcode = 1
      /// What is drawn through nine nodes.
      case pattern = 2

      var number: CUSTOM_FIDO_AUTHENTICATOR { CUSTOM_FIDO_AUTHENTICATOR(rawValue: rawValue) }
    }

    /// What a new passcode or pattern must be, and when wrong tries lock it.
    ///
    /// - C: `CUSTOM_FIDO_OPTION`.
    @nonexhaustive
    public enum Option: Sendable, Hashable {
      /// 0 … 128, 0 at first.
      case minimumLength(Int)
      /// 0 … 128; 0, the default, means no maximum.
      case maximumLength(Int)
      /// Digits only, on a pad.
      case numberPad(Bool)
      /// Whether keys change places, as they do at first.
      case shuffles(Bool)
      /// 1 … 1000 wrong tries; 5 at first.
      case triesToLock(Int)
      /// 1 … 2³¹ − 1; 300 at first.
      case lockSeconds(Int)
      /// After this many locks only a reset unlocks it; 0, the default, means no maximum.
      case maximumLocks(Int)
      /// 1 … 9 nodes of a pattern; 4 at first.
      case minimumNodes(Int)
      /// A PIN of 4 or 6 digits; nil, as at first, for a passcode as the other options say.
      case digits(Int?)

      fileprivate var inC: (CUSTOM_FIDO_OPTION, Int) {
        switch self {
        case .minimumLength(let count): (CUSTOM_FIDO_OPTION_MIN_LENGTH, count)
        case .maximumLength(let count): (CUSTOM_FIDO_OPTION_MAX_LENGTH, count)
        case .numberPad(let isOn): (CUSTOM_FIDO_OPTION_NUMBER_PAD, isOn ? 1 : 0)
        case .shuffles(let isOn): (CUSTOM_FIDO_OPTION_SHUFFLE_DISABLE, isOn ? 0 : 1)
        case .triesToLock(let count): (CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, count)
        case .lockSeconds(let seconds): (CUSTOM_FIDO_OPTION_LOCK_TIME, seconds)
        case .maximumLocks(let count): (CUSTOM_FIDO_OPTION_MAX_LOCK_COUNT, count)
        case .minimumNodes(let count): (CUSTOM_FIDO_OPTION_MINIMUM_NODE_COUNT, count)
        case .digits(let count): (CUSTOM_FIDO_OPTION_PASSCODE_TYPE, count ?? 0)
        }
      }
    }

    /// Names the model of an authenticator: four hexadecimal digits each of vendor and model, "4E4E#4005". Without a
    /// name it is not used. A key keeps the name that it was made under.
    ///
    /// - Throws: `.invalidParameter`.
    /// - C: `CustomFido_setAAID`.
    public func setAAID(_ aaid: String, of authenticator: Authenticator) throws(FIDOError) {
      try aaid.withBytes { aaid throws(FidoResult) in try handle.setAAID(of: authenticator.number, to: aaid) }
    }

    /// Sets an option. It counts for what is set or changed from now on; an option of locking at once.
    ///
    /// - Throws: `.invalidParameter` for a value out of range, or an option that the authenticator has not;
    ///   `.triesAreCounted` for an option of locking.
    /// - C: `CustomFido_setOption`.
    public func set(_ option: Option, of authenticator: Authenticator) throws(FIDOError) {
      let (number, value) = option.inC
      try naming { () throws(FidoResult) in
        try handle.setOption(number, of: authenticator.number, to: Int64(value))
      }
    }

    /// Gives an idle keyboard the layout, shuffle and maximum that the options mean.
    ///
    /// - C: `CustomFido_applyLayout`.
    public func applyLayout(of authenticator: Authenticator, to keyboard: Keyboard) throws(FIDOError) {
      try withExtendedLifetime(keyboard) { () throws(FIDOError) in
        try naming { () throws(FidoResult) in
          try handle.applyLayout(of: authenticator.number, to: keyboard.handle)
        }
      }
    }

    /// The state of an authenticator.
    @nonexhaustive
    public enum State: Sendable, Hashable {
      /// It has no AAID.
      case notSupported
      /// It is set, and can be used.
      case ready
      /// The person must type it twice.
      case notSet
      /// For a time, or until it is reset.
      case locked
    }

    /// Whether an authenticator can be used.
    ///
    /// - C: `CustomFido_state`.
    public func state(of authenticator: Authenticator) throws(FIDOError) -> State {
      let result = try naming { () throws(FidoResult) in try handle.state(of: authenticator.number) }
      switch CUSTOM_FIDO_RESULT(rawValue: UInt32(result.code)) {
      case CUSTOM_FIDO_STATE_AVAILABLE: return .ready
      case CUSTOM_FIDO_STATE_NOT_REGISTERED: return .notSet
      case CUSTOM_FIDO_STATE_LOCKED: return .locked
      default: return .notSupported
      }
    }

    /// The state of the count of wrong tries.
    ///
    /// - Throws: `.notSet` if there is nothing to try.
    /// - C: `CustomFido_attempts`.
    public func attempts(of authenticator: Authenticator) throws(FIDOError) -> Vault.PasscodeState {
      var state = CUSTOM_VAULT_STATE()
      state.size = MemoryLayout<CUSTOM_VAULT_STATE>.size
      try naming { () throws(FidoResult) in try handle.attempts(of: authenticator.number, &state) }
      return Vault.PasscodeState(
        triesLeft: state.triesLeft, secondsLeft: state.secondsLeft, locks: state.locks)
    }

    /// Those that have an AAID.
    ///
    /// - C: `CustomFido_availableTypes`.
    public func available() throws(FIDOError) -> [Authenticator] {
      let types = try naming { () throws(FidoResult) in try handle.availableTypes() }
      return Authenticator.allCases.filter { types & $0.rawValue != 0 }
    }

    /// Gives an authenticator another value; its keys stay.
    ///
    /// - Parameters:
    ///   - current: open, with the value that is set.
    ///   - next: open, with the new one.
    /// - Throws: `.notChanged` (the current one is wrong or locked: see `attempts`), `.nothingToChange`, `.refused`.
    /// - Timing: about 20 ms for each of the two.
    /// - C: `CustomFido_change`.
    public func change(
      _ authenticator: Authenticator, from current: Keyboard, to next: Keyboard
    ) throws(FIDOError) {
      let result = try withExtendedLifetime((current, next)) { () throws(FIDOError) in
        try naming { () throws(FidoResult) in
          try handle.change(authenticator.number, from: current.handle, to: next.handle)
        }
      }
      try result.expect(CUSTOM_FIDO_CHANGE_SUCCESS)
    }

    /// As the other `change`, without holding up the caller's executor.
    public nonisolated(nonsending) func change(
      _ authenticator: Authenticator, from current: Keyboard, to next: Keyboard
    ) async throws(FIDOError) {
      try await working { client throws(FIDOError) in try client.change(authenticator, from: current, to: next) }
    }

    /// Removes an authenticator's value, locked or not. Its keys are deleted: nobody could open them any more.
    ///
    /// - Throws: `.nothingToReset`; what the vault throws.
    /// - C: `CustomFido_reset`.
    public func reset(_ authenticator: Authenticator) throws(FIDOError) {
      let result = try naming { () throws(FidoResult) in try handle.reset(authenticator.number) }
      try result.expect(CUSTOM_FIDO_RESET_SUCCESS)
    }

    // MARK: With await

    /// Runs `body` on the client's own thread: the verifier takes 20 ms, the network longer.
    nonisolated(nonsending) func working<Result: Sendable>(
      _ body: @escaping @Sendable (FIDOClient) throws(FIDOError) -> Result
    ) async throws(FIDOError) -> Result {
      try await QueuedCall.run(on: queue) { () throws(FIDOError) in try body(self) }
    }
  }

  extension String {
    /// Lends the text's bytes. A NUL is behind them.
    ///
    /// - Throws: `.invalidParameter` for a text with a NUL inside, of which C would read a part only.
    func withBytes<Result>(
      _ body: (UnsafeRawBufferPointer) throws(FidoResult) -> Result
    ) throws(FIDOError) -> Result {
      guard !utf8.contains(0) else { throw .invalidParameter }
      let bytes = utf8CString
      return try naming { () throws(FidoResult) in
        try bytes.span.withUnsafeBytes { bytes throws(FidoResult) in
          try body(UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
        }
      }
    }
  }
#endif
