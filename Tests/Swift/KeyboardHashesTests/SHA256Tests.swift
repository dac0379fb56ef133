// SHA-256 on every path that runs here, compared with NIST's vectors and with OpenSSL's digests of every length to 300.
//
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardTestSupport
import Testing

@testable import KeyboardSHA2

private final class Computation {
  private let memory = GuardedMemory(SHA256.byteCount)
  private let path: SHA256Path

  init(on path: SHA256Path) { self.path = path }

  var isConfined: Bool { memory.isIntact }

  /// - Parameter pretended: how many bytes were absorbed before, by their number only.
  func digest(_ parts: [ArraySlice<UInt8>], after pretended: UInt64? = nil) -> [UInt8] {
    let sha256 = SHA256(at: memory.start, on: path)
    if let pretended { memory.start.storeBytes(of: pretended, toByteOffset: 96, as: UInt64.self) }
    for part in parts { part.withUnsafeBytes { if !$0.isEmpty { sha256.absorb($0.baseAddress!, count: $0.count) } } }
    var digest = [UInt8](repeating: 0, count: SHA256.digestSize)
    digest.withUnsafeMutableBytes { sha256.finish(into: $0.baseAddress!) }
    return digest
  }

  /// The state after one block, as a digest has it: without padding.
  func stateAfter(_ block: [UInt8]) -> [UInt8] {
    let sha256 = SHA256(at: memory.start, on: path)
    sha256.absorb(block, count: block.count)
    return (0..<8).flatMap { word in (0..<4).map { memory.bytes[4 * word + 3 - $0] } }
  }
}

/// A message whose bytes are like those of sha256.txt, of any length.
private func message(_ length: Int) -> [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: $0 * $0 + 89 * $0 + 7) } }

/// Tests/Vectors/sha256.txt.
private let vectors: [(message: [UInt8], digest: [UInt8])] = {
  // Tests, above Swift and the target's folder.
  let tests = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
  let text = try! String(contentsOf: tests.appending(path: "Vectors/sha256.txt"), encoding: .utf8)
  return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
    let fields = line.split(separator: " ")
    guard fields.count == 2 else { return (message(Int(fields[1])!), bytes(fields[2])) }
    return (bytes(fields[0]), bytes(fields[1]))
  }
}()

/// The paths that this processor has.
private let paths = SHA256Path.allCases.filter { $0.rawValue <= SHA256Path.best.rawValue }

@Suite struct SHA256Tests {
  @Test(arguments: paths) func givesEachKnownDigest(on path: SHA256Path) throws {
    let computation = Computation(on: path)
    try #require(vectors.map(\.message.count) == Array(0...300))
    for (message, digest) in vectors {
      try #require(computation.digest([message[...]]) == digest, "\(message.count) bytes")
    }
    #expect(computation.isConfined)
  }

  @Test(arguments: paths) func doesNotDependOnHowAMessageIsDivided(on path: SHA256Path) throws {
    let (computation, longest) = (Computation(on: path), message(300))
    for size in 1...130 {
      let parts = stride(from: 0, to: 300, by: size).map { longest[$0..<min($0 + size, 300)] }
      try #require(computation.digest(parts) == vectors[300].digest, "parts of \(size)")
    }
  }

  @Test func goesOnAfterTheBlocksOfAnother() throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 2 * SHA256.byteCount + 64, alignment: 8)
    defer { memory.deallocate() }
    let (other, state, digest) = (memory + SHA256.byteCount, memory + 2 * SHA256.byteCount, memory)
    for (message, known) in vectors {
      for blocks in 0...message.count / SHA256.blockSize {
        let (before, after) = (message.prefix(64 * blocks), message.dropFirst(64 * blocks))
        let first = SHA256(at: memory)
        before.withUnsafeBytes { if !$0.isEmpty { first.absorb($0.baseAddress!, count: $0.count) } }
        first.copyState(to: state)
        let second = SHA256(at: other, after: state, blocks: blocks)
        after.withUnsafeBytes { if !$0.isEmpty { second.absorb($0.baseAddress!, count: $0.count) } }
        second.finish(into: digest)
        let found = Array(UnsafeRawBufferPointer(start: digest, count: SHA256.digestSize))
        try #require(found == known, "\(message.count) bytes, \(blocks) blocks")
      }
    }
  }

  /// The last block of a message of 2²⁹ + 3 zeros, whose length in bits takes more than 32 bits, is written here by
  /// hand.
  @Test(arguments: paths) func countsBitsBeyondThirtyTwo(on path: SHA256Path) {
    let (whole, byHand) = (Computation(on: path), Computation(on: path))
    let digest = whole.digest([[0, 0, 0]], after: 1 << 29)
    let block: [UInt8] = [0, 0, 0, 0x80] + [UInt8](repeating: 0, count: 52) + [0, 0, 0, 1, 0, 0, 0, 24]
    #expect(digest == byHand.stateAfter(block))
  }

  /// Messages of 64 to 319 random bytes.
  @Test(arguments: paths) func everyPathGivesTheSame(on path: SHA256Path) throws {
    var seed = UInt64.random(in: .min ... .max)
    let (here, portable) = (Computation(on: path), Computation(on: .portable))
    for _ in 0..<2000 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      var word = seed
      let message = (0..<Int(seed >> 56) + 64).map { _ -> UInt8 in
        word = word &* 6_364_136_223_846_793_005 &+ 1
        return UInt8(truncatingIfNeeded: word >> 40)
      }
      try #require(here.digest([message[...]]) == portable.digest([message[...]]), "seed \(seed)")
    }
  }
}
