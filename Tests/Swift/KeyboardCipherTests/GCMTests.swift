// SM4-GCM and AES-GCM, compared with RFC 8998's example and with libgcrypt and Botan. Texts altered bit by bit are in
// Tests/C/sealed.c.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardGCM
import KeyboardMemory
import KeyboardTestSupport
import Testing

@testable import KeyboardSealing

private enum Cipher { case sm4, aes256 }

/// What one call takes, and the calls with memory of their own.
private struct Case {
  var cipher = Cipher.sm4
  var key: [UInt8]
  var nonce: [UInt8]
  var data: [UInt8]

  private static let filler: UInt8 = 0xa5
  private var scratchSize: Int { cipher == .sm4 ? SM4GCM.scratchSize : AESGCM.byteCount }

  /// Runs a call with scratch memory and an output buffer of `count` bytes between guards.
  ///
  /// - Returns: what is then in the buffer, or nil if anything was written outside.
  private func run(
    _ count: Int,
    _ body: (_ data: UnsafeRawBufferPointer, _ output: UnsafeMutableRawPointer, _ scratch: UnsafeMutableRawPointer) ->
      Void
  ) -> [UInt8]? {
    var buffer = [UInt8](repeating: Self.filler, count: count + 64)
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: scratchSize + 32, alignment: 16)
    defer { scratch.deallocate() }
    scratch.initializeMemory(as: UInt8.self, repeating: Self.filler)
    buffer.withUnsafeMutableBytes { buffer in
      data.withUnsafeBytes { body($0, buffer.baseAddress! + 32, scratch.baseAddress!) }
    }
    let around = buffer[..<32] + buffer[(32 + count)...] + scratch[scratchSize...]
    return around.allSatisfy { $0 == Self.filler } ? Array(buffer[32..<32 + count]) : nil
  }

  private func aes(_ scratch: UnsafeMutableRawPointer) -> AESGCM {
    var pieces = Pieces(scratch, byteCount: AESGCM.byteCount)
    let gcm = AESGCM(in: &pieces)
    gcm.setKey(key)
    return gcm
  }

  /// The ciphertext and the tag.
  func seal(_ text: [UInt8]) -> [UInt8]? {
    run(text.count + 16) { data, output, scratch in
      text.withUnsafeBytes {
        let tag = output + text.count
        switch cipher {
        case .sm4:
          SM4GCM.seal($0, key: key, nonce: nonce, additionalData: data, into: output, tag: tag, scratch: scratch)
        case .aes256: aes(scratch).seal($0, nonce: nonce, additionalData: data, into: output, tag: tag)
        }
      }
    }
  }

  /// The verdict, and what is then in the output buffer.
  func open(_ sealed: [UInt8]) -> (isOpened: Bool, output: [UInt8]?) {
    var isOpened = false
    let output = run(sealed.count - 16) { data, output, scratch in
      isOpened = sealed.withUnsafeBytes { sealed in
        let text = UnsafeRawBufferPointer(rebasing: sealed[..<(sealed.count - 16)])
        let tag = sealed.baseAddress! + text.count
        return switch cipher {
        case .sm4:
          SM4GCM.open(text, tag: tag, key: key, nonce: nonce, additionalData: data, into: output, scratch: scratch)
        case .aes256: aes(scratch).open(text, tag: tag, nonce: nonce, additionalData: data, into: output)
        }
      }
    }
    return (isOpened, output)
  }

  /// Whether `open` refuses a text and writes nothing.
  func refuses(_ sealed: [UInt8]) -> Bool {
    let (isOpened, output) = open(sealed)
    return !isOpened && output?.allSatisfy { $0 == Self.filler } == true
  }

  /// Key, nonce and additional data of a line of sm4-gcm.txt; the text comes next.
  init(_ generator: inout ByteStream, dataCount: Int) {
    key = generator.bytes(SM4GCM.keySize)
    nonce = generator.bytes(GCM.nonceSize)
    data = generator.bytes(dataCount)
  }

  init(_ cipher: Cipher = .sm4, key: [UInt8], nonce: [UInt8], data: [UInt8]) {
    (self.cipher, self.key, self.nonce, self.data) = (cipher, key, nonce, data)
  }
}

