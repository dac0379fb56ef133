// What the command line decides.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc

struct AddressOptions: ParsableArguments {
  @Option(help: "Where to listen. TLS is a proxy's business: listen where only the proxy is.")
  var host = "127.0.0.1"

  @Option(help: "The page's port; 0 takes a free one.")
  var port = 8080

  @Option(help: "The port of the keyboard's frame; 0 takes a free one.")
  var framePort = 8081

  @Option(help: "The page's origin as browsers see it: https://bank.example. (default: http://localhost:PORT)")
  var pageOrigin: String?

  @Option(help: "The frame's origin as browsers see it. (default: http://127.0.0.1:PORT)")
  var frameOrigin: String?

  @Option(help: "A port for /health and /metrics, which no client needs; 0 takes a free one. (default: none)")
  var operatorPort: Int?

  @Option(help: "Where to listen for those.")
  var operatorHost = "127.0.0.1"

  @Option(
    help: ArgumentHelp(
      "The address of a proxy that names its clients in X-Real-IP; may be given again.", valueName: "address"))
  var proxy: [String] = []

  func validate() throws {
    for port in [port, framePort, operatorPort ?? 0] where !(0...65535 ~= port) {
      throw ValidationError("\(port) is not a port.")
    }
    for origin in [pageOrigin, frameOrigin].compactMap(\.self) where !Self.isOrigin(origin) {
      throw ValidationError(
        "\(origin) is not an origin as browsers write it: https://bank.example has small letters, and no final slash.")
    }
    guard pageOrigin == nil || pageOrigin != frameOrigin else {
      throw ValidationError("Page and frame need two origins, or the page's scripts can reach the keyboard.")
    }
  }

  /// In the one form that a browser gives as an origin, because it is compared as text: small letters, and no port that
  /// is the scheme's own. It goes into headers as it is.
  private static func isOrigin(_ text: String) -> Bool {
    let form = /https?:\/\/([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?/
    let usualPort = text.hasPrefix("https:") ? ":443" : ":80"
    return text.wholeMatch(of: form) != nil && !text.hasSuffix(usualPort)
  }
}

struct FIDOOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "An app that may log in with FIDO: ios:bundle-id:com.example.bank. May be given again; without one, none may.",
      valueName: "facet"))
  var fidoFacet: [String] = []

  @Option(
    help: ArgumentHelp("An authenticator that is taken; may be given again.", valueName: "AAID"))
  var fidoAaid: [String] = ["0000#0001", "0000#0002"]

  @Option(
    help: ArgumentHelp(
      "The proxy's certificate, in PEM: an app that has seen another one is refused.", valueName: "file"))
  var fidoCertificate: String?

  func validate() throws {
    for facet in fidoFacet where facet.wholeMatch(of: /[!-9;-~]+:[!-~]+/) == nil || facet.hasPrefix("https:") {
      throw ValidationError("\(facet) is not an app: its name has a colon, as in ios:bundle-id:com.example.bank.")
    }
    for aaid in fidoAaid where aaid.wholeMatch(of: /[0-9A-Fa-f]{4}#[0-9A-Fa-f]{4}/) == nil {
      throw ValidationError("\(aaid) is not an AAID: it has four hexadecimal digits, # and four more.")
    }
  }

  /// - Parameter origin: of the page. Only https can have a list of apps that its clients believe.
  func rules(origin: String, certificate: String?) -> FIDORules {
    FIDORules(
      appID: origin.hasPrefix("https://") ? origin + FIDORules.path : "", facets: fidoFacet,
      aaids: fidoAaid, certificate: certificate)
  }

  /// The first certificate of the file: without its lines, PEM is base64.
  func certificate() throws -> String? {
    guard let fidoCertificate else { return nil }
    let text = try? String(contentsOf: URL(filePath: fidoCertificate), encoding: .utf8)
    let lines = (text ?? "").split(whereSeparator: \.isNewline).drop { $0 != "-----BEGIN CERTIFICATE-----" }
    let inside = lines.dropFirst().prefix { $0 != "-----END CERTIFICATE-----" }
    guard !inside.isEmpty else { throw Failure("There is no certificate in PEM in \(fidoCertificate).") }
    let characters: [Character] = inside.joined().compactMap { character in
      switch character {
      case "+": "-"
      case "/": "_"
      case "=": nil
      default: character
      }
    }
    return String(characters)
  }
}

