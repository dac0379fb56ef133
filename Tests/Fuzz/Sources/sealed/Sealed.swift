// Sealed texts and signatures: `unseal`, `unsealBatch`, `receive`, `generateKey`, `publicKey`, `setContext`,
// `sealTyped`, `signText`, `verifyText`, and `setEncKey` and `getText` with recipients; PIN blocks.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import Harness

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSealed(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  World.run(start, count) { world in
    let keyboard = world.create()
    while !world.reader.isAtEnd { step(keyboard, world) }
  }
}

private func step(_ keyboard: CUSTOM_KEYBOARD, _ world: World) {
  let reader = world.reader
  switch reader.number(below: 24) {
  case 0...5: world.unsealAnything()
  case 6...8: world.receiveAnything(keyboard)
  case 9: world.open(keyboard)
  case 10: world.close(keyboard)
  case 11: world.input(keyboard, reader.take(reader.number(below: 129)))
  case 12...13: world.setAnyRecipient(keyboard)
  case 14: world.setAnyContext(keyboard)
  case 15: world.checkText(keyboard, spaceSize: reader.number(below: 1400))
  case 16: world.generateAnything()
  case 17: world.signAnything()
  case 18: if reader.flag() { world.publicKeyAnything() } else { world.sealTypedAnything(keyboard) }
  case 19: world.verifyAnything()
  case 20: world.setAnyPINKey(keyboard)
  case 21: world.unsealBatchOfAnything()
  case 22: world.input(keyboard, Array("0123456789012".utf8.prefix(reader.number(below: 14))))
  default: world.receiveAnyPIN(keyboard)
  }
}
