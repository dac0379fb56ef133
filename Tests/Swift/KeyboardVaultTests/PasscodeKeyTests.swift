// A passcode that opens a vault, in Swift: the verdicts of tries, the pepper, and a vault that has nothing else.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Foundation
import KeyboardVault
import Testing

@Suite struct PasscodeKeyTests {
  private let key = [UInt8](0..<32)
  private let pepper = bytes("a pepper")

  @Test func aPasscodeOpensTheVaultAndItsTriesAreCounted() throws {
    let folder = try Folder()
    #expect(throws: KeyboardError.notFound) { try Vault.open(path: folder.vault, typedOn: typing("483725")) }
    #expect(throws: KeyboardError.notFound) { try Vault.passcodeKeyState(path: folder.vault) }
    #expect(!FileManager.default.fileExists(atPath: folder.vault))
    let vault = try Vault(path: folder.vault, key: key.span)
    try vault.add(service: "bank", account: "kim", data: bytes("a token").span)
    #expect(throws: KeyboardError.notFound) { try vault.removePasscodeKey() }
    var policy = Vault.PasscodePolicy()
    policy.triesToLock = 2
    try vault.setPasscodeKey(typedOn: typing("483725"), pepper: pepper.span, policy: policy)
    #expect(throws: KeyboardError.busy) { try Vault.passcodeKeyState(path: folder.vault) }
    #expect(throws: KeyboardError.busy) { try Vault.open(path: folder.vault, typedOn: typing("483725")) }
    try vault.close()

    #expect(try Vault.passcodeKeyState(path: folder.vault).triesLeft == 2)
    guard case .wrong(let one) = try Vault.open(path: folder.vault, typedOn: typing("483725")) else {
      Issue.record("the right passcode without its pepper is right")
      return
    }
    #expect(one.triesLeft == 1 && one.lock == .none)
    let right = try Vault.open(path: folder.vault, typedOn: typing("483725"), pepper: pepper.span)
    guard case .open(let opened) = right else { Issue.record("the right passcode is wrong"); return }
    #expect(try opened.read(service: "bank", account: "kim").count == 7)
    try opened.close()

    #expect(try Vault.passcodeKeyState(path: folder.vault).triesLeft == 2)
    for left in [1, 0] {
      guard case .wrong(let state) = try Vault.open(path: folder.vault, typedOn: typing("1"), pepper: pepper.span)
      else { Issue.record("a wrong passcode is right"); return }
      #expect(state.triesLeft == left)
    }
    let locked = try Vault.open(path: folder.vault, typedOn: typing("483725"), pepper: pepper.span)
    guard case .locked(let state) = locked, case .seconds(1...300) = state.lock else {
      Issue.record("a locked passcode was tried")
      return
    }
    #expect(try Vault.passcodeKeyState(path: folder.vault).locks == 1)
    // The key is not locked.
    let again = try Vault(path: folder.vault, key: key.span)
    try again.removePasscodeKey()
    try again.close()
    #expect(throws: KeyboardError.notFound) { try Vault.passcodeKeyState(path: folder.vault) }
  }

  @Test func theFormsWithAwaitDoTheSame() async throws {
    let folder = try Folder()
    let vault = try await Vault.open(path: folder.vault, key: key.span)
    try await vault.setPasscodeKey(typedOn: typing("483725"), pepper: pepper.span)
    try await vault.close()
    #expect(try await Vault.passcodeKeyState(path: folder.vault).triesLeft == 5)
    guard case .wrong = try await Vault.open(path: folder.vault, typedOn: typing("483725")) else {
      Issue.record("the right passcode without its pepper is right")
      return
    }
    let right = try await Vault.open(path: folder.vault, typedOn: typing("483725"), pepper: pepper.span)
    guard case .open(let opened) = right else { Issue.record("the right passcode is wrong"); return }
    try await opened.removePasscodeKey()
    try await opened.close()
    await #expect(throws: KeyboardError.notFound) { try await Vault.passcodeKeyState(path: folder.vault) }
  }

  /// A key that nobody keeps: what the tool's `init --passcode` does.
  @Test func anotherPasscodeReplacesTheOneThatOpensTheVault() async throws {
    let folder = try Folder()
    try await Vault.open(path: folder.vault, key: key.span).setPasscodeKey(typedOn: typing("483725"))
    guard case .open(let opened) = try await Vault.open(path: folder.vault, typedOn: typing("483725")) else {
      Issue.record("the right passcode is wrong")
      return
    }
    try await opened.setPasscodeKey(typedOn: typing("한글"))
    try await opened.close()
    guard case .wrong = try await Vault.open(path: folder.vault, typedOn: typing("483725")),
      case .open(let again) = try await Vault.open(path: folder.vault, typedOn: typing("한글"))
    else {
      Issue.record("it was not replaced")
      return
    }
    // Another key removes the passcode.
    try await again.changeKey(to: key.span)
    try await again.close()
    await #expect(throws: KeyboardError.notFound) { try await Vault.passcodeKeyState(path: folder.vault) }
    try await Vault.open(path: folder.vault, key: key.span).close()
  }

  @Test func eachFailureIsTheErrorOfItsCode() throws {
    let folder = try Folder()
    let vault = try Vault(path: folder.vault, key: key.span)
    let long = [UInt8](repeating: 7, count: 65)
    var policy = Vault.PasscodePolicy()
    policy.lockSeconds = 0
    #expect(throws: KeyboardError.argument) { try vault.setPasscodeKey(typedOn: typing("1"), policy: policy) }
    #expect(throws: KeyboardError.refused) { try vault.setPasscodeKey(typedOn: typing("")) }
    for (keyboard, error) in [(try typing("1"), KeyboardError.tooLong), (try Keyboard(), .operationDisabled)] {
      #expect(throws: error) { try vault.setPasscodeKey(typedOn: keyboard, pepper: long.span) }
      #expect(throws: error) { try Vault.open(path: folder.vault, typedOn: keyboard, pepper: long.span) }
    }
    for path in ["", folder.vault + "\0"] {
      #expect(throws: KeyboardError.argument) { try Vault.open(path: path, typedOn: typing("1")) }
      #expect(throws: KeyboardError.argument) { try Vault.passcodeKeyState(path: path) }
    }
    try vault.close()
    #expect(throws: KeyboardError.argument) { try vault.setPasscodeKey(typedOn: typing("1")) }
    #expect(throws: KeyboardError.argument) { try vault.removePasscodeKey() }
  }

  /// A copy of a long pepper is cut off, and still is too long.
  @Test func aLongPepperIsTooLongWithAwait() async throws {
    let folder = try Folder()
    let vault = try await Vault.open(path: folder.vault, key: key.span)
    let (path, long) = (folder.vault, [UInt8](repeating: 7, count: 100_000))
    for (keyboard, error) in [(try typing("1"), KeyboardError.tooLong), (try Keyboard(), .operationDisabled)] {
      await #expect(throws: error) { try await vault.setPasscodeKey(typedOn: keyboard, pepper: long.span) }
      await #expect(throws: error) { try await Vault.open(path: path, typedOn: keyboard, pepper: long.span) }
    }
  }
}
