// Which vault, and the key that opens it.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyboardVault

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct VaultOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The file of the vault; without it, what KEYBOARD_VAULT says.", valueName: "file"),
    completion: .file())
  var vault: String?

  @Option(
    help: ArgumentHelp(
      "A file that holds the vault's key: 64 hexadecimal digits. Without it, the name of the vault with .key.",
      valueName: "file"), completion: .file())
  var keyFile: String?

  /// - Throws: a failure that says how to name one.
  func path() throws(Failure) -> String {
    if let vault { return vault }
    guard let named = getenv("KEYBOARD_VAULT").map({ String(cString: $0) }), !named.isEmpty else {
      throw Failure("Give a vault by --vault FILE, or its name in KEYBOARD_VAULT.", .usage)
    }
    return named
  }

  func keyPath() throws(Failure) -> String {
    if let keyFile { return keyFile }
    return try path() + ".key"
  }

  /// Lends the vault, and makes none.
  func withVault<Result>(_ body: (Vault) throws -> Result) throws -> Result {
    let path = try path()
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw Failure(
        "There is no vault \(path). This makes one:\n  keyboard vault init --vault \(shellWord(path))", .noInput)
    }
    let key = try readKey()
    return try naming(path) { try body(Vault(path: path, key: key.span)) }
  }

  /// Runs `body`, whose errors become sentences about the vault.
  func naming<Result: ~Copyable>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as KeyboardError {
      switch error {
      case .mismatch: throw Failure("Give the key of this vault: \(try keyPath()) holds another one.", .data)
      case .damaged: throw Failure("Restore a copy: \(path) was altered, or is no vault.", .data)
      case .busy: throw Failure("Try again: another program has the vault \(path) in use.", .system)
      case .storage:
        throw Failure(
          "Check the vault \(path), its folder and the disk: both must be yours, the file with mode 0600, and nobody "
            + "else may write into the folder.", .inputOutput)
      default: throw error
      }
    }
  }

  func readKey() throws(Failure) -> SecretBytes { try Self.readKey(in: keyPath()) }

  /// A file that others may read is refused, as the vault itself is.
  static func readKey(in file: String) throws(Failure) -> SecretBytes {
    var status = stat()
    if stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
      throw Failure(
        "Keep the key to yourself: other users may use the key file \(file). This stops them:\n"
          + "  chmod 600 \(shellWord(file))", .data)
    }
    var key = try SecretBytes()
    try key.read(file: file, kind: "key file")
    try key.decodeHexadecimal(name: "the key in \(file)")
    guard key.count == Vault.keyByteCount else {
      throw Failure(
        "Give a key of \(2 * Vault.keyByteCount) hexadecimal digits; the one in \(file) has \(2 * key.count).", .data)
    }
    return key
  }
}

/// Writes a new random key into a new file that only this user may read.
func makeVaultKey(in path: String) throws(Failure) -> SecretBytes {
  let file = try NewFile(path, mode: 0o600, replacing: false)
  var key = try SecretBytes(holding: Vault.keyByteCount)
  try key.extend { room throws(Failure) in
    guard getentropy(room.baseAddress!, room.count) == 0 else { throw Failure(KeyboardError.random) }
    return room.count
  }
  var digits = try SecretBytes()
  try digits.add(key.bytes)
  digits.encodeHexadecimal()
  try digits.add("\n".utf8)
  try file.write(digits.bytes)
  try file.finish()
  return key
}
