// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardMemory
import KeyboardTestSupport
import Testing

@testable import KeyboardCipher
@testable import KeyboardECB

/// The paper's rows with their misprints corrected, and the row that its 3DES result really belongs to.
struct PaperRow: CustomTestStringConvertible {
  var way: EncryptionWay
  var key: String
  var password: String
  var ciphertext: String

  var testDescription: String { "\(way) \(ciphertext)" }
}

let paperRows = [
  PaperRow(way: .des, key: "89076543", password: "kgcx879@", ciphertext: "ef145f1aed986f0be696b7d7d09dcd79"),
  PaperRow(
    way: .tripleDES, key: "890765432980765423451673", password: "kgcx879@",
    ciphertext: "5e6a10496ab1955b0d7e1d774a0c6818"),
  PaperRow(
    way: .tripleDES, key: "890765432980765423451673", password: "kgcx897@",
    ciphertext: "3e60e9a43c5e3c660d7e1d774a0c6818"),
  PaperRow(way: .sm4, key: "8907654329807654", password: "kgcx879@", ciphertext: "0f413569eb66b50be0c1db9c518fb909"),
]

func bytes(_ hexadecimal: String) -> [UInt8] {
  let digits = hexadecimal.map { UInt8($0.hexDigitValue!) }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

private func decrypt(_ text: [UInt8], _ way: EncryptionWay, _ key: String, spaceSize: Int) throws -> [UInt8] {
  var space = [UInt8](repeating: 0xee, count: spaceSize)
  do {
    let range = try space.withUnsafeMutableBytes { space in
      try text.withUnsafeBytes { text in
        try Array(key.utf8).withUnsafeBytes { try decrypt(text, way: way, key: $0, into: space) }
      }
    }
    return Array(space[range])
  } catch {
    #expect(space.allSatisfy { $0 == 0xee }, "an error writes nothing")
    throw error
  }
}

@Test(arguments: paperRows)
func paperRowsDecrypt(row: PaperRow) throws {
  let expected = Array(row.password.utf8)
  #expect(try decrypt(bytes(row.ciphertext), row.way, row.key, spaceSize: 1024) == expected)
  #expect(try decrypt(bytes(row.ciphertext), row.way, row.key, spaceSize: 8) == expected)
  #expect(throws: KeyboardError.spaceTooSmall(needed: 8)) {
    try decrypt(bytes(row.ciphertext), row.way, row.key, spaceSize: 7)
  }
  let password = try decrypt(bytes(row.ciphertext).span, way: row.way, key: Array(row.key.utf8).span)
  #expect(password.byteCount == 8)
  #expect(password.withBytes { span in expected.indices.allSatisfy { span[$0] == expected[$0] } })
}

@Test func invalidTextLengthsAreRefusedInOrder() throws {
  let key = "8907654329807654"
  for length in [0, 1, 15, 17, 100, 143] {
    try #require(throws: KeyboardError.undecryptable) {
      try decrypt([UInt8](repeating: 1, count: length), .sm4, key, spaceSize: 1024)
    }
  }
  for length in [145, 160, 1000] {
    try #require(throws: KeyboardError.tooLong) {
      try decrypt([UInt8](repeating: 1, count: length), .sm4, key, spaceSize: 1024)
    }
    try #require(throws: KeyboardError.key) {
      try decrypt([UInt8](repeating: 1, count: length), .sm4, "short", spaceSize: 1024)
    }
  }
}

@Test func aWrongKeyIsUndecryptableOrAnotherPasswordButNeverACrash() {
  for i in 0..<500 {
    let key = String(100_000_000_000_000_0 + i)
    _ = try? decrypt(bytes(paperRows[3].ciphertext), .sm4, key, spaceSize: 1024)
  }
}

@Test func spacesThatOverlapTheKeyOrTheTextAreRefused() throws {
  var memory = bytes(paperRows[3].ciphertext) + Array(paperRows[3].key.utf8) + [UInt8](repeating: 0, count: 32)
  let before = memory
  try memory.withUnsafeMutableBytes { memory in
    let text = UnsafeRawBufferPointer(rebasing: memory[0..<16])
    let key = UnsafeRawBufferPointer(rebasing: memory[16..<32])
    for range in [0..<16, 15..<16, 8..<24, 16..<64, 31..<40, 0..<64] {
      let space = UnsafeMutableRawBufferPointer(rebasing: memory[range])
      try #require(throws: KeyboardError.argument) { try decrypt(text, way: .sm4, key: key, into: space) }
    }
  }
  #expect(memory == before)
}

@Test func keyLengthsAreThoseOfTheAlgorithms() throws {
  let accepted: [EncryptionWay: Set<Int>] = [.des: [8], .tripleDES: [16, 24], .sm4: [16]]
  for way in EncryptionWay.allCases {
    for length in 0...40 {
      try #require(way.acceptsKey(byteCount: length) == accepted[way]!.contains(length), "\(way), \(length)")
    }
  }
}

/// A workspace wipes as much as its algorithm uses; the next one at the same place finds nothing.
@Test(arguments: EncryptionWay.allCases)
func workspacesAreZeroWhateverWasDecryptedInThem(way: EncryptionWay) throws {
  let key = [UInt8](repeating: 0x5a, count: way == .des ? 8 : way == .tripleDES ? 24 : 16)
  for count in [0, 8, 33, 128] {
    var text: [UInt8] = []
    do {
      let cipher = try PasswordCipher(way, for: .encryption, textLength: way.textLength(passwordLength: count))
      cipher.text.initializeMemory(as: UInt8.self, repeating: 0x41, count: count)
      cipher.key.copyMemory(from: key, byteCount: key.count)
      let length = cipher.encrypt(byteCount: count, keyLength: key.count)
      text = (0..<length).map { cipher.text.load(fromByteOffset: $0, as: UInt8.self) }
    }
    for limit in [text.count, maximumTextLength] {
      let cipher = try PasswordCipher(way, for: .decryption, textLength: limit)
      let decrypted = text.withUnsafeBytes { text in key.withUnsafeBytes { cipher.decrypt(text, key: $0) } }
      #expect(decrypted == count)
    }
    let next = try Workspace()
    let found = UnsafeRawBufferPointer(start: next.memory, count: Workspace.Size.password.byteCount)
    try #require(found.allSatisfy { $0 == 0 }, "\(way) \(count)")
  }
}
