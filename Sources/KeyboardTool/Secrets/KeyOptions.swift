// Where the key comes from, and what it is for.

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

  private func fill(_ secret: inout SecretBytes) throws(Failure) {
    if let key {
      for byte in key.utf8 where !secret.append(byte) { throw Failure(KeyboardError.key) }
    } else if let keyFile {
      let descriptor = open(keyFile, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .system("The key file \(keyFile) cannot be opened", .noInput) }
      defer { close(descriptor) }
      try secret.read(from: descriptor, name: keyFile)
    } else {
      guard let terminal = Terminal() else {
        throw Failure("Give a key by --key-file FILE: there is no terminal to ask for it.", .usage)
      }
      try terminal.ask("Key in hexadecimal digits (not shown): ", into: &secret)
    }
  }
}
