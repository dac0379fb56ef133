// SM3, compared with its standard's examples and with OpenSSL's digests of every length to 300.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardTestSupport
import Testing

@testable import KeyboardHashes

private final class Computation {
  private let memory = GuardedMemory(SM3.byteCount)
  let sm3: SM3

  init() { sm3 = SM3(at: memory.start) }

  var isConfined: Bool { memory.isIntact }

  /// The eight words of the state, as a digest has them.
  var state: [UInt8] {
    (0..<8).flatMap { word in (0..<4).map { memory.bytes[4 * word + 3 - $0] } }
  }

  /// Says that so many bytes have been absorbed.
  func pretend(byteCount: UInt64) {
    memory.start.storeBytes(of: byteCount, toByteOffset: 96, as: UInt64.self)
  }

  func digest(_ parts: [ArraySlice<UInt8>]) -> String {
    sm3.begin()
    for part in parts { part.withUnsafeBytes { sm3.absorb($0) } }
    var digest = [UInt8](repeating: 0, count: SM3.digestSize)
    digest.withUnsafeMutableBytes { sm3.finish(into: $0.baseAddress!) }
    return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  func digest(_ message: [UInt8]) -> String { digest([message[...]]) }
}

/// Lengths and digests.
private let known = try! vectors("sm3.txt", count: 301, fields: 2).map { (length: Int($0[0])!, digest: String($0[1])) }

/// The longest message of sm3.txt.
private let longest = (0..<300).map { UInt8(truncatingIfNeeded: $0 * $0 + 89 * $0 + 7) }

@Suite struct SM3Tests {
  /// GB/T 32905-2016, Annex A.1.
  @Test func givesTheStandardsFirstExample() {
    let digest = Computation().digest(Array("abc".utf8))
    #expect(digest == "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0")
  }

  /// GB/T 32905-2016, Annex A.2: one block, and one of padding.
  @Test func givesTheStandardsSecondExample() {
    let digest = Computation().digest(Array(String(repeating: "abcd", count: 16).utf8))
    #expect(digest == "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732")
  }

  @Test func equalsOpenSSLAtEveryLength() throws {
    let computation = Computation()
    try #require(known.map(\.length) == Array(0...300))
    for (length, digest) in known {
      try #require(computation.digest(Array(longest[..<length])) == digest, "length \(length)")
    }
    #expect(computation.isConfined)
  }

  @Test func doesNotDependOnHowAMessageIsDivided() throws {
    let computation = Computation()
    for (first, second) in [(0, 0), (1, 2), (63, 64), (64, 65), (64, 128), (65, 127), (127, 193), (200, 200)] {
      let parts = [longest[..<first], longest[first..<second], longest[second...]]
      try #require(computation.digest(parts) == known[300].digest, "\(first) \(second)")
    }
    for size in 1...130 {
      let parts = stride(from: 0, to: 300, by: size).map { longest[$0..<min($0 + size, 300)] }
      try #require(computation.digest(parts) == known[300].digest, "parts of \(size)")
    }
    #expect(computation.isConfined)
  }

  @Test func aPartWithoutAnAddressIsEmpty() {
    let computation = Computation()
    computation.sm3.begin()
    computation.sm3.absorb(UnsafeRawBufferPointer(start: nil, count: 0))
    var digest = [UInt8](repeating: 0, count: SM3.digestSize)
    digest.withUnsafeMutableBytes { computation.sm3.finish(into: $0.baseAddress!) }
    #expect(digest.prefix(4) == [0x1a, 0xb2, 0x1d, 0x83])
  }

  /// The last block of a message of 2²⁹ + 3 zeros, whose length in bits takes more than 32 bits, is written here by
  /// hand. A second computation takes it as a block of the message, from the same state.
  @Test func countsBitsBeyondThirtyTwo() {
    let (whole, byHand) = (Computation(), Computation())
    whole.sm3.begin()
    whole.pretend(byteCount: 1 << 29)
    [0, 0, 0].withUnsafeBytes { whole.sm3.absorb(UnsafeRawBufferPointer(rebasing: $0[..<3])) }
    var digest = [UInt8](repeating: 0, count: SM3.digestSize)
    digest.withUnsafeMutableBytes { whole.sm3.finish(into: $0.baseAddress!) }

    let block: [UInt8] = [0, 0, 0, 0x80] + [UInt8](repeating: 0, count: 52) + [0, 0, 0, 1, 0, 0, 0, 24]
    byHand.sm3.begin()
    block.withUnsafeBytes { byHand.sm3.absorb($0) }
    #expect(digest == byHand.state)
  }
}
