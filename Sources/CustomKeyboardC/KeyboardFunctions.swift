// The C functions of a keyboard. Conversion only: `KeyboardState` decides what is allowed when.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardArguments
import KeyboardMemory

func keyboard(_ handle: CUSTOM_KEYBOARD) -> KeyboardHandle { KeyboardHandle(SecureSlot(rawValue: handle)) }

@_cdecl("CustomKeyboard_create") @implementation
public func CustomKeyboard_create(_ handle: UnsafeMutablePointer<CUSTOM_KEYBOARD>?) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let handle = try given(handle)
    handle.pointee = try KeyboardHandle.create().number
  }
}

@_cdecl("CustomKeyboard_destroy") @implementation
public func CustomKeyboard_destroy(_ handle: CUSTOM_KEYBOARD) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).destroy() }
}

@_cdecl("CustomKeyboard_setEncKey") @implementation
public func CustomKeyboard_setEncKey(
  _ handle: CUSTOM_KEYBOARD, _ key: UnsafePointer<UInt8>?, _ keyLength: Int, _ way: CUSTOM_ENCWAY
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let way = try Way(way)
    try keyboard(handle).setEncKey(try inMemory(key, keyLength), way: way)
  }
}

@_cdecl("CustomKeyboard_open") @implementation
public func CustomKeyboard_open(_ handle: CUSTOM_KEYBOARD) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).open() }
}

@_cdecl("CustomKeyboard_close") @implementation
public func CustomKeyboard_close(_ handle: CUSTOM_KEYBOARD) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).close() }
}

@_cdecl("CustomKeyboard_input") @implementation
public func CustomKeyboard_input(
  _ handle: CUSTOM_KEYBOARD, _ utf8: UnsafePointer<UInt8>?, _ length: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).input(try readable(utf8, length)) }
}

@_cdecl("CustomKeyboard_deleteBackward") @implementation
public func CustomKeyboard_deleteBackward(_ handle: CUSTOM_KEYBOARD) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).deleteBackward() }
}

@_cdecl("CustomKeyboard_clear") @implementation
public func CustomKeyboard_clear(_ handle: CUSTOM_KEYBOARD) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).clear() }
}

@_cdecl("CustomKeyboard_count") @implementation
public func CustomKeyboard_count(
  _ handle: CUSTOM_KEYBOARD, _ characterCount: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let characterCount = try given(characterCount)
    characterCount.pointee = try keyboard(handle).characterCount()
  }
}

@_cdecl("CustomKeyboard_getText") @implementation
public func CustomKeyboard_getText(
  _ handle: CUSTOM_KEYBOARD, _ space: UnsafeMutablePointer<UInt8>?, _ spaceSize: Int,
  _ textOffset: UnsafeMutablePointer<Int>?, _ textLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.place(textOffset, textLength, in: space, spaceSize) { space throws(KeyboardError) in
    try keyboard(handle).getText(into: space)
  }
}
