// The host's keys of DUKPT: the initial key of a terminal, and the PIN encryption key of one transaction.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardKeys
import KeyboardTerminal
import KeyboardText

struct DUKPTCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dukpt",
    abstract: "Makes the keys that change with each transaction (DUKPT), as a host does.",
    discussion: """
      Examples:
        keyboard dukpt initial-key --scheme tdes --key-file bdk.hex --ksn ffff9876543210e00000 --out ik.hex
        keyboard dukpt key --scheme aes128 --key-file bdk.hex --ksn 123456789012345600000001 --out pin.hex
        keyboard encrypt --way pin4 --key-file pin.hex --context 4111111111111111
      """,
    subcommands: [InitialKeyCommand.self, TransactionKeyCommand.self])
}

struct InitialKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "initial-key",
    abstract: "Makes the initial key of a terminal, in hexadecimal digits.",
    discussion: """
      The counter in the KSN does not matter.

      Examples:
        keyboard dukpt initial-key --scheme tdes --key-file bdk.hex --ksn ffff9876543210e00000 --out ik.hex
      """)

  @OptionGroup var options: DUKPTOptions

  mutating func run() throws { try options.make(.initialKey) }
}

struct TransactionKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Makes the PIN encryption key of one transaction, in hexadecimal digits.",
    discussion: """
      The KSN is the one that came with the PIN block. Of X9.24-1 the key is the
      PIN encryption variant, of X9.24-3 the key of usage 0x1000.

      Examples:
        keyboard dukpt key --scheme tdes --key-file bdk.hex --ksn ffff9876543210e00001 --out pin.hex
        keyboard pin check 1b9c1845eb993a7a --way pin0 --key-file pin.hex --context 4012345678909 < pin
      """)

  @OptionGroup var options: DUKPTOptions

  mutating func run() throws { try options.make(.transactionKey) }
}

struct DUKPTOptions: ParsableArguments {
  @Option(help: "How keys are made: tdes is ANSI X9.24-1; the others are X9.24-3, and name the key of a transaction.")
  var scheme: DUKPTScheme

  @Option(
    help: ArgumentHelp("A file that holds the base key (BDK) in hexadecimal digits.", valueName: "file"),
    completion: .file())
  var keyFile: String

  @Option(
    help: ArgumentHelp("The key serial number: 20 hexadecimal digits for tdes, 24 for the others.", valueName: "hex"))
  var ksn: String

  @Option(
    help: ArgumentHelp("The file that gets the key; without it, it goes to standard output.", valueName: "file"),
    completion: .file())
  var out: String?

  @Flag(help: "Replace a file that exists.")
  var force = false

  func make(_ product: DUKPTProduct) throws {
    guard let number = Hexadecimal.bytes(of: ksn), number.count == scheme.serialNumberSize else {
      throw Failure("Give --ksn in \(2 * scheme.serialNumberSize) hexadecimal digits for \(scheme.name).", .data)
    }
    let file = try out.map { path throws(Failure) in try NewFile(path, mode: 0o600, replacing: force) }
    let baseKey = try readBaseKey()
    var key = try SecretBytes()
    do throws(KeyboardError) {
      try baseKey.withSpan { baseKey throws(KeyboardError) in
        try withDUKPTKey(product, scheme, of: baseKey, for: number.span) { made throws(KeyboardError) in
          try key.append(contentsOf: made)
        }
      }
    } catch .key {
      let most = scheme == .tripleDES ? 10 : 16
      throw Failure("Give another KSN: the counter of a transaction is not 0, and has at most \(most) bits set.", .data)
    }
    key.encodeHexadecimal()
    try key.add("\n".utf8)
    guard let file else { return try writeOutput(key.bytes) }
    try file.write(key.bytes)
    try file.finish()
  }

  private func readBaseKey() throws(Failure) -> SecretBytes {
    var key = try SecretBytes()
    try key.read(file: keyFile, kind: "key file")
    let lengths = [16, 24, 32].filter(scheme.acceptsKey)
    try key.takeSecretKey(name: keyFile, way: scheme.name, byteCounts: lengths)
    guard scheme.acceptsKey(byteCount: key.count) else {
      let digits = lengths.map { "\(2 * $0)" }.joined(separator: " or ")
      throw Failure(
        "Give a base key of \(digits) hexadecimal digits for \(scheme.name); this one has \(2 * key.count).", .data)
    }
    return key
  }
}

extension DUKPTScheme: NamedArgument {
  package static var names: KeyValuePairs<String, DUKPTScheme> {
    [
      "tdes": .tripleDES, "aes128": .aes128, "aes192": .aes192, "aes256": .aes256,
      "aes-2tdea": .aesTwoKeyTripleDES, "aes-3tdea": .aesThreeKeyTripleDES,
    ]
  }
}
