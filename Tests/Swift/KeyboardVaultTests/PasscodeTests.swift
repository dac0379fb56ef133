// Passcodes of a vault in Swift: the verdicts of tries, and locks.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardVault
import Testing

@Suite struct PasscodeTests {
  private let key = [UInt8](0..<32)

  @Test func triesAreCountedAndLock() throws {
    let folder = try Folder()
    let vault = try Vault(path: folder.vault, key: key.span)
    var policy = Vault.PasscodePolicy()
    policy.triesToLock = 2
    try vault.setPasscode("app", typedOn: typing("483725"), policy: policy)
    #expect(try vault.policy(ofPasscode: "app") == policy)
    #expect(throws: KeyboardError.notFound) { try vault.policy(ofPasscode: "none") }
    #expect(throws: KeyboardError.exists) { try vault.setPasscode("app", typedOn: typing("1")) }
    #expect(throws: KeyboardError.refused) { try vault.setPasscode("other", typedOn: typing("")) }
    #expect(throws: KeyboardError.operationDisabled) { _ = try vault.checkPasscode("app", typedOn: Keyboard()) }
    #expect(throws: KeyboardError.notFound) { _ = try vault.checkPasscode("other", typedOn: typing("1")) }
    for tries in [0, -1, 1001, .max] {
      policy.triesToLock = tries
      #expect(throws: KeyboardError.argument) { try vault.setPolicy(policy, ofPasscode: "app") }
    }
    #expect(try vault.passcodes() == ["app"])
    #expect(try vault.passcodeState("app").triesLeft == 2)

    guard case .right(let first) = try vault.checkPasscode("app", typedOn: typing("483725")) else {
      Issue.record("the right passcode is wrong")
      return
    }
    let count = first.count
    #expect(count == 32)
    guard case .wrong(let one) = try vault.checkPasscode("app", typedOn: typing("483726")) else {
      Issue.record("a wrong passcode is right")
      return
    }
    #expect(one.triesLeft == 1 && one.lock == .none)
    #expect(throws: KeyboardError.refused) { try vault.setPolicy(Vault.PasscodePolicy(), ofPasscode: "app") }
    guard case .wrong(let last)? = try vault.changePasscode("app", typedOn: typing("1"), to: typing("2")),
      case .seconds(1...300) = last.lock
    else {
      Issue.record("the last try sets no lock")
      return
    }
    guard case .locked(let locked) = try vault.checkPasscode("app", typedOn: typing("483725")) else {
      Issue.record("a locked passcode was tried")
      return
    }
    #expect(locked.triesLeft == 0 && locked.locks == 1)
    #expect(try vault.passcodeState("app").triesLeft == 0)
    try vault.resetPasscode("app")
    #expect(try vault.passcodes() == [])
  }

  @Test func theKeyStaysWhenThePasscodeChanges() async throws {
    let folder = try Folder()
    let vault = try await Vault.open(path: folder.vault, key: key.span)
    try await vault.setPasscode("app", typedOn: typing("483725"))
    let before = try await passcodeKey(vault, "483725")
    if let _ = try await vault.changePasscode("app", typedOn: typing("483725"), to: typing("한글")) {
      Issue.record("the right passcode is wrong")
    }
    #expect(try await passcodeKey(vault, "한글") == before)
    #expect(try await passcodeKey(vault, "483725") == nil)
    // The other forms with await.
    #expect(try await vault.passcodeState("app").triesLeft == 4)
    let policy = Vault.PasscodePolicy()
    await #expect(throws: KeyboardError.refused) { try await vault.setPolicy(policy, ofPasscode: "app") }
    #expect(try await passcodeKey(vault, "한글") == before)
    try await vault.setPolicy(policy, ofPasscode: "app")
    #expect(try await vault.policy(ofPasscode: "app") == policy)
    #expect(try await vault.passcodes() == ["app"])
    try await vault.resetPasscode("app")
    await #expect(throws: KeyboardError.notFound) { try await vault.passcodeState("app") }
  }

  private func passcodeKey(_ vault: Vault, _ passcode: String) async throws -> [UInt8]? {
    guard case .right(let key) = try await vault.checkPasscode("app", typedOn: typing(passcode)) else { return nil }
    return key.span.withUnsafeBytes { Array($0) }
  }
}
