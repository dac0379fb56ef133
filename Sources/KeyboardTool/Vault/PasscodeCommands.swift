// Passcodes that are kept in a vault by name, whose tries it counts: set, check, change, reset, state, policy, list.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal
import KeyboardVault

struct VaultPasscodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passcode",
    abstract: "Keeps passcodes whose tries are counted.",
    discussion: """
      In a terminal a passcode is entered on the pad; see `keyboard pad --help`.
      Otherwise it is read from standard input, and one newline at its end is
      removed. A try is counted, and that is on the disk, before it is checked.

      Examples:
        keyboard vault passcode set app
        keyboard vault passcode check app
        keyboard vault passcode state app
      """,
    subcommands: [
      SetVaultPasscodeCommand.self, CheckVaultPasscodeCommand.self, ChangeVaultPasscodeCommand.self,
      ResetVaultPasscodeCommand.self, VaultPasscodeStateCommand.self, VaultPasscodePolicyCommand.self,
      ListVaultPasscodesCommand.self,
    ])
}

/// The name of a passcode, that the shells complete.
struct PasscodeName: ParsableArguments {
  @Argument(help: "The name of the passcode: 1 to 255 bytes.", completion: VaultCompletion.passcodes)
  var name: String

  func validate() throws {
    guard (1...255).contains(name.utf8.count) else { throw ValidationError("Give a name of 1 to 255 bytes.") }
  }

  /// Runs `body`, whose errors become sentences about this passcode.
  func naming<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as KeyboardError {
      switch error {
      case .exists:
        throw Failure("Change this passcode, or give it another name: \(shellWord(name)) is there already.", .data)
      case .notFound: throw Failure("Give the name of a passcode: there is no \(shellWord(name)).", .data)
      case .refused: throw Failure.emptyPasscode
      default: throw error
      }
    }
  }

  /// Nobody should type a passcode that is not tried.
  func checkCanBeTried(in vault: Vault) throws {
    let state = try naming { try vault.passcodeState(name) }
    guard state.lock == .none else { throw Failure.locked(state, "the passcode \(shellWord(name))") }
  }

  /// - Returns: the key that the passcode gives.
  /// - Throws: a failure that says how many tries are left.
  func key(in vault: Vault, typedOn keyboard: Keyboard) throws -> SecretBytes {
    switch try naming({ try vault.checkPasscode(name, typedOn: keyboard) }) {
    case .right(let key): return key
    case .wrong(let state): throw Failure.wrong(state)
    case .locked(let state): throw Failure.locked(state, "the passcode \(shellWord(name))")
    }
  }
}

struct SetVaultPasscodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Makes a passcode.",
    discussion: """
      On the pad it is entered twice. A passcode that is there already is not
      changed.

      Examples:
        keyboard vault passcode set app
        keyboard vault passcode set app --tries 3 --lock-seconds 3600 < passcode
      """)

  @OptionGroup var name: PasscodeName

  @OptionGroup var policyOptions: PolicyOptions

  @OptionGroup var options: VaultOptions

  @OptionGroup var passcodeOptions: PasscodeOptions

  mutating func run() throws {
    try options.withVault(readsInput: true) { vault in
      guard try !vault.passcodes().contains(name.name) else { return try name.naming { throw KeyboardError.exists } }
      try passcodeOptions.withChosenPasscode("to be kept", options.padOptions) { keyboard in
        try name.naming { try vault.setPasscode(name.name, typedOn: keyboard, policy: policyOptions.policy) }
      }
    }
  }
}

struct CheckVaultPasscodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Counts a try, and tells whether a passcode is right.",
    discussion: """
      The exit code is 0 if it is right, and 77 if it is wrong or locked. A right
      passcode ends the count.

      Examples:
        keyboard vault passcode check app < passcode
        keyboard vault passcode check app --secret > key.hex
      """)

  @OptionGroup var name: PasscodeName

  @Flag(help: "Print the key that only this passcode gives, 64 hexadecimal digits, and nothing else.")
  var secret = false

  @OptionGroup var options: VaultOptions

  @OptionGroup var passcodeOptions: PasscodeOptions

  mutating func run() throws {
    try options.withVault(readsInput: true) { vault in
      try name.checkCanBeTried(in: vault)
      let key = try passcodeOptions.withPasscode("to be checked", options.padOptions) { keyboard in
        try name.key(in: vault, typedOn: keyboard)
      }
      guard secret else { return try writeOutput("The passcode is right.\n") }
      try key.writeHexadecimal()
    }
  }
}

