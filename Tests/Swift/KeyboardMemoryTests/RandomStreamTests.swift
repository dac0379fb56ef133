// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardMemory

// MARK: - ChaCha20

private func batch(key: [UInt8], counter: UInt64) -> [UInt8] {
  var output = [UInt8](repeating: 0, count: ChaCha20.batchSize)
  output.withUnsafeMutableBytes { output in
    key.withUnsafeBytes { ChaCha20.batch(key: $0.baseAddress!, counter: counter, into: output.baseAddress!) }
  }
  return output
}

private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

/// RFC 8439, appendix A.1, vectors 1, 2 and 4.
@Test func chaCha20EqualsItsStandard() {
  let zero = batch(key: [UInt8](repeating: 0, count: 32), counter: 0)
  #expect(
    hexadecimal(zero[..<64]) == """
      76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
      da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586
      """)
  #expect(
    hexadecimal(zero[64..<128]) == """
      9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
      29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f
      """)
  let other = batch(key: [0, 0xff] + [UInt8](repeating: 0, count: 30), counter: 2)
  #expect(
    hexadecimal(other[..<64]) == """
      72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca\
      13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096
      """)
}

/// A counter past 2³², as OpenSSL's chacha20 computes it with the second word of its IV set to 1.
@Test func chaCha20CountsInSixtyFourBits() {
  let block = batch(key: [UInt8](repeating: 0, count: 32), counter: 1 << 32)
  #expect(
    hexadecimal(block[..<64]) == """
      3db41d3aa0d329285de6f225e6e24bd59c9a17006943d5c9b680e3873bdc683a\
      5819469899989690c281cd17c96159af0682b5b903468a61f50228cf09622b5a
      """)
}

@Test func theFourBlocksOfABatchFollowEachOther() throws {
  let key = (0..<32).map { UInt8($0) }
  let whole = batch(key: key, counter: 0) + batch(key: key, counter: 4)
  for counter in UInt64(1)...4 {
    let start = 64 * Int(counter)
    try #require(batch(key: key, counter: counter) == Array(whole[start..<start + 256]), "block \(counter)")
  }
}

// MARK: - Fast key erasure

/// A generator and a buffer with their own memory.
private final class Generator {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 + RandomStream.bufferSize, alignment: 8)
  var key: [UInt8] { Array(memory[32..<64]) }

  init() { memory.initializeMemory(as: UInt8.self, repeating: 0) }
  deinit { memory.deallocate() }

  /// The output of one stream for several requests of these sizes. For spaces, more blocks may be computed at a time.
  func draw(_ counts: [Int], counter: UInt64 = 4, isForSpaces: Bool = false) throws -> [[UInt8]] {
    let buffer = memory.baseAddress! + 64
    let generator = RandomGenerator(at: memory.baseAddress!)
    var stream = try RandomStream(generator, byteCount: 1, buffer: buffer, counter: counter)
    return counts.map { count in
      var bytes = [UInt8](repeating: 0, count: count)
      bytes.withUnsafeMutableBytes { isForSpaces ? stream.fillSpace($0) : stream.fill($0) }
      return bytes
    }
  }
}

@Test func aStreamIsChaCha20WithTheNextKeyInFront() throws {
  let generator = Generator()
  _ = try generator.draw([1])  // seeds it
  let key = generator.key
  let drawn = try generator.draw([600, 100, 224, 300])
  let blocks = (0..<8).map { batch(key: key, counter: UInt64(4 * $0)) }
  #expect(generator.key == Array(blocks[0][..<32]), "the key was replaced by the stream's first bytes")
  #expect(drawn[0][..<512] == (blocks[1] + blocks[2])[...])
  #expect(drawn[0][512...] == blocks[0][32..<120])
  #expect(drawn[1][...] == blocks[0][120..<220])
  #expect(drawn[2] == Array(blocks[0][220...]) + Array(blocks[3][32..<220]))
  #expect(drawn[3] == blocks[4] + Array(blocks[3][220..<256]) + Array(blocks[5][32..<40]))
}

/// After 256 GiB from one key, the block counter exceeds 2³², and the stream continues.
@Test func aStreamGoesOnPastTheLastBlockOfThirtyTwoBits() throws {
  let generator = Generator()
  _ = try generator.draw([1])  // seeds it
  let key = generator.key
  let drawn = try generator.draw([1024], counter: 1 << 32 - 8)[0]
  let expected = (0..<4).flatMap { batch(key: key, counter: 1 << 32 - 8 + 4 * UInt64($0)) }
  #expect(drawn == expected)
}

