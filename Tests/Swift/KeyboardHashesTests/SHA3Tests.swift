// SHA-3 and SHAKE, compared with NIST's vectors and with another library's digests of every length; and four SHAKEs at
// a time, compared with one.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTestSupport
import Testing

@testable import KeyboardHashes

private final class Computation {
  private let memory = GuardedMemory(SHA3.byteCount)
  private let sha3: SHA3

  init() { sha3 = SHA3(at: memory.start) }

  var isConfined: Bool { memory.isIntact }

  func digest(_ function: SHA3.Function, _ parts: [ArraySlice<UInt8>], size: Int) -> Bytes {
    let digest = GuardedMemory(size)
    sha3.begin(function)
    for part in parts { part.withUnsafeBytes { sha3.absorb($0) } }
    sha3.finish(into: digest.start, byteCount: size)
    #expect(digest.isIntact)
    return digest.bytes
  }

  func digest(_ function: SHA3.Function, _ message: Bytes, size: Int) -> Bytes {
    digest(function, [message[...]], size: size)
  }
}

private let functions: [(name: String, function: SHA3.Function)] = [
  ("sha3-256", .sha3_256), ("sha3-512", .sha3_512), ("shake128", .shake128), ("shake256", .shake256),
]

/// Of SHA-3; SHAKE has none.
private func digestSize(_ function: SHA3.Function) -> Int? {
  switch function {
  case .sha3_256: 32
  case .sha3_512: 64
  default: nil
  }
}

@Suite struct SHA3Tests {
  @Test func givesTheVectors() throws {
    let computation = Computation()
    for fields in try vectors("sha3.txt", count: 644, fields: 3) {
      let function = try #require(functions.first { $0.name == fields[0] }).function
      let expected = bytes(fields[2])
      try #require(digestSize(function) ?? expected.count == expected.count)
      try #require(computation.digest(function, bytes(fields[1]), size: expected.count) == expected, "\(fields)")
    }
    #expect(computation.isConfined)
  }

  /// The digests of the messages of 0 … 600 bytes, where byte i is i·i + 89·i + 7, one behind the other, and their
  /// digest. SHAKE's outputs are as long as the messages, and 32 bytes in the end. Python's hashlib gives the same.
  @Test(arguments: [
    ("sha3-256", "22534c644cb51e972ae4a6d4cde8eb982f8aaf6f1d292033586b99de3bd645c9"),
    (
      "sha3-512",
      """
      6a98e6d7b975b912b8efd326f391bc315f0dfd1fea466ee835cf6041d94c9ebc\
      863355dc0a1ee1ea70c5d0409192ad4c4df939700d8804b65c7a821e44929ba1
      """
    ),
    ("shake128", "02a3e8bdb5a024ecc9607e74947cef06bfc0defc9293498d9474b3ae7fc31687"),
    ("shake256", "2e8131ad00835a4dfc393429945a071e38126e472173c2412d63dd846e53f9b8"),
  ])
  func equalsAnotherLibraryAtEveryLength(name: String, expected: Substring) throws {
    let function = try #require(functions.first { $0.name == name }).function
    let computation = Computation()
    let message = (0..<600).map { UInt8(truncatingIfNeeded: $0 * $0 + 89 * $0 + 7) }
    let digests = (0...600).map { count in
      computation.digest(function, [message[..<count]], size: digestSize(function) ?? count)
    }
    let digest = computation.digest(function, digests.map { $0[...] }, size: digestSize(function) ?? 32)
    #expect(digest == bytes(expected))
    #expect(computation.isConfined)
  }

  /// NIST's Monte Carlo test: a hundred times a thousand digests of digests, the first and the last of which are here.
  /// (https://github.com/usnistgov/ACVP-Server, gen-val/json-files/SHA3-256-2.0)
  @Test func givesTheMonteCarloTest() {
    let computation = Computation()
    var digest = bytes("27cb2078313f25f724f26938967d970164215f7e876fc3d9c90514ca3230e543")
    for round in 0..<100 {
      for _ in 0..<1000 { digest = computation.digest(.sha3_256, digest, size: 32) }
      guard round == 0 else { continue }
      #expect(digest == bytes("bedf1cd2e5160b4ccab6365762a4d7fbd270387d6899dd2585983d016bb31fff"))
    }
    #expect(digest == bytes("9e03ea0fd9b1a3c1413008a3d0d91218b1d7ad5457a14253fd04fb82a2f43f0b"))
  }

  @Test(arguments: functions.map(\.function))
  func doesNotDependOnHowAMessageIsDivided(function: SHA3.Function) throws {
    let computation = Computation()
    let message = (0..<700).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 256) }
    let size = digestSize(function) ?? 500
    let whole = computation.digest(function, message, size: size)
    for part in 1...201 {
      let parts = stride(from: 0, to: message.count, by: part).map { message[$0..<min($0 + part, message.count)] }
      try #require(computation.digest(function, parts, size: size) == whole, "parts of \(part)")
    }
    #expect(computation.digest(function, [[], message[...], []], size: size) == whole)
    #expect(computation.isConfined)
  }

  @Test(arguments: VectorPath.allCases.filter { $0 <= .best }, [SHA3.Function.shake128, .shake256])
  func fourAtATimeEqualOne(path: VectorPath, function: SHA3.Function) throws {
    let (memory, block, one) = (GuardedMemory(FourSHAKEs.byteCount), GuardedMemory(function.rate), Computation())
    let shakes = FourSHAKEs(at: memory.start, on: path)
    for tailSize in 0...7 {
      let prefix = (0..<32).map { UInt8(truncatingIfNeeded: $0 * 31 + tailSize) }
      let tails = (0..<4).map { index in (0..<tailSize).map { UInt8(truncatingIfNeeded: 255 - $0 * 5 - index * 41) } }
      let numbers = tails.map { $0.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
      let expected = tails.map { one.digest(function, prefix + $0, size: 5 * function.rate) }
      for used in 1...4 {
        shakes.begin(
          function, prefix, tails: SIMD4(numbers[0], numbers[1], numbers[2], numbers[3]), tailSize: UInt64(tailSize))
        for number in 0..<5 {
          shakes.permute(used)
          for index in 0..<used {
            shakes.copyBlock(index, into: block.start, byteCount: function.rate)
            let place = number * function.rate
            try #require(block.bytes == Bytes(expected[index][place..<place + function.rate]), "tail of \(tailSize)")
          }
        }
      }
    }
    #expect(memory.isIntact && block.isIntact)
  }
}
