// A passcode that opens the vault, for Swift. Its tries are counted in the file; that does not protect a copy of it.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  public import CustomKeyboard
  import Dispatch

  extension Vault {
    /// What a try to open a vault said.
    @nonexhaustive
    public enum Opening: Sendable {
      /// The passcode was right.
      case open(Vault)
      /// The last wrong try before a lock is one, too: its state says for how long it is locked.
      case wrong(PasscodeState)
      /// Nothing was tried.
      case locked(PasscodeState)
    }

    /// Makes what is typed open the vault beside its key, instead of any passcode that did.
    ///
    /// The passcode before it is removed from the file and its WAL. It still opens older copies of the file, and a
    /// person who has one can compute from it what opens the present vault: only `changeKey` ends that.
    ///
    /// It does not protect against a person who has a copy of the file, where nobody counts. Then only the
    /// passcode's strength and the pepper protect. `Docs/Vault.md` has numbers.
    ///
    /// - Parameters:
    ///   - keyboard: open.
    ///   - pepper: 0 … 64 secret bytes that are not in the file: of a server, or of a chip of the device.
    /// - Throws: `.argument` for the policy; `.operationDisabled` while the keyboard is not open; `.tooLong` for the
    ///   pepper; `.refused` if nothing is typed; `.mismatch` if another process has changed the vault's key;
    ///   `.damaged`, `.storage`, `.busy`, `.memory`, `.random`.
    /// - Timing: about 20 ms, by the cost of Argon2id alone.
    /// - C: `CustomVault_setPasscodeKey`.
    public func setPasscodeKey(
      typedOn keyboard: Keyboard, pepper: Span<UInt8> = Span(), policy: PasscodePolicy = PasscodePolicy()
    ) throws(KeyboardError) {
      let policy = try policy.checked()
      try withExtendedLifetime(keyboard) { () throws(KeyboardError) in
        try pepper.withUnsafeBytes { pepper throws(KeyboardError) in
          try handle.setPasscodeKey(keyboard.handle, pepper: pepper, policy)
        }
      }
    }

    /// Removes the passcode that opens the vault, as `changeKey` does. From then on only the key opens it; of older
    /// copies the same holds as for a passcode that is replaced.
    ///
    /// - Throws: `.notFound` if there is no such passcode, and as `delete`.
    /// - C: `CustomVault_removePasscodeKey`.
    public func removePasscodeKey() throws(KeyboardError) { try handle.removePasscodeKey() }

    /// Opens a vault with what is typed. A try is counted on the disk before it is checked. The right
    /// passcode ends the count.
    ///
    /// - Parameters:
    ///   - path: as for `init(path:key:)`. A file that is not there is not made.
    ///   - keyboard: open.
    ///   - pepper: the one that the passcode was set with.
    /// - Throws: `.argument` for an empty path; `.operationDisabled` while the keyboard is not open, and in a forked
    ///   child; `.tooLong` for the pepper; `.notFound` if there is no file, or no passcode opens it; `.mismatch` if the
    ///   passcode was replaced before the try was counted; `.busy` if this process has the vault open, or another one
    ///   has it for five seconds; `.damaged`, `.storage`, `.memory`, `.random`.
    /// - Timing: about 20 ms, and then as `init(path:key:)`.
    /// - C: `CustomVault_openWithPasscode`.
    public static func open(
      path: String, typedOn keyboard: Keyboard, pepper: Span<UInt8> = Span()
    ) throws(KeyboardError) -> Opening {
      try pepper.withUnsafeBytes { pepper throws(KeyboardError) in
        try open(path, keyboard, pepper: pepper, queue: makeQueue())
      }
    }

    private static func open(
      _ path: String, _ keyboard: Keyboard, pepper: UnsafeRawBufferPointer, queue: DispatchQueue
    ) throws(KeyboardError) -> Opening {
      var state: AttemptState?
      do throws(KeyboardError) {
        let handle = try withExtendedLifetime(keyboard) { () throws(KeyboardError) in
          try path.withName { path throws(KeyboardError) in
            try VaultHandle.open(path, keyboard.handle, pepper: pepper, &state)
          }
        }
        return .open(Vault(handle: handle, queue: queue))
      } catch {
        switch (error, state) {
        case (.mismatch, let state?): return .wrong(PasscodeState(state))
        case (.locked, let state?): return .locked(PasscodeState(state))
        default: throw error
        }
      }
    }

    /// The tries of the passcode that opens a vault, without a try.
    ///
    /// - Throws: `.argument` for an empty path; `.notFound` if there is no file, or no passcode opens it; `.busy` while
    ///   this process has the vault open; `.damaged`, `.storage`, `.memory`; `.operationDisabled` in a forked child.
    /// - C: `CustomVault_passcodeKeyState`.
    public static func passcodeKeyState(path: String) throws(KeyboardError) -> PasscodeState {
      try state { state throws(KeyboardError) in
        try path.withName { path throws(KeyboardError) in try VaultHandle.passcodeKeyState(path, &state) }
      }
    }

    // MARK: With await

    /// As the other `setPasscodeKey`, without holding up the caller's executor.
    public nonisolated(nonsending) func setPasscodeKey(
      typedOn keyboard: Keyboard, pepper: Span<UInt8> = Span(), policy: PasscodePolicy = PasscodePolicy()
    ) async throws(KeyboardError) {
      let pepper = try Self.copy(ofPepper: pepper)
      try await working { vault throws(KeyboardError) in
        try pepper.withSpan { pepper throws(KeyboardError) in
          try vault.setPasscodeKey(typedOn: keyboard, pepper: pepper, policy: policy)
        }
      }
    }

    /// As the other `removePasscodeKey`, without holding up the caller's executor.
    public nonisolated(nonsending) func removePasscodeKey() async throws(KeyboardError) {
      try await working { vault throws(KeyboardError) in try vault.removePasscodeKey() }
    }

    /// As the other `open(path:typedOn:pepper:)`, without holding up the caller's executor.
    public nonisolated(nonsending) static func open(
      path: String, typedOn keyboard: Keyboard, pepper: Span<UInt8> = Span()
    ) async throws(KeyboardError) -> Opening {
      let pepper = try copy(ofPepper: pepper)
      let queue = makeQueue()
      return try await working(on: queue) { () throws(KeyboardError) in
        try open(path, keyboard, pepper: pepper.bytes, queue: queue)
      }
    }

    /// As the other `passcodeKeyState`, without holding up the caller's executor.
    public nonisolated(nonsending) static func passcodeKeyState(
      path: String
    ) async throws(KeyboardError) -> PasscodeState {
      try await working(on: makeQueue()) { () throws(KeyboardError) in try passcodeKeyState(path: path) }
    }

    /// A pepper that is too long is told as such after what is wrong with the keyboard, as in C. So not all of it needs
    /// to be copied.
    private static func copy(ofPepper pepper: Span<UInt8>) throws(KeyboardError) -> SecretBytes {
      try SecretBytes(copying: pepper.extracting(first: 65))
    }
  }
#endif
