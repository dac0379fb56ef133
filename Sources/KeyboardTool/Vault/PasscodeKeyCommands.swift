// A passcode that opens the vault: make it, look at its tries, remove it.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal
import KeyboardVault

struct VaultPasscodeKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passcode-key",
    abstract: "Lets a passcode open a vault.",
    discussion: """
      Examples:
        keyboard vault passcode-key set --layout mixed
        keyboard vault list --passcode --layout mixed
      """,
    subcommands: [
      SetPasscodeKeyCommand.self, PasscodeKeyStateCommand.self, RemovePasscodeKeyCommand.self,
    ])
}

struct SetPasscodeKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Makes a passcode open the vault, instead of any that did.",
    discussion: """
      In a terminal the passcode is entered twice on the pad; otherwise it is read
      from standard input, and one newline at its end is removed. The key opens the
      vault as before.

      Wrong tries are counted in the file and lock the passcode. That stops a
      person at the device, and nobody who has a copy of the file: there a PIN of 6
      digits is found in 6 hours, and one of 4 in 3 minutes. Then only a long
      passcode protects, or a pepper that is not on the same disk.

      Examples:
        keyboard vault passcode-key set --layout mixed
        keyboard vault passcode-key set --pepper-file /media/stick/pepper.hex
      """)

  @OptionGroup var policyOptions: PolicyOptions

  @OptionGroup var options: VaultOptions

  @OptionGroup var passcodeOptions: PasscodeOptions

  mutating func run() throws {
    try options.withVault(readsInput: true, usesPepper: true) { vault in
      let pepper = try options.pepperOption.read()
      try passcodeOptions.withChosenPasscode("to open the vault", options.padOptions) { keyboard in
        do {
          try pepper.withSpan { pepper throws(KeyboardError) in
            try vault.setPasscodeKey(typedOn: keyboard, pepper: pepper, policy: policyOptions.policy)
          }
        } catch KeyboardError.refused { throw Failure.emptyPasscode }
      }
    }
  }
}

struct PasscodeKeyStateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Tells how many tries the passcode that opens the vault has left.",
    discussion: """
      No key is needed for this. The exit code is 77 while it is locked.

      Examples:
        keyboard vault passcode-key state
      """)

  @OptionGroup var file: VaultFileOption

  mutating func run() throws {
    let state = try file.passcodeKeyState(file.existingPath())
    try writeOutput(state.shown)
    if state.lock != .none { throw Failure("", .notAllowed) }
  }
}

struct RemovePasscodeKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Removes the passcode that opens the vault.",
    discussion: """
      Then only the key opens it, so the vault must be opened by its key for this.
      Copies of the file that were made before still open by the passcode.

      Examples:
        keyboard vault passcode-key rm
      """)

  @OptionGroup var options: VaultOptions

  func validate() throws {
    guard !options.isByPasscode else {
      throw ValidationError(
        "Give the vault's key file: without the passcode nothing but the key opens the vault. If nobody has the key, "
          + "`keyboard vault rekey --passcode --new-key-file FILE` makes one.")
    }
  }

  mutating func run() throws {
    try options.withVault { vault in
      do { try vault.removePasscodeKey() } catch KeyboardError.notFound {
        throw Failure("Nothing is to be removed: no passcode opens this vault.", .data)
      }
    }
  }
}
