// What the vector kernels compute, in plain words: one key, one block, no lanes. For anybody who changes the lanes.
// Docs/SM4.md derives it, and shows this code.
//
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardCodes
import KeyboardTestSupport
import Testing

@testable import KeyboardSM4
@testable import KeyboardSM4Vector

// <page>
/// Words are as they lie in memory: the block's first byte is the lowest one. All are A1·X, or a share of a key more.
enum ScalarKernel {
  static func map(_ word: UInt32, _ byte: (UInt8) -> UInt8) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(byte(UInt8(truncatingIfNeeded: word >> (8 * $1)))) << (8 * $1) }
  }
  static func product(_ matrix: UInt64, _ word: UInt32) -> UInt32 { map(word) { Constants.product(matrix, $0) } }
  static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

  /// A1·T of a sum that is A1·X ^ 0x65.
  static func mixed(_ sum: UInt32) -> UInt32 {
    let inverse = map(sum, Constants.inverse)
    let (q, r) = (product(Matrix.q, inverse), product(Matrix.r, inverse))
    let w = r ^ rotated(q, 16)
    return q ^ w ^ rotated(w, 8) ^ 0x3939_3939
  }
  /// A1·T', likewise.
  static func keyMixed(_ sum: UInt32) -> UInt32 {
    let inverse = map(sum, Constants.inverse)
    let images = [Matrix.key0, Matrix.key1, Matrix.key2, Matrix.key3].map { product($0, inverse) }
    return images[0] ^ rotated(images[1], 24) ^ rotated(images[2], 16) ^ rotated(images[3], 8) ^ 0x8080_8080
  }

  /// The words e[-4]…e[35]; backwards, they decrypt. As LaneSchedules.swift makes them: from what T' gave.
  static func schedule(_ key: [UInt32]) -> [UInt32] {
    let parameter: [UInt32] = [0xa3b1_bac6, 0x56aa_3350, 0x677d_9197, 0xb270_22dc]
    var k = zip(key, parameter).map { product(Matrix.enter, $0 ^ $1.byteSwapped) ^ 0x6565_6565 }
    var e: [UInt32] = Array(repeating: 0, count: 40)  // e[i] is at place i + 4
    var (e1, e2) = (k[1] ^ k[2], k[0] ^ k[1] ^ k[3])
    let lacking = (k[2] ^ k[3], k[3])
    for i in 0..<32 {
      let constant = (0..<4).reduce(UInt32(0)) { $0 | UInt32((4 * i + $1) * 7 % 256) << (8 * UInt32($1)) }
      let t = keyMixed(k[1] ^ k[2] ^ k[3] ^ product(Matrix.enter, constant))
      k = [k[1], k[2], k[3], k[0] ^ t]
      (e1, e2) = (t ^ e1 ^ e2, e1)
      e[i + 3] = e1
    }
    (e[3], e[4]) = (e[3] ^ lacking.0, e[4] ^ lacking.1)
    e[35] = k[0] ^ k[1] ^ k[2] ^ e2  // e[31] is κ[31], and so on
    e[36] = k[1] ^ k[2] ^ k[3] ^ e1
    e[37] = k[2] ^ e[35] ^ e[36]
    e[38] = k[3] ^ e[36] ^ e[37]
    return e
  }

  /// 32 rounds, between four words that are added before them and four after them.
  static func crypt(_ block: [UInt32], _ e: [UInt32]) -> [UInt32] {
    var a = zip(block, e).map { product(Matrix.enter, $0) ^ $1 }
    for i in 0..<32 { a.append(a[i] ^ mixed(a[i + 1] ^ a[i + 2] ^ a[i + 3]) ^ e[i + 4]) }
    return (0..<4).map { product(Matrix.leave, a[35 - $0] ^ e[39 - $0]) }
  }
}
// </page>