struct ChangeVaultPasscodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change",
    abstract: "Counts a try, and gives a passcode that is right another one.",
    discussion: """
      On the pad the passcode is entered, and then the next one twice. Standard
      input has two lines: the passcode, and the next one. Its key and its policy
      stay.

      Examples:
        keyboard vault passcode change app
      """)

  @OptionGroup var name: PasscodeName

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault(readsInput: true) { vault in
      try name.checkCanBeTried(in: vault)
      try withPasscodes { current, next in
        let refusal = try name.naming { try vault.changePasscode(name.name, typedOn: current, to: next) }
        switch refusal {
        case nil: break
        case .right: break
        case .wrong(let state): throw Failure.wrong(state)
        case .locked(let state): throw Failure.locked(state, "the passcode \(shellWord(name.name))")
        }
      } check: { current in
        _ = try name.key(in: vault, typedOn: current)
      }
    }
  }

  /// Lends keyboards that have the passcode and the next one.
  ///
  /// - Parameter check: looks at the first one, so that nobody chooses another for nothing.
  private func withPasscodes(
    _ body: (Keyboard, Keyboard) throws -> Void, check: (Keyboard) throws -> Void
  ) throws {
    guard isatty(0) == 1 else {
      let (current, next) = (try Keyboard(), try Keyboard())
      var first = try SecretBytes()
      var second = try SecretBytes()
      try first.read(from: 0, name: "standard input")
      guard try first.moveSecondLine(to: &second) else {
        throw Failure("Give two lines on standard input: the passcode, and the next one.", .noInput)
      }
      try current.open()
      defer { try? current.close() }
      try next.open()
      defer { try? next.close() }
      try current.input(first)
      try next.input(second)
      return try body(current, next)
    }
    try PasscodeSource.pad.withPasscode("to be changed", options.padOptions) { current in
      try check(current)
      try PasscodeSource.withChoice("to be kept", rules: [], options.padOptions) { next in try body(current, next) }
    }
  }
}

struct ResetVaultPasscodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Removes a passcode, locked or not.",
    discussion: """
      Its key is gone, and with it all that was sealed under it.

      Examples:
        keyboard vault passcode reset app
      """)

  @OptionGroup var name: PasscodeName

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault { vault in try name.naming { try vault.resetPasscode(name.name) } }
  }
}

struct VaultPasscodeStateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Tells how many tries a passcode has left, without a try.",
    discussion: """
      The exit code is 77 while it is locked.

      Examples:
        keyboard vault passcode state app
      """)

  @OptionGroup var name: PasscodeName

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault { vault in
      let state = try name.naming { try vault.passcodeState(name.name) }
      try writeOutput(state.shown)
      if state.lock != .none { throw Failure("", .notAllowed) }
    }
  }
}

struct VaultPasscodePolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Says when a passcode is locked.",
    discussion: """
      While wrong tries or locks are counted, the policy stays: the right passcode
      ends that.

      Examples:
        keyboard vault passcode policy app --tries 3 --lock-seconds 600 --maximum-locks 5
      """)

  @OptionGroup var name: PasscodeName

  @OptionGroup var policyOptions: PolicyOptions

  @OptionGroup var options: VaultOptions

  func validate() throws {
    guard policyOptions.isWhole else {
      throw ValidationError("Give all of --tries, --lock-seconds and --maximum-locks.")
    }
  }

  mutating func run() throws {
    try options.withVault { vault in
      do { try vault.setPolicy(policyOptions.policy, ofPasscode: name.name) } catch KeyboardError.refused {
        throw Failure("Check the passcode first: wrong tries or locks are counted, until it is right.", .notAllowed)
      } catch { try name.naming { throw error } }
    }
  }
}

struct ListVaultPasscodesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the names of the passcodes, a line each.",
    discussion: """
      Examples:
        keyboard vault passcode list
      """)

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault { vault in
      try writeOutput(vault.passcodes().map { TerminalText.line($0) + "\n" }.joined())
    }
  }
}
