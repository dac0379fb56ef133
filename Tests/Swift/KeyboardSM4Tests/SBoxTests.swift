// The circuit compared with the standard's table. The table is only here, where nothing is secret, and not in the
// library.
//
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardSM4

/// GB/T 32907-2016 §6.2, table 1.
private let table = [UInt8](
  hexadecimal: """
    d690e9fecce13db716b614c228fb2c05 2b679a762abe04c3aa44132649860699 \
    9c4250f491ef987a33540b43edcfac62 e4b31ca9c908e89580df94fa758f3fa6 \
    4707a7fcf37317ba83593c19e6854fa8 686b81b27164da8bf8eb0f4b70569d35 \
    1e240e5e6358d1a225227c3b01217887 d40046579fd327524c3602e7a0c4c89e \
    eabf8ad240c738b5a3f7f2cef96115a1 e0ae5da49b341a55ad933230f58cb1e3 \
    1df6e22e8266ca60c02923ab0d534e6f d5db3745defd8e2f03ff6a726d6c5b51 \
    8d1baf92bbddbc7f11d95c411f105ad8 0ac13188a5cd7bbd2d74d012b8e5b4b0 \
    8969974a0c96777e65b9f109c56ec684 18f07dec3adc4d2079ee5f3ed7cb3948
    """)

@Test func circuitEqualsTheStandardsTable() throws {
  #expect(table.count == 256)
  for byte in UInt32(0)..<256 {
    let x = byte ^ SBoxCircuit.inputConstant
    let y = Planes(b0: x, b1: x >> 1, b2: x >> 2, b3: x >> 3, b4: x >> 4, b5: x >> 5, b6: x >> 6, b7: x >> 7)
      .substituted()
    let bits = [y.b0, y.b1, y.b2, y.b3, y.b4, y.b5, y.b6, y.b7]
    let result = bits.enumerated().reduce(0) { $0 | ($1.element & 1) << $1.offset } ^ SBoxCircuit.outputConstant
    try #require(result == UInt32(table[Int(byte)]), "byte \(byte)")
  }
}

/// The comment in SM4+Bitsliced.swift says that the circuit's output constant comes out of L as 0x4f in every byte.
@Test func outputConstantComesOutOfLAsTheCommentSays() {
  let s = SBoxCircuit.outputConstant &* 0x0101_0101
  let linear =
    s ^ s.rotatedLeft(by: 2) ^ s.rotatedLeft(by: 10) ^ s.rotatedLeft(by: 18) ^ s.rotatedLeft(by: 24)
  #expect(linear == 0x4f4f_4f4f)
}
