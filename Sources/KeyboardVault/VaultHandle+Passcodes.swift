// Calls on a vault's passcodes.
// SPDX-License-Identifier: Apache-2.0

package import CCustomKeyboard
package import KeyboardCodes
import KeyboardMemory

extension VaultHandle {
  /// Bytes of the key that a passcode gives.
  package static var passcodeKeySize: Int { PasscodeRecord.keySize }

  /// - Throws: `.argument` for a policy out of range, or no such keyboard; `.operationDisabled`; `.refused` if nothing
  ///   is typed; `.exists`.
  package func setPasscode(
    _ name: UnsafePointer<CChar>, _ keyboard: CUSTOM_KEYBOARD, _ policy: AttemptPolicy
  ) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      let name = try vault.copyName(name)
      guard policy.isValid else { throw .argument(.policy) }
      let typed = TypedText(keyboard: keyboard)
      try typed.checkIsNotEmpty()
      try vault.setPasscode(name, typed, policy)
    }
  }

  /// - Parameters:
  ///   - key: nil, or gets `passcodeKeySize` bytes.
  ///   - state: is known after success, `.mismatch` and `.locked`.
  package func checkPasscode(
    _ name: UnsafePointer<CChar>, _ keyboard: CUSTOM_KEYBOARD, key: UnsafeMutableRawPointer?,
    _ state: inout AttemptState?
  ) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      let name = try vault.copyName(name)
      let typed = TypedText(keyboard: keyboard)
      try typed.checkIsOpen()
      try vault.refuseInChange()
      try vault.tryPasscode(name, typed, next: nil, keepsKey: key != nil, &state)
      key?.copyMemory(from: vault.record.key, byteCount: PasscodeRecord.keySize)
    }
  }

  /// - Throws: `.refused` if nothing is typed on `next`; then nothing is counted.
  package func changePasscode(
    _ name: UnsafePointer<CChar>, _ current: CUSTOM_KEYBOARD, to next: CUSTOM_KEYBOARD, _ state: inout AttemptState?
  ) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      let name = try vault.copyName(name)
      let (typed, next) = (TypedText(keyboard: current), TypedText(keyboard: next))
      try TypedText.checkAreUp(typed, next)
      try vault.refuseInChange()
      try next.checkIsNotEmpty()
      try vault.tryPasscode(name, typed, next: next, keepsKey: false, &state)
    }
  }

  package func resetPasscode(_ name: UnsafePointer<CChar>) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      try vault.delete(from: .passcode, vault.none, try vault.copyName(name))
      vault.database.emptyWAL()
    }
  }

  /// - Throws: `.locked` with `state` known.
  package func passcodeState(
    _ name: UnsafePointer<CChar>, _ state: inout AttemptState?
  ) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      let found = try vault.passcodeState(try vault.copyName(name))
      state = found
      if found.secondsLeft > 0 { throw .locked }
    }
  }

  package func setPolicy(_ name: UnsafePointer<CChar>, _ policy: AttemptPolicy) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      let name = try vault.copyName(name)
      guard policy.isValid else { throw .argument(.policy) }
      try vault.setPolicy(name, policy)
    }
  }

  package func policy(_ name: UnsafePointer<CChar>) throws(KeyboardError) -> AttemptPolicy {
    try using { vault throws(KeyboardError) in try vault.policy(try vault.copyName(name)) }
  }

  package func listPasscodes() throws(KeyboardError) -> VaultList {
    // What cannot be copied cannot be a closure's result.
    var list: VaultList?
    try using { vault throws(KeyboardError) in list = try vault.list(.passcode, service: nil) }
    return list.take()!
  }
}

// MARK: - A passcode that opens the vault

extension VaultHandle {
  /// - Throws: `.tooLong` for a pepper of more than 64 bytes.
  private static func check(_ pepper: UnsafeRawBufferPointer) throws(KeyboardError) {
    guard pepper.count <= 64 else { throw .tooLong(.pepper) }
  }

  /// - Throws: `.operationDisabled`, `.tooLong`, `.refused` if nothing is typed.
  package func setPasscodeKey(
    _ keyboard: CUSTOM_KEYBOARD, pepper: UnsafeRawBufferPointer, _ policy: AttemptPolicy
  ) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      guard policy.isValid else { throw .argument(.policy) }
      let typed = TypedText(keyboard: keyboard)
      try typed.checkIsOpen()
      try Self.check(pepper)
      try typed.checkIsNotEmpty()
      try vault.setPasscodeKey(typed, pepper: pepper, policy)
    }
  }

  package func removePasscodeKey() throws(KeyboardError) {
    try using { vault throws(KeyboardError) in try vault.removePasscodeKey() }
  }

  /// - Parameter state: is known after success, `.mismatch` and `.locked`.
  package static func open(
    _ path: UnsafePointer<CChar>, _ keyboard: CUSTOM_KEYBOARD, pepper: UnsafeRawBufferPointer,
    _ state: inout AttemptState?
  ) throws(KeyboardError) -> VaultHandle {
    try whole { () throws(KeyboardError) in
      guard path.pointee != 0 else { throw .argument(.emptyPath) }
      guard !ForkMark.isInChild else { throw .operationDisabled(.forked) }
      let typed = TypedText(keyboard: keyboard)
      try typed.checkIsOpen()
      try check(pepper)
      return try withNewVault(path) { vault, file throws(KeyboardError) in
        try vault.open(file, typed, pepper: pepper, &state)
      }!
    }
  }

  /// - Throws: `.locked` with `state` known.
  package static func passcodeKeyState(
    _ path: UnsafePointer<CChar>, _ state: inout AttemptState?
  ) throws(KeyboardError) {
    try whole { () throws(KeyboardError) in
      guard !ForkMark.isInChild else { throw .operationDisabled(.forked) }
      var found = AttemptState()
      _ = try withNewVault(path) { vault, file throws(KeyboardError) in
        found = try vault.passcodeKeyState(of: file)
        return nil
      }
      state = found
      if found.secondsLeft > 0 { throw .locked }
    }
  }
}

extension OpenVault {
  /// Copies the name of a passcode or of words to where an item's account would be.
  ///
  /// - Throws: `.argument` if it is empty, longer than 255 bytes or not UTF-8.
  func copyName(_ name: UnsafePointer<CChar>) throws(KeyboardError) -> UnsafeRawBufferPointer {
    try copy(name, as: .account, shortest: 1)
  }
}
