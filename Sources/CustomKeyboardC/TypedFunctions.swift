// The C functions that do something with what is typed and keep nothing of it. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardRules

@_cdecl("CustomKeyboard_checkRule") @implementation
public func CustomKeyboard_checkRule(
  _ handle: CUSTOM_KEYBOARD, _ rule: CUSTOM_KEYBOARD_RULE, _ number: Int, _ text: UnsafePointer<UInt8>?,
  _ textLength: Int
) -> CUSTOM_KEYBOARD_RV {
  guard let rule = PasscodeRule(rule), let text = readable(text, textLength), text.isInMemory
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in
    guard try !keyboard(handle).isRefused(by: rule, number: number, text: text) else { throw .refused }
  }
}

@_cdecl("CustomKeyboard_deriveKey") @implementation
public func CustomKeyboard_deriveKey(
  _ handle: CUSTOM_KEYBOARD, _ salt: UnsafePointer<UInt8>?, _ saltLength: Int, _ pepper: UnsafePointer<UInt8>?,
  _ pepperLength: Int, _ memoryKiB: UInt32, _ passes: UInt32, _ key: UnsafeMutablePointer<UInt8>?, _ keyLength: Int
) -> CUSTOM_KEYBOARD_RV {
  guard let salt = readable(salt, saltLength), salt.isInMemory,
    let pepper = readable(pepper, pepperLength), pepper.isInMemory,
    let key = writable(key, keyLength), !overlap(UnsafeMutableRawBufferPointer(mutating: salt), key),
    !overlap(UnsafeMutableRawBufferPointer(mutating: pepper), key)
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in
    try keyboard(handle).deriveKey(salt: salt, pepper: pepper, memorySize: memoryKiB, passCount: passes, into: key)
  }
}

@_cdecl("CustomKeyboard_sealTyped") @implementation
public func CustomKeyboard_sealTyped(
  _ handle: CUSTOM_KEYBOARD, _ way: CUSTOM_ENCWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ context: UnsafePointer<UInt8>?, _ contextLength: Int, _ space: UnsafeMutablePointer<UInt8>?, _ spaceSize: Int,
  _ textOffset: UnsafeMutablePointer<Int>?, _ textLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  guard let way = SealingWay(way), let key = readable(key, keyLength), key.isInMemory,
    let context = readable(context, contextLength), context.isInMemory,
    let space = writable(space, spaceSize), let textOffset, let textLength,
    !overlap(UnsafeMutableRawBufferPointer(mutating: key), space),
    !overlap(UnsafeMutableRawBufferPointer(mutating: context), space)
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answeringPlace(textOffset, textLength, in: space) { () throws(KeyboardError) in
    try keyboard(handle).sealTyped(way, for: key, context: context, into: space)
  }
}
