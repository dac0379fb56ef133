// The C functions that do something with what is typed and keep nothing of it. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardArguments
import KeyboardRules

@_cdecl("CustomKeyboard_checkRule") @implementation
public func CustomKeyboard_checkRule(
  _ handle: CUSTOM_KEYBOARD, _ rule: CUSTOM_KEYBOARD_RULE, _ number: Int, _ text: UnsafePointer<UInt8>?,
  _ textLength: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (rule, text) = (try PasscodeRule(rule), try inMemory(text, textLength))
    guard try !keyboard(handle).isRefused(by: rule, number: number, text: text) else { throw .refused(.rule) }
  }
}

@_cdecl("CustomKeyboard_deriveKey") @implementation
public func CustomKeyboard_deriveKey(
  _ handle: CUSTOM_KEYBOARD, _ salt: UnsafePointer<UInt8>?, _ saltLength: Int, _ pepper: UnsafePointer<UInt8>?,
  _ pepperLength: Int, _ memoryKiB: UInt32, _ passes: UInt32, _ key: UnsafeMutablePointer<UInt8>?, _ keyLength: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (salt, pepper) = (try inMemory(salt, saltLength), try inMemory(pepper, pepperLength))
    let key = try writable(key, keyLength)
    try keepApart(salt, key, longest: salt.count)
    try keepApart(pepper, key, longest: maximumPepperLength)
    try keyboard(handle).deriveKey(salt: salt, pepper: pepper, memorySize: memoryKiB, passCount: passes, into: key)
  }
}

@_cdecl("CustomKeyboard_sealTyped") @implementation
public func CustomKeyboard_sealTyped(
  _ handle: CUSTOM_KEYBOARD, _ way: CUSTOM_ENCWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ context: UnsafePointer<UInt8>?, _ contextLength: Int, _ space: UnsafeMutablePointer<UInt8>?, _ spaceSize: Int,
  _ textOffset: UnsafeMutablePointer<Int>?, _ textLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.place(textOffset, textLength, in: space, spaceSize) { space throws(KeyboardError) in
    let (way, key) = (try SealingWay(way), try inMemory(key, keyLength))
    let context = try inMemory(context, contextLength)
    try keepApart(key, space, longest: way.publicKeyLengths.upperBound)
    try keepApart(context, space, longest: maximumContextLength)
    return try keyboard(handle).sealTyped(way, for: key, context: context, into: space)
  }
}