@Suite struct GCMTests {
  /// RFC 8998, appendix A.1.
  @Test func givesTheStandardsExample() {
    let example = Case(
      key: hex("0123456789abcdeffedcba9876543210"), nonce: hex("00001234567800000000abcd"),
      data: hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
    let text = hex(
      """
      aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd\
      eeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa
      """)
    let sealed = hex(
      """
      17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735\
      d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d\
      83de3541e4c2b58177e065a9bf7b62ec
      """)
    #expect(example.seal(text) == sealed)
    #expect(example.open(sealed) == (true, text))
  }

  /// McGrew and Viega, "The Galois/Counter Mode of Operation", test case 16: AES with 256 bits.
  @Test func givesTheExampleForAES() {
    let example = Case(
      .aes256, key: hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
      nonce: hex("cafebabefacedbaddecaf888"), data: hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
    let text = hex(
      """
      d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
      1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
      """)
    let sealed = hex(
      """
      522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
      8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662\
      76fc6ece0f4e1768cddf8853bb2d551b
      """)
    #expect(example.seal(text) == sealed)
    #expect(example.open(sealed) == (true, text))
    #expect((0..<8 * sealed.count).allSatisfy { example.refuses(sealed.flipped($0)) })
  }

  @Test func equalsOtherLibrariesAtEveryLength() throws {
    var (textCounts, dataCounts): (Set<Int>, Set<Int>) = ([], [])
    for (index, fields) in try vectors("sm4-gcm.txt", count: 659, fields: 3).enumerated() {
      let (textCount, dataCount) = (Int(fields[0])!, Int(fields[1])!)
      var generator = ByteStream(seed: UInt64(index))
      let vector = Case(&generator, dataCount: dataCount)
      let text = generator.bytes(textCount)
      let sealed = try #require(vector.seal(text), "line \(index)")
      try #require(Array(sealed.suffix(16)) == bytes(fields[2]), "line \(index)")
      try #require(vector.open(sealed) == (true, text), "line \(index)")
      textCounts.insert(textCount)
      dataCounts.insert(dataCount)
    }
    #expect(textCounts == Set(0...144))
    #expect(dataCounts == Set(0...256))
  }

  @Test func worksInPlace() throws {
    for textCount in [1, 8, 31, 144] {
      var generator = ByteStream(seed: UInt64(3000 + textCount))
      let original = Case(&generator, dataCount: 20)
      let text = generator.bytes(textCount)
      let sealed = try #require(original.seal(text))
      var memory = text
      var tag = [UInt8](repeating: 0, count: 16)
      let scratch = UnsafeMutableRawPointer.allocate(byteCount: SM4GCM.scratchSize, alignment: 8)
      defer { scratch.deallocate() }
      let isOpened = memory.withUnsafeMutableBytes { memory in
        original.data.withUnsafeBytes { data in
          tag.withUnsafeMutableBytes { tag in
            let (place, tag) = (memory.baseAddress!, tag.baseAddress!)
            SM4GCM.seal(
              UnsafeRawBufferPointer(memory), key: original.key, nonce: original.nonce, additionalData: data,
              into: place, tag: tag, scratch: scratch)
            let isEqual = memory.elementsEqual(sealed[..<textCount])
            return isEqual
              && SM4GCM.open(
                UnsafeRawBufferPointer(memory), tag: tag, key: original.key, nonce: original.nonce,
                additionalData: data, into: place, scratch: scratch)
          }
        }
      }
      try #require(isOpened && memory == text, "\(textCount) bytes")
    }
  }
}

// MARK: - Project Wycheproof

/// Google's and C2SP's test vectors, which are not part of this repository: CUSTOM_KEYBOARD_WYCHEPROOF names the folder
/// `testvectors_v1` of a copy of github.com/C2SP/wycheproof.
private let wycheproof = ProcessInfo.processInfo.environment["CUSTOM_KEYBOARD_WYCHEPROOF"]

private struct Wycheproof: Decodable {
  struct Group: Decodable {
    let ivSize, keySize, tagSize: Int
    let tests: [Vector]
  }

  struct Vector: Decodable {
    let tcId: Int
    let key, iv, aad, msg, ct, tag, result: String
  }

  let testGroups: [Group]
}

@Test(.enabled(if: wycheproof != nil)) func agreesWithWycheproof() throws {
  let file = URL(fileURLWithPath: try #require(wycheproof)).appending(path: "sm4_gcm_test.json")
  let groups = try JSONDecoder().decode(Wycheproof.self, from: Data(contentsOf: file)).testGroups
  let vectors = groups.filter { $0.ivSize == 96 && $0.keySize == 128 && $0.tagSize == 128 }.flatMap(\.tests)
  var counts = ["valid": 0, "invalid": 0]
  for vector in vectors where vector.ct.count <= 2 * SM4GCM.maximumTextSize {
    let one = Case(key: hex(vector.key), nonce: hex(vector.iv), data: hex(vector.aad))
    let sealed = hex(vector.ct + vector.tag)
    counts[vector.result]! += 1
    if vector.result == "valid" {
      try #require(one.seal(hex(vector.msg)) == sealed, "vector \(vector.tcId)")
      try #require(one.open(sealed) == (true, hex(vector.msg)), "vector \(vector.tcId)")
    } else {
      try #require(one.refuses(sealed), "vector \(vector.tcId)")
    }
  }
  #expect(vectors.count == 65)
  #expect(counts == ["valid": 32, "invalid": 27])
}

// MARK: - Bytes

/// Bytes as sm4-gcm.txt takes them: eight a number, the lowest first.
private struct ByteStream {
  private var numbers: TestNumbers
  private var rest: Bytes = []

  init(seed: UInt64) { numbers = TestNumbers(seed: seed) }

  mutating func bytes(_ count: Int) -> Bytes {
    while rest.count < count {
      let number = numbers.next()
      rest += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    defer { rest.removeFirst(count) }
    return Bytes(rest[..<count])
  }
}

private func hex(_ text: some StringProtocol) -> Bytes { Bytes(hexadecimal: text) }
