// A vault: secrets in one file that only its key opens.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyboardTerminal
import KeyboardVault

struct VaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vault",
    abstract: "Keeps secrets in one file that only its key opens.",
    discussion: """
      A secret comes from standard input, or is asked for in a terminal and not
      shown. It goes to standard output only with `show --secret`. Services and
      accounts must not hold a secret: other users can read arguments.

      The key is in a file that nobody else may read. Anybody with both files has
      the secrets, so keep them apart where you can. A passcode may open the vault,
      too, or alone: see `passcode-key` and `init --passcode`.

      With --passcode the passcode is entered on the pad. If standard input is not a
      terminal, and the command reads nothing else from there, it is the passcode.

      Examples:
        keyboard vault init --vault ~/.bank/vault
        export KEYBOARD_VAULT=~/.bank/vault
        keyboard vault add bank.example kim --kind token < token
        keyboard vault show bank.example kim --secret
        keyboard vault list
      """,
    subcommands: [
      InitVaultCommand.self, AddToVaultCommand.self, ShowFromVaultCommand.self, EditInVaultCommand.self,
      RemoveFromVaultCommand.self, ListVaultCommand.self, RekeyVaultCommand.self, BackUpVaultCommand.self,
      VaultPasscodeCommand.self, VaultPasscodeKeyCommand.self, VaultWordsCommand.self,
    ])
}

struct InitVaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Makes a vault and its key, or one that only a passcode opens.",
    discussion: """
      The key is 32 random bytes in a new file with mode 0600. A file that exists
      already is taken for the key, and never replaced. The vault's folder must be
      yours, and nobody else may write into it.

      With --passcode nobody keeps the key: what is entered twice on the pad, or
      once on standard input, opens the vault. If it is forgotten, everything in the
      vault is lost. A short one does not protect a copy of the file: see
      `passcode-key set --help`.

      Examples:
        mkdir -m 700 ~/.bank && keyboard vault init --vault ~/.bank/vault
        keyboard vault init --vault ~/.bank/vault --key-file /media/stick/vault.key
        keyboard vault init --vault ~/.bank/vault --passcode --layout mixed
      """)

  @OptionGroup var options: VaultOptions

  @OptionGroup var passcodeOptions: PasscodeOptions

  mutating func run() throws {
    let (path, keyPath) = (try options.path(), try options.keyPath())
    var status = stat()
    guard lstat(path, &status) != 0 else { throw Failure("Give the name of a new vault: \(path) exists.", .data) }
    try options.checkPepper()
    guard !options.isByPasscode else { return try makeWithPasscode(path) }
    let isKeyThere = lstat(keyPath, &status) == 0
    let key = try isKeyThere ? options.readKey() : makeVaultKey(in: keyPath)
    if isKeyThere { try syncFile(keyPath) }
    do {
      try options.naming(path) { _ = try Vault(path: path, key: key.span) }
    } catch {
      // A key of nothing is of no use, and would be taken for the next vault's.
      if !isKeyThere && lstat(path, &status) != 0 { unlink(keyPath) }
      throw error
    }
  }

  /// Makes a vault whose key nobody keeps. A vault without its passcode would be one that nothing opens, so it is made
  /// beside the path, and a copy gets the name when it is whole.
  private func makeWithPasscode(_ path: String) throws {
    let pepper = try options.pepperOption.read()
    let key = try drawVaultKey()
    let draft = path + "." + String(UInt64.random(in: .min ... .max) | 1 << 63, radix: 16)
    defer { for end in ["", "-wal", "-shm"] { unlink(draft + end) } }
    try options.withNewPasscode(passcodeOptions) { keyboard in
      do {
        try options.naming(path) {
          let vault = try key.withSpan { key throws(KeyboardError) in try Vault(path: draft, key: key) }
          try pepper.withSpan { pepper throws(KeyboardError) in
            try vault.setPasscodeKey(typedOn: keyboard, pepper: pepper)
          }
          try vault.backUp(to: path)
          try vault.close()
        }
      } catch KeyboardError.refused {
        throw Failure.emptyPasscode
      } catch KeyboardError.exists {
        throw isTaken(path)
      }
    }
  }
}

struct RekeyVaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Gives a vault another key, and seals everything in it anew.",
    discussion: """
      The next key is made in a new file, or taken from one that exists. The old
      key stays in its file, and still opens copies that were made before: remove
      both when you no longer need them. A passcode that opened the vault does so
      no longer.

      Examples:
        keyboard vault rekey --new-key-file vault-2.key
      """)

  @OptionGroup var options: VaultOptions

  @Option(
    help: ArgumentHelp("The file with the next key; it is made if there is none.", valueName: "file"),
    completion: .file())
  var newKeyFile: String

  mutating func run() throws {
    let path = try options.path()
    try options.withVault { vault in
      var status = stat()
      let isKeyThere = lstat(newKeyFile, &status) == 0
      // Before the vault is changed, because a vault whose key was not written is lost. And the file stays, whatever
      // happens: a disk that reports a failure may have written the change all the same.
      let key = try isKeyThere ? VaultOptions.readKey(in: newKeyFile) : makeVaultKey(in: newKeyFile)
      if isKeyThere { try syncFile(newKeyFile) }
      try options.naming(path) { try vault.changeKey(to: key.span) }
    }
  }
}

struct BackUpVaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Writes a copy of a vault, as it is at one moment, to a new file with the same key.",
    discussion: """
      Copy a vault with this command and not with cp: beside the file there is a
      journal, with the newest changes.

      Examples:
        keyboard vault backup ~/copies/vault-monday
      """)

  @Argument(help: ArgumentHelp("The new file.", valueName: "file"), completion: .file())
  var file: String

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault { vault in
      do { try options.naming(file) { try vault.backUp(to: file) } } catch KeyboardError.exists {
        throw isTaken(file)
      }
    }
  }
}

/// Why a copy is not made at a path: something is there, or what is left of a vault that was.
private func isTaken(_ path: String) -> Failure {
  var status = stat()
  guard lstat(path, &status) != 0
  else { return Failure("Give the name of a new file: \(path) exists, and is never replaced.", .data) }
  return Failure(
    "Give another name, or move \(path)-wal away: it has changes of a vault that was at \(path), and SQLite would put "
      + "them into the copy.", .data)
}
