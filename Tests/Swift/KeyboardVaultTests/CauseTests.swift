// What a vault's errors know beyond their codes.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardVault
import Testing

@Suite struct CauseTests {
  /// "KeyboardError.argument(.emptyPath)", or "none".
  private func fault(_ body: () throws -> Void) -> String {
    do { try body() } catch { return String(reflecting: error).split(separator: ":").first.map(String.init) ?? "" }
    return "none"
  }

  @Test func everyFaultNamesItsCause() throws {
    let folder = try Folder()
    let key = [UInt8](0..<32)
    let vault = try Vault(path: folder.vault, key: key.span)
    let closed = try Vault(path: folder.path + "/closed", key: key.span)
    try closed.close()
    let (typed, empty) = (try typing("483725"), try typing(""))
    try vault.setPasscode("app", typedOn: typed)
    guard case .wrong = try vault.checkPasscode("app", typedOn: typing("0")) else { fatalError("a wrong one is right") }
    var policy = Vault.PasscodePolicy()
    policy.triesToLock = 0
    let phrase = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon "
    func seed(_ words: String, _ passphrase: String = "") throws {
      _ = try Vault.Words.makeSeed(of: bytes(words).span, passphrase: bytes(passphrase).span)
    }
    let data = bytes("data")
    let faults: [(String, () throws -> Void)] = [
      (".argument(.emptyPath)", { _ = try Vault(path: "", key: key.span) }),
      (".argument(.nameOfSQLite)", { _ = try Vault(path: folder.vault + "-wal", key: key.span) }),
      (".key(.vaultKeyLength)", { _ = try Vault(path: folder.path + "/new", key: data.span) }),
      (".storage(.noFileName)", { _ = try Vault(path: folder.path + "/", key: key.span) }),
      (".argument(.noHandle)", { _ = try closed.items() }),
      (".argument(.emptyName)", { try vault.add(service: "", account: "kim", data: data.span) }),
      (
        ".argument(.longName)",
        { try vault.add(service: String(repeating: "a", count: 256), account: "kim", data: data.span) }
      ),
      (".argument(.nul)", { _ = try vault.items(service: "a\0") }),
      (
        ".tooLong(.data)",
        { try vault.add(service: "a", account: "b", data: [UInt8](repeating: 0, count: 65_537).span) }
      ),
      (".argument(.policy)", { try vault.setPasscode("new", typedOn: typed, policy: policy) }),
      (".refused(.nothingTyped)", { try vault.setPasscode("new", typedOn: empty) }),
      (".operationDisabled(.notOpen)", { try vault.setPasscode("new", typedOn: closedKeyboard()) }),
      (".operationDisabled(.inChange)", { try vault.change { try vault.backUp(to: folder.path + "/copy") } }),
      (".refused(.triesCounted)", { try vault.setPolicy(Vault.PasscodePolicy(), ofPasscode: "app") }),
      (
        ".tooLong(.pepper)",
        { try vault.setPasscodeKey(typedOn: typed, pepper: [UInt8](repeating: 0, count: 65).span) }
      ),
      (".argument(.wordCount)", { _ = try Vault.Words.generate(count: 13) }),
      (".argument(.passphrase)", { try seed(phrase + "about", "ä") }),
      (".refused(.wordCount)", { try seed(phrase) }),
      (".refused(.unknownWord)", { try seed(phrase + "abut") }),
      (".refused(.wordChecksum)", { try seed(phrase + "abandon") }),
      ("none", { try seed(phrase + "about") }),
    ]
    for (name, body) in faults {
      let found = fault(body)
      #expect(found == (name == "none" ? name : "KeyboardError" + name))
    }
  }
}
