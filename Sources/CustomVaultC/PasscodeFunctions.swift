// The C functions of passcodes. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
public import CCustomVault
import KeyboardArguments
import KeyboardCodes
import KeyboardMemory
import KeyboardVault

@_cdecl("CustomVault_setPasscode") @implementation
public func CustomVault_setPasscode(
  _ vault: CUSTOM_VAULT, _ name: UnsafePointer<CChar>?, _ keyboard: CUSTOM_KEYBOARD,
  _ policy: UnsafePointer<CUSTOM_VAULT_POLICY>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (name, policy) = (try given(name), try read(policy))
    try VaultHandle(rawValue: vault).setPasscode(name, keyboard, policy)
  }
}

@_cdecl("CustomVault_checkPasscode") @implementation
public func CustomVault_checkPasscode(
  _ vault: CUSTOM_VAULT, _ name: UnsafePointer<CChar>?, _ keyboard: CUSTOM_KEYBOARD,
  _ key: UnsafeMutablePointer<UInt8>?, _ state: UnsafeMutablePointer<CUSTOM_VAULT_STATE>?
) -> CUSTOM_KEYBOARD_RV {
  answering(state, apartFrom: key) { (known: inout AttemptState?) throws(KeyboardError) in
    try VaultHandle(rawValue: vault).checkPasscode(try given(name), keyboard, key: key, &known)
  }
}

@_cdecl("CustomVault_changePasscode") @implementation
public func CustomVault_changePasscode(
  _ vault: CUSTOM_VAULT, _ name: UnsafePointer<CChar>?, _ current: CUSTOM_KEYBOARD, _ next: CUSTOM_KEYBOARD,
  _ state: UnsafeMutablePointer<CUSTOM_VAULT_STATE>?
) -> CUSTOM_KEYBOARD_RV {
  answering(state) { (known: inout AttemptState?) throws(KeyboardError) in
    try VaultHandle(rawValue: vault).changePasscode(try given(name), current, to: next, &known)
  }
}

@_cdecl("CustomVault_resetPasscode") @implementation
public func CustomVault_resetPasscode(_ vault: CUSTOM_VAULT, _ name: UnsafePointer<CChar>?) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try VaultHandle(rawValue: vault).resetPasscode(try given(name)) }
}

@_cdecl("CustomVault_passcodeState") @implementation
public func CustomVault_passcodeState(
  _ vault: CUSTOM_VAULT, _ name: UnsafePointer<CChar>?, _ state: UnsafeMutablePointer<CUSTOM_VAULT_STATE>?
) -> CUSTOM_KEYBOARD_RV {
  answering(state) { (known: inout AttemptState?) throws(KeyboardError) in
    _ = try given(state)
    try VaultHandle(rawValue: vault).passcodeState(try given(name), &known)
  }
}

@_cdecl("CustomVault_policy") @implementation
public func CustomVault_policy(
  _ vault: CUSTOM_VAULT, _ name: UnsafePointer<CChar>?, _ policy: UnsafeMutablePointer<CUSTOM_VAULT_POLICY>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (name, policy) = (try given(name), try given(policy))
    let size = size(at: policy)
    guard holds(1, size), AddressSpace.holds(policy, byteCount: size) else { throw .argument(.structureSize) }
    let known = try VaultHandle(rawValue: vault).policy(name)
    write(known.triesToLock, known.lockSeconds, known.maximumLocks, to: policy, size)
  }
}

@_cdecl("CustomVault_setPolicy") @implementation
public func CustomVault_setPolicy(
  _ vault: CUSTOM_VAULT, _ name: UnsafePointer<CChar>?, _ policy: UnsafePointer<CUSTOM_VAULT_POLICY>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (name, policy) = (try given(name), try read(policy))
    try VaultHandle(rawValue: vault).setPolicy(name, policy)
  }
}

@_cdecl("CustomVault_listPasscodes") @implementation
public func CustomVault_listPasscodes(
  _ vault: CUSTOM_VAULT,
  _ each: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>) -> Int32)?,
  _ context: UnsafeMutableRawPointer?
) -> CUSTOM_KEYBOARD_RV {
  naming(each, context) { () throws(KeyboardError) in try VaultHandle(rawValue: vault).listPasscodes() }
}

// MARK: - A passcode that opens the vault

@_cdecl("CustomVault_setPasscodeKey") @implementation
public func CustomVault_setPasscodeKey(
  _ vault: CUSTOM_VAULT, _ keyboard: CUSTOM_KEYBOARD, _ pepper: UnsafePointer<UInt8>?, _ pepperLength: Int,
  _ policy: UnsafePointer<CUSTOM_VAULT_POLICY>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (pepper, policy) = (try readable(pepper, pepperLength), try read(policy))
    try VaultHandle(rawValue: vault).setPasscodeKey(keyboard, pepper: pepper, policy)
  }
}

