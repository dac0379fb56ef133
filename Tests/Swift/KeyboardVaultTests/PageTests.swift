// Every line of Swift in the tables of Docs/Keychain.md is in this file, and runs.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Foundation
import KeyboardVault
import Testing

@Suite struct PageTests {
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

  @Test func eachLineOfThePageIsHere() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let lines = Self.cells(try String(contentsOf: root.appending(path: "Docs/Keychain.md"), encoding: .utf8))
    #expect(lines.count >= 17)
    for line in lines {
      // A page leaves out what is the reader's own.
      for part in line.components(separatedBy: "…") {
        let part = part.trimmingCharacters(in: .whitespaces)
        #expect(part.isEmpty || source.components(separatedBy: "\n").contains { $0.contains(part) }, "\(line)")
      }
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
