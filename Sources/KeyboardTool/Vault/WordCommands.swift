// Recovery words (BIP-39): new ones, their check, their seed, and words that are kept in a vault.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal
import KeyboardVault

struct VaultWordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "words",
    abstract: "Makes, checks and keeps recovery words.",
    discussion: """
      They are 12, 15, 18, 21 or 24 English words of BIP-39. Words come from standard
      input, or are asked for in a terminal and not shown. Letters may be in either
      case, with any white space between the words.

      Examples:
        keyboard vault words new wallet
        keyboard vault words show wallet --secret
        keyboard vault words check
      """,
    subcommands: [
      NewWordsCommand.self, CheckWordsCommand.self, SeedOfWordsCommand.self, KeepWordsCommand.self,
      ShowWordsCommand.self, RemoveWordsCommand.self, ListWordsCommand.self,
    ])
}

/// The name of words, that the shells complete.
struct WordsName: ParsableArguments {
  @Argument(help: "The name of the words: 1 to 255 bytes.", completion: VaultCompletion.words)
  var name: String

  func validate() throws { try Self.check(name) }

  static func check(_ name: String) throws {
    guard (1...255).contains(name.utf8.count) else { throw ValidationError("Give a name of 1 to 255 bytes.") }
  }

  /// Runs `body`, whose errors become sentences about these words.
  static func naming<Result: ~Copyable>(_ name: String, _ body: () throws -> Result) throws -> Result {
    do { return try TypedWords.naming(body) } catch let error as KeyboardError {
      switch error {
      case .exists: throw Failure("Give the words another name: \(shellWord(name)) is there already.", .data)
      case .notFound: throw Failure("Give the name of words: there is no \(shellWord(name)).", .data)
      default: throw error
      }
    }
  }

  func naming<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result { try Self.naming(name, body) }
}

/// Words from standard input or a terminal.
enum TypedWords {
  static func read() throws(Failure) -> SecretBytes {
    var words = try SecretBytes()
    if isatty(0) == 1, let terminal = Terminal() {
      try terminal.ask("Words (not shown): ", into: &words)
    } else {
      let tooLong = Failure("Keep the words to \(words.capacity) bytes: these are longer.", .data)
      try words.read(from: 0, name: "standard input", tooLong: tooLong)
      guard words.count > 0 else { throw .emptyInput("the words") }
    }
    return words
  }

  /// Runs `body`, whose errors become sentences about words.
  static func naming<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as KeyboardError {
      switch error {
      case .refused: throw Failure("Look at the words again. \(error)", .data)
      case .argument: throw Failure("Give the words in UTF-8; these are not.", .data)
      default: throw error
      }
    }
  }
}

struct NewWordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Draws new words, and keeps them in a vault or prints them.",
    discussion: """
      With a name they are kept in the vault, and not shown. Without one they are
      printed, and kept nowhere.

      Examples:
        keyboard vault words new wallet && keyboard vault words show wallet --secret
        keyboard vault words new --count 24
      """)

  @Argument(help: "The name to keep them under: 1 to 255 bytes.")
  var name: String?

  @Option(help: "How many words: 12, 15, 18, 21 or 24.")
  var count = 12

  @OptionGroup var options: VaultOptions

  func validate() throws {
    if let name { try WordsName.check(name) }
    guard [12, 15, 18, 21, 24].contains(count) else { throw ValidationError("Give a --count of 12, 15, 18, 21 or 24.") }
  }

  mutating func run() throws {
    guard let name else { return try Vault.Words.generate(count: count).writeText("the words") }
    try options.withVault { vault in
      let words = try Vault.Words.generate(count: count)
      try WordsName.naming(name) {
        try words.withSpan { words throws(KeyboardError) in try vault.keepWords(name, words: words) }
      }
    }
  }
}

struct CheckWordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Tells whether words are right.",
    discussion: """
      The exit code is 0 if they are, and 65 if not: another number of them, a word
      that is not on the list, one that was mistaken, or two that changed places. Of
      12 words that are on the list, one in 16 passes by chance.

      Examples:
        keyboard vault words check
      """)

  @Flag(help: "Print the words as they should be written, and nothing else.")
  var secret = false

  mutating func run() throws {
    let typed = try TypedWords.read()
    let words = try TypedWords.naming {
      try typed.withSpan { words throws(KeyboardError) in try Vault.Words.check(words) }
    }
    guard secret else { return try writeOutput("The words are right.\n") }
    try words.writeText("the words")
  }
}

