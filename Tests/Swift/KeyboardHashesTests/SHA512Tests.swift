// SHA-512 and HMAC with it, compared with NIST's, RFC 4231's and Wycheproof's vectors, and with OpenSSL's digests of
// every length to 400.
//
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardTestSupport
import Testing

@testable import KeyboardSHA2

/// A message whose bytes are like those of sha512.txt, of any length.
private func message(_ length: Int) -> [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: $0 * $0 + 89 * $0 + 7) } }

private func vectors(_ name: String) -> [[Substring]] {
  // Tests, above Swift and the target's folder.
  let tests = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
  let text = try! String(contentsOf: tests.appending(path: "Vectors/\(name).txt"), encoding: .utf8)
  return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
}

private let digests = vectors("sha512").map { fields in
  fields.count == 2
    ? (message: bytes(fields[0]), digest: bytes(fields[1]))
    : (message: message(Int(fields[1])!), digest: bytes(fields[2]))
}

private func withMemory(_ byteCount: Int, _ body: (UnsafeMutableRawPointer) throws -> Void) rethrows {
  let memory = GuardedMemory(byteCount)
  try body(memory.start)
  #expect(memory.isIntact)
}

extension SHA512 {
  fileprivate func absorb(_ part: ArraySlice<UInt8>) {
    part.withUnsafeBytes { if !$0.isEmpty { absorb($0.baseAddress!, count: $0.count) } }
  }

  fileprivate func digest() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Self.digestSize)
    digest.withUnsafeMutableBytes { finish(into: $0.baseAddress!) }
    return digest
  }
}

@Suite struct SHA512Tests {
  @Test func givesEachKnownDigest() throws {
    try #require(digests.map(\.message.count) == Array(0...400))
    try withMemory(SHA512.byteCount) { memory in
      for (message, digest) in digests {
        let sha512 = SHA512(at: memory)
        sha512.absorb(message[...])
        try #require(sha512.digest() == digest, "\(message.count) bytes")
      }
    }
  }

  @Test func doesNotDependOnHowAMessageIsDivided() throws {
    let longest = message(400)
    try withMemory(SHA512.byteCount) { memory in
      for size in 1...260 {
        let sha512 = SHA512(at: memory)
        for start in stride(from: 0, to: 400, by: size) { sha512.absorb(longest[start..<min(start + size, 400)]) }
        try #require(sha512.digest() == digests[400].digest, "parts of \(size)")
      }
    }
  }

  @Test func goesOnAfterTheBlocksOfAnother() throws {
    try withMemory(2 * SHA512.byteCount + 64) { memory in
      let state = memory + 2 * SHA512.byteCount
      for (message, digest) in digests {
        for blocks in 0...message.count / SHA512.blockSize {
          let first = SHA512(at: memory)
          first.absorb(message.prefix(128 * blocks))
          first.copyState(to: state)
          let second = SHA512(at: memory + SHA512.byteCount, after: state, blocks: blocks)
          second.absorb(message.dropFirst(128 * blocks))
          try #require(second.digest() == digest, "\(message.count) bytes, \(blocks) blocks")
        }
      }
    }
  }

  /// The last block of a message of 2²⁹ + 3 zeros, whose length in bits takes more than 32 bits, is written here by
  /// hand.
  @Test func countsBitsBeyondThirtyTwo() {
    withMemory(SHA512.byteCount) { memory in
      let whole = SHA512(at: memory)
      memory.storeBytes(of: 1 << 29, toByteOffset: 192, as: UInt64.self)
      whole.absorb([0, 0, 0])
      let digest = whole.digest()
      let byHand = SHA512(at: memory)
      byHand.absorb([0, 0, 0, 0x80] + [UInt8](repeating: 0, count: 119) + [1, 0, 0, 0, 24])
      let state = (0..<64).map { memory.load(fromByteOffset: $0 ^ 7, as: UInt8.self) }
      #expect(digest == state)
    }
  }

  /// Also in parts, and twice under one key.
  @Test func givesEachKnownTag() throws {
    let known = vectors("hmac512")
    try #require(known.count == 76)
    try withMemory(HMAC512.byteCount) { memory in
      for fields in known {
        let (key, message, expected) = (bytes(fields[0]), bytes(fields[1]), bytes(fields[2]))
        var hmac = key.withUnsafeBytes { HMAC512(key: $0, at: memory) }
        for half in [message.count, message.count / 2] {
          var tag = [UInt8](repeating: 0, count: SHA512.digestSize)
          message[..<half].withUnsafeBytes { hmac.absorb($0) }
          message[half...].withUnsafeBytes { hmac.absorb($0) }
          tag.withUnsafeMutableBytes { hmac.finish(into: $0.baseAddress!) }
          try #require(Array(tag.prefix(expected.count)) == expected, "\(fields)")
        }
      }
    }
  }

  @Test func writesNumbersBigEndian() {
    withMemory(HMAC512.byteCount) { memory in
      let tags = [false, true].map { isWritten in
        var hmac = HMAC512(key: UnsafeRawBufferPointer(start: nil, count: 0), at: memory)
        if isWritten {
          hmac.absorb(UInt8(7))
          hmac.absorb(UInt16(0x1234))
          hmac.absorb("text")
        } else {
          [7, 0x12, 0x34, 0x74, 0x65, 0x78, 0x74 as UInt8].withUnsafeBytes { hmac.absorb($0) }
        }
        var tag = [UInt8](repeating: 0, count: SHA512.digestSize)
        tag.withUnsafeMutableBytes { hmac.finish(into: $0.baseAddress!) }
        return tag
      }
      #expect(tags[0] == tags[1])
    }
  }
}
