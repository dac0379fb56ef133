// `touch` and `pressKey` on one keyboard of any layout and size. The typed text must be what the keys showed.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import Harness

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTouch(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  World.run(start, count) { world in
    let reader = world.reader
    let keyboard = world.create()
    world.setKey(keyboard, world.memory.copy([UInt8](repeating: 7, count: 16)), CUSTOM_ENCWAY_SM4)
    world.setField(keyboard, true)
    world.setAction(keyboard, true)
    world.setAnyLayout(keyboard)
    world.setAnySize(keyboard)
    world.open(keyboard)
    while !reader.isAtEnd {
      switch reader.number(below: 32) {
      case 0...9: world.pressKey(keyboard, reader.number(below: 41) - 1)
      case 10...17: world.touchAnywhere(keyboard)
      case 18...22: press(reader.one(of: roles), keyboard, world)
      case 23: for _ in 0...reader.number(below: 9) { world.pressKey(keyboard, 0) }
      case 24...25: world.input(keyboard, Array(reader.one(of: others).utf8))
      case 26...27: world.setAnySize(keyboard)
      case 28: world.checkText(keyboard)
      default:
        world.close(keyboard)
        if reader.flag() { world.setAnyLayout(keyboard) }
        if reader.number(below: 16) == 0 { world.pressKey(keyboard, reader.number(below: 41)) }
        world.open(keyboard)
      }
      world.checkCount(keyboard)
    }
    world.checkKeys(keyboard)
  }
}

/// What keys cannot type: characters of more bytes, some that join a neighbour, and many at once.
private let others = ["é", "\u{301}", "\u{600}", "👨\u{200d}", "aaaaaaaaaaaaaaaaaaaa"]

private let roles = [
  CUSTOM_KEYBOARD_ROLE_SPACE, CUSTOM_KEYBOARD_ROLE_DELETE, CUSTOM_KEYBOARD_ROLE_SHIFT, CUSTOM_KEYBOARD_ROLE_TO_LETTERS,
  CUSTOM_KEYBOARD_ROLE_TO_DIGITS, CUSTOM_KEYBOARD_ROLE_TO_SYMBOLS, CUSTOM_KEYBOARD_ROLE_RETURN,
]

/// Presses the first key with this role, if the page has one.
private func press(_ role: CUSTOM_KEYBOARD_ROLE, _ keyboard: CUSTOM_KEYBOARD, _ world: World) {
  guard let index = world.checkKeys(keyboard).firstIndex(where: { $0.role == role }) else { return }
  world.pressKey(keyboard, index)
}
