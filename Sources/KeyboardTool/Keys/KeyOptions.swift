// The options for the key, the algorithm and the context.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct KeyOptions: ParsableArguments {
  @Option(help: "The algorithm. The last five make and open sealed texts.")
  var way: Way = .ecb(.sm4)

  @Option(
    help: ArgumentHelp(
      "A file that holds the key in hexadecimal digits, or for x25519, p256, sm2 and rsa in PEM or DER; without it "
        + "and --key the key is asked for.",
      valueName: "file"))
  var keyFile: String?

  @Option(
    help: ArgumentHelp(
      "The key itself. Other users of this machine can read it while the program runs: use it for public keys and for "
        + "tests only.",
      valueName: "hex"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "What a sealed text is for: the server's challenge, and the purpose. It opens only with the same.",
      valueName: "text"))
  var context: String?

  @Option(help: ArgumentHelp("The context in hexadecimal digits.", valueName: "hex"))
  var contextHex: String?

  func validate() throws {
    if key != nil && keyFile != nil { throw ValidationError("Give --key-file or --key, not both.") }
    if context != nil && contextHex != nil { throw ValidationError("Give --context or --context-hex, not both.") }
    if case .ecb = way, context != nil || contextHex != nil {
      throw ValidationError(
        "Leave out the context: a text of \(way.name) cannot be bound to one. A text of "
          + "\(SealingWay.allValueStrings.joined(separator: ", ")) can.")
    }
    guard let bytes = contextBytes else {
      throw ValidationError("Give --context-hex in pairs of hexadecimal digits, 0 to 9 and a to f, and nothing else.")
    }
    guard bytes.count <= maximumContextLength else {
      throw ValidationError("Give a context of at most \(maximumContextLength) bytes; this one has \(bytes.count).")
    }
  }

  /// The context; nil if its digits are none. It is no secret.
  var contextBytes: [UInt8]? {
    guard let contextHex else { return Array((context ?? "").utf8) }
    let digits = contextHex.utf8.map(SecretBytes.digit)
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0]! << 4 | digits[$0 + 1]! }
  }

  /// Reads the key, and gives it to a keyboard, with the context.
  ///
  /// - Throws: a failure that says what to do, before anything is read but the key.
  func prepare(_ keyboard: Keyboard) throws(Failure) {
    let key = try readKey(for: .encryption)
    do throws(KeyboardError) {
      switch way {
      case .ecb(let way):
        try key.withSpan { key throws(KeyboardError) in try keyboard.setEncKey(key, way: way) }
      case .sealed(let way):
        let keyboard = keyboard.slot
        try keyboard.setEncKey(UnsafeRawBufferPointer(key.bytes), sealing: way)
        try withContext { context throws(KeyboardError) in try keyboard.setContext(context) }
      }
    } catch .key {
      throw Failure("Give another key: this one is no public key for \(way.name)\(way.keySizes).", .data)
    } catch { throw Failure(error) }
  }

  /// Lends the context to the library.
  func withContext(_ body: (UnsafeRawBufferPointer) throws(KeyboardError) -> Void) throws(KeyboardError) {
    let bytes = contextBytes ?? []
    try bytes.span.withUnsafeBytes { bytes throws(KeyboardError) in try body(bytes) }
  }

  // MARK: Reading the key

  /// The key, of a length that is right for the algorithm.
  ///
  /// - Throws: a failure that says what to do, before anything is read but the key.
  func readKey(for direction: Way.Direction) throws(Failure) -> SecretBytes {
    var secret = try SecretBytes()
    try fill(&secret, isPublic: way.isPublic(direction))
    let isEncoded = keyFile != nil && !secret.isHexadecimal && (secret.isPEM || secret.bytes.first == 0x30)
    if isEncoded {
      try decode(&secret, for: direction)
    } else {
      try secret.decodeHexadecimal(name: keyFile.map { "the key in \($0)" } ?? "the key")
    }
    let lengths = way.keyLengths(direction)
    guard lengths.contains(where: { $0.contains(secret.count) }) else {
      guard way.keySizes.isEmpty else {
        throw Failure("Give \(article(for: direction)) for \(way.name)\(way.keySizes); this is none.", .data)
      }
      let digits = lengths.map { "\(2 * $0.upperBound)" }.joined(separator: " or ")
      throw Failure(
        "Give \(article(for: direction)) of \(digits) hexadecimal digits for \(way.name); this one has "
          + "\(2 * secret.count).", .data)
    }
    return secret
  }

  private func article(for direction: Way.Direction) -> String {
    guard case .sealed(let way) = way, way.hasPublicKey else { return "a key" }
    return direction == .encryption ? "a public key" : "a private key"
  }

  /// Finds the key in PEM or DER.
  private func decode(_ secret: inout SecretBytes, for direction: Way.Direction) throws(Failure) {
    let name = keyFile ?? ""
    guard case .sealed(let sealing) = way, sealing.hasPublicKey else {
      throw Failure("Give the key in hexadecimal digits: \(name) is PEM or DER, which no key of \(way.name) is.", .data)
    }
    let key: EncodedKey
    do throws(KeyFault) {
      if secret.isPEM { try secret.decodePEM() }
      key = try EncodedKey(UnsafeRawBufferPointer(secret.bytes))
    } catch .encrypted {
      throw Failure(
        "Take the password off the key in \(name), into a file that only you can read: "
          + "(umask 077; openssl pkey -in \(shellWord(name)) -out plain.pem)", .data)
    } catch .compressed {
      throw Failure(
        "Give the public key in \(name) with both coordinates: openssl pkey -pubin -in \(shellWord(name)) "
          + "-ec_conv_form uncompressed -out key.pem", .data)
    } catch .algorithm {
      throw Failure("Give a key of \(way.name), which \(name) does not hold.", .data)
    } catch {
      throw Failure("Give a whole key in PEM or DER, or hexadecimal digits; \(name) is not one.", .data)
    }
    guard key.algorithm.name == way.name else {
      throw Failure(
        "Give a key of \(way.name), or --way \(key.algorithm.name.lowercased()): the key in \(name) is one of "
          + "\(key.algorithm.name).", .data)
    }
    switch (key.isPublic, direction) {
    case (false, .encryption):
      throw Failure(
        "Encrypt with the public key: \(name) holds the private one. openssl pkey -in \(shellWord(name)) -pubout "
          + "writes its public key.", .data)
    case (true, .decryption):
      throw Failure("Decrypt with the private key: \(name) holds the public one.", .data)
    default: secret.keep(key.range)
    }
  }

  private func warnIfOthersMayUse(_ descriptor: Int32, path: String, isPublic: Bool) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    guard status.st_mode & (isPublic ? 0o022 : 0o066) != 0 else { return }
    // Who changes a public key reads what is sealed for it.
    writeMessage(
      "keyboard: warning: other users may \(isPublic ? "" : "read or ")change the key file \(path). This stops them:\n"
        + "  chmod \(isPublic ? "go-w" : "600") \(shellWord(path))\n")
  }

  private func fill(_ secret: inout SecretBytes, isPublic: Bool) throws(Failure) {
    if let key {
      for byte in key.utf8 where !secret.append(byte) { throw Failure(KeyboardError.key) }
    } else if let keyFile {
      let descriptor = open(keyFile, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .system("The key file \(keyFile) cannot be opened", .noInput) }
      defer { close(descriptor) }
      warnIfOthersMayUse(descriptor, path: keyFile, isPublic: isPublic)
      try secret.read(
        from: descriptor, name: keyFile,
        tooLong: Failure("Give a key file of at most \(SecretBytes.capacity) bytes; \(keyFile) is longer.", .data))
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
