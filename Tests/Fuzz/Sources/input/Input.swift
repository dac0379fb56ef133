// `input`, `deleteBackward`, `clear`, `count` and `getText` on one keyboard, with difficult UTF-8 and characters.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import Harness

/// Scalars that join their neighbours, or do not, and scalars at which the length in UTF-8 changes.
private let scalars: [[UInt8]] = [
  "a", "\u{0}", "\r", "\n", "\r\n", "é", "e\u{301}", "\u{301}", "\u{200d}", "\u{fe0f}", "\u{20e3}", "👨", "👩", "👧",
  "🏽", "🇰", "🇷", "한", "\u{1112}", "\u{1161}", "\u{11ab}", "क", "\u{94d}", "ष", "\u{903}", "\u{600}", "\u{200c}",
  "\u{7f}", "\u{80}", "\u{7ff}", "\u{800}", "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10000}", "\u{10ffff}",
  "\u{e0067}", "\u{e007f}", "🏴", "ก\u{e33}", "👨‍👩‍👧",
].map { Array($0.utf8) }

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  World.run(start, count) { world in
    let reader = world.reader
    let keyboard = world.create()
    world.setKey(keyboard, world.memory.copy(world.key(for: CUSTOM_ENCWAY_SM4)), CUSTOM_ENCWAY_SM4)
    world.setField(keyboard, true)
    world.open(keyboard)
    while !reader.isAtEnd {
      switch reader.number(below: 16) {
      case 0...5: world.input(keyboard, reader.one(of: scalars))
      case 6...7: world.input(keyboard, (0...reader.number(below: 8)).flatMap { _ in reader.one(of: scalars) })
      case 8...9: world.input(keyboard, reader.take(reader.number(below: 16)))
      case 10: world.input(keyboard, [UInt8](repeating: 0x61, count: reader.number(below: 140)))
      case 11...12: world.deleteBackward(keyboard)
      case 13: reader.number(below: 4) == 0 ? world.clear(keyboard) : world.deleteBackward(keyboard)
      case 14: world.checkText(keyboard, spaceSize: reader.number(below: 256))
      default: reopen(keyboard, world)
      }
      world.checkCount(keyboard)
    }
  }
}

/// Closes the keyboard, may set another key, and opens it again; or only one of the two.
private func reopen(_ keyboard: CUSTOM_KEYBOARD, _ world: World) {
  let kind = world.reader.number(below: 8)
  if kind != 7 { world.close(keyboard) }
  if kind > 4 {
    let way = world.way()
    world.setKey(keyboard, world.memory.copy(world.key(for: way)), way)
  }
  if kind != 6 { world.open(keyboard) }
}
