// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import Testing

@testable import KeyboardECB

/// A context with its own memory.
private final class Owned {
  let memory = UnsafeMutableRawPointer.allocate(byteCount: CipherContext.byteCount, alignment: 8)
  var context: CipherContext { CipherContext(at: memory) }

  init() { memory.initializeMemory(as: UInt8.self, repeating: 0, count: CipherContext.byteCount) }
  deinit { memory.deallocate() }

  func setUp(_ way: EncryptionWay, _ key: String, _ direction: Direction) throws {
    try Array(key.utf8).withUnsafeBytes { try context.setUp(way, key: $0, for: direction) }
  }

  func crypt(_ input: [UInt8]) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: input.count)
    try output.withUnsafeMutableBytes { output in
      try input.withUnsafeBytes { try context.crypt($0, into: output) }
    }
    return output
  }
}

@Test(arguments: [
  (EncryptionWay.des, "89076543"), (.tripleDES, "8907654329807654"), (.tripleDES, "890765432980765423451673"),
  (.sm4, "8907654329807654"),
])
func decryptionUndoesEncryption(way: EncryptionWay, key: String) throws {
  let (encryption, decryption) = (Owned(), Owned())
  try encryption.setUp(way, key, .encryption)
  try decryption.setUp(way, key, .decryption)
  #expect(encryption.context.way == way)
  for count in 0...40 {
    let blocks = (0..<count * way.blockSize).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ count) }
    let ciphertext = try encryption.crypt(blocks)
    try #require(count == 0 || ciphertext != blocks)
    try #require(try decryption.crypt(ciphertext) == blocks, "count \(count)")
  }
}

@Test func aCipherThatIsNotSetUpOrIsWipedIsRefused() throws {
  let owned = Owned()
  #expect(throws: KeyboardError.argument) { try owned.crypt([UInt8](repeating: 0, count: 16)) }
  try owned.setUp(.sm4, "8907654329807654", .encryption)
  _ = try owned.crypt([UInt8](repeating: 0, count: 16))
  owned.context.wipe()
  #expect(throws: KeyboardError.argument) { try owned.crypt([UInt8](repeating: 0, count: 16)) }
  #expect((0..<CipherContext.byteCount).allSatisfy { owned.memory.load(fromByteOffset: $0, as: UInt8.self) == 0 })
}

@Test func aWrongKeyLeavesTheContextAsItWas() throws {
  let owned = Owned()
  try owned.setUp(.sm4, "8907654329807654", .encryption)
  let before = try owned.crypt([UInt8](repeating: 1, count: 16))
  for length in [0, 8, 15, 17, 24, 32] {
    try #require(throws: KeyboardError.key) {
      try owned.setUp(.sm4, String(repeating: "k", count: length), .encryption)
    }
  }
  #expect(try owned.crypt([UInt8](repeating: 1, count: 16)) == before)
}

@Test func twoKeysOfTripleDESAreThreeWithTheThirdTheFirst() throws {
  let (two, three) = (Owned(), Owned())
  try two.setUp(.tripleDES, "8907654329807654", .encryption)
  try three.setUp(.tripleDES, "890765432980765489076543", .encryption)
  let blocks = Array("sixteen bytes of".utf8)
  #expect(try two.crypt(blocks) == three.crypt(blocks))
}

@Test func partOfABlockAndOverlapsAreRefused() throws {
  let owned = Owned()
  try owned.setUp(.sm4, "8907654329807654", .encryption)
  #expect(throws: KeyboardError.argument) { try owned.crypt([UInt8](repeating: 0, count: 17)) }
  var memory = [UInt8](repeating: 7, count: 64)
  try memory.withUnsafeMutableBytes { memory in
    let input = UnsafeRawBufferPointer(rebasing: memory[0..<32])
    for start in [1, 15, 16, 31] {
      let output = UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + 32])
      try #require(throws: KeyboardError.argument) { try owned.context.crypt(input, into: output) }
    }
  }
  #expect(memory.allSatisfy { $0 == 7 })
  let own = UnsafeMutableRawBufferPointer(start: owned.memory + 496, count: 16)
  #expect(throws: KeyboardError.argument) {
    try memory.withUnsafeBytes { try owned.context.crypt(.init(rebasing: $0[..<16]), into: own) }
  }
}

/// The paper's erratum: DES ignores the lowest bits of a key of ASCII digits, because they are parity bits.
@Test func digitKeysOfDESHaveTwins() throws {
  let (one, other) = (Owned(), Owned())
  try one.setUp(.des, "89076543", .encryption)
  try other.setUp(.des, "98167452", .encryption)
  let block = Array("kgcx879@".utf8)
  #expect(try one.crypt(block) == other.crypt(block))
}
