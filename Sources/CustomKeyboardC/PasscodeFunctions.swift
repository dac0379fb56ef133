// The C functions for passcodes. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardArguments
import KeyboardMemory
import KeyboardRules

// MARK: - Rules

@_cdecl("CustomKeyboard_addRule") @implementation
public func CustomKeyboard_addRule(
  _ handle: CUSTOM_KEYBOARD, _ rule: CUSTOM_KEYBOARD_RULE, _ number: Int, _ text: UnsafePointer<UInt8>?,
  _ textLength: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let rule = try PasscodeRule(rule)
    try keyboard(handle).addRule(rule, number: number, text: try inMemory(text, textLength))
  }
}

@_cdecl("CustomKeyboard_clearRules") @implementation
public func CustomKeyboard_clearRules(_ handle: CUSTOM_KEYBOARD) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).clearRules() }
}

@_cdecl("CustomKeyboard_checkPattern") @implementation
public func CustomKeyboard_checkPattern(
  _ pattern: UnsafePointer<UInt8>?, _ patternLength: Int, _ position: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (pattern, position) = (try inMemory(pattern, patternLength), try given(position))
    guard let fault = try KeyboardHandle.fault(inPattern: pattern) else { return }
    position.pointee = fault
    throw .argument(.pattern)
  }
}

@_cdecl("CustomKeyboard_check") @implementation
public func CustomKeyboard_check(
  _ handle: CUSTOM_KEYBOARD, _ brokenRule: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let brokenRule = try given(brokenRule)
    guard let index = try keyboard(handle).firstBrokenRule() else { return }
    brokenRule.pointee = index
    throw .refused(.rule)
  }
}

@_cdecl("CustomKeyboard_ruleMessage") @implementation
public func CustomKeyboard_ruleMessage(_ rule: CUSTOM_KEYBOARD_RULE) -> UnsafePointer<CChar> {
  guard let rule = try? PasscodeRule(rule) else { return text("There is no such rule.") }
  return text(rule.message)
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
  return answering.length(verifierLength, in: start, capacity) { space throws(KeyboardError) in
    let pepper = try inMemory(pepper, pepperLength)
    try keepApart(pepper, space, longest: maximumPepperLength)
    // The last byte is for the NUL.
    let text = UnsafeMutableRawBufferPointer(start: space.baseAddress, count: max(space.count - 1, 0))
    do throws(KeyboardError) {
      let length = try keyboard(handle).makeVerifier(pepper: pepper, into: text)
      space[length] = 0
      return length
    } catch {
      if case .spaceTooSmall(let needed) = error { throw .spaceTooSmall(needed: needed + 1) }
      throw error
    }
  }
}

@_cdecl("CustomKeyboard_checkVerifier") @implementation
public func CustomKeyboard_checkVerifier(
  _ handle: CUSTOM_KEYBOARD, _ pepper: UnsafePointer<UInt8>?, _ pepperLength: Int, _ verifier: UnsafePointer<CChar>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (pepper, verifier) = (try inMemory(pepper, pepperLength), try given(verifier))
    try Residue.contained { () throws(KeyboardError) in
      try withCopy(of: verifier) { text throws(KeyboardError) in
        guard try keyboard(handle).checkVerifier(text, pepper: pepper) else { throw .mismatch }
      }
    }
  }
}

/// Lends a copy of a verifier, whose end is found while it is copied: another thread may change the caller's bytes. Of
/// a longer string it has one byte more than any verifier, and no further: what comes then may not be memory.
private func withCopy(
  of verifier: UnsafePointer<CChar>, _ body: (UnsafeRawBufferPointer) throws(KeyboardError) -> Void
) throws(KeyboardError) {
  var words = InlineArray<26, UInt64>(repeating: 0)
  try withUnsafeMutableBytes(of: &words) { memory throws(KeyboardError) in
    precondition(memory.count > KeyboardHandle.longestVerifier)
    var length = 0
    while length <= KeyboardHandle.longestVerifier {
      let byte = UInt8(bitPattern: verifier[length])
      guard byte != 0 else { break }
      memory[length] = byte
      length += 1
    }
    try body(UnsafeRawBufferPointer(rebasing: memory[..<length]))
  }
}
