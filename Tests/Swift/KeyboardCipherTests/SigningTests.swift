// Nonces, the signer's identity, and whole signatures, against RFC 6979, GM/T 0003.5 and another implementation.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardCurves
import KeyboardMemory
import KeyboardTestSupport
import Testing

@testable import KeyboardRSA
@testable import KeyboardSigning

/// A line of nonces.txt.
private struct Vector {
  let way: SigningWay
  let key, digest, added: Bytes
  let nonces: [Bytes]

  init(_ fields: [Substring]) {
    way = fields[0] == "p256" ? .p256 : .sm2
    (key, digest, added) = (bytes(fields[1]), bytes(fields[2]), bytes(fields[3]))
    nonces = fields[4...].map(bytes)
  }

  static func all() throws -> [Vector] { try vectors("nonces.txt", count: 74, fields: 7).map(Vector.init) }
}

private func withPieces<Result>(_ body: (inout Pieces) throws -> Result) rethrows -> Result {
  let work = GuardedMemory(8192)
  defer { #expect(work.isIntact) }
  var pieces = Pieces(work.start, byteCount: 8192)
  return try body(&pieces)
}

private func reduced(_ digest: Bytes, for way: SigningWay) -> Bytes {
  let output = GuardedMemory(32)
  switch way {
  case .p256: P256.reduceModuloOrder(digest, into: output.start)
  case .sm2: SM2.reduceModuloOrder(digest, into: output.start)
  case .rsa: fatalError()
  @unknown default: fatalError()
  }
  #expect(output.isIntact)
  return output.bytes
}

private func signature(of digest: Bytes, key: Bytes, way: SigningWay, adding added: Bytes = []) -> Bytes? {
  let output = GuardedMemory(64)
  let isSigned = withPieces { pieces in
    added.withUnsafeBytes { way.sign(digest: digest, key: key, adding: $0, into: output.start, in: &pieces) }
  }
  return isSigned && output.isIntact ? output.bytes : nil
}

private func publicKey(of key: Bytes, way: SigningWay) -> Bytes {
  let output = GuardedMemory(65)
  switch way {
  case .p256: P256.publicKey(of: key, into: output.start)
  case .sm2: SM2.publicKey(of: key, into: output.start)
  case .rsa: fatalError()
  @unknown default: fatalError()
  }
  return output.bytes
}

private func digest(_ text: Bytes, context: Bytes, publicKey: Bytes, way: SigningWay) -> Bytes {
  let (output, scratch) = (GuardedMemory(32), GuardedMemory(SignedMessage.scratchSize))
  text.withUnsafeBytes { text in
    context.withUnsafeBytes { context in
      SignedMessage(context: context, text: text)
        .hash(for: way, publicKey: publicKey, into: output.start, scratch: scratch.start)
    }
  }
  #expect(output.isIntact && scratch.isIntact)
  return output.bytes
}

@Suite struct SigningTests {
  /// RSA's signatures are tested in RSATests.
  private static let curves: [SigningWay] = [.p256, .sm2]

  @Test func noncesAreTheVectors() throws {
    for (line, vector) in try Vector.all().enumerated() {
      let digest = reduced(vector.digest, for: vector.way)
      let nonces = withPieces { pieces in
        let output = GuardedMemory(HedgedNonces.nonceSize)
        return vector.added.withUnsafeBytes { added in
          let nonces = HedgedNonces(key: vector.key, digest: digest, added: added, in: &pieces)
          return vector.nonces.map { _ in
            nonces.next(into: output.start)
            return output.bytes
          }
        }
      }
      try #require(nonces == vector.nonces, "line \(line)")
    }
  }

  /// RFC 6979, A.2.5: "sample" and "test" with SHA-256.
  @Test func signaturesAreTheRFCs() throws {
    let expected = [
      """
      efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
      f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8
      """,
      """
      f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367\
      019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083
      """,
    ]
    for (vector, expected) in zip(try Vector.all(), expected) {
      #expect(signature(of: vector.digest, key: vector.key, way: .p256) == bytes(expected[...]))
    }
  }

  /// Each bit that is added gives another signature, which is right too.
  @Test func addedBytesChangeTheNonce() throws {
    let vector = try #require(try Vector.all().first)
    for way in Self.curves {
      var seen: Set<Bytes> = []
      for bit in 0..<256 {
        let added = Bytes(repeating: 0, count: 32).flipped(bit)
        seen.insert(try #require(signature(of: vector.digest, key: vector.key, way: way, adding: added)))
      }
      #expect(seen.count == 256)
    }
  }

  /// GM/T 0003.5, signature standard: the digest Z ‖ message of the default identity is the standard's Z.
  @Test func theIdentityIsTheStandards() {
    let key = bytes("3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8"[...])
    let output = GuardedMemory(32)
    let scratch = GuardedMemory(SignedMessage.scratchSize)
    SignedMessage.identify(publicKey(of: key, way: .sm2), into: output.start, scratch: scratch.start)
    #expect(output.bytes == bytes("b2e14c5c79c6df5b85f4fe7ed8db7a262b9da7e07ccb0ea9f4747b8ccda8a4f3"[...]))
    #expect(output.isIntact && scratch.isIntact)
  }

  /// The context's length is hashed, so that no byte can move between context and text.
  @Test func theBoundaryIsSigned() throws {
    let key = publicKey(of: try #require(try Vector.all().first).key, way: .sm2)
    let text = Bytes(0..<100)
    for way in Self.curves {
      let digests = (0...100).map {
        digest(Bytes(text[$0...]), context: Bytes(text[..<$0]), publicKey: key, way: way)
      }
      #expect(Set(digests).count == 101)
    }
  }
}
