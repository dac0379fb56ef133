// SM4 as in GB/T 32907-2016, with its table: the constants and the kernel in plain words are compared with
// it. differential.c compares the library with OpenSSL.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardTestSupport

enum Reference {
  /// The S-box. (§6.2, table 1)
  static let sbox = Bytes(
    hexadecimal: """
      d6 90 e9 fe cc e1 3d b7 16 b6 14 c2 28 fb 2c 05
      2b 67 9a 76 2a be 04 c3 aa 44 13 26 49 86 06 99
      9c 42 50 f4 91 ef 98 7a 33 54 0b 43 ed cf ac 62
      e4 b3 1c a9 c9 08 e8 95 80 df 94 fa 75 8f 3f a6
      47 07 a7 fc f3 73 17 ba 83 59 3c 19 e6 85 4f a8
      68 6b 81 b2 71 64 da 8b f8 eb 0f 4b 70 56 9d 35
      1e 24 0e 5e 63 58 d1 a2 25 22 7c 3b 01 21 78 87
      d4 00 46 57 9f d3 27 52 4c 36 02 e7 a0 c4 c8 9e
      ea bf 8a d2 40 c7 38 b5 a3 f7 f2 ce f9 61 15 a1
      e0 ae 5d a4 9b 34 1a 55 ad 93 32 30 f5 8c b1 e3
      1d f6 e2 2e 82 66 ca 60 c0 29 23 ab 0d 53 4e 6f
      d5 db 37 45 de fd 8e 2f 03 ff 6a 72 6d 6c 5b 51
      8d 1b af 92 bb dd bc 7f 11 d9 5c 41 1f 10 5a d8
      0a c1 31 88 a5 cd 7b bd 2d 74 d0 12 b8 e5 b4 b0
      89 69 97 4a 0c 96 77 7e 65 b9 f1 09 c5 6e c6 84
      18 f0 7d ec 3a dc 4d 20 79 ee 5f 3e d7 cb 39 48
      """)

  static func roundKeys(_ key: [UInt8]) -> [UInt32] {
    let systemParameter: [UInt32] = [0xa3b1_bac6, 0x56aa_3350, 0x677d_9197, 0xb270_22dc]
    var k = zip(words(key), systemParameter).map { $0 ^ $1 }
    for i in 0..<32 {
      let constant = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32((4 * i + $1) * 7 % 256) }
      let s = substituted(k[i + 1] ^ k[i + 2] ^ k[i + 3] ^ constant)
      k.append(k[i] ^ s ^ rotated(s, 13) ^ rotated(s, 23))
    }
    return Array(k[4...])
  }

  /// Encrypts or decrypts blocks with round keys in the order of their use.
  static func crypt(_ blocks: [UInt8], _ roundKeys: [UInt32]) -> [UInt8] {
    stride(from: 0, to: blocks.count, by: 16).flatMap { start in
      var x = words(Array(blocks[start..<start + 16]))
      for i in 0..<32 {
        let s = substituted(x[i + 1] ^ x[i + 2] ^ x[i + 3] ^ roundKeys[i])
        x.append(x[i] ^ s ^ rotated(s, 2) ^ rotated(s, 10) ^ rotated(s, 18) ^ rotated(s, 24))
      }
      return x[32...].reversed().flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }
  }

  private static func words(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count, by: 4).map { i in bytes[i..<i + 4].reduce(0) { $0 << 8 | UInt32($1) } }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

  private static func substituted(_ word: UInt32) -> UInt32 {
    [24, 16, 8, 0].reduce(0) { $0 << 8 | UInt32(sbox[Int(word >> $1 & 0xff)]) }
  }
}
