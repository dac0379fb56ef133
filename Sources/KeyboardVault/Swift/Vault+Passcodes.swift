// Passcodes of a vault, whose tries are counted, for Swift. What is typed never leaves its keyboard.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  public import CustomKeyboard

  extension Vault {
    /// When a passcode is locked.
    public struct PasscodePolicy: Sendable, Hashable {
      /// How many wrong tries lock it: 1 … 1000.
      public var triesToLock = 5
      /// How long it is locked: 1 … 2³¹ − 1. Then there are `triesToLock` tries again.
      public var lockSeconds = 300
      /// After this many locks it stays locked until it is reset; 0 for no maximum.
      public var maximumLocks = 0

      /// Five tries, five minutes, and no maximum.
      public init() {}

      func checked() throws(KeyboardError) -> AttemptPolicy {
        var policy = AttemptPolicy()
        guard let tries = UInt32(exactly: triesToLock), let seconds = UInt32(exactly: lockSeconds),
          let locks = UInt32(exactly: maximumLocks)
        else { throw .argument(.policy) }
        (policy.triesToLock, policy.lockSeconds, policy.maximumLocks) = (tries, seconds, locks)
        return policy
      }
    }

    /// The state of the count of wrong tries of a passcode.
    public struct PasscodeState: Sendable, Hashable {
      /// For how long nothing is tried.
      @nonexhaustive
      public enum Lock: Sendable, Hashable {
        /// It is not locked.
        case none
        /// At least 1.
        case seconds(Int)
        /// Until it is reset.
        case forGood
      }

      /// Wrong tries to the next lock; 0 while it is locked.
      public let triesLeft: Int
      /// Whether it is locked, and for how long.
      public let lock: Lock
      /// Locks since the last right passcode.
      public let locks: Int

      init(_ state: AttemptState) {
        self.init(triesLeft: state.triesLeft, secondsLeft: state.secondsLeft, locks: state.locks)
      }

      /// - Parameter secondsLeft: 0 if it is not locked; `UInt32.max` if it is locked until it is reset.
      package init(triesLeft: UInt32, secondsLeft: UInt32, locks: UInt32) {
        (self.triesLeft, self.locks) = (Int(triesLeft), Int(locks))
        lock =
          switch secondsLeft {
          case 0: .none
          case .max: .forGood
          default: .seconds(Int(secondsLeft))
          }
      }
    }

    /// What a try said.
    @nonexhaustive
    public enum PasscodeVerdict: ~Copyable, Sendable {
      /// With the 32 bytes that only this passcode gives: what must be unreadable without the person is sealed under
      /// them.
      case right(key: SecretBytes)
      /// The last wrong try before a lock is one, too: its state says for how long it is locked.
      case wrong(PasscodeState)
      /// Nothing was tried.
      case locked(PasscodeState)
    }

    /// Makes a passcode of what is typed.
    ///
    /// - Parameters:
    ///   - name: 1 … 255 bytes.
    ///   - keyboard: open.
    /// - Throws: `.argument` for the name or the policy; `.operationDisabled` while the keyboard is not open;
    ///   `.refused` if nothing is typed; `.exists`; `.mismatch`, `.damaged`, `.storage`, `.busy`, `.memory`, `.random`.
    /// - Timing: about 20 ms.
    /// - C: `CustomVault_setPasscode`.
    public func setPasscode(
      _ name: String, typedOn keyboard: Keyboard, policy: PasscodePolicy = PasscodePolicy()
    ) throws(KeyboardError) {
      let policy = try policy.checked()
      try withExtendedLifetime(keyboard) { () throws(KeyboardError) in
        try name.withName { name throws(KeyboardError) in try handle.setPasscode(name, keyboard.handle, policy) }
      }
    }

    /// Counts a try on the disk before it is checked. The right passcode ends the count.
    ///
    /// - Throws: `.argument`; `.operationDisabled` while the keyboard is not open; `.notFound`; `.mismatch` if another
    ///   process has changed the vault's key; `.damaged`, `.storage`, `.busy`, `.memory`, `.random`.
    /// - Timing: about 20 ms. The vault's other calls wait.
    /// - C: `CustomVault_checkPasscode`.
    public func checkPasscode(_ name: String, typedOn keyboard: Keyboard) throws(KeyboardError) -> PasscodeVerdict {
      var state: AttemptState?
      do throws(KeyboardError) {
        var key = try SecretBytes(capacity: VaultHandle.passcodeKeySize)
        try key.extend { space throws(KeyboardError) in
          try withExtendedLifetime(keyboard) { () throws(KeyboardError) in
            try name.withName { name throws(KeyboardError) in
              try handle.checkPasscode(name, keyboard.handle, key: space.baseAddress, &state)
            }
          }
          return space.count
        }
        return .right(key: key)
      } catch { return try Self.verdict(error, state) }
    }

    /// Checks a passcode as `checkPasscode` does, then gives it another one. Its key and its policy stay.
    ///
    /// - Returns: nil if it was changed, else why not.
    /// - Throws: as `checkPasscode`; `.refused` if nothing is typed on `next`, and then nothing is counted.
    /// - C: `CustomVault_changePasscode`.
    public func changePasscode(
      _ name: String, typedOn current: Keyboard, to next: Keyboard
    ) throws(KeyboardError) -> PasscodeVerdict? {
      var state: AttemptState?
      do throws(KeyboardError) {
        try withExtendedLifetime((current, next)) { () throws(KeyboardError) in
          try name.withName { name throws(KeyboardError) in
            try handle.changePasscode(name, current.handle, to: next.handle, &state)
          }
        }
        return nil
      } catch { return try Self.verdict(error, state) }
    }

    private static func verdict(
      _ error: KeyboardError, _ state: AttemptState?
    ) throws(KeyboardError) -> PasscodeVerdict {
      switch (error, state) {
      case (.mismatch, let state?): return .wrong(PasscodeState(state))
      case (.locked, let state?): return .locked(PasscodeState(state))
      default: throw error
      }
    }

    /// The tries of a passcode, without a try.
    ///
    /// - Throws: `.argument`, `.notFound`, and as `read`.
    /// - C: `CustomVault_passcodeState`.
    public func passcodeState(_ name: String) throws(KeyboardError) -> PasscodeState {
      try Self.state { state throws(KeyboardError) in
        try name.withName { name throws(KeyboardError) in try handle.passcodeState(name, &state) }
      }
    }

    /// The state that a call tells. In C it answers `LOCKED` with the state of a passcode that is locked.
    static func state(
      _ body: (inout AttemptState?) throws(KeyboardError) -> Void
    ) throws(KeyboardError) -> PasscodeState {
      var state: AttemptState?
      do throws(KeyboardError) { try body(&state) } catch {
        guard error == .locked, state != nil else { throw error }
      }
      return PasscodeState(state!)
    }

    /// Removes a passcode, locked or not: its row is gone from the file and its WAL. Older copies still have it: of the
    /// file, or of the row, in a free part of a page. After `changeKey`, the vault's key opens none of them.
    ///
    /// - Throws: `.argument`, `.notFound`, and as `delete`.
    /// - C: `CustomVault_resetPasscode`.
    public func resetPasscode(_ name: String) throws(KeyboardError) {
      try name.withName { name throws(KeyboardError) in try handle.resetPasscode(name) }
    }

    /// The policy of a passcode.
    ///
    /// - Throws: `.argument`, `.notFound`, and as `read`.
    /// - C: `CustomVault_policy`.
    public func policy(ofPasscode name: String) throws(KeyboardError) -> PasscodePolicy {
      let known = try name.withName { name throws(KeyboardError) in try handle.policy(name) }
      var policy = PasscodePolicy()
      policy.triesToLock = Int(known.triesToLock)
      policy.lockSeconds = Int(known.lockSeconds)
      policy.maximumLocks = Int(known.maximumLocks)
      return policy
    }

    /// Gives a passcode another policy.
    ///
    /// - Throws: `.argument`, `.notFound`; `.refused` while wrong tries or locks are counted.
    /// - C: `CustomVault_setPolicy`.
    public func setPolicy(_ policy: PasscodePolicy, ofPasscode name: String) throws(KeyboardError) {
      let policy = try policy.checked()
      try name.withName { name throws(KeyboardError) in try handle.setPolicy(name, policy) }
    }

    /// The names of all passcodes, in the order of their bytes.
    ///
    /// - Throws: as `items`.
    /// - C: `CustomVault_listPasscodes`.
    public func passcodes() throws(KeyboardError) -> [String] { try handle.passcodeNames() }

    // MARK: With await

    /// As the other `setPasscode`, without holding up the caller's executor.
    public nonisolated(nonsending) func setPasscode(
      _ name: String, typedOn keyboard: Keyboard, policy: PasscodePolicy = PasscodePolicy()
    ) async throws(KeyboardError) {
      try await working { vault throws(KeyboardError) in
        try vault.setPasscode(name, typedOn: keyboard, policy: policy)
      }
    }

    /// As the other `checkPasscode`, without holding up the caller's executor.
    public nonisolated(nonsending) func checkPasscode(
      _ name: String, typedOn keyboard: Keyboard
    ) async throws(KeyboardError) -> PasscodeVerdict {
      try await working { vault throws(KeyboardError) in try vault.checkPasscode(name, typedOn: keyboard) }
    }

    /// As the other `changePasscode`, without holding up the caller's executor.
    public nonisolated(nonsending) func changePasscode(
      _ name: String, typedOn current: Keyboard, to next: Keyboard
    ) async throws(KeyboardError) -> PasscodeVerdict? {
      try await working { vault throws(KeyboardError) in
        try vault.changePasscode(name, typedOn: current, to: next)
      }
    }

    /// As the other `passcodeState`, without holding up the caller's executor.
    public nonisolated(nonsending) func passcodeState(_ name: String) async throws(KeyboardError) -> PasscodeState {
      try await working { vault throws(KeyboardError) in try vault.passcodeState(name) }
    }

    /// As the other `resetPasscode`, without holding up the caller's executor.
    public nonisolated(nonsending) func resetPasscode(_ name: String) async throws(KeyboardError) {
      try await working { vault throws(KeyboardError) in try vault.resetPasscode(name) }
    }

    /// As the other `policy`, without holding up the caller's executor.
    public nonisolated(nonsending) func policy(
      ofPasscode name: String
    ) async throws(KeyboardError) -> PasscodePolicy {
      try await working { vault throws(KeyboardError) in try vault.policy(ofPasscode: name) }
    }

    /// As the other `setPolicy`, without holding up the caller's executor.
    public nonisolated(nonsending) func setPolicy(
      _ policy: PasscodePolicy, ofPasscode name: String
    ) async throws(KeyboardError) {
      try await working { vault throws(KeyboardError) in try vault.setPolicy(policy, ofPasscode: name) }
    }

    /// As the other `passcodes`, without holding up the caller's executor.
    public nonisolated(nonsending) func passcodes() async throws(KeyboardError) -> [String] {
      try await working { vault throws(KeyboardError) in try vault.passcodes() }
    }
  }
#endif
