// Every path that this processor has, compared with the standard's vectors and the reference.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardTestSupport
import Testing

@testable import KeyboardSM4

/// The calls that a test makes on one path, with their own memory.
struct Cipher {
  let path: SM4.Path
  private let schedule: UnsafeMutableRawPointer

  init(_ key: [UInt8], _ direction: Direction, on path: SM4.Path) {
    self.path = path
    // Aligned to 8, as in a cipher context, but not to 16.
    schedule = .allocate(byteCount: SM4.scheduleSize + 8, alignment: 64) + 8
    SM4.expandKey(key, for: direction, into: schedule, on: path)
  }

  func callAsFunction(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ blockCount: Int) {
    SM4.crypt(schedule: schedule, input: input, output: output, blockCount: blockCount, on: path)
  }

  func crypt(_ blocks: [UInt8]) -> [UInt8] {
    var output = blocks
    output.withUnsafeMutableBytes { self($0.baseAddress!, $0.baseAddress!, blocks.count / 16) }
    return output
  }

  func end() { (schedule - 8).deallocate() }
}

@Suite struct EveryPath {
  static let paths = SM4.Path.allCases.filter { $0 <= SM4.Path.best }
  static let key = Bytes(hexadecimal: "0123456789abcdeffedcba9876543210")

  @Test(arguments: paths) func givesTheStandardsFirstExample(path: SM4.Path) {
    let encryption = Cipher(Self.key, .encryption, on: path)
    let decryption = Cipher(Self.key, .decryption, on: path)
    let ciphertext = Bytes(hexadecimal: "681edf34d206965e86b3e94f536e4246")
    #expect(encryption.crypt(Self.key) == ciphertext)
    #expect(decryption.crypt(ciphertext) == Self.key)
    encryption.end()
    decryption.end()
  }

  @Test(arguments: paths) func givesTheStandardsSecondExample(path: SM4.Path) {
    let cipher = Cipher(Self.key, .encryption, on: path)
    var block = Self.key
    block.withUnsafeMutableBytes {
      for _ in 0..<1_000_000 { cipher($0.baseAddress!, $0.baseAddress!, 1) }
    }
    #expect(block == Bytes(hexadecimal: "595298c7c6fd271f0402f804c33d3f66"))
    cipher.end()
  }

  @Test(arguments: paths, [Direction.encryption, .decryption])
  func equalsTheReferenceAtEveryLength(path: SM4.Path, direction: Direction) throws {
    var numbers = TestNumbers(seed: 1)
    let key = numbers.bytes(16)
    let roundKeys = Reference.roundKeys(key)
    let text = numbers.bytes(16 * 300)
    let expected = Reference.crypt(text, direction == .encryption ? roundKeys : roundKeys.reversed())
    let cipher = Cipher(key, direction, on: path)
    let guardByte: UInt8 = 0xa5

    for count in 0...300 {
      let shift = count % 64
      var apart = [UInt8](repeating: guardByte, count: shift + 16 * count + 64)
      text.withUnsafeBytes { input in
        apart.withUnsafeMutableBytes { cipher(input.baseAddress!, $0.baseAddress! + shift, count) }
      }
      let whole = shift..<shift + 16 * count
      try #require(apart[whole].elementsEqual(expected[..<(16 * count)]), "\(path) \(count)")
      try #require(apart[..<shift].allSatisfy { $0 == guardByte }, "\(path) \(count)")
      try #require(apart[whole.upperBound...].allSatisfy { $0 == guardByte }, "\(path) \(count)")

      var inPlace = apart
      inPlace.replaceSubrange(whole, with: text[..<(16 * count)])
      inPlace.withUnsafeMutableBytes { cipher($0.baseAddress! + shift, $0.baseAddress! + shift, count) }
      try #require(inPlace == apart, "\(path) \(count)")
    }
    cipher.end()
  }

  @Test(arguments: paths, [Direction.encryption, .decryption])
  func equalsTheReferenceUnderAKeyForOneUse(path: SM4.Path, direction: Direction) throws {
    var numbers = TestNumbers(seed: 5)
    for round in 0..<1000 {
      let blockCount = 1 + round % 9
      let key = numbers.bytes(16)
      let text = numbers.bytes(16 * blockCount)
      let roundKeys = Reference.roundKeys(key)
      let expected = Reference.crypt(text, direction == .encryption ? roundKeys : roundKeys.reversed())
      var output = text
      // The memory after the scratch memory must not change.
      var scratch = [UInt8](repeating: 0xa5, count: SM4.oneUseScratchSize + 64)
      let crypt = direction == .encryption ? SM4.encrypt(key:input:output:blockCount:scratch:on:) : SM4.decrypt
      output.withUnsafeMutableBytes { output in
        scratch.withUnsafeMutableBytes { scratch in
          crypt(key, output.baseAddress!, output.baseAddress!, blockCount, scratch.baseAddress!, path)
        }
      }
      try #require(output == expected, "\(path), \(blockCount) blocks")
      let isUntouched = scratch[SM4.oneUseScratchSize...].allSatisfy { $0 == 0xa5 }
      try #require(isUntouched)
    }
  }

  @Test(arguments: paths) func letsKeyAndScheduleOverlap(path: SM4.Path) throws {
    var numbers = TestNumbers(seed: 3)
    for direction in [Direction.encryption, .decryption] {
      let key = numbers.bytes(16)
      var apart = [UInt8](repeating: 0, count: SM4.scheduleSize)
      var overlapping = key + [UInt8](repeating: 0, count: SM4.scheduleSize - 16)
      apart.withUnsafeMutableBytes { SM4.expandKey(key, for: direction, into: $0.baseAddress!, on: path) }
      overlapping.withUnsafeMutableBytes {
        SM4.expandKey($0.baseAddress!, for: direction, into: $0.baseAddress!, on: path)
      }
      let text = numbers.bytes(48)
      var results = [text, text]
      for (i, schedule) in [apart, overlapping].enumerated() {
        results[i].withUnsafeMutableBytes {
          SM4.crypt(schedule: schedule, input: $0.baseAddress!, output: $0.baseAddress!, blockCount: 3, on: path)
        }
      }
      try #require(results[0] == results[1])
    }
  }

  @Test func hasAScheduleThatFits() {
    #expect(SM4.scheduleSize <= 448)
  }
}
