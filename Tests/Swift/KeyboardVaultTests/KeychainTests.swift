// The class of Docs/Keychain.md, which takes the place of code for Apple's keychain.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardVault
import Testing

// <page>
struct TokenStore {
  static let (serviceName, account) = ("bank.example", "kim")
  let vault: Vault

  func create(token: [UInt8]) async throws(KeyboardError) {
    try await vault.add(service: Self.serviceName, account: Self.account, kind: "token", data: token.span)
  }

  func read() async throws(KeyboardError) -> SecretBytes? {
    do { return try await vault.read(service: Self.serviceName, account: Self.account) } catch .notFound { return nil }
  }

  func update(token: [UInt8]) async throws(KeyboardError) {
    try await vault.update(service: Self.serviceName, account: Self.account, data: token.span)
  }

  func delete() async throws(KeyboardError) {
    do { try await vault.delete(service: Self.serviceName, account: Self.account) } catch .notFound {}
  }
}
// </page>

@Suite struct KeychainTests {
  private let key = [UInt8](0..<32)

  @Test func theClassOfThePageWorks() async throws {
    let folder = try Folder()
    let vault = try await Vault.open(path: folder.vault, key: key.span)
    let store = TokenStore(vault: vault)
    try await vault.add(service: "another", account: "kim", data: bytes("stays").span)
    #expect(try await count(store) == nil)
    try await store.create(token: bytes("one"))
    await #expect(throws: KeyboardError.exists) { try await store.create(token: bytes("two")) }
    #expect(try await count(store) == 3)
    try await store.update(token: bytes("three"))
    #expect(try await count(store) == 5)
    // Code for the keychain often changes every item here.
    let isOther = try await vault.read(service: "another", account: "kim").isEqual(to: bytes("stays").span)
    #expect(isOther)
    #expect(try await vault.items().map(\.kind) == ["password", "token"])
    try await store.delete()
    try await store.delete()
    #expect(try await count(store) == nil)
  }

  private func count(_ store: TokenStore) async throws -> Int? {
    guard let token = try await store.read() else { return nil }
    return token.count
  }

  @Test func thePageHasThisClass() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let code = try #require(source.components(separatedBy: "// <page>\n").dropFirst().first)
      .components(separatedBy: "// </page>")[0]
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let page = try String(contentsOf: root.appending(path: "Docs/Keychain.md"), encoding: .utf8)
    #expect(code.contains("struct TokenStore") && page.contains(code))
  }
}
