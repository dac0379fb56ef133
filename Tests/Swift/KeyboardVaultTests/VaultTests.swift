// The Swift interface of a vault: what goes in comes out, in both forms, and each failure is the error of its C twin.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardVault
import Testing

@Suite struct VaultTests {
  private let key = [UInt8](0..<32)
  private let otherKey = [UInt8](32..<64)

  @Test func keepsItemsBetweenOpenings() throws {
    let folder = try Folder()
    do {
      let vault = try Vault(path: folder.vault, key: key.span)
      try vault.add(service: "bank", account: "kim", label: "Kim's", kind: "token", data: bytes("one").span)
      try vault.add(service: "bank", account: "아이", data: bytes("").span)
      try vault.add(service: "a shop", account: "kim", data: [UInt8](repeating: 7, count: 65_536).span)
      #expect(try text(vault.read(service: "bank", account: "kim")) == "one")
    }
    // The last reference is gone, so the file may be opened again.
    let vault = try Vault(path: folder.vault, key: key.span)
    let items = try vault.items()
    #expect(
      items.map { "\($0.service), \($0.account), \($0.label), \($0.kind), \($0.byteCount)" } == [
        "a shop, kim, , password, 65536", "bank, kim, Kim's, token, 3", "bank, 아이, , password, 0",
      ])
    #expect(items.allSatisfy { $0.created > 1_700_000_000 && $0.modified >= $0.created })
    #expect(try vault.items(service: "bank").map(\.account) == ["kim", "아이"])
    #expect(try text(vault.read(service: "bank", account: "아이")) == "")
    // Swift 6.3.1 crashes on `read(…).span.withUnsafeBytes` in one expression.
    let data = try vault.read(service: "a shop", account: "kim")
    let isWhole = data.span.withUnsafeBytes { data in data.count == 65_536 && data.allSatisfy { $0 == 7 } }
    #expect(isWhole)
  }

  @Test func changesOneItemAndNoOther() throws {
    let folder = try Folder()
    let vault = try Vault(path: folder.vault, key: key.span)
    for account in ["one", "two"] {
      try vault.add(service: "bank", account: account, label: "a label", data: bytes("old").span)
    }
    try vault.update(service: "bank", account: "one", kind: "token", data: bytes("new").span)
    try vault.replace(service: "bank", account: "one", expected: bytes("new").span, data: bytes("newer").span)
    #expect(throws: KeyboardError.mismatch) {
      try vault.replace(service: "bank", account: "one", expected: bytes("new").span, data: bytes("lost").span)
    }
    #expect(try text(vault.read(service: "bank", account: "one")) == "newer")
    #expect(try text(vault.read(service: "bank", account: "two")) == "old")
    #expect(try vault.items().map { "\($0.label), \($0.kind)" } == ["a label, token", "a label, password"])
    try vault.delete(service: "bank", account: "one")
    #expect(try vault.items().map(\.account) == ["two"])
  }

  private struct Other: Error {}

  @Test func aChangeIsWholeOrAbsent() throws {
    let folder = try Folder()
    let vault = try Vault(path: folder.vault, key: key.span)
    try vault.add(service: "bank", account: "token", data: bytes("old").span)
    let count = try vault.change {
      try vault.update(service: "bank", account: "token", data: bytes("new").span)
      try vault.add(service: "bank", account: "refresh token", data: bytes("new").span)
      return try vault.items().count
    }
    #expect(count == 2)
    #expect(throws: Other.self) {
      try vault.change {
        try vault.delete(service: "bank", account: "token")
        throw Other()
      }
    }
    #expect(throws: KeyboardError.notFound) {
      try vault.change {
        try vault.delete(service: "bank", account: "token")
        try vault.delete(service: "bank", account: "no such token")
      }
    }
    #expect(throws: KeyboardError.operationDisabled) { try vault.change { try vault.change {} } }
    #expect(throws: KeyboardError.operationDisabled) { try vault.change { try vault.close() } }
    // What cannot be copied is returned, too.
    let token = try vault.change { try vault.read(service: "bank", account: "token") }
    #expect(text(token) == "new")
    #expect(try vault.items().map(\.account) == ["refresh token", "token"])
    try vault.close()
    #expect(throws: KeyboardError.argument) { try vault.change {} }
  }

  @Test func aChangeWithAwaitIsWholeOrAbsent() async throws {
    let folder = try Folder()
    let vault = try await Vault.open(path: folder.vault, key: key.span)
    try await vault.change { [key] in
      // What is caught inside takes nothing along.
      #expect(throws: KeyboardError.operationDisabled) { try vault.changeKey(to: key.span) }
      try vault.add(service: "bank", account: "token", data: bytes("new").span)
    }
    await #expect(throws: Other.self) {
      try await vault.change {
        try vault.delete(service: "bank", account: "token")
        throw Other()
      }
    }
    let token = try await vault.change { try vault.read(service: "bank", account: "token") }
    #expect(text(token) == "new")
  }

  @Test func theFormsWithAwaitDoTheSame() async throws {
    let folder = try Folder()
    let vault = try await Vault.open(path: folder.vault, key: key.span)
    try await vault.add(service: "bank", account: "kim", label: "Kim's", kind: "token", data: bytes("one").span)
    try await vault.update(service: "bank", account: "kim", data: bytes("two").span)
    try await vault.replace(service: "bank", account: "kim", expected: bytes("two").span, data: bytes("three").span)
    let long = [UInt8](repeating: 7, count: 65_537)
    await #expect(throws: KeyboardError.tooLong) {
      try await vault.update(service: "bank", account: "kim", data: long.span)
    }
    await #expect(throws: KeyboardError.mismatch) {
      try await vault.replace(service: "bank", account: "kim", expected: long.span, data: bytes("").span)
    }
    let data = try await vault.read(service: "bank", account: "kim")
    let newest = text(data)
    #expect(newest == "three")
    let items = try await vault.items(service: "bank")
    #expect(items.map { "\($0.account), \($0.label), \($0.kind)" } == ["kim, Kim's, token"])
    try await vault.changeKey(to: otherKey.span)
    try await vault.backUp(to: folder.path + "/copy")
    try await vault.delete(service: "bank", account: "kim")
    try await vault.close()
    await #expect(throws: KeyboardError.argument) { try await vault.items() }
    for (name, count) in [("vault", 0), ("copy", 1)] {
      let path = folder.path + "/" + name
      await #expect(throws: KeyboardError.mismatch) { try await Vault.open(path: path, key: key.span) }
      #expect(try await Vault.open(path: path, key: otherKey.span).items().count == count)
    }
  }

  @Test func eachFailureIsTheErrorOfItsCode() throws {
    let folder = try Folder()
    #expect(throws: KeyboardError.key) { try Vault(path: folder.vault, key: key.span.extracting(first: 31)) }
    #expect(throws: KeyboardError.argument) { try Vault(path: "", key: key.span) }
    #expect(throws: KeyboardError.argument) { try Vault(path: folder.vault + "\0", key: key.span) }
    #expect(throws: KeyboardError.storage) { try Vault(path: folder.path, key: key.span) }
    let vault = try Vault(path: folder.vault, key: key.span)
    #expect(throws: KeyboardError.busy) { try Vault(path: folder.vault, key: key.span) }
    try vault.add(service: "bank", account: "kim", data: bytes("one").span)
    #expect(throws: KeyboardError.exists) { try vault.add(service: "bank", account: "kim", data: bytes("").span) }
    #expect(throws: KeyboardError.notFound) { _ = try vault.read(service: "bank", account: "Kim") }
    #expect(throws: KeyboardError.notFound) { try vault.delete(service: "bank", account: "Kim") }
    #expect(throws: KeyboardError.exists) { try vault.backUp(to: folder.vault) }
    let long = [UInt8](repeating: 7, count: 65_537)
    #expect(throws: KeyboardError.tooLong) { try vault.update(service: "bank", account: "kim", data: long.span) }
    // A name with a NUL is not the shorter one that C would read.
    for (service, account) in [("bank\0", "kim"), ("bank", "kim\0x"), ("", "kim"), ("bank", "")] {
      #expect(throws: KeyboardError.argument) { _ = try vault.read(service: service, account: account) }
      #expect(throws: KeyboardError.argument) { try vault.delete(service: service, account: account) }
    }
    for name in ["l\0", String(repeating: "x", count: 256)] {
      #expect(throws: KeyboardError.argument) { try vault.add(service: "b", account: "k", label: name, data: key.span) }
      #expect(throws: KeyboardError.argument) { try vault.add(service: "b", account: "k", kind: name, data: key.span) }
    }
    #expect(throws: KeyboardError.argument) { try vault.items(service: "") }
    #expect(try vault.items().count == 1)
    try vault.close()
    #expect(throws: KeyboardError.argument) { try vault.close() }
  }

  private func text(_ data: borrowing SecretBytes) -> String {
    data.span.withUnsafeBytes { data in String(decoding: data, as: UTF8.self) }
  }
}
