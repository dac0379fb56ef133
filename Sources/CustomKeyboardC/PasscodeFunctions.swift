// The C functions for passcodes. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardRules

// MARK: - Rules

@_cdecl("CustomKeyboard_addRule") @implementation
public func CustomKeyboard_addRule(
  _ handle: CUSTOM_KEYBOARD, _ rule: CUSTOM_KEYBOARD_RULE, _ number: Int, _ text: UnsafePointer<UInt8>?,
  _ textLength: Int
) -> CUSTOM_KEYBOARD_RV {
  guard let rule = PasscodeRule(rule), let text = readable(text, textLength), text.isInMemory
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in try keyboard(handle).addRule(rule, number: number, text: text) }
}

@_cdecl("CustomKeyboard_clearRules") @implementation
public func CustomKeyboard_clearRules(_ handle: CUSTOM_KEYBOARD) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).clearRules() }
}

@_cdecl("CustomKeyboard_checkPattern") @implementation
public func CustomKeyboard_checkPattern(
  _ pattern: UnsafePointer<UInt8>?, _ patternLength: Int, _ position: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  guard let pattern = readable(pattern, patternLength), pattern.isInMemory, let position
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in
    guard let fault = try KeyboardHandle.fault(inPattern: pattern) else { return }
    position.pointee = fault
    throw .argument(.pattern)
  }
}

@_cdecl("CustomKeyboard_check") @implementation
public func CustomKeyboard_check(
  _ handle: CUSTOM_KEYBOARD, _ brokenRule: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  guard let brokenRule else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in
    guard let index = try keyboard(handle).firstBrokenRule() else { return }
    brokenRule.pointee = index
    throw .refused
  }
}

@_cdecl("CustomKeyboard_ruleMessage") @implementation
public func CustomKeyboard_ruleMessage(_ rule: CUSTOM_KEYBOARD_RULE) -> UnsafePointer<CChar> {
  let message: StaticString = PasscodeRule(rule)?.message ?? "There is no such rule."
  return UnsafeRawPointer(message.utf8Start).assumingMemoryBound(to: CChar.self)
}

extension PasscodeRule {
  init?(_ rule: CUSTOM_KEYBOARD_RULE) {
    guard let code = UInt8(exactly: rule.rawValue) else { return nil }
    self.init(rawValue: code)
  }
}

// MARK: - Comparison and verifiers

@_cdecl("CustomKeyboard_compare") @implementation
public func CustomKeyboard_compare(_ handle: CUSTOM_KEYBOARD, _ other: CUSTOM_KEYBOARD) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    guard try keyboard(handle).hasSamePassword(as: keyboard(other)) else { throw .mismatch }
  }
}

@_cdecl("CustomKeyboard_makeVerifier") @implementation
public func CustomKeyboard_makeVerifier(
  _ handle: CUSTOM_KEYBOARD, _ pepper: UnsafePointer<UInt8>?, _ pepperLength: Int,
  _ verifier: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ verifierLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  let start = UnsafeMutableRawPointer(verifier)?.assumingMemoryBound(to: UInt8.self)
  guard let pepper = readable(pepper, pepperLength), pepper.isInMemory,
    let space = writable(start, capacity), let verifierLength, !overlap(verifierLength, space),
    !overlap(UnsafeMutableRawBufferPointer(mutating: pepper), space)
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  // The last byte is for the NUL.
  let room = UnsafeMutableRawBufferPointer(rebasing: space.dropLast())
  do throws(KeyboardError) {
    let length = try keyboard(handle).makeVerifier(pepper: pepper, into: room)
    space[length] = 0
    verifierLength.pointee = length
    return CUSTOM_KEYBOARD_OK
  } catch {
    if case .spaceTooSmall(let needed) = error { verifierLength.pointee = needed + 1 }
    return CUSTOM_KEYBOARD_RV(error.code)
  }
}

@_cdecl("CustomKeyboard_checkVerifier") @implementation
public func CustomKeyboard_checkVerifier(
  _ handle: CUSTOM_KEYBOARD, _ pepper: UnsafePointer<UInt8>?, _ pepperLength: Int, _ verifier: UnsafePointer<CChar>?
) -> CUSTOM_KEYBOARD_RV {
  guard let pepper = readable(pepper, pepperLength), pepper.isInMemory, let verifier
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  // One byte more than any verifier has, and no further: what comes then may not be memory.
  var length = 0
  while length <= KeyboardHandle.longestVerifier, verifier[length] != 0 { length += 1 }
  return answering { () throws(KeyboardError) in
    let text = UnsafeRawBufferPointer(start: verifier, count: length)
    guard try keyboard(handle).checkVerifier(text, pepper: pepper) else { throw .mismatch }
  }
}