struct FolderOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The folder with the page.", valueName: "folder"))
  var page: String

  @Option(help: ArgumentHelp("A folder with the keyboard's frame; may be given again.", valueName: "folder"))
  var keyboard: [String]

  @Option(
    help: ArgumentHelp(
      "How clients seal texts: x25519, or xwing, whose texts stay closed when there are quantum computers.",
      valueName: "way"))
  var way = TextWay.x25519

  @Option(help: ArgumentHelp("The private key for sealed texts. (default: DATA/recipient.key)", valueName: "file"))
  var recipientKey: String?

  @Option(help: ArgumentHelp("Its public key. (default: DATA/recipient.pub)", valueName: "file"))
  var publicKey: String?

  @Option(
    help: ArgumentHelp(
      "A private key whose texts are taken too, while one is replaced. (default: DATA/second.key, if it is there)",
      valueName: "file"))
  var secondKey: String?

  @Option(help: ArgumentHelp("Its public key. (default: DATA/second.pub)", valueName: "file"))
  var secondPublicKey: String?

  @Option(help: ArgumentHelp("The master key of the peppers. (default: DATA/master.key)", valueName: "file"))
  var masterKey: String?

  @Option(
    help: ArgumentHelp(
      "Another master key, while one is replaced. (default: DATA/second-master.key, if it is there)", valueName: "file")
  )
  var secondMasterKey: String?

  @Option(help: ArgumentHelp("The setup of OPAQUE. (default: DATA/opaque.setup)", valueName: "file"))
  var opaqueSetup: String?

  @Option(
    help: ArgumentHelp(
      "Another setup, while one is replaced. (default: DATA/second-opaque.setup, if it is there)", valueName: "file"))
  var secondOpaqueSetup: String?
}

/// What the operator's commands need too.
struct DataOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The folder for keys and for SQLite's file; made if it is missing.", valueName: "folder"))
  var data = "bank-data"

  @Option(help: ArgumentHelp("SQLite's file. (default: DATA/bank.sqlite)", valueName: "file"))
  var database: String?

  func makeFolder() throws {
    if mkdir(data, 0o700) != 0, errno != EEXIST {
      throw Failure("The folder \(data) cannot be made: \(String(cString: strerror(errno))).")
    }
  }

  /// Opens the one that the options and the environment name, and brings its tables up to date.
  ///
  /// - Parameter mayMake: whether SQLite's file is made if it is missing.
  func openDatabase(connectionCount: Int, mayMake: Bool) throws -> any Database {
    do {
      guard let url = ProcessInfo.processInfo.environment["DATABASE_URL"], !url.isEmpty else {
        let path = database ?? data + "/bank.sqlite"
        guard mayMake || access(path, F_OK) == 0 else { throw Failure("There is no database at \(path).") }
        return try SQLiteDatabase(path: path)
      }
      guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else {
        throw Failure("DATABASE_URL begins with postgresql://.")
      }
      guard database == nil else { throw Failure("Give --database or DATABASE_URL, not both.") }
      return try PostgreSQLDatabase(url: url, connectionCount: connectionCount)
    } catch let error as DatabaseError {
      throw Failure("\(error)")
    }
  }
}

struct LimitOptions: ParsableArguments {
  @Option(help: "Wrong passcodes in a row that lock an account.")
  var attempts = 5

  @Option(
    help: ArgumentHelp(
      "How long an account is locked: the first time, the second in a row, and so on. The last counts for the rest.",
      valueName: "seconds,…"))
  var lockSeconds = LockSeconds(all: [300, 3600, 86_400])

  @Option(help: "How long a challenge is valid.")
  var challengeSeconds = 120

  @Option(help: "How long the bank waits for the last message of a login by OPAQUE.")
  var stateSeconds = 60

  @Option(help: "How long a session is valid.")
  var sessionSeconds = 600

  @Option(help: "Passcodes that are checked at once, 19 MiB each. (default: as many as the bank may use processors)")
  var verifications: Int?

  @Option(help: "Requests of each kind (challenge, registration, attempt, session) that may wait for their turn.")
  var waiting = 128

  @Option(help: "Connections to PostgreSQL.")
  var connections = 8

  @Option(help: "Connections of clients to each of the two ports.")
  var clients = 1024

  @Option(help: "How long a request's head may take, and then its body.")
  var requestSeconds = 10

  @Option(help: "How long /health waits for the database.")
  var healthSeconds = 2

  func validate() throws {
    let numbers = [
      ("attempts", attempts, 1...1_000_000_000), ("challenge-seconds", challengeSeconds, 1...86_400),
      ("session-seconds", sessionSeconds, 1...86_400),
      ("state-seconds", stateSeconds, 1...86_400),
      ("verifications", verifications ?? 1, 1...1024),
      ("waiting", waiting, 0...100_000), ("connections", connections, 1...256), ("clients", clients, 1...100_000),
      ("request-seconds", requestSeconds, 1...3600), ("health-seconds", healthSeconds, 1...3600),
    ]
    let locks = lockSeconds.all.map { ("lock-seconds", $0, 1...31_536_000) }
    for (name, number, range) in numbers + locks where !range.contains(number) {
      throw ValidationError("--\(name) is \(range.lowerBound) to \(range.upperBound).")
    }
  }
}

/// Numbers with commas between them; none is smaller than the one before.
struct LockSeconds: ExpressibleByArgument {
  let all: [Int]

  init(all: [Int]) { self.all = all }

  init?(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    guard !numbers.contains(nil) else { return nil }
    all = numbers.compactMap(\.self)
    guard zip(all, all.dropFirst()).allSatisfy({ $0 <= $1 }) else { return nil }
  }

  var defaultValueDescription: String { all.map(String.init).joined(separator: ",") }
}

/// What no bank wants, and tests need.
struct InsecureOptions: ParsableArguments {
  @Flag(help: "For measurements: also takes verifiers without Argon2id and pepper, which a test has written.")
  var insecureImportedVerifiers = false

  @Flag(help: "For tests: lets other programs of the same user read the bank's memory.")
  var insecureDumpable = false
}
