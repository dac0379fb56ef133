// SM2 encryption with a given k, against the standard's example and another implementation.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory
import KeyboardTestSupport
import Testing

@testable import KeyboardSealing

/// A line of sm2-encryption.txt.
private struct Vector {
  let privateKey, publicKey, k, message, ciphertext: Bytes

  init(_ fields: [Substring]) {
    let values = fields.map(bytes)
    (privateKey, publicKey, k, message, ciphertext) = (values[0], values[1], values[2], values[3], values[4])
  }

  static func all() throws -> [Vector] { try vectors("sm2-encryption.txt", count: 20, fields: 5).map(Vector.init) }
}

private func withEncryption<Result>(_ body: (SM2Encryption) throws -> Result) rethrows -> Result {
  let work = GuardedMemory(4096)
  defer { #expect(work.isIntact) }
  var pieces = Pieces(work.start, byteCount: 4096)
  return try body(SM2Encryption(in: &pieces))
}

private func encrypted(_ message: Bytes, for publicKey: Bytes, k: Bytes) -> Bytes? {
  let output = GuardedMemory(SM2Encryption.ciphertextSize)
  let isEncrypted = withEncryption { $0.encrypt(message, for: publicKey, ephemeral: k, into: output.start) }
  return isEncrypted && output.isIntact ? output.bytes : nil
}

private func decrypted(_ ciphertext: Bytes, with privateKey: Bytes) -> Bytes? {
  let output = GuardedMemory(SM2Encryption.messageSize)
  let isDecrypted = withEncryption { $0.decrypt(ciphertext, with: privateKey, into: output.start) }
  #expect(output.isIntact)
  return isDecrypted ? output.bytes : nil
}

@Suite struct SM2EncryptionTests {
  @Test func encryptGivesTheVectors() throws {
    for (line, vector) in try Vector.all().enumerated() {
      let ciphertext = encrypted(vector.message, for: vector.publicKey, k: vector.k)
      try #require(ciphertext == vector.ciphertext, "line \(line)")
    }
  }

  @Test func decryptGivesTheVectors() throws {
    for (line, vector) in try Vector.all().enumerated() {
      try #require(decrypted(vector.ciphertext, with: vector.privateKey) == vector.message, "line \(line)")
    }
  }

  /// The standard's own digits, which are in no file: C1, and C2 cut to 16 bytes.
  @Test func theFirstVectorIsTheStandards() throws {
    let vector = try #require(try Vector.all().first)
    let point = bytes(
      """
      0404ebfc718e8d1798620432268e77feb6415e2ede0e073c0f4f640ecd2e149a73\
      e858f9d81e5430a57b36daab8f950a3c64e6ee6a63094d99283aff767e124df0
      """)
    #expect(vector.message == Bytes("encryption stand".utf8))
    #expect(vector.ciphertext.prefix(65) == point[...])
    #expect(vector.ciphertext.suffix(16) == bytes("21886ca989ca9c7d58087307ca93092d")[...])
  }
}
