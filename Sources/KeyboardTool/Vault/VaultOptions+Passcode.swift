// Opening a vault by a passcode, whose tries the vault counts.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardTerminal
import KeyboardVault

extension VaultOptions {
  /// Opens the vault by the passcode that these options say where to find.
  ///
  /// - Parameter readsInput: whether standard input is for something else.
  func openByPasscode(_ path: String, readsInput: Bool) throws -> Vault {
    let pepper = try pepperOption.read()
    // Nobody should type a passcode that is not tried.
    let state = try file.passcodeKeyState(path)
    guard state.lock == .none else { throw Failure.locked(state, "the passcode that opens the vault") }
    return try source(readsInput: readsInput).withPasscode("to open the vault", padOptions) { keyboard in
      let opening = try naming(path) {
        try pepper.withSpan { pepper throws(KeyboardError) in
          try Vault.open(path: path, typedOn: keyboard, pepper: pepper)
        }
      }
      switch opening {
      case .open(let vault): return vault
      case .wrong(let state): throw Failure.wrong(state, pepperOption.pepperFile == nil ? "" : ", or the pepper is")
      case .locked(let state): throw Failure.locked(state, "the passcode that opens the vault")
      }
    }
  }

  /// Lends a keyboard with a passcode that is to open the vault.
  func withNewPasscode(_ options: PasscodeOptions, _ body: (Keyboard) throws -> Void) throws {
    let purpose = "to open the vault"
    if let passcodeFile { return try PasscodeSource.file(passcodeFile).withPasscode(purpose, padOptions, body) }
    try options.withChosenPasscode(purpose, padOptions, body)
  }

  private func source(readsInput: Bool) -> PasscodeSource {
    if let passcodeFile { return .file(passcodeFile) }
    return readsInput || isatty(0) == 1 ? .pad : .standardInput(keepsNewline: false)
  }
}

extension VaultFileOption {
  func passcodeKeyState(_ path: String) throws -> Vault.PasscodeState {
    do {
      return try naming(path, mismatch: "") { try Vault.passcodeKeyState(path: path) }
    } catch KeyboardError.notFound {
      throw Failure(
        "Give the key of this vault: no passcode opens \(path). This makes one open it, too:\n"
          + "  keyboard vault passcode-key set --vault \(shellWord(path))", .data)
    }
  }
}

extension Failure {
  static var emptyPasscode: Failure { Failure("Give a passcode that is not empty.", .notAllowed) }

  /// - Parameter also: what else may be wrong.
  static func wrong(_ state: Vault.PasscodeState, _ also: String = "") -> Failure {
    let next =
      state.lock == .none
      ? "Tries left: \(state.triesLeft)." : "That was the last try: it is locked now, \(state.lock.duration)."
    return Failure("The passcode is wrong\(also). \(next)", .notAllowed)
  }

  /// - Parameter what: which passcode.
  static func locked(_ state: Vault.PasscodeState, _ what: String) -> Failure {
    Failure("Nothing was tried: \(what) is locked, \(state.lock.duration).", .notAllowed)
  }
}

extension Vault.PasscodeState.Lock {
  var duration: String {
    switch self {
    case .none: "for no time"
    case .seconds(1): "for 1 second"
    case .seconds(let count): "for \(count) seconds"
    case .forGood: "for good"
    }
  }
}

extension Vault.PasscodeState {
  /// Lines for people, and for scripts: names without a space, as those of an item.
  var shown: String {
    let lock = lock == .none ? "no" : lock.duration
    return "tries     \(triesLeft)\nlocked    \(lock)\nlocks     \(locks)\n"
  }
}
