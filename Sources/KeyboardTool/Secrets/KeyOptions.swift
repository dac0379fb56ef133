// The options for the key and the algorithm.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct KeyOptions: ParsableArguments {
  @Option(help: "The algorithm.")
  var way: EncryptionWay = .sm4

  @Option(
    help: ArgumentHelp(
      "A file that holds the key in hexadecimal digits; without it and --key the key is asked for.", valueName: "file"))
  var keyFile: String?

  @Option(
    help: ArgumentHelp(
      "The key itself. Other users of this machine can read it while the program runs: use it for tests only.",
      valueName: "hex"))
  var key: String?

  func validate() throws {
    if key != nil && keyFile != nil { throw ValidationError("Give --key-file or --key, not both.") }
  }

  /// The key, of a length that is right for the algorithm.
  ///
  /// - Throws: a failure that says what to do, before anything is read but the key.
  func readKey() throws(Failure) -> SecretBytes {
    var secret = try SecretBytes()
    try fill(&secret)
    try secret.decodeHexadecimal(name: keyFile.map { "the key in \($0)" } ?? "the key")
    guard way.keyLengths.contains(secret.count) else {
      let digits = way.keyLengths.map { "\(2 * $0)" }.joined(separator: " or ")
      throw Failure(
        "Give a key of \(digits) hexadecimal digits for \(way.name); this one has \(2 * secret.count).", .data)
    }
    return secret
  }

  private func warnIfOthersMayUse(_ descriptor: Int32, path: String) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    guard status.st_mode & 0o066 != 0 else { return }
    writeMessage(
      "keyboard: warning: other users may read or change the key file \(path). This stops them:\n"
        + "  chmod 600 \(shellWord(path))\n")
  }

  private func fill(_ secret: inout SecretBytes) throws(Failure) {
    if let key {
      for byte in key.utf8 where !secret.append(byte) { throw Failure(KeyboardError.key) }
    } else if let keyFile {
      let descriptor = open(keyFile, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .system("The key file \(keyFile) cannot be opened", .noInput) }
      defer { close(descriptor) }
      warnIfOthersMayUse(descriptor, path: keyFile)
      try secret.read(from: descriptor, name: keyFile)
    } else {
      guard let terminal = Terminal() else {
        throw Failure("Give a key by --key-file FILE: there is no terminal to ask for it.", .usage)
      }
      try terminal.ask("Key in hexadecimal digits (not shown): ", into: &secret)
    }
  }
}

/// Text as a shell reads it as one word.
private func shellWord(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
    default: false
    }
  }
  if isPlain { return text }
  return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
