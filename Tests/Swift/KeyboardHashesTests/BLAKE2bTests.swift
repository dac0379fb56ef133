// BLAKE2b, compared with its standard's example, its authors' vectors, and other libraries' digests of every size.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTestSupport
import Testing

@testable import KeyboardHashes

private final class Computation {
  private let memory = GuardedMemory(BLAKE2b.byteCount)
  private let blake2b: BLAKE2b

  init() { blake2b = BLAKE2b(at: memory.start) }

  var isConfined: Bool { memory.isIntact }

  func digest(_ parts: [ArraySlice<UInt8>], size: Int = 64) -> Bytes {
    let digest = GuardedMemory(size)
    blake2b.begin(digestSize: size)
    for part in parts { part.withUnsafeBytes { blake2b.absorb($0) } }
    blake2b.finish(into: digest.start)
    #expect(digest.isIntact)
    return digest.bytes
  }

  func digest(_ message: Bytes, size: Int = 64) -> Bytes { digest([message[...]], size: size) }
}

/// 00 01 02 …, the message of the authors' vectors.
private func message(_ count: Int) -> Bytes { (0..<count).map { UInt8($0) } }

@Suite struct BLAKE2bTests {
  /// RFC 7693, Appendix A.
  @Test func givesTheStandardsExample() {
    let digest = Computation().digest(Array("abc".utf8))
    let expected = bytes(
      """
      ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
      7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923
      """)
    #expect(digest == expected)
  }

  @Test func givesItsAuthorsVectorsAtEveryLength() throws {
    let computation = Computation()
    for (length, fields) in try vectors("blake2b.txt", count: 256, fields: 2).enumerated() {
      try #require(Int(fields[0]) == length)
      try #require(computation.digest(message(length)) == bytes(fields[1]), "length \(length)")
    }
    #expect(computation.isConfined)
  }

  @Test func equalsOtherLibrariesAtEveryDigestSize() throws {
    let computation = Computation()
    for (index, fields) in try vectors("blake2b-sizes.txt", count: 64, fields: 1).enumerated() {
      let size = index + 1
      let message = (0..<5 * size).map { UInt8(truncatingIfNeeded: $0 * $0 + 89 * $0 + 7) }
      try #require(computation.digest(message, size: size) == bytes(fields[0]), "size \(size)")
    }
    #expect(computation.isConfined)
  }

  @Test func doesNotDependOnHowAMessageIsDivided() throws {
    let computation = Computation()
    let message = message(256) + message(256)
    let whole = computation.digest(message)
    for size in 1...257 {
      let parts = stride(from: 0, to: message.count, by: size).map { message[$0..<min($0 + size, message.count)] }
      try #require(computation.digest(parts) == whole, "parts of \(size)")
    }
    #expect(computation.digest([[], message[...], []]) == whole)
    #expect(computation.isConfined)
  }
}
