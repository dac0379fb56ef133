// What the command line decides.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

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

  func validate() throws {
    for port in [port, framePort] where !(0...65535 ~= port) { throw ValidationError("\(port) is no port.") }
    for origin in [pageOrigin, frameOrigin].compactMap(\.self) where !Self.isOrigin(origin) {
      throw ValidationError(
        "\(origin) is no origin as browsers write it: https://bank.example has small letters, and no slash at its end.")
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

struct FolderOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The folder with the page.", valueName: "folder"))
  var page: String

  @Option(help: ArgumentHelp("A folder with the keyboard's frame; may be given again.", valueName: "folder"))
  var keyboard: [String]

  @Option(help: ArgumentHelp("The folder for keys and for SQLite's file; made if it is missing.", valueName: "folder"))
  var data = "bank-data"

  @Option(help: ArgumentHelp("The private key for sealed texts. (default: DATA/recipient.key)", valueName: "file"))
  var recipientKey: String?

  @Option(help: ArgumentHelp("Its public key. (default: DATA/recipient.pub)", valueName: "file"))
  var publicKey: String?

  @Option(help: ArgumentHelp("The master key of the peppers. (default: DATA/master.key)", valueName: "file"))
  var masterKey: String?

  @Option(help: ArgumentHelp("SQLite's file. (default: DATA/bank.sqlite)", valueName: "file"))
  var database: String?
}

struct LimitOptions: ParsableArguments {
  @Option(help: "Wrong passcodes in a row that lock an account.")
  var attempts = 5

  @Option(help: "How long an account is locked.")
  var lockSeconds = 900

  @Option(help: "How long a challenge is valid.")
  var challengeSeconds = 120

  @Option(help: "How long a session is valid.")
  var sessionSeconds = 600

  @Option(help: "Passcodes that are checked at once, 19 MiB each. (default: as many as there are processors)")
  var verifications: Int?

  @Option(help: "Passcodes that may wait for that.")
  var waiting = 128

  @Option(help: "Connections to PostgreSQL.")
  var connections = 8

  @Option(help: "Connections of clients to each of the two ports.")
  var clients = 1024

  @Option(help: "How long a request's head may take, and then its body.")
  var requestSeconds = 10

  func validate() throws {
    let numbers = [
      ("attempts", attempts, 1...1_000_000_000), ("lock-seconds", lockSeconds, 1...31_536_000),
      ("challenge-seconds", challengeSeconds, 1...86_400), ("session-seconds", sessionSeconds, 1...86_400),
      ("verifications", verifications ?? 1, 1...1024),
      ("waiting", waiting, 0...100_000), ("connections", connections, 1...256), ("clients", clients, 1...100_000),
      ("request-seconds", requestSeconds, 1...3600),
    ]
    for (name, number, range) in numbers where !range.contains(number) {
      throw ValidationError("--\(name) is \(range.lowerBound) to \(range.upperBound).")
    }
  }
}

/// What no bank wants, and tests need.
struct InsecureOptions: ParsableArguments {
  @Flag(help: "For measurements: also takes verifiers without Argon2id and pepper, which a test has written.")
  var insecureImportedVerifiers = false

  @Flag(help: "For tests: lets other programs of the same user read the bank's memory.")
  var insecureDumpable = false
}