@Suite struct TheScalarKernel {
  private static func words(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count, by: 4).map { i in bytes[i..<i + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) } }
  }

  private static func bytes(_ words: [UInt32]) -> [UInt8] {
    words.flatMap { word in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  @Test func isTheStandards() throws {
    var random = TestNumbers(seed: 6)
    for round in 0..<20 {
      let (key, block) = (random.bytes(16), random.bytes(16))
      let (e, roundKeys) = (ScalarKernel.schedule(Self.words(key)), Reference.roundKeys(key))
      let encrypted = Self.bytes(ScalarKernel.crypt(Self.words(block), e))
      try #require(encrypted == Reference.crypt(block, roundKeys), "round \(round)")
      let decrypted = Self.bytes(ScalarKernel.crypt(Self.words(block), e.reversed()))
      let clear = Reference.crypt(block, roundKeys.reversed())
      try #require(decrypted == clear, "round \(round)")
    }
  }

  #if arch(x86_64)
    private static let vectorPaths = SM4.Path.allCases.filter { $0 != .portable && $0 <= SM4.Path.best }

    /// The vector paths have the same words in their schedules, and so the same words in every round.
    @Test(arguments: vectorPaths) func hasTheirSchedule(path: SM4.Path) throws {
      var random = TestNumbers(seed: 7)
      for direction in [Direction.encryption, .decryption] {
        let key = random.bytes(16)
        let e = ScalarKernel.schedule(Self.words(key))
        var schedule = [UInt32](repeating: 0, count: SM4.scheduleSize / 4)
        schedule.withUnsafeMutableBytes { SM4.expandKey(key, for: direction, into: $0.baseAddress!, on: path) }
        let expected: [UInt32] = direction == .encryption ? e : e.reversed()
        let isSame = schedule.starts(with: expected)
        try #require(isSame, "\(path) \(direction)")
      }
    }

    /// A schedule of a batch runs backwards, without its first word and with the only one of the last four that is
    /// not 0. The scratch memory begins with those of the first group, a register for each word.
    @Test(arguments: vectorPaths) func hasThatOfALane(path: SM4.Path) throws {
      var random = TestNumbers(seed: 8)
      let (key, text) = (random.bytes(16), random.bytes(16))
      let expected = Array(ScalarKernel.schedule(Self.words(key)).reversed()[1...36])
      var (output, scratch) = (text, [UInt32](repeating: 0, count: SM4.scratchSize(count: 64) / 4 + 16))
      try key.withUnsafeBytes { key in
        try text.withUnsafeBytes { text in
          try output.withUnsafeMutableBytes { output in
            try scratch.withUnsafeMutableBytes { scratch in
              let start = UnsafeMutableRawPointer(bitPattern: (UInt(bitPattern: scratch.baseAddress!) + 63) & ~63)!
              var jobs = (0..<64).map { _ in
                SM4.Job(key: key.baseAddress!, text: text.baseAddress!, output: output.baseAddress!, blockCount: 1)
              }
              SM4.decrypt(&jobs, count: 64, scratch: start, on: path)
              // All lanes have the same key, so each word is repeated.
              let words = (0..<scratch.count / 4 - 16).map { start.load(fromByteOffset: 4 * $0, as: UInt32.self) }
              let found = [8, 16].contains { lanes in (1...36).allSatisfy { words[$0 * lanes] == expected[$0 - 1] } }
              try #require(found, "\(path)")
            }
          }
        }
      }
      let e = ScalarKernel.schedule(Self.words(key))
      let clear = Self.bytes(ScalarKernel.crypt(Self.words(text), e.reversed()))
      try #require(output == clear)
    }
  #endif

  @Test func isOnThePage() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let code = try #require(source.components(separatedBy: "// <page>\n").dropFirst().first)
      .components(separatedBy: "// </page>")[0]
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let page = try String(contentsOf: root.appending(path: "Docs/SM4.md"), encoding: .utf8)
    #expect(code.contains("enum ScalarKernel") && page.contains(code))
  }
}
