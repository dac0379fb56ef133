// Every path of GHASH that this processor has, compared with NIST's definition bit by bit.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardTestSupport
import Testing

@testable import KeyboardGHASH

/// GHASH as NIST SP 800-38D defines it: §6.3, algorithm 1, and §6.4, algorithm 2.
private enum Reference {
  /// The product of two blocks, the highest bit of which is the coefficient of x⁰.
  static func product(_ x: UInt128, _ y: UInt128) -> UInt128 {
    var (z, v): (UInt128, UInt128) = (0, y)
    for i in 0..<128 {
      if x >> (127 - i) & 1 == 1 { z ^= v }
      v = v >> 1 ^ (v & 1 == 1 ? 0xe1 << 120 : 0)
    }
    return z
  }

  static func number(_ bytes: some Sequence<UInt8>) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }

  static func filled(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (16 - bytes.count % 16) % 16)
  }

  static func bitCount(_ bytes: [UInt8]) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: (8 * bytes.count) >> (56 - 8 * $0)) }
  }

  static func digest(_ key: [UInt8], _ data: [UInt8], _ text: [UInt8]) -> [UInt8] {
    let all = filled(data) + filled(text) + bitCount(data) + bitCount(text)
    let sum = stride(from: 0, to: all.count, by: 16).reduce(0) {
      product($0 ^ number(all[$1..<$1 + 16]), number(key))
    }
    return (0..<16).map { UInt8(truncatingIfNeeded: sum >> (120 - 8 * $0)) }
  }
}

private func digest(_ key: [UInt8], _ data: [UInt8], _ text: [UInt8], on path: GHASH.Path) -> [UInt8] {
  let guardByte: UInt8 = 0xa5
  var sum = [UInt8](repeating: guardByte, count: 48)
  var scratch = [UInt8](repeating: guardByte, count: GHASH.scratchSize + 16)
  sum.withUnsafeMutableBytes { sum in
    scratch.withUnsafeMutableBytes { scratch in
      data.withUnsafeBytes { data in
        text.withUnsafeBytes { text in
          GHASH.digest(
            key: key, additionalData: data, text: text, into: sum.baseAddress! + 16, scratch: scratch.baseAddress!,
            on: path)
        }
      }
    }
  }
  // A write outside shows as a wrong sum.
  let isConfined =
    (sum[..<16] + sum[32...]).allSatisfy { $0 == guardByte }
    && scratch[GHASH.scratchSize...].allSatisfy { $0 == guardByte }
  return isConfined ? Array(sum[16..<32]) : []
}

private func block(bit: Int) -> [UInt8] { (0..<16).map { $0 == bit / 8 ? 0x80 >> (bit % 8) : 0 } }

@Suite struct EveryGHASHPath {
  static let paths = GHASH.Path.allCases.filter { $0.rawValue <= GHASH.Path.best.rawValue }

  /// D. McGrew and J. Viega, "The Galois/Counter Mode of Operation", appendix B, test case 2 (GHASH is the same for
  /// every cipher). It tests the reference too.
  @Test(arguments: paths) func givesThePublishedExample(path: GHASH.Path) {
    let key: [UInt8] = [
      0x66, 0xe9, 0x4b, 0xd4, 0xef, 0x8a, 0x2c, 0x3b, 0x88, 0x4c, 0xfa, 0x59, 0xca, 0x34, 0x2b, 0x2e,
    ]
    let text: [UInt8] = [
      0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92, 0xf3, 0x28, 0xc2, 0xb9, 0x71, 0xb2, 0xfe, 0x78,
    ]
    let expected: [UInt8] = [
      0xf3, 0x8c, 0xbb, 0x1a, 0xd6, 0x92, 0x23, 0xdc, 0xc3, 0x45, 0x7a, 0xe5, 0xb6, 0xb0, 0xf8, 0x85,
    ]
    #expect(digest(key, [], text, on: path) == expected)
    #expect(Reference.digest(key, [], text) == expected)
  }

  @Test(arguments: paths) func equalsTheDefinitionAtEveryLength(path: GHASH.Path) throws {
    var generator = TestNumbers(seed: 11)
    for textCount in 0...144 {
      let key = generator.bytes(16)
      let data = generator.bytes(textCount * 53 % 257)
      let text = generator.bytes(textCount)
      let message = "\(path), \(data.count) and \(textCount) bytes"
      try #require(digest(key, data, text, on: path) == Reference.digest(key, data, text), "\(message)")
    }
    for dataCount in 0...64 {
      let key = generator.bytes(16)
      let data = generator.bytes(dataCount)
      try #require(digest(key, data, [], on: path) == Reference.digest(key, data, []), "\(path), \(dataCount) bytes")
    }
  }

  /// Each coefficient of the key with each of a block, alone: 128 × 128 products.
  @Test(arguments: paths) func multipliesEachCoefficient(path: GHASH.Path) throws {
    for keyBit in 0..<128 {
      let key = block(bit: keyBit)
      for bit in 0..<128 {
        let text = block(bit: bit)
        try #require(
          digest(key, [], text, on: path) == Reference.digest(key, [], text), "\(path), bits \(keyBit) and \(bit)")
      }
    }
  }

  @Test(arguments: paths) func isRightForExtremeValues(path: GHASH.Path) throws {
    let zeros = [UInt8](repeating: 0, count: 16)
    let ones = [UInt8](repeating: 0xff, count: 16)
    let others: [[UInt8]] = [zeros, ones, block(bit: 0), block(bit: 127), block(bit: 63), block(bit: 64)]
    let halves = [zeros[..<8] + ones[..<8], ones[..<8] + zeros[..<8]].map(Array.init)
    let nibbles = (0..<4).map { [UInt8](repeating: 0x11 << $0, count: 16) }
    for key in others + halves + nibbles {
      for text in others + halves + nibbles {
        for count in [1, 2, 3, 4, 9] {
          let whole = Array(repeatElement(text, count: count).joined())
          try #require(
            digest(key, text, whole, on: path) == Reference.digest(key, text, whole), "\(path) \(key) \(text)")
        }
      }
    }
    #expect(digest(zeros, ones, ones, on: path) == zeros)
  }

  @Test(arguments: paths) func writesTheSumOverTheKey(path: GHASH.Path) {
    var generator = TestNumbers(seed: 12)
    var memory = generator.bytes(16)
    let text = generator.bytes(100)
    let expected = Reference.digest(memory, text, text)
    var scratch = [UInt8](repeating: 0, count: GHASH.scratchSize)
    memory.withUnsafeMutableBytes { memory in
      scratch.withUnsafeMutableBytes { scratch in
        text.withUnsafeBytes {
          GHASH.digest(
            key: memory.baseAddress!, additionalData: $0, text: $0, into: memory.baseAddress!,
            scratch: scratch.baseAddress!, on: path)
        }
      }
    }
    #expect(memory == expected)
  }

  @Test func allPathsAreAlike() throws {
    var generator = TestNumbers(seed: 13)
    for round in 0..<20_000 {
      let key = generator.bytes(16)
      let data = generator.bytes(Int(generator.next() % 60))
      let text = generator.bytes(Int(generator.next() % 145))
      let sums = Self.paths.map { digest(key, data, text, on: $0) }
      try #require(sums.allSatisfy { $0 == sums[0] && $0.count == 16 }, "round \(round)")
    }
    // On a processor that has both, both were compared.
    #if arch(x86_64) || arch(arm64)
      #expect(Self.paths.count == (GHASH.Path.best == .carryless ? 2 : 1))
    #endif
  }
}
