// Texts and signatures of RSA against vectors, with given randomness. Beside OpenSSL: Tests/C/rsa_peers.py.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardCodes
import KeyboardMemory
import KeyboardTestSupport
import Testing

@testable import KeyboardCipher
@testable import KeyboardRSA
@testable import KeyboardSealing

/// Gives the bytes of a vector, all at once.
private struct GivenBytes: RandomSource {
  let bytes: Bytes
  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    precondition(buffer.count == bytes.count)
    buffer.copyBytes(from: bytes)
  }
}

/// A line of rsa-sealed.txt.
private struct Vector {
  let key: TestKey
  let seed, context, password, text: Bytes

  static func all() throws -> [Vector] {
    let keys = try TestKey.all()
    return try vectors("rsa-sealed.txt", count: 14, fields: 5).map { fields in
      let values = fields.dropFirst().map(bytes)
      return Vector(
        key: keys[Int(fields[0])!], seed: values[0], context: values[1], password: values[2], text: values[3])
    }
  }
}

private func sealed(_ vector: Vector) throws -> Bytes {
  let sealed = try SealedText(.rsa)
  sealed.password.copyMemory(from: vector.password, byteCount: vector.password.count)
  var source = GivenBytes(bytes: vector.seed)
  try vector.key.publicKey.withUnsafeBytes { key in
    try vector.context.withUnsafeBytes { context in
      try sealed.seal(byteCount: vector.password.count, key: key, context: context, from: &source)
    }
  }
  return read(sealed.text, (vector.key.bits + 7) / 8)
}

/// nil if it is refused.
private func opened(_ text: Bytes, _ key: Bytes, _ context: Bytes) throws -> Bytes? {
  do {
    let password = try unseal(text.span, way: .rsa, key: key.span, context: context.span)
    return password.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
  } catch KeyboardError.undecryptable { return nil }
}

@Suite struct RSATests {
  @Test func sealGivesTheVectors() throws {
    for (line, vector) in try Vector.all().enumerated() {
      try #require(try sealed(vector) == vector.text, "line \(line)")
    }
  }

  @Test func openGivesTheVectors() throws {
    for (line, vector) in try Vector.all().enumerated() {
      for key in [vector.key.privateKey, vector.key.pkcs1] {
        try #require(try opened(vector.text, key, vector.context) == vector.password, "line \(line)")
      }
      let other = vector.context.count < 256 ? vector.context + [0] : Bytes(vector.context.dropLast())
      try #require(try opened(vector.text, vector.key.privateKey, other) == nil)
      try #require(try opened(vector.text.dropLast(), vector.key.privateKey, vector.context) == nil)
      try #require(try opened([0] + vector.text, vector.key.privateKey, vector.context) == nil)
    }
  }

  /// Messages of another length, digest or padding than a sealed text has, although their OAEP is right.
  @Test func onlyABlockAndItsDigestAreAPassword() throws {
    let key = try #require(try TestKey.all().first)
    let context = Bytes("a challenge".utf8)
    let digest = sha256(context)
    let block = Bytes(repeating: 100, count: 144)
    #expect(try opened(encrypted(block + digest, for: key), key.privateKey, context) == Bytes(block.prefix(44)))
    let cut = Bytes(block.dropLast())
    let messages: [Bytes] = [
      block, digest, [], cut + digest, [100] + block + digest, block + digest + [0], block + digest.dropLast(),
      cut + [0] + digest, cut + [15] + digest, Bytes(repeating: 15, count: 144) + digest, cut + [145] + digest,
      block + sha256([]), digest + block, Bytes(repeating: 0, count: 176),
    ]
    for message in messages {
      try #require(try opened(encrypted(message, for: key), key.privateKey, context) == nil, "\(message.count)")
    }
    for bit in 0..<256 {
      let text = try encrypted(block + digest.flipped(bit), for: key)
      try #require(try opened(text, key.privateKey, context) == nil, "bit \(bit)")
    }
  }

  /// A message that lacks only the last byte, which is 0 and so is what the memory behind it holds.
  @Test func aMessageThatEndsBeforeAZeroIsRefused() throws {
    let key = try #require(try TestKey.all().first)
    let context = try #require((0..<10_000).lazy.map { Bytes("\($0)".utf8) }.first { sha256($0).last == 0 })
    let message = Bytes(repeating: 100, count: 144) + sha256(context)
    #expect(try opened(encrypted(message, for: key), key.privateKey, context) != nil)
    #expect(try opened(encrypted(message.dropLast(), for: key), key.privateKey, context) == nil)
  }

  private func encrypted(_ message: Bytes, for key: TestKey) throws -> Bytes {
    let (text, seed) = (GuardedMemory(256), GuardedMemory(32))
    let workspace = try Workspace(.batch)
    try key.publicKey.withUnsafeBytes { key in
      try RSA.encrypt(
        message, byteCount: message.count, publicKey: key, seed: seed.start, into: text.start, in: workspace.pieces)
    }
    #expect(text.isIntact && seed.isIntact)
    return text.bytes
  }

  @Test func aMessageOfAnotherLengthIsRefused() throws {
    let key = try #require(try TestKey.all().first)
    let text = try encrypted(Bytes(repeating: 7, count: 100), for: key)
    #expect(try decrypted(text, key.privateKey) == Bytes(repeating: 7, count: 100))
    for count in [0, 1, 99, 100, 101, 190, 191, 192, 256] {
      let message = GuardedMemory(count)
      let workspace = try Workspace(.batch)
      let isMessage = try key.privateKey.withUnsafeBytes {
        try RSA.decrypt(text, privateKey: $0, into: message.start, byteCount: count, in: workspace.pieces)
      }
      #expect(isMessage == (count == 100) && message.isIntact, "\(count)")
    }
  }

  // MARK: Signatures

  private func isSignature(_ signature: Bytes, of digest: Bytes, _ key: Bytes) throws -> Bool {
    let workspace = try Workspace(.batch)
    return try key.withUnsafeBytes { key in
      try signature.withUnsafeBytes { try RSA.isSignature($0, of: digest, publicKey: key, in: workspace.pieces) }
    }
  }

  @Test func verifyGivesTheVectors() throws {
    let keys = try TestKey.all()
    var right = 0
    for (line, fields) in try vectors("rsa-pss.txt", count: 88, fields: 4).enumerated() {
      let key = keys[Int(fields[0])!].publicKey
      let (digest, signature, isRight) = (bytes(fields[1]), bytes(fields[2]), fields[3] == "1")
      try #require(try isSignature(signature, of: digest, key) == isRight, "line \(line)")
      right += isRight ? 1 : 0
    }
    #expect(right == 14)
  }
}
