// The passcode and the pattern, each the value of an authenticator: what it must be, set up, verified, changed,
// removed.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomKeyboard
import CCustomVault
import KeyboardMemory

extension Authenticator {
  /// Its name among the vault's passcodes.
  var name: UnsafePointer<CChar> {
    let name: StaticString = self == .passcode ? "CustomFido passcode" : "CustomFido pattern"
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

extension FidoState {
  // MARK: Options

  static func range(of option: CUSTOM_FIDO_OPTION, _ authenticator: Authenticator) -> ClosedRange<Int64>? {
    switch option {
    case CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK: return 1...1000
    case CUSTOM_FIDO_OPTION_LOCK_TIME: return 1...Int64(Int32.max)
    case CUSTOM_FIDO_OPTION_MAX_LOCK_COUNT: return 0...Int64(UInt32.max)
    case CUSTOM_FIDO_OPTION_MINIMUM_NODE_COUNT: return authenticator == .pattern ? 1...9 : nil
    default: break
    }
    guard authenticator == .passcode else { return nil }
    switch option {
    case CUSTOM_FIDO_OPTION_MIN_LENGTH, CUSTOM_FIDO_OPTION_MAX_LENGTH: return 0...128
    case CUSTOM_FIDO_OPTION_NUMBER_PAD, CUSTOM_FIDO_OPTION_SHUFFLE_DISABLE: return 0...1
    case CUSTOM_FIDO_OPTION_PASSCODE_TYPE: return 0...6
    default: return nil
    }
  }

  /// - Throws: 1001; 3015 for an option of locking while wrong tries are counted.
  func setOption(
    _ option: CUSTOM_FIDO_OPTION, of authenticator: Authenticator, to value: Int64
  ) throws(FidoResult) {
    guard let range = Self.range(of: option, authenticator), range ~= value,
      option != CUSTOM_FIDO_OPTION_PASSCODE_TYPE || value == 0 || value == 4 || value == 6
    else {
      throw FidoResult(
        CUSTOM_FIDO_INVALID_PARAMETER, "This authenticator has no such option, or the option's value is out of range.")
    }
    switch option {
    case CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, CUSTOM_FIDO_OPTION_LOCK_TIME, CUSTOM_FIDO_OPTION_MAX_LOCK_COUNT:
      try make(.policy(authenticator, option, value))
    default: break
    }
    set(option, of: authenticator, to: value)
  }

  /// How this client's options lock.
  private func policy(of authenticator: Authenticator) -> CUSTOM_VAULT_POLICY {
    var policy = CUSTOM_VAULT_POLICY()
    policy.size = MemoryLayout<CUSTOM_VAULT_POLICY>.size
    policy.triesToLock = UInt32(option(CUSTOM_FIDO_OPTION_RETRY_COUNT_TO_LOCK, of: authenticator))
    policy.lockSeconds = UInt32(option(CUSTOM_FIDO_OPTION_LOCK_TIME, of: authenticator))
    policy.maximumLocks = UInt32(option(CUSTOM_FIDO_OPTION_MAX_LOCK_COUNT, of: authenticator))
    return policy
  }

  func applyLayout(of authenticator: Authenticator, to keyboard: CUSTOM_KEYBOARD) throws(FidoResult) {
    let type = option(CUSTOM_FIDO_OPTION_PASSCODE_TYPE, of: authenticator)
    let isPad = type != 0 || option(CUSTOM_FIDO_OPTION_NUMBER_PAD, of: authenticator) != 0
    let isFixed = option(CUSTOM_FIDO_OPTION_SHUFFLE_DISABLE, of: authenticator) != 0
    let maximum = type != 0 ? type : option(CUSTOM_FIDO_OPTION_MAX_LENGTH, of: authenticator)
    let rv =
      authenticator == .pattern
      ? CustomKeyboard_setLayout(keyboard, CUSTOM_KEYBOARD_LAYOUT_PATTERN, CUSTOM_KEYBOARD_SHUFFLE_NONE, 0)
      : CustomKeyboard_setLayout(
        keyboard, isPad ? CUSTOM_KEYBOARD_LAYOUT_PIN : CUSTOM_KEYBOARD_LAYOUT_LETTERS,
        isFixed ? CUSTOM_KEYBOARD_SHUFFLE_NONE : CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, Int(maximum))
    guard rv == CUSTOM_KEYBOARD_OK else { throw FidoResult(keyboard: rv) }
  }

  /// Whether a value may be set: by the options, and by the rules that the app gave the keyboard.
  private func checkRules(_ keyboard: CUSTOM_KEYBOARD, for authenticator: Authenticator) throws(FidoResult) {
    func check(_ rule: CUSTOM_KEYBOARD_RULE, _ number: Int, _ text: StaticString? = nil) throws(FidoResult) {
      let rv = CustomKeyboard_checkRule(keyboard, rule, number, text?.utf8Start, text?.utf8CodeUnitCount ?? 0)
      guard rv == CUSTOM_KEYBOARD_OK else { throw FidoResult(keyboard: rv) }
    }
    let type = Int(option(CUSTOM_FIDO_OPTION_PASSCODE_TYPE, of: authenticator))
    if authenticator == .pattern {
      try check(CUSTOM_KEYBOARD_RULE_MIN_LENGTH, Int(option(CUSTOM_FIDO_OPTION_MINIMUM_NODE_COUNT, of: .pattern)))
      // What was typed on another layout is not a pattern that anyone can draw again.
      try check(CUSTOM_KEYBOARD_RULE_MAX_LENGTH, 9)
      try check(CUSTOM_KEYBOARD_RULE_DIGITS, 0)
      try check(CUSTOM_KEYBOARD_RULE_NOT_MATCH, 0, #"0|(.).*\1"#)
    } else if type != 0 {
      try check(CUSTOM_KEYBOARD_RULE_MIN_LENGTH, type)
      try check(CUSTOM_KEYBOARD_RULE_MAX_LENGTH, type)
      try check(CUSTOM_KEYBOARD_RULE_DIGITS, 0)
    } else {
      try check(CUSTOM_KEYBOARD_RULE_MIN_LENGTH, max(1, Int(option(CUSTOM_FIDO_OPTION_MIN_LENGTH, of: .passcode))))
      let maximum = Int(option(CUSTOM_FIDO_OPTION_MAX_LENGTH, of: .passcode))
      if maximum > 0 { try check(CUSTOM_KEYBOARD_RULE_MAX_LENGTH, maximum) }
      if option(CUSTOM_FIDO_OPTION_NUMBER_PAD, of: .passcode) != 0 { try check(CUSTOM_KEYBOARD_RULE_DIGITS, 0) }
    }
    var brokenRule = 0
    let rv = CustomKeyboard_check(keyboard, &brokenRule)
    guard rv == CUSTOM_KEYBOARD_OK else { throw FidoResult(keyboard: rv) }
  }

  // MARK: Verifying

  func state(of authenticator: Authenticator) throws(FidoResult) -> FidoResult {
    guard aaid(of: authenticator) != nil else { return FidoResult(CUSTOM_FIDO_STATE_NOT_SUPPORT) }
    var state = Self.untoldState
    guard try isSet(authenticator, &state) else { return FidoResult(CUSTOM_FIDO_STATE_NOT_REGISTERED) }
    return FidoResult(state.secondsLeft > 0 ? CUSTOM_FIDO_STATE_LOCKED : CUSTOM_FIDO_STATE_AVAILABLE)
  }

  /// - Parameter state: with its size; a copy of the caller's.
  func attempts(of authenticator: Authenticator, _ state: inout CUSTOM_VAULT_STATE) throws(FidoResult) {
    guard try isSet(authenticator, &state) else { throw FidoResult(CUSTOM_FIDO_STATE_NOT_REGISTERED) }
  }

  private func isSet(_ authenticator: Authenticator) throws(FidoResult) -> Bool {
    var state = Self.untoldState
    return try isSet(authenticator, &state)
  }

  /// Whether a value is set, with an AAID or without; and the state of its tries.
  private func isSet(_ authenticator: Authenticator, _ state: inout CUSTOM_VAULT_STATE) throws(FidoResult) -> Bool {
    let rv = CustomVault_passcodeState(vault, authenticator.name, &state)
    switch rv {
    case CUSTOM_KEYBOARD_OK, CUSTOM_KEYBOARD_LOCKED: return true
    case CUSTOM_KEYBOARD_NOT_FOUND: return false
    default: throw FidoResult(vault: rv)
    }
  }

  /// Sets an authenticator up with what was typed twice, unless it is set up already.
  func setUp(_ authenticator: Authenticator, _ keyboard: CUSTOM_KEYBOARD, _ again: CUSTOM_KEYBOARD) throws(FidoResult) {
    guard try !isSet(authenticator) else { return }
    let same = CustomKeyboard_compare(keyboard, again)
    guard same == CUSTOM_KEYBOARD_OK else { throw FidoResult(keyboard: same) }
    try checkRules(keyboard, for: authenticator)
    var policy = policy(of: authenticator)
    let rv = CustomVault_setPasscode(vault, authenticator.name, keyboard, &policy)
    guard rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_EXISTS else { throw FidoResult(vault: rv) }
  }

  /// Verifies the person.
  ///
  /// - Parameter key: gets the 32 bytes that only the right value gives; locked memory.
  /// - Throws: 3007, 3012, 3013, 3014; what the vault answers.
  func verify(
    _ authenticator: Authenticator, _ keyboard: CUSTOM_KEYBOARD, key: UnsafeMutableRawPointer
  ) throws(FidoResult) {
    var state = Self.untoldState
    let rv = CustomVault_checkPasscode(
      vault, authenticator.name, keyboard, key.assumingMemoryBound(to: UInt8.self), &state)
    switch rv {
    case CUSTOM_KEYBOARD_OK: return
    case CUSTOM_KEYBOARD_NOT_FOUND: throw FidoResult(CUSTOM_FIDO_STATE_NOT_REGISTERED)
    case CUSTOM_KEYBOARD_MISMATCH where !Self.isTold(state): throw FidoResult(vault: rv)
    case CUSTOM_KEYBOARD_MISMATCH, CUSTOM_KEYBOARD_LOCKED:
      if state.secondsLeft == .max { throw FidoResult(CUSTOM_FIDO_MAX_LOCK_COUNT_OVER) }
      let isLocked = rv == CUSTOM_KEYBOARD_LOCKED || state.secondsLeft > 0
      throw FidoResult(isLocked ? CUSTOM_FIDO_FAIL_VERIFY_LOCKED : CUSTOM_FIDO_FAIL_VERIFY)
    default: throw FidoResult(vault: rv)
    }
  }

  /// A state as the vault never tells it. If it is still the same after MISMATCH, no passcode was wrong, but another
  /// process has changed the vault's key.
  private static var untoldState: CUSTOM_VAULT_STATE {
    var state = CUSTOM_VAULT_STATE()
    state.size = MemoryLayout<CUSTOM_VAULT_STATE>.size
    state.triesLeft = .max
    return state
  }

  private static func isTold(_ state: CUSTOM_VAULT_STATE) -> Bool { state.triesLeft != .max }

  // MARK: Changing and removing

  func change(
    _ authenticator: Authenticator, from current: CUSTOM_KEYBOARD, to next: CUSTOM_KEYBOARD
  ) throws(FidoResult) -> FidoResult {
    guard current != 0, next != 0 else { return FidoResult(CUSTOM_FIDO_CHANGE_USER_CANCEL) }
    guard try isSet(authenticator) else { return FidoResult(CUSTOM_FIDO_CHANGE_INVALID) }
    try checkRules(next, for: authenticator)
    var state = Self.untoldState
    let rv = CustomVault_changePasscode(vault, authenticator.name, current, next, &state)
    switch rv {
    case CUSTOM_KEYBOARD_OK: return FidoResult(CUSTOM_FIDO_CHANGE_SUCCESS)
    case CUSTOM_KEYBOARD_MISMATCH where !Self.isTold(state): throw FidoResult(vault: rv)
    case CUSTOM_KEYBOARD_MISMATCH, CUSTOM_KEYBOARD_LOCKED: return FidoResult(CUSTOM_FIDO_CHANGE_FAIL)
    case CUSTOM_KEYBOARD_NOT_FOUND: return FidoResult(CUSTOM_FIDO_CHANGE_INVALID)
    default: throw FidoResult(vault: rv)
    }
  }

  /// Removes a value, and its keys.
  func reset(_ authenticator: Authenticator) throws(FidoResult) -> FidoResult {
    do throws(FidoResult) { return try make(.reset(authenticator)) } catch {
      // Here nothing has failed, and trying again does not help: no vault, or the child of a fork.
      guard error != FidoResult(CUSTOM_KEYBOARD_ARGUMENT), error != FidoResult(CUSTOM_KEYBOARD_OP_DISABLE)
      else { throw error }
      return FidoResult(CUSTOM_FIDO_RESET_FAIL)
    }
  }
}
