// Which server and user, and the vault with the keys.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardFIDO
import KeyboardTerminal
import KeyboardVault

struct FidoOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The server: https://bank.example. Plain http is for this machine only.", valueName: "url"))
  var server: String

  @Option(help: ArgumentHelp("Who: visible ASCII of at most 128 bytes.", valueName: "name"))
  var user: String

  @Option(help: ArgumentHelp("Where the server gives requests.", valueName: "path"))
  var requestPath = "/uaf/request"

  @Option(help: ArgumentHelp("Where it takes answers.", valueName: "path"))
  var responsePath = "/uaf/response"

  @Option(
    help: ArgumentHelp(
      "Also use keys that were made with this server: https://login.bank.example. May be repeated.",
      valueName: "url"))
  var origin: [String] = []

  @Option(
    help: ArgumentHelp(
      "A JSON object with what else the server wants to know; - reads standard input.", valueName: "file"),
    completion: .file())
  var contextFile: String?

  @Option(help: ArgumentHelp("The name by which the server knows this program.", valueName: "name"))
  var facet = "cli:keyboard"

  @Option(help: ArgumentHelp("The model of the passcode's authenticator.", valueName: "AAID"))
  var passcodeAaid = "0000#0001"

  @Option(help: ArgumentHelp("The model of the pattern's authenticator.", valueName: "AAID"))
  var patternAaid = "0000#0002"

  @Option(help: "How long a message to the server may take.")
  var seconds = 30

  @OptionGroup var vaultOptions: VaultOptions

  func validate() throws {
    guard (1...3600).contains(seconds) else { throw ValidationError("Give --seconds from 1 to 3600.") }
  }

  /// Lends a client of this server.
  func withClient(_ body: (FIDOClient) throws -> Void) throws {
    try vaultOptions.withVault { vault in
      do {
        let client = try FIDOClient(vault: vault, facetID: facet)
        try client.setAAID(passcodeAaid, of: .passcode)
        try client.setAAID(patternAaid, of: .pattern)
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        try client.setServer(
          request: base + requestPath, response: base + responsePath, seconds: seconds, send: URLSessionSender.send)
        for origin in origin { try client.addOrigin(origin) }
        try body(client)
      } catch let error as FIDOError { throw Failure(error) }
    }
  }

  /// What the server is told besides the user.
  ///
  /// - Parameter transaction: a text for it.
  func context(transaction: String?) throws(Failure) -> String? {
    guard let contextFile else { return transaction.map { "{\"transactionText\":\(Self.quoted($0))}" } }
    var bytes = try SecretBytes(holding: 4096)
    let tooLong = Failure("Keep the context to 4096 bytes: this one is longer.", .data)
    if contextFile == "-" {
      try bytes.read(from: 0, name: "standard input", tooLong: tooLong)
    } else {
      try bytes.read(file: contextFile, kind: "context file")
    }
    let text = String(decoding: bytes.bytes, as: UTF8.self)
    guard let transaction else { return text }
    guard let brace = text.firstIndex(of: "{") else { throw Failure("Give a context that is a JSON object.", .data) }
    let rest = text[text.index(after: brace)...]
    let comma = rest.first { !$0.isWhitespace } == "}" ? "" : ","
    return "{\"transactionText\":\(Self.quoted(transaction))\(comma)\(rest)"
  }

  /// As JSON.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension Failure {
  /// - Parameter triesLeft: of the passcode or the pattern, if they are known.
  init(_ error: FIDOError, triesLeft: Int? = nil) {
    guard error != .cancelled else {
      self = .cancelled
      return
    }
    let code: SystemExit =
      switch error {
      case .network: .unavailable
      case .wrong, .locked, .lockedForGood, .refused, .typedDifferently, .forbidden: .notAllowed
      case .invalidParameter, .emptyUserName, .invalidUserName: .usage
      case .busy: .system
      default: .data
      }
    self.init(error.advice(triesLeft: triesLeft), code)
  }
}

extension FIDOError {
  /// A sentence for the person who has entered something.
  func advice(triesLeft: Int?) -> String {
    let tries = triesLeft.map { " Tries left: \($0)." } ?? ""
    return switch self {
    case .refused: "Choose another one: this one is too short, or has characters that it may not have."
    case .typedDifferently: "Those were two different ones. Enter it twice again."
    default: description + tries
    }
  }
}