struct SeedOfWordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed",
    abstract: "Prints the 64 bytes that wallets derive their keys from, in hexadecimal digits.",
    discussion: """
      Examples:
        keyboard vault words show wallet --secret | keyboard vault words seed
      """)

  @Option(
    help: ArgumentHelp(
      "A file that holds the passphrase: printable ASCII. One newline at its end is removed.", valueName: "file"),
    completion: .file())
  var passphraseFile: String?

  mutating func run() throws {
    var passphrase = try SecretBytes()
    if let passphraseFile {
      try passphrase.read(privateFile: passphraseFile, kind: "passphrase file", name: "the passphrase")
      passphrase.removeTrailingNewline()
      guard passphrase.bytes.allSatisfy({ (0x20...0x7e).contains($0) }) else {
        throw Failure("Give a passphrase in printable ASCII: letters, digits, signs and spaces.", .data)
      }
    }
    let words = try TypedWords.read()
    let seed = try TypedWords.naming {
      try words.withSpan { words throws(KeyboardError) in
        try passphrase.withSpan { passphrase throws(KeyboardError) in
          try Vault.Words.makeSeed(of: words, passphrase: passphrase)
        }
      }
    }
    try seed.writeHexadecimal()
  }
}

struct KeepWordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep",
    abstract: "Checks words, and keeps them in a vault.",
    discussion: """
      With --pad they are tapped on the pad and never leave its keyboard. It has room
      for any 12 words, and not for any 15. The layout is then letters, unless
      another one with letters is given.

      Examples:
        keyboard vault words keep wallet
        keyboard vault words keep wallet --pad
      """)

  @OptionGroup var name: WordsName

  @Flag(help: "Tap the words on the pad.")
  var pad = false

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault(readsInput: true) { vault in
      guard try !vault.wordNames().contains(name.name) else { return try name.naming { throw KeyboardError.exists } }
      guard !pad else { return try keepTapped(in: vault) }
      let words = try TypedWords.read()
      try name.naming {
        try words.withSpan { words throws(KeyboardError) in try vault.keepWords(name.name, words: words) }
      }
    }
  }

  private func keepTapped(in vault: Vault) throws {
    var padOptions = options.padOptions
    if padOptions.layout.isPad { padOptions.layout = .letters }
    let terminal = try padOptions.openTerminal(otherwise: "leave out --pad")
    let keyboard = try Keyboard()
    try padOptions.prepare(keyboard)
    try keyboard.open()
    defer { try? keyboard.close() }
    try padOptions.pad(for: keyboard, purpose: "to be kept", name: "Words", on: terminal).run()
    try name.naming { try vault.keepWords(name.name, typedOn: keyboard) }
  }
}

struct ShowWordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows how many words are kept under a name, or the words.",
    discussion: """
      Examples:
        keyboard vault words show wallet --secret
      """)

  @OptionGroup var name: WordsName

  @Flag(help: "Print the words, and nothing else.")
  var secret = false

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault { vault in
      let words = try name.naming { try vault.readWords(name.name) }
      if secret { return try words.writeText("the words") }
      let spaces = words.withSpan { words in words.indices.count { words[$0] == 0x20 } }
      try writeOutput("words     \(spaces + 1)\n")
    }
  }
}

struct RemoveWordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Removes words.",
    discussion: """
      Copies of the file that were made before still have them.

      Examples:
        keyboard vault words rm wallet
      """)

  @OptionGroup var name: WordsName

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault { vault in try name.naming { try vault.deleteWords(name.name) } }
  }
}

struct ListWordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the names of the words that are kept, a line each.",
    discussion: """
      Examples:
        keyboard vault words list
      """)

  @OptionGroup var options: VaultOptions

  mutating func run() throws {
    try options.withVault { vault in
      try writeOutput(vault.wordNames().map { TerminalText.line($0) + "\n" }.joined())
    }
  }
}
