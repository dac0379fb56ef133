// What the shells offer for services, accounts, passcodes and words: names in the vault that the command line names so
// far. They offer nothing if its key cannot be read, and never a secret. They never try a passcode.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyboardTerminal
import KeyboardVault

enum VaultCompletion {
  static var services: CompletionKind {
    .custom { words, _, _ in
      let items = items(words)
      // They are sorted by service.
      return items.indices.filter { $0 == 0 || items[$0].service != items[$0 - 1].service }.map { items[$0].service }
    }
  }

  static var accounts: CompletionKind {
    .custom { words, index, _ in
      let names = positional(words.prefix(index))
      return names.last.map { service in items(words).filter { $0.service == service }.map(\.account) } ?? []
    }
  }

  static var passcodes: CompletionKind {
    .custom { words, _, _ in withVault(words) { vault throws(KeyboardError) in try vault.passcodes() } ?? [] }
  }

  static var words: CompletionKind {
    .custom { words, _, _ in withVault(words) { vault throws(KeyboardError) in try vault.wordNames() } ?? [] }
  }

  private static let valued = [
    "--vault", "--key-file", "--label", "--kind", "--passcode-file", "--pepper-file", "--layout", "--shuffle",
    "--maximum",
  ]

  /// Of the words before the one that is completed, those that are neither options nor commands.
  private static func positional(_ words: ArraySlice<String>) -> [String] {
    var (names, isValue) = ([String](), false)
    for word in words.dropFirst(3) {
      if !isValue && !word.hasPrefix("-") { names.append(word) }
      isValue = !isValue && valued.contains(word)
    }
    return names
  }

  private static func items(_ words: [String]) -> [Vault.Item] {
    withVault(words) { vault throws(KeyboardError) in try vault.items() } ?? []
  }

  private static func withVault<Result: ~Copyable>(
    _ words: [String], _ body: (Vault) throws(KeyboardError) -> Result
  ) -> Result? {
    var status = stat()
    guard !words.contains(where: { $0 == "--passcode" || $0.hasPrefix("--passcode-file") }),
      let path = value(of: "--vault", in: words) ?? VaultFileOption.ofEnvironment, lstat(path, &status) == 0,
      let key = try? VaultOptions.readKey(in: value(of: "--key-file", in: words) ?? path + ".key")
    else { return nil }
    return try? key.withSpan { key throws(KeyboardError) in try body(Vault(path: path, key: key)) }
  }

  /// Shells give a word as it is typed, so a tilde is still one.
  private static func value(of option: String, in words: [String]) -> String? {
    for (index, word) in words.enumerated() {
      var text: String?
      if word == option, index + 1 < words.count { text = words[index + 1] }
      if word.hasPrefix(option + "=") { text = String(word.dropFirst(option.count + 1)) }
      guard let text else { continue }
      guard text.hasPrefix("~/"), let home = getenv("HOME") else { return text }
      return String(cString: home) + text.dropFirst()
    }
    return nil
  }
}
