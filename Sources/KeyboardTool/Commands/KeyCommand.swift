// Shows a key, writes it in another form, or names it.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardKeys
import KeyboardTerminal
import KeyboardText

struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Shows a key for sealed texts, writes it in another form, or names it.",
    discussion: """
      The key is in a file, or on standard input: PEM, DER, a certificate,
      hexadecimal digits, base64url, or bare bytes (16, 32, 65 or 1216). Of several
      keys in PEM the first one that serves is taken. Neither the signature nor
      the dates of a certificate are checked.

      Without --to it says what the key is, and the public key's id: base64url of
      the first 8 bytes of its SHA-256. A private key is never shown.

      With --to the public key is written, of a private key too; with --private
      the private key itself, into a file with mode 0600 by --out. Of RSA, the
      public key of a private one is made with OpenSSL: openssl pkey -pubout.

      Examples:
        keyboard key private.der --to base64url
        keyboard key certificate.pem --to raw --out public.bin
        keyboard key bundle.pem --private --to hex --out private.hex
        keyboard key public.hex --way x25519 --kind public --to pem
        keyboard key public.pem --to id
      """)

  @Argument(
    help: ArgumentHelp("The file that holds the key; without it, standard input.", valueName: "file"),
    completion: .file())
  var file: String?

  @Option(help: "What the key is for, if neither its form nor its length says it.")
  var way: SealingWay?

  @Option(help: "What 32 bare bytes of x25519 are; with --private they are the private key.")
  var kind: KeyKind?

  @Option(help: "The form to write it in.")
  var to: KeyForm?

  @Flag(name: .customLong("private"), help: "Write the private or secret key, and not the public one.")
  var isPrivate = false

  @Option(help: ArgumentHelp("The file that gets the key.", valueName: "file"), completion: .file())
  var out: String?

  @Flag(help: "Replace a file that exists.")
  var force = false

  func validate() throws {
    guard to != nil || (!isPrivate && out == nil) else { throw ValidationError("Say --to, and the form to write in.") }
    guard !isPrivate || to != .id else { throw ValidationError("Leave out --private: an id is that of a public key.") }
    guard out != nil || !force else { throw ValidationError("Leave out --force: no file is written.") }
  }

  mutating func run() throws {
    let name = file ?? "standard input"
    var contents = try read(name)
    let key = try AnyKey(in: &contents, name: name, way: way, kind: kind, isPrivate: isPrivate)
    guard let to else { return try show(key, contents) }
    var output = try SecretBytes()
    let isPublic = !isPrivate
    if isPrivate {
      guard key.kind != .publicKey else {
        throw Failure("Leave out --private: \(name) holds a public key.", .data)
      }
      try output.add(contents.bytes)
    } else {
      let publicKey = try publicKey(of: key, contents, name)
      try output.add(to == .id ? keyIdentifier(of: publicKey.span) : publicKey)
    }
    try output.encode(key.way, isPublic: isPublic, as: to == .id ? .base64url : to)
    try write(output, isPublic: isPublic)
  }

  private func read(_ name: String) throws(Failure) -> SecretBytes {
    var contents = try SecretBytes(holding: largestKeyFile)
    if let file {
      try contents.read(file: file, kind: "key file", isPublic: true)
    } else {
      try contents.read(
        from: 0, name: name,
        tooLong: Failure("Give a key of at most \(contents.capacity) bytes on standard input.", .data))
    }
    guard contents.count > 0 else { throw .emptyInput("the key") }
    return contents
  }

  private func publicKey(
    of key: AnyKey, _ contents: borrowing SecretBytes, _ name: String
  ) throws(Failure) -> [UInt8] {
    do throws(KeyboardError) {
      if let publicKey = try key.publicKey(of: contents) { return publicKey }
    } catch { throw Failure(error) }
    guard key.way == .rsa else {
      throw Failure("Say --private: \(key.way.name) has one key, which is secret, and no public one.", .usage)
    }
    throw Failure(
      "Make the public key of RSA with OpenSSL: openssl pkey -in \(shellWord(name)) -pubout -out public.pem", .data)
  }

  private func write(_ key: borrowing SecretBytes, isPublic: Bool) throws(Failure) {
    guard let out else { return try writeOutput(key.bytes) }
    let file = try NewFile(out, mode: isPublic ? 0o644 : 0o600, replacing: force)
    try file.write(key.bytes)
    try file.finish()
  }

  private func show(_ key: AnyKey, _ contents: borrowing SecretBytes) throws {
    var text = "way     \(key.way.name.lowercased())\nkind    \(key.kind.rawValue)\nform    \(key.form)\n"
    if let publicKey = try key.publicKey(of: contents) {
      text += "id      \(Base64.url.string(of: keyIdentifier(of: publicKey.span)))\n"
      if key.way != .rsa { text += "public  \(Base64.url.string(of: publicKey))\n" }
    }
    try writeOutput(text)
  }
}
