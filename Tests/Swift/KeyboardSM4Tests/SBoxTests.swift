// The circuit compared with the standard's table. The table is only here, where nothing is secret, and not in the
// library.
//
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardSM4

@Test func circuitEqualsTheStandardsTable() throws {
  #expect(Reference.sbox.count == 256)
  for byte in UInt32(0)..<256 {
    let x = byte ^ SBoxCircuit.inputConstant
    let y = Planes(b0: x, b1: x >> 1, b2: x >> 2, b3: x >> 3, b4: x >> 4, b5: x >> 5, b6: x >> 6, b7: x >> 7)
      .substituted()
    let bits = [y.b0, y.b1, y.b2, y.b3, y.b4, y.b5, y.b6, y.b7]
    let result = bits.enumerated().reduce(0) { $0 | ($1.element & 1) << $1.offset } ^ SBoxCircuit.outputConstant
    try #require(result == UInt32(Reference.sbox[Int(byte)]), "byte \(byte)")
  }
}

/// The comment in SM4+Bitsliced.swift says that the circuit's output constant comes out of L as 0x4f in every byte.
@Test func outputConstantComesOutOfLAsTheCommentSays() {
  let s = SBoxCircuit.outputConstant &* 0x0101_0101
  let linear =
    s ^ s.rotatedLeft(by: 2) ^ s.rotatedLeft(by: 10) ^ s.rotatedLeft(by: 18) ^ s.rotatedLeft(by: 24)
  #expect(linear == 0x4f4f_4f4f)
}