@_cdecl("CustomVault_removePasscodeKey") @implementation
public func CustomVault_removePasscodeKey(_ vault: CUSTOM_VAULT) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try VaultHandle(rawValue: vault).removePasscodeKey() }
}

@_cdecl("CustomVault_openWithPasscode") @implementation
public func CustomVault_openWithPasscode(
  _ vault: UnsafeMutablePointer<CUSTOM_VAULT>?, _ path: UnsafePointer<CChar>?, _ keyboard: CUSTOM_KEYBOARD,
  _ pepper: UnsafePointer<UInt8>?, _ pepperLength: Int, _ state: UnsafeMutablePointer<CUSTOM_VAULT_STATE>?
) -> CUSTOM_KEYBOARD_RV {
  answering(state) { (known: inout AttemptState?) throws(KeyboardError) in
    let (vault, path, pepper) = (try given(vault), try given(path), try readable(pepper, pepperLength))
    vault.pointee = try VaultHandle.open(path, keyboard, pepper: pepper, &known).rawValue
  }
}

@_cdecl("CustomVault_passcodeKeyState") @implementation
public func CustomVault_passcodeKeyState(
  _ path: UnsafePointer<CChar>?, _ state: UnsafeMutablePointer<CUSTOM_VAULT_STATE>?
) -> CUSTOM_KEYBOARD_RV {
  answering(state) { (known: inout AttemptState?) throws(KeyboardError) in
    _ = try given(state)
    try VaultHandle.passcodeKeyState(try given(path), &known)
  }
}

// MARK: - Structures

/// A policy of the caller's, read once; the usual one for NULL.
///
/// - Throws: `.argument` for a size that holds no member.
func read(_ policy: UnsafePointer<CUSTOM_VAULT_POLICY>?) throws(KeyboardError) -> AttemptPolicy {
  var copy = AttemptPolicy()
  guard let policy else { return copy }
  let size = size(at: policy)
  let bytes = UnsafeRawPointer(policy)
  guard holds(1, size), AddressSpace.holds(bytes, byteCount: size) else { throw .argument(.structureSize) }
  copy.triesToLock = bytes.load(fromByteOffset: offset(of: 0), as: UInt32.self)
  if holds(2, size) { copy.lockSeconds = bytes.load(fromByteOffset: offset(of: 1), as: UInt32.self) }
  if holds(3, size) { copy.maximumLocks = bytes.load(fromByteOffset: offset(of: 2), as: UInt32.self) }
  return copy
}

/// Runs `body`, writes what is known of the tries to the caller's structure, and answers the code.
///
/// - Parameter key: a place for an answer that must not overlap the structure.
func answering(
  _ state: UnsafeMutablePointer<CUSTOM_VAULT_STATE>?, apartFrom key: UnsafeMutablePointer<UInt8>? = nil,
  _ body: (inout AttemptState?) throws(KeyboardError) -> Void
) -> CUSTOM_KEYBOARD_RV {
  let size = state.map { CustomVaultC.size(at: $0) } ?? 0
  var known: AttemptState?
  let rv = answeringUncancelled { () throws(KeyboardError) in
    if key != nil { _ = try writable(key, VaultHandle.passcodeKeySize) }
    if let state {
      guard holds(1, size), AddressSpace.holds(state, byteCount: size) else { throw .argument(.structureSize) }
      if let key {
        let (place, other) = (UInt(bitPattern: state), UInt(bitPattern: key))
        guard place + UInt(size) <= other || other + UInt(VaultHandle.passcodeKeySize) <= place
        else { throw .argument(.overlap) }
      }
    }
    try body(&known)
  }
  guard let state, let known,
    rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_MISMATCH || rv == CUSTOM_KEYBOARD_LOCKED
  else { return rv }
  write(known.triesLeft, known.secondsLeft, known.locks, to: state, size)
  return rv
}

/// Writes the numbers that a structure holds.
private func write(
  _ first: UInt32, _ second: UInt32, _ third: UInt32, to structure: UnsafeMutableRawPointer, _ size: Int
) {
  structure.storeBytes(of: first, toByteOffset: offset(of: 0), as: UInt32.self)
  if holds(2, size) { structure.storeBytes(of: second, toByteOffset: offset(of: 1), as: UInt32.self) }
  if holds(3, size) { structure.storeBytes(of: third, toByteOffset: offset(of: 2), as: UInt32.self) }
}

/// Both structures are a size and three numbers of 32 bits.
private func offset(of member: Int) -> Int { MemoryLayout<Int>.size + 4 * member }
private func holds(_ members: Int, _ size: Int) -> Bool { size >= offset(of: members) }
private func size(at structure: UnsafeRawPointer) -> Int { structure.load(as: Int.self) }