/// A space gets the same bytes, whatever the processor computes at a time.
@Test func aSpaceGetsTheBytesOfTheStream() throws {
  Residue.begin()
  for counter: UInt64 in [4, 1 << 32 - 12, 1 << 32 - 8, 1 << 32 - 4, 1 << 40] {
    for counts in [[511], [512], [513, 30, 700], [1024], [256, 1800, 1], [4096, 0, 300]] {
      let (one, other) = (Generator(), Generator())
      _ = try one.draw([1])  // seeds it
      other.memory.copyMemory(from: UnsafeRawBufferPointer(one.memory))
      let expected = try one.draw(counts, counter: counter)
      try #require(try other.draw(counts, counter: counter, isForSpaces: true) == expected, "\(counter): \(counts)")
      try #require(other.key == one.key)
    }
  }
}

@Test func aStreamLeavesNothingOfItself() throws {
  let generator = Generator()
  _ = try generator.draw([10, 300])
  #expect(generator.memory[64...].allSatisfy { $0 == 0 })
}

/// A fork leaves the state all zero; it must then be seeded, and not used as it is.
@Test func anEmptiedGeneratorIsSeededAnew() throws {
  let generator = Generator()
  var seen = Set<[UInt8]>()
  for _ in 0..<20 {
    generator.memory.initializeMemory(as: UInt8.self, repeating: 0)
    try #require(seen.insert(try generator.draw([32])[0]).inserted)
  }
  let ofTheZeroKey = batch(key: [UInt8](repeating: 0, count: 32), counter: 0)
  #expect(!seen.contains(Array(ofTheZeroKey[32..<64])))
}

/// The same in the middle of a stream, as the child of a fork finds it: the next output, in whole batches and in parts
/// of one, comes from a new seed and not from a key of zeros.
@Test(arguments: [1, 100, 256, 300, 1024], [false, true])
func aStreamThatIsEmptiedGoesOnFromANewSeed(count: Int, isForSpaces: Bool) throws {
  Residue.begin()
  let generator = Generator()
  let zeroKey = [UInt8](repeating: 0, count: 32)
  let ofTheZeroKey = (0..<8).flatMap { batch(key: zeroKey, counter: UInt64(4 * $0)) }
  var seen = Set<[UInt8]>()
  for used in [0, 8, 200, 224, 300] {
    var stream = try RandomStream(
      RandomGenerator(at: generator.memory.baseAddress!), byteCount: 1, buffer: generator.memory.baseAddress! + 64)
    var bytes = [UInt8](repeating: 0, count: max(count, used) + 16)
    bytes.withUnsafeMutableBytes { stream.fill(UnsafeMutableRawBufferPointer(rebasing: $0[..<used])) }
    generator.memory.initializeMemory(as: UInt8.self, repeating: 0)
    bytes.withUnsafeMutableBytes {
      let rest = UnsafeMutableRawBufferPointer(rebasing: $0[..<(count + 16)])
      if isForSpaces { stream.fillSpace(rest) } else { stream.fill(rest) }
    }
    for start in stride(from: 0, through: count, by: 16) {
      let run = Array(bytes[start..<start + 16])
      try #require(seen.insert(run).inserted, "byte \(start) after \(used)")
      let isKnown = ofTheZeroKey.indices.dropLast(15).contains { Array(ofTheZeroKey[$0..<$0 + 16]) == run }
      try #require(!isKnown, "byte \(start) after \(used): from the key of zeros")
    }
  }
}

@Test func aGeneratorIsSeededAnewAfterAMegabyte() throws {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
  defer { memory.deallocate() }
  memory.initializeMemory(as: UInt8.self, repeating: 0)
  let generator = RandomGenerator(at: memory.baseAddress!)
  func key() -> [UInt8] { Array(memory[32..<64]) }
  try generator.prepare(byteCount: 1 << 19)
  let first = key()
  try generator.prepare(byteCount: 1 << 19)
  #expect(key() == first)
  try generator.prepare(byteCount: 1)
  #expect(key() != first)
}

@Test func workspacesDrawDifferently() throws {
  let one = try Workspace()
  let other = try Workspace()
  var first = [UInt8](repeating: 0, count: 32)
  var second = first
  do {
    var stream = try one.randomStream(byteCount: 32)
    first.withUnsafeMutableBytes { stream.fill($0) }
  }
  do {
    var stream = try other.randomStream(byteCount: 32)
    second.withUnsafeMutableBytes { stream.fill($0) }
  }
  #expect(first != second)
  _ = consume one
  _ = consume other
}
