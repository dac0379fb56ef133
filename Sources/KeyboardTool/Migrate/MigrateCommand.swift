// A bank's stored ECB texts become verifiers, or sealed texts for a module that keeps the key.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardKeys
import KeyboardTerminal
import KeyboardText

struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Turns a table of stored ECB texts into verifiers, or into sealed texts for a public key.",
    discussion: """
      The table is CSV in UTF-8, whose first row names the columns. --out gets a
      row with the id and the verifier for each row, in the same order, and
      --refused the others: line, id, reason. Neither gets a password. A row
      with the id of an earlier row is refused. Parquet is for the Spark job:
      see Docs/Migration.md, which explains the reasons, too.

      Run the same command again if it was stopped, in whatever way: it goes on
      behind the rows that it has committed, which it does four times a second.
      No row is lost, and none is done twice. Until the end the files' names
      have .part behind them.

      A verifier is a PHC string of Argon2id with 19 MiB and two passes, about
      20 ms of a processor. A sealed text is for the context TEXT followed by the
      id, so that nobody can exchange two rows.

      The exit code is 0 if all rows were done, and 65 if some were refused.

      Examples:
        keyboard migrate table.csv --key-file key.hex --out verifiers.csv --refused refused.csv
        keyboard migrate table.csv --way 3des --key-file key.hex --encoding base64 --id-column account \\
          --text-column pwd --pepper-file pepper.hex --pepper-per-id --out verifiers.csv --refused refused.csv
        keyboard migrate table.csv --key-file key.hex --seal-to hsm.pem --context "pin " \\
          --out sealed.csv --refused refused.csv
        keyboard migrate old.csv --from verifier --out verifiers.csv --refused refused.csv
      """)

  enum Source: String, ExpressibleByArgument, CaseIterable {
    case ecb, verifier
  }

  @Argument(help: "The table.", completion: .file())
  var table: String

  @Option(
    help: ArgumentHelp("The file that gets ids and verifiers, or sealed texts.", valueName: "file"),
    completion: .file())
  var out: String

  @Option(help: ArgumentHelp("The file that gets what was refused.", valueName: "file"), completion: .file())
  var refused: String

  @Option(help: "What the table has: texts of ECB, or verifiers, whose form is checked and which are passed on.")
  var from: Source = .ecb

  @Option(help: "The algorithm of the texts.")
  var way: EncryptionWay = .sm4

  @Option(
    help: ArgumentHelp(
      "A file that holds the key of the texts, in hexadecimal digits or as bytes. Nobody else may read it: chmod 600.",
      valueName: "file"), completion: .file())
  var keyFile: String?

  @Option(help: "How the texts are written.")
  var encoding: RowWork.Encoding = .hex

  @Option(help: ArgumentHelp("The column with the ids.", valueName: "name"))
  var idColumn = "id"

  @Option(
    help: ArgumentHelp(
      "The column with the texts, or the verifiers; without it, the column named ciphertext, or verifier.",
      valueName: "name"))
  var textColumn: String?

  @Option(
    help: ArgumentHelp(
      "A file that holds the pepper, a secret that is kept apart: 1 to \(maximumPepperLength) bytes, in hexadecimal "
        + "digits. Nobody else may read it.",
      valueName: "file"), completion: .file())
  var pepperFile: String?

  @Flag(help: "The pepper of a row is HMAC-SHA-256 of its id under the pepper, so that verifiers cannot change places.")
  var pepperPerID = false

  @Option(
    help: ArgumentHelp(
      "Make sealed texts, in hexadecimal digits, for the public key in this file: hexadecimal digits, PEM or DER.",
      valueName: "file"), completion: .file())
  var sealTo: String?

  @Option(
    help: "The algorithm of the sealed texts.",
    completion: .list(SealingWay.allValueStrings.filter { $0 != "sm4-gcm" }))
  var sealWay: SealingWay = .x25519

  @OptionGroup var contextOptions: ContextOptions

  @Option(help: ArgumentHelp("How many threads work; without it, as many as there are processors.", valueName: "n"))
  var jobs: Int?

  @Option(help: ArgumentHelp("How many rows a second at most.", valueName: "n"))
  var rate: Int?

  func validate() throws {
    guard (1...1024).contains(jobs ?? 1) else { throw ValidationError("Give --jobs 1 to 1024.") }
    guard (1...1_000_000_000).contains(rate ?? 1) else { throw ValidationError("Give --rate 1 to 1000000000.") }
    if from == .verifier {
      guard keyFile == nil, pepperFile == nil, sealTo == nil else {
        throw ValidationError("Leave out --key-file, --pepper-file and --seal-to: verifiers are only passed on.")
      }
    } else {
      guard keyFile != nil else { throw ValidationError("Give --key-file with the key of the texts.") }
    }
    guard !pepperPerID || pepperFile != nil else {
      throw ValidationError("Give --pepper-file: --pepper-per-id makes the peppers of rows from that.")
    }
    guard sealTo != nil else {
      guard contextOptions.context == nil, contextOptions.contextHex == nil else {
        throw ValidationError("Leave out the context: it is for --seal-to.")
      }
      return
    }
    guard pepperFile == nil else { throw ValidationError("Leave out --pepper-file: a sealed text has no pepper.") }
    guard sealWay.hasPublicKey else { throw ValidationError("Give another --seal-way: sm4-gcm has no public key.") }
    try contextOptions.validate(for: .sealed(sealWay))
  }

  mutating func run() throws {
    let work = try makeWork()
    let reader = try TableReader(table)
    try reader.readHeader(id: idColumn, text: textColumn ?? (from == .ecb ? "ciphertext" : "verifier"))
    let files = try MigrationFiles(
      done: out, refused: refused, column: work.column, settings: try settings(of: work),
      table: reader.descriptor, makeFingerprint: work.fingerprint)
    reader.fingerprint = files.fingerprint
    if files.earlierRows > 0 { writeMessage("keyboard: \(files.earlierRows) rows were done before.\n") }
    var reason: RefusalReason?
    if !files.isComplete {
      reason = try Migration(work: work, jobs: jobs ?? Self.processorCount, rate: rate).run(from: reader, into: files)
    }
    try files.finish()
    writeMessage("keyboard: \(files.doneRows) rows are done, \(files.refusedRows) are refused.\n")
    guard files.refusedRows == 0 else {
      let cause = reason.map { " Nearly all are \($0.rawValue): \($0.probableCause)." } ?? ""
      throw Failure("Look into \(refused): \(files.refusedRows) rows were refused.\(cause)", .data)
    }
  }

  private static var processorCount: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }

  // MARK: Settings

  private func makeWork() throws -> RowWork {
    var key = try SecretBytes()
    var pepper = try SecretBytes()
    if let keyFile {
      try key.read(privateFile: keyFile, kind: "key file", name: "the key")
      try key.takeSecretKey(name: keyFile, way: way.name, byteCounts: way.keyLengths)
      guard way.keyLengths.contains(key.count) else {
        let digits = way.keyLengths.map { "\(2 * $0)" }.joined(separator: " or ")
        throw Failure(
          "Give a key of \(digits) hexadecimal digits for \(way.name); this one has \(2 * key.count).", .data)
      }
    }
    if let pepperFile {
      try pepper.read(privateFile: pepperFile, kind: "pepper file", name: "the pepper")
      try pepper.decodeHexadecimal(name: "the pepper in \(pepperFile)")
      guard (1...maximumPepperLength).contains(pepper.count) else {
        throw Failure("Give a pepper of 2 to \(2 * maximumPepperLength) hexadecimal digits.", .data)
      }
    }
    return RowWork(
      try kind(), encoding: encoding, key: key, pepper: pepper, hasPepperPerID: pepperPerID)
  }

  private func kind() throws -> RowWork.Kind {
    if from == .verifier { return .check }
    guard sealTo != nil else { return .makeVerifier(way) }
    let key = try publicKey()
    let recipient =
      switch sealWay {
      case .x25519: try Recipient.x25519(key.span)
      case .p256: try Recipient.p256(key.span)
      case .sm2: try Recipient.sm2(key.span)
      case .rsa: try Recipient.rsa(key.span)
      case .xwing: try Recipient.xwing(key.span)
      default: throw Failure("Give another --seal-way.", .usage)
      }
    return .seal(way, recipient, context: context)
  }

  private func publicKey() throws(Failure) -> SecretBytes {
    try KeyReader(way: .sealed(sealWay), use: .encryption, key: nil, keyFile: sealTo).read()
  }

  private var context: [UInt8] {
    var copy: [UInt8] = []
    try? contextOptions.withContext { copy = Array($0) }
    return copy
  }

  /// All that the result of a row depends on, but the secrets. The table may be another file in a later run.
  private func settings(of work: RowWork) throws -> String {
    var parts = ["\(from)", "\(way)", "\(encoding)", pepperPerID ? "a pepper for each id" : "one pepper", out, refused]
    parts += [idColumn, textColumn ?? ""]
    if sealTo != nil {
      let key = try publicKey()
      parts += ["\(sealWay)", Hexadecimal.string(of: Array(key.bytes)[...]), Hexadecimal.string(of: context[...])]
    }
    return parts.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
  }
}

extension RowWork.Encoding: ExpressibleByArgument {}
