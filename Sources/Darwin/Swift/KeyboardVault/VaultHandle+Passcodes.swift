// Calls on a vault's passcodes, on phones.
// SPDX-License-Identifier: Apache-2.0

package import CCustomKeyboard
import CCustomVault
import CustomKeyboard
package import KeyboardCodes

extension VaultHandle {
  /// Bytes of the key that a passcode gives.
  package static var passcodeKeySize: Int { Int(CUSTOM_VAULT_PASSCODEKEYSIZE) }

  package func setPasscode(
    _ name: UnsafePointer<CChar>, _ keyboard: CUSTOM_KEYBOARD, _ policy: AttemptPolicy
  ) throws(KeyboardError) {
    var policy = CUSTOM_VAULT_POLICY(policy)
    try check(CustomVault_setPasscode(rawValue, name, keyboard, &policy))
  }

  /// - Parameters:
  ///   - key: nil, or gets `passcodeKeySize` bytes.
  ///   - state: is known after success, `.mismatch` and `.locked`.
  package func checkPasscode(
    _ name: UnsafePointer<CChar>, _ keyboard: CUSTOM_KEYBOARD, key: UnsafeMutableRawPointer?,
    _ state: inout AttemptState?
  ) throws(KeyboardError) {
    try telling(&state) { state in
      CustomVault_checkPasscode(rawValue, name, keyboard, key?.assumingMemoryBound(to: UInt8.self), &state)
    }
  }

  /// - Throws: `.refused` if nothing is typed on `next`; then nothing is counted.
  package func changePasscode(
    _ name: UnsafePointer<CChar>, _ current: CUSTOM_KEYBOARD, to next: CUSTOM_KEYBOARD, _ state: inout AttemptState?
  ) throws(KeyboardError) {
    try telling(&state) { state in CustomVault_changePasscode(rawValue, name, current, next, &state) }
  }

  package func resetPasscode(_ name: UnsafePointer<CChar>) throws(KeyboardError) {
    try check(CustomVault_resetPasscode(rawValue, name))
  }

  /// - Throws: `.locked` with `state` known.
  package func passcodeState(_ name: UnsafePointer<CChar>, _ state: inout AttemptState?) throws(KeyboardError) {
    try telling(&state) { state in CustomVault_passcodeState(rawValue, name, &state) }
  }

  package func setPolicy(_ name: UnsafePointer<CChar>, _ policy: AttemptPolicy) throws(KeyboardError) {
    var policy = CUSTOM_VAULT_POLICY(policy)
    try check(CustomVault_setPolicy(rawValue, name, &policy))
  }

  package func policy(_ name: UnsafePointer<CChar>) throws(KeyboardError) -> AttemptPolicy {
    var known = CUSTOM_VAULT_POLICY(AttemptPolicy())
    try check(CustomVault_policy(rawValue, name, &known))
    var policy = AttemptPolicy()
    (policy.triesToLock, policy.lockSeconds, policy.maximumLocks) =
      (known.triesToLock, known.lockSeconds, known.maximumLocks)
    return policy
  }
}

// MARK: - A passcode that opens the vault

extension VaultHandle {
  package func setPasscodeKey(
    _ keyboard: CUSTOM_KEYBOARD, pepper: UnsafeRawBufferPointer, _ policy: AttemptPolicy
  ) throws(KeyboardError) {
    var policy = CUSTOM_VAULT_POLICY(policy)
    try check(CustomVault_setPasscodeKey(rawValue, keyboard, pepper.bytes, pepper.count, &policy))
  }

  package func removePasscodeKey() throws(KeyboardError) { try check(CustomVault_removePasscodeKey(rawValue)) }

  /// - Parameter state: is known after success, `.mismatch` and `.locked`.
  package static func open(
    _ path: UnsafePointer<CChar>, _ keyboard: CUSTOM_KEYBOARD, pepper: UnsafeRawBufferPointer,
    _ state: inout AttemptState?
  ) throws(KeyboardError) -> VaultHandle {
    var vault: CUSTOM_VAULT = 0
    try telling(&state) { state in
      CustomVault_openWithPasscode(&vault, path, keyboard, pepper.bytes, pepper.count, &state)
    }
    return VaultHandle(rawValue: vault)
  }

  /// - Throws: `.locked` with `state` known.
  package static func passcodeKeyState(
    _ path: UnsafePointer<CChar>, _ state: inout AttemptState?
  ) throws(KeyboardError) {
    try telling(&state) { state in CustomVault_passcodeKeyState(path, &state) }
  }
}

/// Runs `body`, and tells the state that it knows. A function that knows none leaves the structure as it is: with more
/// tries than there can be.
private func telling(
  _ state: inout AttemptState?, _ body: (inout CUSTOM_VAULT_STATE) -> CUSTOM_KEYBOARD_RV
) throws(KeyboardError) {
  var known = CUSTOM_VAULT_STATE(
    size: MemoryLayout<CUSTOM_VAULT_STATE>.size, triesLeft: .max, secondsLeft: 0, locks: 0)
  let answer = body(&known)
  if known.triesLeft != .max {
    var attempts = AttemptState()
    (attempts.triesLeft, attempts.secondsLeft, attempts.locks) = (known.triesLeft, known.secondsLeft, known.locks)
    state = attempts
  }
  try check(answer)
}

extension CUSTOM_VAULT_POLICY {
  fileprivate init(_ policy: AttemptPolicy) {
    self.init(
      size: MemoryLayout<Self>.size, triesToLock: policy.triesToLock, lockSeconds: policy.lockSeconds,
      maximumLocks: policy.maximumLocks)
  }
}
