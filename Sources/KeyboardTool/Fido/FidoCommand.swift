// Logging in to a server with a passcode or a pattern that stays here.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import Dispatch
import KeyboardFIDO
import KeyboardTerminal
import Synchronization

struct FidoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fido",
    abstract: "Logs in to a server of FIDO UAF with a passcode or a pattern that never leaves this machine.",
    discussion: """
      The passcode is entered on the pad, or read from standard input if that is not
      a terminal. It is set at the first registration, twice on the pad. Each try is
      counted; five wrong ones lock it for five minutes. The keys are in a vault.

      A pattern is drawn on nine nodes: 1 to 9 press them, or the arrow keys and
      Space, or clicks. Enter ends it. From a pipe it is digits: 14789.

      Examples:
        make bank                                       an example server
        export KEYBOARD_VAULT=~/.bank/vault
        keyboard fido register --server http://localhost:8080 --user kim
        keyboard fido authenticate --server http://localhost:8080 --user kim
      """,
    subcommands: [FidoRegisterCommand.self, FidoAuthenticateCommand.self, FidoDeregisterCommand.self])
}

struct FidoRegisterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register",
    abstract: "Makes a key, and gives the server its public half.",
    discussion: """
      A key that the server refuses is deleted again. Without an answer it is kept,
      because the server may have it.

      Examples:
        keyboard fido register --server https://bank.example --user kim
        keyboard fido register --server https://bank.example --user kim --with pattern
      """)

  @OptionGroup var options: FidoOptions
  @OptionGroup var passcodeOptions: FidoPasscodeOptions

  mutating func run() throws {
    try options.withClient { client in
      try client.begin(.registration, options, transaction: nil)
      try passcodeOptions.resume(client, isRegistration: true, transaction: nil)
    }
  }
}

struct FidoAuthenticateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authenticate",
    abstract: "Signs the server's challenge, and prints the token that it gives for that.",
    discussion: """
      If the server wants a text to be confirmed, the person is asked in a terminal.
      Otherwise it is signed only if it is the text of --transaction, byte by byte.

      Examples:
        keyboard fido authenticate --server https://bank.example --user kim > token
        keyboard fido authenticate --server https://bank.example --user kim \\
          --transaction "Pay 10 to Bob?"
      """)

  @OptionGroup var options: FidoOptions
  @OptionGroup var passcodeOptions: FidoPasscodeOptions

  @Option(help: ArgumentHelp("Asks the server for a request that confirms this text.", valueName: "text"))
  var transaction: String?

  mutating func run() throws {
    try options.withClient { client in
      try client.begin(.authentication, options, transaction: transaction)
      try passcodeOptions.resume(client, isRegistration: false, transaction: transaction)
      guard let token = try client.token() else { return }
      try token.withSpan { token in try token.withUnsafeBytes { token in try writeSecret(token, "the token") } }
      try writeOutput("\n")
    }
  }
}

struct FidoDeregisterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deregister",
    abstract: "Lets the server delete keys, there and here. Nobody is asked for a passcode.",
    discussion: """
      Most servers want to know who asks; the example bank wants the token of an
      authentication.

      Examples:
        printf '{"session": "%s"}' "$(cat token)" |
          keyboard fido deregister --server https://bank.example --user kim --context-file -
      """)

  @Flag(help: "All keys of the user, those on other devices too.")
  var all = false

  @OptionGroup var options: FidoOptions

  mutating func run() throws {
    try options.withClient { client in
      try client.begin(all ? .deregistrationOfAll : .deregistration, options, transaction: nil)
    }
  }
}

extension FIDOClient {
  /// - Parameter transaction: what the server is asked to have confirmed.
  fileprivate func begin(_ operation: Operation, _ options: FidoOptions, transaction: String?) throws {
    let context = try options.context(transaction: transaction)
    _ = try waiting { () async throws(FIDOError) in
      try await self.start(operation, user: options.user, context: context)
    }
  }
}

/// Runs what waits for the network. The tool has nothing else to do meanwhile.
func waiting<Result: Sendable>(
  _ body: @escaping @Sendable () async throws(FIDOError) -> Result
) throws(FIDOError) -> Result {
  let done = DispatchSemaphore(value: 0)
  let box = Box<Result>()
  Task {
    let result: Swift.Result<Result, FIDOError>
    do throws(FIDOError) { result = .success(try await body()) } catch { result = .failure(error) }
    box.value.withLock { $0 = result }
    done.signal()
  }
  done.wait()
  return try box.value.withLock { $0! }.get()
}

private final class Box<Value: Sendable>: Sendable {
  let value = Mutex<Result<Value, FIDOError>?>(nil)
}
