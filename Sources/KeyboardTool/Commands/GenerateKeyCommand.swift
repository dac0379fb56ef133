// Makes keys for sealed texts.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardKeys
import KeyboardTerminal

struct GenerateKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate-key",
    abstract: "Makes a key for sealed texts, and its public key.",
    discussion: """
      The public key is for the app that encrypts; the private key stays with the
      server that decrypts. SM4-GCM has one key, which both ends keep secret.
      Keys of RSA are made with OpenSSL: openssl genpkey -algorithm RSA.

      Both are hexadecimal digits; --to writes another form. Every command reads
      each form, and so do the packages for Python and Java.

      Without --out the private key goes to standard output, and without
      --public-out the public key: the private one first, if both do. A file with
      a private key gets mode 0600. No file is replaced without --force.

      Examples:
        keyboard generate-key --way x25519 --out private.hex --public-out public.hex
        keyboard generate-key --way p256 --out private.hex > public.hex
        keyboard generate-key --way p256 --to pem --out private.pem --public-out public.pem
        keyboard generate-key --way sm4-gcm --out key.hex
      """)

  @Option(
    help: "What the key is for.", completion: .list(SealingWay.allValueStrings.filter { $0 != "rsa" }))
  var way: SealingWay

  @Option(help: "The form to write both keys in.", completion: .list(forms.map(\.rawValue)))
  var to: KeyForm = .hex

  /// An id has no key in it.
  private static let forms = KeyForm.allCases.filter { $0 != .id }

  @Option(help: ArgumentHelp("The file that gets the private key.", valueName: "file"), completion: .file())
  var out: String?

  @Option(help: ArgumentHelp("The file that gets the public key.", valueName: "file"), completion: .file())
  var publicOut: String?

  @Flag(help: "Replace files that exist.")
  var force = false

  func validate() throws {
    guard way != .rsa else {
      throw ValidationError(
        """
        Make keys of RSA with OpenSSL, into a file that only you can read:
          (umask 077; openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out private.pem)
          openssl pkey -in private.pem -pubout -out public.pem
        """)
    }
    guard publicOut == nil || way.hasPublicKey else {
      throw ValidationError("Leave out --public-out: \(way.name) has one key, and no public one.")
    }
    guard to != .id else { throw ValidationError("Say another form: an id is not a key.") }
    guard to.isText || out != nil || publicOut != nil || !way.hasPublicKey else {
      throw ValidationError("Give --out or --public-out: two keys in bytes cannot be told apart on standard output.")
    }
    guard out == nil || out != publicOut else { throw ValidationError("Give two files: --out and --public-out.") }
  }

  mutating func run() throws {
    // Both files are made before the key, so that nothing is half done if one of them cannot be.
    let secretFile = try out.map { path throws(Failure) in try NewFile(path, mode: 0o600, replacing: force) }
    let publicFile = try publicOut.map { path throws(Failure) in try NewFile(path, mode: 0o644, replacing: force) }
    let pair = try generateKey(way)
    // The secret key first: what is sealed for the public one is lost without it.
    try write(pair.secretKey.span, isPublic: false, to: secretFile)
    try secretFile?.finish()
    if way.hasPublicKey { try write(pair.publicKey.span, isPublic: true, to: publicFile) }
    try publicFile?.finish()
  }

  private func write(_ key: Span<UInt8>, isPublic: Bool, to file: NewFile?) throws {
    var output = try SecretBytes()
    try output.append(contentsOf: key)
    try output.encode(way, isPublic: isPublic, as: to)
    if let file { try file.write(output.bytes) } else { try writeOutput(output.bytes) }
  }
}
