// The whole contract in any order: several keyboards, dead and invented handles, NULL, impossible sizes, callbacks that
// make calls. Each call is compared with a model.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import Harness

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzState(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  World.run(start, count) { world in
    world.callBack = { world in callBack(world) }
    while !world.reader.isAtEnd { step(world) }
  }
}

nonisolated(unsafe) private var depth = 0

/// What a callback does: nothing, or a few calls, whose callbacks may make calls too.
private func callBack(_ world: World) {
  guard depth < 4 else { return }
  depth += 1
  defer { depth -= 1 }
  for _ in 0..<world.reader.number(below: 4) { step(world) }
}

/// A keyboard's handle; sometimes one that is dead, or never existed.
private func handle(_ world: World) -> CUSTOM_KEYBOARD {
  let reader = world.reader
  switch reader.number(below: 32) {
  case 29: return world.destroyed.isEmpty ? 0 : reader.one(of: world.destroyed)
  case 30: return reader.word()
  // The number of a neighbouring slot, or of another generation.
  case 31: return world.anyKeyboard() &+ reader.one(of: [1, 1 << 32, ~0, 1 << 31, 1 << 63, 7, 1 << 20])
  default:
    return world.handles.isEmpty ? world.create() : world.anyKeyboard()
  }
}

private func step(_ world: World) {
  let reader = world.reader
  let call = reader.number(below: 59)
  let keyboard = handle(world)
  switch call {
  case 0: if world.handles.count < 5 { world.create() }
  case 1: world.destroy(keyboard)
  case 2...3: setKey(keyboard, world)
  case 4...6: world.open(keyboard)
  case 7: world.close(keyboard)
  case 8...11: input(keyboard, world)
  case 12: world.deleteBackward(keyboard)
  case 13: world.clear(keyboard)
  case 14: world.checkCount(keyboard)
  case 15...16: text(keyboard, world)
  case 17...18: world.setAnyLayout(keyboard)
  case 19: world.setAnySize(keyboard)
  case 20: keys(keyboard, world)
  case 21...23: world.pressKey(keyboard, reader.number(below: 41) - 1)
  case 24: world.touchAnywhere(keyboard)
  case 25...26: world.setField(keyboard, reader.number(below: 4) > 0)
  case 27...28: world.setAction(keyboard, reader.number(below: 4) > 0)
  case 29: world.decryptAnything()
  case 30: world.decryptBatchOfAnything()
  case 32: world.setAnyRecipient(keyboard)
  case 33: world.setAnyContext(keyboard)
  case 34...35: world.receiveAnything(keyboard)
  case 36: world.unsealAnything()
  case 37: world.generateAnything()
  case 38: world.signAnything()
  case 39: world.verifyAnything()
  case 40...42: world.addAnyRule(keyboard)
  case 43: world.clearRules(keyboard)
  case 44: world.checkRules(keyboard)
  case 45: world.compare(keyboard, handle(world))
  case 46: world.makeAnyVerifier(keyboard)
  case 47: world.checkAnyVerifier(keyboard)
  case 48: lookAtTyped(keyboard, world)
  case 49: world.setAnyPINKey(keyboard)
  case 50: world.receiveAnyPIN(keyboard)
  case 51...53: world.dukptAnything(keyboard)
  case 54: world.unsealBatchOfAnything()
  case 55...58: world.opaqueAnything(keyboard)
  default: world.cipherAnything()
  }
}

private func lookAtTyped(_ keyboard: CUSTOM_KEYBOARD, _ world: World) {
  switch world.reader.number(below: 8) {
  case 0...1: world.checkAnyRule(keyboard)
  case 2...3: world.deriveAnything(keyboard)
  case 4...5: world.sealTypedAnything(keyboard)
  case 6: world.publicKeyAnything()
  default: world.checkAnyPattern()
  }
}

private func setKey(_ keyboard: CUSTOM_KEYBOARD, _ world: World) {
  let way = world.way()
  var key = world.memory.copy(world.key(for: way))
  switch world.reader.number(below: 16) {
  case 14: key = Piece(start: nil, claimed: key.claimed)
  case 15: key.claimed = world.reader.one(of: impossibleSizes)
  default: break
  }
  world.setKey(keyboard, key, way)
}

private func input(_ keyboard: CUSTOM_KEYBOARD, _ world: World) {
  let reader = world.reader
  switch reader.number(below: 16) {
  case 13: world.input(keyboard, Piece(start: nil, claimed: reader.number(below: 3)), [])
  case 14:
    var piece = world.memory.copy([0x61])
    // Whether the bytes are UTF-8 counts before all else, so all of them are read, unless there cannot be so many.
    piece.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 || $0 == Int.max })
    world.input(keyboard, piece, [])
  case 15: world.input(keyboard, [UInt8](repeating: 0x62, count: reader.number(below: 140)))
  case 8...12: world.input(keyboard, Array("é한👨‍👩‍👧".utf8.prefix(reader.number(below: 24))))
  default: world.input(keyboard, reader.take(reader.number(below: 8)))
  }
}

private func text(_ keyboard: CUSTOM_KEYBOARD, _ world: World) {
  let reader = world.reader
  var space = world.memory.space(reader.number(below: 256))
  let kind = reader.number(below: 16)
  if kind == 11 { space = world.memory.space(1280) }  // for every sealed text
  if kind == 12 { space = Piece(start: nil, claimed: space.count) }
  if kind == 13 { space.claimed = Int.min + space.count }
  world.checkText(keyboard, space, hasOffset: kind != 14, hasLength: kind != 15)
}

private func keys(_ keyboard: CUSTOM_KEYBOARD, _ world: World) {
  let reader = world.reader
  let room = reader.number(below: 64)
  switch reader.number(below: 8) {
  case 4: world.checkKeys(keyboard, room: nil, claimed: room & 1, hasCount: true)
  case 5: world.checkKeys(keyboard, room: room, claimed: Int.min + room, hasCount: true)
  case 6: world.checkKeys(keyboard, room: room, claimed: Int.max / 2, hasCount: true)
  case 7: world.checkKeys(keyboard, room: room, claimed: room, hasCount: false)
  default: world.checkKeys(keyboard, room: room, claimed: room, hasCount: true)
  }
}
