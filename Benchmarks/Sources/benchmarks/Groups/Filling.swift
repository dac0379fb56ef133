// getText into a space of 1024 bytes, compared with the system call that would fill it: most of its time goes into the
// random filling, not into SM4.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CMachine

enum Filling {
  static let system = "getrandom(1024)"
  static let item = "1024 bytes"

  static func measure(_ run: Run) -> [Measurement] {
    let size = Int(CUSTOM_KEYBOARD_ENCDATASPACESIZE)
    let space = allocate(size)
    let key = Array("8907654329807654".utf8)
    let password = Array("kgcx879@".utf8)
    let expected = Library.encryptPassword(password, key: key)
    let keyboard = Library.keyboard(CUSTOM_ENCWAY_SM4, key: key, password: password)
    let contenders = [
      Contender(system) { repeats in
        var least = size
        for _ in 0..<repeats { least = min(least, getrandom(space, size, 0)) }
        require(least == size, "getrandom fills the space")
      },
      Contender(Library.name) { repeats in
        var codes: UInt32 = 0
        var (offset, length) = (0, 0)
        for _ in 0..<repeats { codes |= CustomKeyboard_getText(keyboard, space, size, &offset, &length).rawValue }
        Library.requireOK(codes, "getText")
        require((space + offset).array(length) == expected, "the ciphertext is where getText says")
      },
    ]
    return run.measure(.filling, item, contenders)
  }
}
