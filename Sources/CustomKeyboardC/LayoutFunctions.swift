// The C functions of layout and touch. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardArguments
import KeyboardLayout

@_cdecl("CustomKeyboard_setLayout") @implementation
public func CustomKeyboard_setLayout(
  _ handle: CUSTOM_KEYBOARD, _ layout: CUSTOM_KEYBOARD_LAYOUT, _ shuffle: CUSTOM_KEYBOARD_SHUFFLE, _ maximumCount: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    guard let kind = UInt8(exactly: layout.rawValue).flatMap(LayoutKind.init(rawValue:)),
      let shuffle = UInt8(exactly: shuffle.rawValue).flatMap(ShuffleKind.init(rawValue:))
    else { throw .argument(.layout) }
    // A maximum that reads as negative here is more than any password has.
    let maximum = maximumCount < 0 ? Int.max : maximumCount
    try keyboard(handle).setLayout(kind, shuffle: shuffle, maximumCount: maximum)
  }
}

@_cdecl("CustomKeyboard_setSize") @implementation
public func CustomKeyboard_setSize(
  _ handle: CUSTOM_KEYBOARD, _ width: Double, _ height: Double, _ columnGap: Double, _ rowGap: Double
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    try keyboard(handle).setSize(ViewSize(width: width, height: height, columnGap: columnGap, rowGap: rowGap))
  }
}

@_cdecl("CustomKeyboard_keys") @implementation
public func CustomKeyboard_keys(
  _ handle: CUSTOM_KEYBOARD, _ keys: UnsafeMutablePointer<CUSTOM_KEYBOARD_KEY>?, _ capacity: Int,
  _ keyCount: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (places, keyCount) = (try array(keys, capacity), try given(keyCount))
    try keepApart(keyCount, UnsafeMutableRawBufferPointer(places))
    let count = try keyboard(handle).withKeys { count, page throws(KeyboardError) in
      guard capacity >= count else {
        keyCount.pointee = count
        throw .spaceTooSmall(needed: count)
      }
      var place = places.baseAddress
      while let cap = page.next() {
        place?.pointee = CUSTOM_KEYBOARD_KEY(cap)
        place = place.map { $0 + 1 }
      }
      return count
    }
    keyCount.pointee = count  // not if a fork has emptied the keyboard meanwhile
  }
}

@_cdecl("CustomKeyboard_pressKey") @implementation
public func CustomKeyboard_pressKey(_ handle: CUSTOM_KEYBOARD, _ index: Int) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).pressKey(index) }
}

@_cdecl("CustomKeyboard_touch") @implementation
public func CustomKeyboard_touch(_ handle: CUSTOM_KEYBOARD, _ x: Double, _ y: Double) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).touch(x: x, y: y) }
}

@_cdecl("CustomKeyboard_setTextField") @implementation
public func CustomKeyboard_setTextField(
  _ handle: CUSTOM_KEYBOARD,
  _ changed: (@convention(c) (UnsafeMutableRawPointer?, CUSTOM_KEYBOARD, Int) -> Void)?,
  _ context: UnsafeMutableRawPointer?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).setTextField(changed, context: context) }
}

@_cdecl("CustomKeyboard_setOKAction") @implementation
public func CustomKeyboard_setOKAction(
  _ handle: CUSTOM_KEYBOARD,
  _ action: (@convention(c) (UnsafeMutableRawPointer?, CUSTOM_KEYBOARD) -> Void)?,
  _ context: UnsafeMutableRawPointer?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).setOKAction(action, context: context) }
}

extension CUSTOM_KEYBOARD_KEY {
  fileprivate init(_ cap: KeyCap) {
    self.init()
    grid = ENCKEYBOARD_GridRect(
      row: Int32(cap.grid.row), column: Int32(cap.grid.column), rowSpan: Int32(cap.grid.rowSpan),
      columnSpan: Int32(cap.grid.columnSpan))
    (x, y, width, height) = (cap.x, cap.y, cap.width, cap.height)
    role = CUSTOM_KEYBOARD_ROLE(UInt32(cap.role.rawValue))
    withUnsafeMutableBytes(of: &label) { cap.label.write(to: $0.baseAddress!) }
  }
}
