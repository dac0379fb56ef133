// The paper's three test rows as a measurement: everything that a keyboard does for one password, and its decryption.
// Every ciphertext is compared with the vector, in every repetition.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import Glibc

enum PaperRows {
  private static let password = Array("kgcx879@".utf8)
  private static let vectors: [(name: String, way: CUSTOM_ENCWAY, key: String, ciphertext: [UInt64])] = [
    ("SM4", CUSTOM_ENCWAY_SM4, "8907654329807654", [0x0f41_3569_eb66_b50b, 0xe0c1_db9c_518f_b909]),
    ("3DES", CUSTOM_ENCWAY_3DES, "890765432980765423451673", [0x5e6a_1049_6ab1_955b, 0x0d7e_1d77_4a0c_6818]),
    ("DES", CUSTOM_ENCWAY_DES, "89076543", [0xef14_5f1a_ed98_6f0b, 0xe696_b7d7_d09d_cd79]),
  ]

  static func measure(_ run: Run) -> [Measurement] {
    vectors.flatMap { row in
      let expected = allocate(row.ciphertext.flatMap { word in (0..<8).map { UInt8(word >> (56 - 8 * $0) & 0xff) } })
      let typed = allocate(password)
      let key = allocate(Array(row.key.utf8))
      let contender = Contender(Library.name) { repeats in
        work(row.way, key, row.key.utf8.count, typed, expected, repeats)
      }
      return run.measure(.rows, row.name, [contender])
    }
  }

  private static func work(
    _ way: CUSTOM_ENCWAY, _ key: Bytes, _ keyLength: Int, _ typed: Bytes, _ expected: Bytes, _ repeats: Int
  ) {
    let size = Int(CUSTOM_KEYBOARD_ENCDATASPACESIZE)
    let (space, clear) = (allocate(size), allocate(size))
    defer {
      space.deallocate()
      clear.deallocate()
    }
    var keyboard: CUSTOM_KEYBOARD = 0
    var codes = CustomKeyboard_create(&keyboard).rawValue
    var wrong = 0
    for _ in 0..<repeats {
      var (offset, length, clearOffset, clearLength) = (0, 0, 0, 0)
      codes |= CustomKeyboard_setEncKey(keyboard, key, keyLength, way).rawValue
      codes |= CustomKeyboard_open(keyboard).rawValue
      codes |= CustomKeyboard_input(keyboard, typed, password.count).rawValue
      codes |= CustomKeyboard_getText(keyboard, space, size, &offset, &length).rawValue
      codes |= CustomKeyboard_close(keyboard).rawValue
      codes |=
        CustomKeyboard_decrypt(way, key, keyLength, space + offset, length, clear, size, &clearOffset, &clearLength)
        .rawValue
      if length != 16 || memcmp(space + offset, expected, 16) != 0 { wrong += 1 }
      if clearLength != password.count || memcmp(clear + clearOffset, typed, password.count) != 0 { wrong += 1 }
    }
    codes |= CustomKeyboard_destroy(keyboard).rawValue
    Library.requireOK(codes, "a call of the paper's row")
    require(wrong == 0, "the paper's row has its ciphertext, and comes back from it")
  }
}
