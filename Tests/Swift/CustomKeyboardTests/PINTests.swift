// PIN blocks and DUKPT through the Swift interface. The fields, in every nibble: Tests/C/pin_peers.py.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Testing

@testable import KeyboardPIN

private let account = Array("4012345678909".utf8)
private let baseKey: [UInt8] = [
  0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
]
private let serialNumber: [UInt8] = [0xff, 0xff, 0x98, 0x76, 0x54, 0x32, 0x10, 0xe0, 0, 0]

@Test func everyFormatComesBackAsTheSamePIN() throws {
  for format in PINBlockFormat.allCases {
    let key = Array("0123456789abcdef".utf8)
    let context = format.hasAccountNumber ? account : []
    let keyboard = try Keyboard()
    try keyboard.setEncKey(key.span, pinBlock: format)
    if format.hasAccountNumber { try keyboard.setContext(context.span) }
    try keyboard.open()
    try keyboard.input(Array("123456".utf8).span)
    let block = try keyboard.getText().bytes
    #expect(block.count == format.blockSize)
    try keyboard.close()
    try keyboard.receive(block.span, pinBlock: format, key: key.span, accountNumber: context.span)
    #expect(try keyboard.count == 6)
    try keyboard.close()
    let cut = Array(block.dropLast())
    #expect(throws: KeyboardError.undecryptable) {
      try keyboard.receive(cut.span, pinBlock: format, key: key.span, accountNumber: context.span)
    }
    #expect(throws: KeyboardError.key(.accountNumber)) {
      let wrong = format.hasAccountNumber ? [] : account
      try keyboard.receive(block.span, pinBlock: format, key: key.span, accountNumber: wrong.span)
    }
  }
}

/// The first transaction of ANSI X9.24-1:2009, A.4.2.
@Test func aTerminalMakesTheStandardsBlockOnce() throws {
  let terminal = try withDUKPTKey(.initialKey, .tripleDES, of: baseKey.span, for: serialNumber.span) {
    initialKey throws(KeyboardError) in
    try DUKPTTerminal(.tripleDES, initialKey: initialKey, serialNumber: serialNumber.span)
  }
  let keyboard = try Keyboard()
  let number = try keyboard.setNextKey(of: terminal, pinBlock: .format0)
  #expect(number == serialNumber.dropLast() + [1])
  try keyboard.setContext(account.span)
  try keyboard.open()
  try keyboard.input(Array("1234".utf8).span)
  #expect(try keyboard.getText().bytes == [0x1b, 0x9c, 0x18, 0x45, 0xeb, 0x99, 0x3a, 0x7a])
  #expect(throws: KeyboardError.key) { try keyboard.getText() }
  try keyboard.close()
  // Its bytes go on elsewhere.
  let other = try terminal.withBytes { bytes throws(KeyboardError) in try DUKPTTerminal(bytes: bytes) }
  #expect(try keyboard.setNextKey(of: other, pinBlock: .format0) == serialNumber.dropLast() + [2])
  #expect(throws: KeyboardError.argument(.deviceKey)) { try keyboard.setNextKey(of: other, pinBlock: .format4) }
}

@Test func aDamagedTerminalGivesNoKey() throws {
  var bytes = [UInt8](repeating: 0, count: DUKPTDevice.byteCount)
  let keyboard = try Keyboard()
  let blank = try DUKPTTerminal(bytes: bytes.span)
  #expect(throws: KeyboardError.argument) { try keyboard.setNextKey(of: blank, pinBlock: .format0) }
  bytes[3] = 7
  let damaged = try DUKPTTerminal(bytes: bytes.span)
  #expect(throws: KeyboardError.damaged) { try keyboard.setNextKey(of: damaged, pinBlock: .format0) }
  let cut = Array(bytes.dropLast())
  #expect(throws: KeyboardError.argument) { _ = try DUKPTTerminal(bytes: cut.span) }
}

/// The fill of format 3 has each of its six digits about as often, in every place.
@Test func theFillOfFormat3IsUniform() {
  let pin = Array("0123".utf8) + [UInt8](repeating: 0, count: 8)
  var counts = [[Int]](repeating: [Int](repeating: 0, count: 16), count: 10)
  var state: UInt64 = 7
  let draws = 60_000
  for _ in 0..<draws {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let random = (state ^ state >> 29) &* 0xbf58_476d_1ce4_e5b9
    let field = pin.withUnsafeBytes {
      PINField.make(.format3, $0.baseAddress!, count: 4, random: random ^ random >> 32)
    }
    for place in 0..<10 { counts[place][Int(field >> UInt64(36 - 4 * place) & 15)] += 1 }
  }
  for place in counts {
    #expect(place[..<10].allSatisfy { $0 == 0 })
    #expect(place[10...].allSatisfy { abs($0 - draws / 6) < 700 }, "\(place)")
  }
}
