// Every line of Swift on Docs/Vault.md and Docs/Keychain.md is in this file, so it compiles; where it can, it runs.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Foundation
import KeyboardVault
import Testing

@Suite struct PageTests {
  // MARK: Docs/Keychain.md

  @Test func theLinesOfTheKeychainPageWork() async throws {
    let folder = try Folder()
    let (path, key, keyboard) = (folder.vault, [UInt8](0..<32), try typing("483725"))
    let (serviceName, account) = ("bank.example", "kim")
    let (old, new) = (bytes("old"), bytes("new"))
    func read(_ vault: Vault) async throws(KeyboardError) -> String? {
      do throws(KeyboardError) {
        let token = try await vault.read(service: serviceName, account: account)
        return token.withSpan { token in String(decoding: token.indices.map { token[$0] }, as: UTF8.self) }
      } catch .notFound { return nil }
    }
    let vault = try await Vault.open(path: path, key: key.span)
    #expect(try await read(vault) == nil)
    var isThere = false
    for token in [old, new] {
      do throws(KeyboardError) {
        try await vault.add(service: serviceName, account: account, kind: "token", data: token.span)
      } catch .exists { isThere = true }
    }
    #expect(isThere)
    #expect(try await read(vault) == "old")
    do {
      let token = new
      try await vault.replace(service: serviceName, account: account, expected: old.span, data: token.span)
      try await vault.update(service: serviceName, account: account, data: token.span)
    }
    #expect(try await read(vault) == "new")
    for _ in 1...2 {
      do throws(KeyboardError) {
        try await vault.delete(service: serviceName, account: account)
      } catch .notFound {}
    }
    try await vault.setPasscode("app", typedOn: keyboard)
    #expect(try await vault.passcodeState("app").triesLeft == 5)
    guard case .right = try await vault.checkPasscode("app", typedOn: keyboard) else {
      Issue.record("the right passcode is wrong")
      return
    }
    let words = bytes("legal winner thank year wave sausage worth useful legal winner thank yellow")
    try await vault.keepWords("wallet", words: words.span)
    let phrase = String(decoding: words, as: UTF8.self)
    await #expect(throws: KeyboardError.exists) {
      let keyboard = try typing(phrase)
      try await vault.keepWords("wallet", typedOn: keyboard)
    }
    #expect(!KeyboardError.mismatch.description.isEmpty)
  }

  // MARK: Docs/Vault.md

  /// Its paths are a person's, so nothing calls this.
  private func theLinesOfTheVaultPageCompile(
    key: [UInt8], token: [UInt8], keyboard: Keyboard, pepper: [UInt8], show: (String) -> Void,
    unlock: (borrowing SecretBytes) -> Void, use: (Span<UInt8>) -> Void
  ) async throws {
    let vault = try await Vault.open(path: "/home/kim/.bank/vault", key: key.span)
    try await vault.add(service: "bank.example", account: "kim", kind: "token", data: token.span)
    let kept = try await vault.read(service: "bank.example", account: "kim")
    use(kept.span)

    switch try await vault.checkPasscode("PIN", typedOn: keyboard) {
    case .right(let key): unlock(key)
    case .wrong(let state): show("Wrong. \(state.triesLeft) tries are left.")
    case .locked(let state): show("Locked: \(state.lock)")
    @unknown default: break
    }

    try await vault.setPasscodeKey(typedOn: keyboard, pepper: pepper.span)
    switch try await Vault.open(path: "/home/kim/.bank/vault", typedOn: keyboard, pepper: pepper.span) {
    case .open(let vault): show("\(try await vault.items().count) items")
    case .wrong(let state), .locked(let state): show("\(state.triesLeft) tries, lock: \(state.lock)")
    @unknown default: break
    }

    let words = try Vault.Words.generate(count: 12)
    try words.withSpan { words throws(KeyboardError) in try vault.keepWords("wallet", words: words) }
    try await vault.keepWords("typed", typedOn: keyboard)
    let seed = try await Vault.Words.makeSeed(of: token.span)
    _ = seed
  }

  // MARK: Both pages

  @Test(arguments: ["Keychain", "Vault"]) func eachLineOfThePageIsHere(page name: String) throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let page = try String(contentsOf: root.appending(path: "Docs/\(name).md"), encoding: .utf8)
    let lines = name == "Vault" ? Self.block(page) : Self.cells(page)
    #expect(lines.count >= 17)
    for line in lines {
      // A page leaves out what is the reader's own.
      for part in line.components(separatedBy: "…") {
        let part = part.trimmingCharacters(in: .whitespaces)
        #expect(part.isEmpty || source.components(separatedBy: "\n").contains { $0.contains(part) }, "\(line)")
      }
    }
  }

  /// The lines of Swift blocks, without remarks.
  private static func block(_ page: String) -> [String] {
    page.components(separatedBy: "```swift\n").dropFirst().flatMap { block in
      block.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
        .map { $0.components(separatedBy: "  //")[0] }
    }
  }

  /// The code in the right column of tables, and what is called elsewhere; single words are not code.
  private static func cells(_ page: String) -> [String] {
    page.components(separatedBy: "\n").flatMap { line in
      let cells = line.hasPrefix("|") ? line.components(separatedBy: " | ") : [line]
      let code = cells.last!.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      let isTold = line.hasPrefix("|") && cells.count == 2
      return code.filter { isTold ? $0.contains(" ") || $0.contains("(") : $0.hasPrefix("vault.") }
    }
  }
}
