// Items of a vault: add, show, edit, remove, list.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyboardTerminal
import KeyboardVault

/// The name of an item, that the shells complete.
struct ItemName: ParsableArguments {
  @Argument(help: "What the secret is for: 1 to 255 bytes.", completion: VaultCompletion.services)
  var service: String

  @Argument(help: "Whose it is: 1 to 255 bytes.", completion: VaultCompletion.accounts)
  var account: String

  func validate() throws {
    for name in [service, account] where !(1...255).contains(name.utf8.count) {
      throw ValidationError("Give a service and an account of 1 to 255 bytes.")
    }
  }

  /// Runs `body`, whose errors become sentences about this item.
  func naming<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as KeyboardError {
      switch error {
      case .exists: throw Failure("Edit this item, or give it another name: \(words) is there already.", .data)
      case .notFound: throw Failure("Give the name of an item: there is no \(words).", .data)
      case .tooLong: throw Failure("Keep the secret to \(Vault.maximumDataCount) bytes: this one is longer.", .data)
      case .argument: throw Failure("Give a label and a kind of at most 255 bytes each.", .usage)
      default: throw error
      }
    }
  }

  private var words: String { "\(shellWord(service)) \(shellWord(account))" }
}

/// The secret of an item, from standard input or a terminal.
struct SecretOptions: ParsableArguments {
  @Flag(help: "A newline at the end of standard input belongs to the secret.")
  var keepNewline = false

  func read() throws(Failure) -> SecretBytes {
    var secret = try SecretBytes(holding: Vault.maximumDataCount)
    if isatty(0) == 1, let terminal = Terminal() {
      try terminal.ask("Secret (not shown): ", into: &secret)
    } else {
      try secret.read(
        from: 0, name: "standard input",
        tooLong: Failure("Keep the secret to \(Vault.maximumDataCount) bytes: this one is longer.", .data))
      guard secret.count > 0 else { throw .emptyInput("the secret") }
      if !keepNewline { secret.removeTrailingNewline() }
    }
    return secret
  }
}

struct AddToVaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Adds a secret, from standard input or asked for in a terminal.",
    discussion: """
      A secret has at most 65536 bytes of any kind. One newline at its end is
      removed. An item that is there already is not changed.

      Examples:
        keyboard vault add bank.example kim --kind token < token
        keyboard vault add shop.example kim --label "Kim's shop"      asks for it
      """)

  @OptionGroup var name: ItemName

  @Option(help: "A note for people, at most 255 bytes.")
  var label = ""

  @Option(help: "What the secret is, at most 255 bytes.")
  var kind = "password"

  @OptionGroup var secretOptions: SecretOptions

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault(readsInput: true) { vault in
      // Nobody should type a secret that cannot be added.
      let isThere = try name.naming { try vault.has(name) }
      guard !isThere else { return try name.naming { throw KeyboardError.exists } }
      let secret = try secretOptions.read()
      try name.naming {
        try vault.add(service: name.service, account: name.account, label: label, kind: kind, data: secret.span)
      }
    }
  }
}

struct ShowFromVaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows what an item is, or its secret.",
    discussion: """
      With --secret, a pipe or a file gets the secret's bytes and nothing else. On
      a terminal a newline follows, and what a terminal would obey or reorder is
      shown as an escape, as `keyboard decrypt` does.

      Examples:
        keyboard vault show bank.example kim
        keyboard vault show bank.example kim --secret | wl-copy
      """)

  @OptionGroup var name: ItemName

  @Flag(help: "Print the secret, and nothing else.")
  var secret = false

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault { vault in
      guard secret else {
        guard
          let item = try name.naming({ try vault.items(service: name.service) })
            .first(where: { $0.account == name.account })
        else { return try name.naming { throw KeyboardError.notFound } }
        return try writeOutput(item.shown)
      }
      let data = try name.naming { try vault.read(service: name.service, account: name.account) }
      try writeSecret(data.bytes, "the secret")
    }
  }
}

struct EditInVaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Gives an item another secret, from standard input or asked for in a terminal.",
    discussion: """
      This item is changed and no other. Its label and its kind stay, unless they
      are given.

      Examples:
        keyboard vault edit bank.example kim < token
      """)

  @OptionGroup var name: ItemName

  @Option(help: "A note for people, at most 255 bytes.")
  var label: String?

  @Option(help: "What the secret is, at most 255 bytes.")
  var kind: String?

  @OptionGroup var secretOptions: SecretOptions

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault(readsInput: true) { vault in
      let isThere = try name.naming { try vault.has(name) }
      guard isThere else { return try name.naming { throw KeyboardError.notFound } }
      let secret = try secretOptions.read()
      try name.naming {
        try vault.update(service: name.service, account: name.account, label: label, kind: kind, data: secret.span)
      }
    }
  }
}

struct RemoveFromVaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Removes an item.",
    discussion: """
      Copies of the file that were made before still have it.

      Examples:
        keyboard vault rm bank.example kim
      """)

  @OptionGroup var name: ItemName

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault { vault in
      try name.naming { try vault.delete(service: name.service, account: name.account) }
    }
  }
}

struct ListVaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the items of a vault, or of one service, without their secrets.",
    discussion: """
      A line for each item: service, account, kind and label, with a tab between.
      What a terminal would obey is shown as an escape.

      Examples:
        keyboard vault list
        keyboard vault list bank.example
      """)

  @Argument(help: "Only the items of this service.", completion: VaultCompletion.services)
  var service: String?

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault { vault in
      do {
        let lines = try vault.items(service: service).map { item in
          [item.service, item.account, item.kind, item.label].map(TerminalText.line).joined(separator: "\t") + "\n"
        }
        try writeOutput(lines.joined())
      } catch KeyboardError.argument { throw Failure("Give a service of 1 to 255 bytes.", .usage) }
    }
  }
}

extension Vault {
  fileprivate func has(_ name: ItemName) throws(KeyboardError) -> Bool {
    do throws(KeyboardError) {
      _ = try read(service: name.service, account: name.account)
      return true
    } catch .notFound { return false }
  }
}

extension Vault.Item {
  /// Lines for people.
  fileprivate var shown: String {
    let fields = [
      ("service", service), ("account", account), ("label", label), ("kind", kind), ("bytes", "\(byteCount)"),
      ("created", Self.date(created)), ("modified", Self.date(modified)),
    ]
    return fields.map { name, text in
      name + String(repeating: " ", count: 10 - name.count) + TerminalText.line(text) + "\n"
    }.joined()
  }

  /// RFC 3339, in UTC.
  private static func date(_ seconds: Int64) -> String {
    var (time, parts) = (time_t(seconds), tm())
    guard gmtime_r(&time, &parts) != nil else { return "\(seconds)" }
    func digits(_ number: Int32, _ count: Int = 2) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))T"
      + "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))Z"
  }
}
