// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import Testing

@testable import KeyboardMemory

/// A source that replays words, to see which draws are rejected.
private struct Replay: RandomSource {
  var words: [UInt64]

  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(KeyboardError) {
    guard !words.isEmpty, buffer.count == 8 else { throw .random }
    buffer.storeBytes(of: words.removeFirst(), as: UInt64.self)
  }
}

@Test func drawsThatWouldFavourSomeNumbersAreRejected() throws {
  // 2^64 mod 6 = 4: a word is rejected if the low half of its product is below 4.
  var source = Replay(words: [0, 1 << 63, (1 << 63) + 1])
  #expect(try source.uniform(below: 6) == 3)
  #expect(source.words.isEmpty, "the first two, whose products end in 0, were rejected")

  // For a power of two, no word is rejected.
  source = Replay(words: [0])
  #expect(try source.uniform(below: 8) == 0)
}

@Test func everyNumberBelowTheBoundIsDrawnAndNoOther() throws {
  var source = SystemRandomness()
  for bound in [1, 2, 3, 10] as [UInt64] {
    let drawn = Set(try (0..<400).map { _ in try source.uniform(below: bound) })
    try #require(drawn == Set(0..<bound), "below \(bound)")
  }
  #expect(try source.uniform(below: .max) < .max)
}

@Test func aSourceThatFailsIsAnError() {
  var source = Replay(words: [])
  #expect(throws: KeyboardError.random) { try source.uniform(below: 5) }
}

@Test func largeBuffersAreFilledWhole() throws {
  var bytes = [UInt8](repeating: 0, count: 100_000)
  try bytes.withUnsafeMutableBytes { try SystemRandomness().fill($0) }
  // Each of the 256 values is expected 390 times with a standard deviation of 20; the limit is ten deviations.
  var counts = [Int](repeating: 0, count: 256)
  for byte in bytes { counts[Int(byte)] += 1 }
  #expect(counts.allSatisfy { abs($0 - 390) < 200 })
}
