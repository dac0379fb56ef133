// What others have published about OAEP and PSS: Project Wycheproof, pyca, BoringSSL and NIST.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory
import KeyboardTestSupport
import Testing

@testable import KeyboardRSA
@testable import KeyboardSHA2

private let hashSize = 32

func sha256(_ parts: Bytes...) -> Bytes {
  let (memory, digest) = (GuardedMemory(SHA256.byteCount), GuardedMemory(hashSize))
  let computation = SHA256(at: memory.start)
  for part in parts { computation.absorb(part, count: part.count) }
  computation.finish(into: digest.start)
  return digest.bytes
}

/// The message of a bare OAEP, which may have any length; nil if it is refused. The power is computed once.
///
/// - Parameter label: a text with a label is always refused. Then the unmasked block must have the label's digest where
///   the empty label's should be, and behind it zeros, 1 and the message.
func decrypted(_ text: Bytes, _ key: Bytes, label: Bytes = []) throws -> Bytes? {
  let workspace = try Workspace(.batch)
  return try key.withUnsafeBytes { bytes in
    var pieces = workspace.pieces
    let key = try RSAKey(privateKey: bytes)
    let oaep = OAEP(length: key.length, in: &pieces)
    let power = PrivatePower(key, in: &pieces)
    // What calls `decrypt` has compared the lengths.
    guard text.count == key.length, power.load(text) else { return nil }
    try power.run()
    var found: Bytes?
    for count in 0...key.length - 66 {
      Numbers.store(power.m, into: oaep.block, byteCount: key.length)
      let message = GuardedMemory(count)
      if oaep.decode(into: message.start, byteCount: count) == 0 {
        #expect(found == nil, "a text has one message")
        found = message.bytes
      }
      #expect(message.isIntact)
    }
    guard !label.isEmpty else { return found }
    #expect(found == nil, "a text with a label is taken")
    let block = Bytes(UnsafeRawBufferPointer(start: oaep.block, count: key.length))
    guard block[0] == 0, Bytes(block[1 + hashSize..<1 + 2 * hashSize]) == sha256(label) else { return nil }
    let rest = block.dropFirst(1 + 2 * hashSize).drop { $0 == 0 }
    return rest.first == 1 ? Bytes(rest.dropFirst()) : nil
  }
}

/// The length of the salt with which a block of PSS is right; nil if there is none. Written from RFC 8017 §9.1.2.
private func saltLength(_ block: Bytes, bits: Int, _ digest: Bytes) -> Int? {
  let block = Bytes(block.suffix((bits - 1 + 7) / 8))
  let firstMask: UInt8 = 0xff >> UInt8(8 * block.count - (bits - 1))
  guard block.last == 0xbc, block[0] & ~firstMask == 0 else { return nil }
  let hash = Bytes(block.suffix(1 + hashSize).dropLast())
  var data = Bytes(block.dropLast(1 + hashSize))
  for place in data.indices {
    data[place] ^= sha256(hash, [0, 0, 0, UInt8(place / hashSize)])[place % hashSize]
  }
  data[0] &= firstMask
  let rest = data.drop { $0 == 0 }
  guard rest.first == 1 else { return nil }
  let salt = Bytes(rest.dropFirst())
  return sha256(Bytes(repeating: 0, count: 8), digest, salt) == hash ? salt.count : nil
}

@Suite struct RSAPublishedTests {
  /// The lines of a file, whose first field is a key, or = for the key of the line before.
  private func lines(_ file: String, count: Int, fields: Int) throws -> [[Bytes]] {
    var key = Bytes()
    return try vectors(file, count: count, fields: fields).map { line in
      if line[0] != "=" { key = bytes(line[0]) }
      return [key] + line[1..<fields - 1].map(bytes) + [Bytes(line[fields - 1].utf8)]
    }
  }

  @Test func oaep() throws {
    var right = 0
    for (line, fields) in try lines("rsa-oaep-published.txt", count: 132, fields: 5).enumerated() {
      let (key, text, label, isRight) = (fields[0], fields[1], fields[2], fields[4] == Bytes("1".utf8))
      try #require(error(ofPrivateKey: key) == nil, "line \(line)")
      try #require(try decrypted(text, key, label: label) == (isRight ? fields[3] : nil), "line \(line)")
      right += isRight ? 1 : 0
    }
    #expect(right == 75)
  }

  /// A salt of 32 bytes is right for this library. Where another one is, so is the power; where none is, the signature
  /// has another length, or its number is too large, or the block is not right.
  @Test func pss() throws {
    var salts = [String: Int]()
    for (line, fields) in try lines("rsa-pss-published.txt", count: 250, fields: 4).enumerated() {
      let (digest, signature, salt) = (fields[1], fields[2], String(decoding: fields[3], as: UTF8.self))
      let workspace = try Workspace(.batch)
      let (isRight, found) = try fields[0].withUnsafeBytes { bytes in
        let isRight = try signature.withUnsafeBytes {
          try RSA.isSignature($0, of: digest, publicKey: bytes, in: workspace.pieces)
        }
        let key = try RSAKey(subjectPublicKeyInfo: bytes)
        var pieces = workspace.pieces
        let block = GuardedMemory(key.length)
        guard signature.count == key.length, PublicPower(key, in: &pieces).run(signature, into: block.start) else {
          return (isRight, Int?.none)
        }
        return (isRight, saltLength(block.bytes, bits: key.bits, digest))
      }
      try #require(isRight == (salt == "32"), "line \(line)")
      try #require(found == Int(salt), "line \(line)")
      salts[salt, default: 0] += 1
    }
    #expect(salts.values.reduce(0, +) == 250 && salts["32"] == 84 && salts["10"] == 9)
  }
}
