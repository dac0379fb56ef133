// What the shells offer for services and accounts: names in the vault that the command line names so far. They offer
// nothing if its key cannot be read, and never a secret.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyboardVault

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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

  /// Of the words before the one that is completed, those that are no options and no commands.
  private static func positional(_ words: ArraySlice<String>) -> [String] {
    var (names, isValue) = ([String](), false)
    for word in words.dropFirst(3) {
      if !isValue && !word.hasPrefix("-") { names.append(word) }
      isValue = !isValue && ["--vault", "--key-file", "--label", "--kind"].contains(word)
    }
    return names
  }

  private static func items(_ words: [String]) -> [Vault.Item] {
    var options = VaultOptions()
    options.vault = value(of: "--vault", in: words)
    options.keyFile = value(of: "--key-file", in: words)
    return (try? options.withVault { vault in try vault.items() }) ?? []
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
