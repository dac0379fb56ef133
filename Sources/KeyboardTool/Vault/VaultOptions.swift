// Which vault, and what opens it: a key in a file, or a passcode.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyboardKeys
import KeyboardTerminal
import KeyboardVault

/// Which vault.
struct VaultFileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("The file of the vault; without it, what KEYBOARD_VAULT says.", valueName: "file"),
    completion: .file())
  var vault: String?

  /// What KEYBOARD_VAULT says.
  static var ofEnvironment: String? {
    getenv("KEYBOARD_VAULT").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// - Throws: a failure that says how to name one.
  func path() throws(Failure) -> String {
    guard let path = vault ?? Self.ofEnvironment else {
      throw Failure("Give a vault by --vault FILE, or its name in KEYBOARD_VAULT.", .usage)
    }
    return path
  }

  /// The path of a vault that is there: a function of the library would make the file.
  func existingPath() throws(Failure) -> String {
    let path = try path()
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw Failure(
        "There is no vault \(path). This makes one:\n  keyboard vault init --vault \(shellWord(path))", .noInput)
    }
    return path
  }

  /// Runs `body`, whose errors become sentences about the vault.
  ///
  /// - Parameter mismatch: what to do about a key that is not the vault's.
  func naming<Result: ~Copyable>(_ path: String, mismatch: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as KeyboardError {
      switch error {
      case .mismatch: throw Failure(mismatch, .data)
      case .damaged: throw Failure("Restore a copy: \(path) was altered, or is not a vault.", .data)
      case .busy: throw Failure("Try again: another program has the vault \(path) in use.", .system)
      case .storage(let cause) where cause != .unspecified:
        throw Failure("Check the vault \(path). \(error)", .inputOutput)
      case .storage:
        throw Failure(
          "Check the vault \(path), its folder and the disk: both must be yours, the file with mode 0600, and nobody "
            + "else may write into the folder.", .inputOutput)
      default: throw error
      }
    }
  }
}

/// Which vault, and what opens it.
struct VaultOptions: ParsableArguments {
  @OptionGroup var file: VaultFileOption

  @Option(
    help: ArgumentHelp(
      "A file that holds the vault's key: 64 hexadecimal digits. Without it, the name of the vault with .key.",
      valueName: "file"), completion: .file())
  var keyFile: String?

  @Flag(help: "Open the vault by its passcode, from the pad or from standard input, and not by a key file.")
  var passcode = false

  @Option(
    help: ArgumentHelp("A file that holds the passcode that opens the vault.", valueName: "file"),
    completion: .file())
  var passcodeFile: String?

  @OptionGroup var pepperOption: PepperOption

  @OptionGroup var padOptions: PadOptions

  func validate() throws {
    guard [keyFile != nil, passcode, passcodeFile != nil].filter({ $0 }).count <= 1 else {
      throw ValidationError("Give one of --key-file, --passcode and --passcode-file.")
    }
  }

  var isByPasscode: Bool { passcode || passcodeFile != nil }

  func path() throws(Failure) -> String { try file.path() }

  func keyPath() throws(Failure) -> String {
    if let keyFile { return keyFile }
    return try path() + ".key"
  }

  /// Lends the vault, and makes none.
  ///
  /// - Parameters:
  ///   - readsInput: whether the command reads standard input itself, so that no passcode is read from there.
  ///   - usesPepper: whether the command has another use for the pepper than opening the vault.
  func withVault<Result: ~Copyable>(
    readsInput: Bool = false, usesPepper: Bool = false, _ body: (Vault) throws -> Result
  ) throws -> Result {
    let path = try file.existingPath()
    try checkPepper(isUsed: usesPepper)
    guard !isByPasscode else {
      let vault = try openByPasscode(path, readsInput: readsInput)
      return try naming(path) { try body(vault) }
    }
    let key = try readKey()
    return try naming(path) { try body(key.withSpan { key throws(KeyboardError) in try Vault(path: path, key: key) }) }
  }

  /// - Throws: a failure if a pepper is given for nothing: a passcode that was meant to have it would lack it.
  func checkPepper(isUsed: Bool = false) throws(Failure) {
    guard isUsed || isByPasscode || pepperOption.pepperFile == nil else {
      throw Failure("Give --passcode too: --pepper-file is the pepper of a passcode that opens the vault.", .usage)
    }
  }

  /// Runs `body`, whose errors become sentences about the vault.
  func naming<Result: ~Copyable>(_ path: String, _ body: () throws -> Result) throws -> Result {
    let mismatch =
      isByPasscode
      ? "Try again: the vault was given another key or passcode meanwhile."
      : "Give the key of this vault: \(try keyPath()) holds another one."
    return try file.naming(path, mismatch: mismatch, body)
  }

  func readKey() throws(Failure) -> SecretBytes { try Self.readKey(in: keyPath()) }

  /// A file that others may read is refused, as the vault itself is.
  static func readKey(in file: String) throws(Failure) -> SecretBytes {
    var key = try SecretBytes()
    try key.read(privateFile: file, kind: "key file", name: "the key")
    try key.takeSecretKey(name: file, way: "a vault", byteCounts: [Vault.keyByteCount])
    guard key.count == Vault.keyByteCount else {
      throw Failure(
        "Give a key of \(2 * Vault.keyByteCount) hexadecimal digits; the one in \(file) has \(2 * key.count).", .data)
    }
    return key
  }
}

/// A new random key.
func drawVaultKey() throws(Failure) -> SecretBytes {
  var key = try SecretBytes(holding: Vault.keyByteCount)
  try key.extend { memory throws(Failure) in
    guard getentropy(memory.baseAddress!, memory.count) == 0 else { throw Failure(KeyboardError.random) }
    return memory.count
  }
  return key
}

/// Writes a new random key into a new file that only this user may read.
func makeVaultKey(in path: String) throws(Failure) -> SecretBytes {
  let file = try NewFile(path, mode: 0o600, replacing: false)
  let key = try drawVaultKey()
  let line = try key.hexadecimalLine()
  try file.write(line.bytes)
  try file.finish()
  return key
}
