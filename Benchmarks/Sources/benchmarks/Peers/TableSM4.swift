// What not to do: SM4 with table look-ups, as most libraries compute it. Which cache lines it accesses depends on the
// key and the text, and so does its time. It exists only as the control of the constant-time test, which must notice
// it.
// SPDX-License-Identifier: Apache-2.0

import CMachine

struct TableSM4WhatNotToDo {
  /// Four tables of 256 words (the S-box, L, and a rotation by 0 to 24 bits), then the S-box for the key schedule.
  private let rounds: UnsafeMutablePointer<UInt32>
  private let sbox: Bytes
  private let keys = UnsafeMutablePointer<UInt32>.allocate(capacity: 36)
  private static let roundsSize = 4 * 256 * 4

  /// The S-box is affine, inversion, affine over GF(2⁸) with x⁸ + x⁷ + x⁶ + x⁵ + x⁴ + x² + 1: the same affine map
  /// twice, each row of its matrix the row above rotated by one.
  init() {
    let tables = allocate(TableSM4WhatNotToDo.roundsSize + 256)
    rounds = UnsafeMutableRawPointer(tables).bindMemory(to: UInt32.self, capacity: 4 * 256)
    sbox = tables + TableSM4WhatNotToDo.roundsSize
    for x in 0..<256 {
      let s = TableSM4WhatNotToDo.affine(TableSM4WhatNotToDo.inverse(TableSM4WhatNotToDo.affine(UInt8(x))))
      sbox[x] = s
      let word = UInt32(s) << 24
      let mixed = word ^ word.rotated(2) ^ word.rotated(10) ^ word.rotated(18) ^ word.rotated(24)
      for table in 0..<4 { rounds[256 * table + x] = mixed.rotated(UInt32(32 - 8 * table) % 32) }
    }
  }

  private static func affine(_ x: UInt8) -> UInt8 {
    let row: UInt8 = 0xa7
    return (0..<8).reduce(0xd3) { sum, bit in
      let rotated = row << bit | row >> (8 - bit)
      return sum ^ UInt8((rotated & x).nonzeroBitCount & 1) << bit
    }
  }

  private static func inverse(_ x: UInt8) -> UInt8 {
    (0...255).first { product(x, $0) == 1 } ?? 0
  }

  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    var sum = 0
    for bit in 0..<8 where b >> UInt8(bit) & 1 == 1 { sum ^= Int(a) << bit }
    for bit in stride(from: 14, through: 8, by: -1) where sum >> bit & 1 == 1 { sum ^= 0x1f5 << (bit - 8) }
    return UInt8(sum)
  }

  /// Removes the tables from the cache. In a real program, its other work has the same effect.
  func evict() { machine_evict(rounds, TableSM4WhatNotToDo.roundsSize + 256) }

  /// The key schedule and one block.
  @inline(never)
  func encrypt(key: Bytes, _ input: Bytes, _ output: Bytes) {
    let familyKey: [4 of UInt32] = [0xa3b1_bac6, 0x56aa_3350, 0x677d_9197, 0xb270_22dc]
    for i in 0..<4 { keys[i] = word(key, i) ^ familyKey[i] }
    for i in 0..<32 {
      let constant = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(truncatingIfNeeded: (4 * i + $1) * 7 & 0xff) }
      let x = keys[i + 1] ^ keys[i + 2] ^ keys[i + 3] ^ constant
      let s = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(sbox[Int(x >> UInt32(24 - 8 * $1) & 0xff)]) }
      keys[i + 4] = keys[i] ^ s ^ s.rotated(13) ^ s.rotated(23)
    }
    var (a, b, c, d) = (word(input, 0), word(input, 1), word(input, 2), word(input, 3))
    for i in 0..<32 {
      let x = b ^ c ^ d ^ keys[i + 4]
      let next =
        a ^ rounds[Int(x >> 24)] ^ rounds[256 + Int(x >> 16 & 0xff)] ^ rounds[512 + Int(x >> 8 & 0xff)]
        ^ rounds[768 + Int(x & 0xff)]
      (a, b, c, d) = (b, c, d, next)
    }
    let result: [4 of UInt32] = [d, c, b, a]
    for i in 0..<16 { output[i] = UInt8(truncatingIfNeeded: result[i / 4] >> UInt32(24 - 8 * (i % 4))) }
  }

  private func word(_ bytes: Bytes, _ i: Int) -> UInt32 {
    UInt32(bytes[4 * i]) << 24 | UInt32(bytes[4 * i + 1]) << 16 | UInt32(bytes[4 * i + 2]) << 8
      | UInt32(bytes[4 * i + 3])
  }
}

extension UInt32 {
  fileprivate func rotated(_ bits: UInt32) -> UInt32 { self << bits | self >> (32 - bits) }
}
