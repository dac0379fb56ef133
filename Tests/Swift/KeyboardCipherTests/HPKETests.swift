// HPKE with a given ephemeral key, against the vectors of RFC 9180's authors and of another implementation.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardGCM
import KeyboardMemory
import KeyboardTestSupport
import Testing

@testable import KeyboardSealing

/// A line of hpke.txt. Additional data is not ours: the ciphertext with it is for other implementations.
private struct Vector {
  let suite: HPKE.Suite
  let info, ephemeral, enc, privateKey, publicKey: Bytes
  let secret, schedule, key, nonce: Bytes
  let text, ciphertext: Bytes

  init(_ fields: [Substring]) throws {
    let suites = ["x25519": HPKE.Suite.x25519ChaCha20Poly1305, "p256": .p256AES256GCM, "xwing": .xwingAES256GCM]
    suite = try #require(suites[String(fields[0])])
    let values = fields.dropFirst().map(bytes)
    (info, ephemeral, enc, privateKey, publicKey) = (values[0], values[1], values[2], values[3], values[4])
    (secret, schedule, key, nonce) = (values[5], values[6], values[7], values[8])
    (text, ciphertext) = (values[9], values[12])
  }

  static func all() throws -> [Vector] { try vectors("hpke.txt", count: 24, fields: 14).map(Vector.init) }
}

/// What the memory of a computation holds in the end.
private struct Derived: Equatable {
  let secret, schedule, key, nonce: Bytes

  init(_ hpke: HPKE) {
    secret = read(hpke.shared, 32)
    schedule = read(hpke.schedule, HPKE.scheduleSize)
    key = read(hpke.key, 32)
    nonce = read(hpke.nonce, HPKE.nonceSize)
  }

  init(_ vector: Vector) {
    (secret, schedule, key, nonce) = (vector.secret, vector.schedule, vector.key, vector.nonce)
  }
}

private func withHPKE<Result>(_ suite: HPKE.Suite, _ body: (HPKE) throws -> Result) rethrows -> Result {
  let work = GuardedMemory(HPKE.byteCount(suite))
  defer { #expect(work.isIntact) }
  var pieces = Pieces(work.start, byteCount: HPKE.byteCount(suite))
  return try body(HPKE(suite, in: &pieces))
}

private func sealed(_ vector: Vector) -> (text: Bytes, derived: Derived)? {
  withHPKE(vector.suite) { hpke in
    let output = GuardedMemory(vector.suite.encSize + vector.text.count + HPKE.tagSize)
    let isSealed = vector.info.withUnsafeBytes { info in
      hpke.seal(
        vector.text, byteCount: vector.text.count, for: vector.publicKey, info: info, ephemeral: vector.ephemeral,
        into: output.start)
    }
    return isSealed && output.isIntact ? (output.bytes, Derived(hpke)) : nil
  }
}

private func opened(_ text: Bytes, _ vector: Vector, info: Bytes? = nil) -> (text: Bytes, derived: Derived)? {
  withHPKE(vector.suite) { hpke in
    let count = text.count - vector.suite.encSize - HPKE.tagSize
    let (output, publicKey) = (GuardedMemory(count), GuardedMemory(vector.suite.encSize))
    let isOpened = (info ?? vector.info).withUnsafeBytes { info in
      hpke.open(
        text, byteCount: count, with: vector.privateKey, info: info, into: output.start, publicKey: publicKey.start)
    }
    #expect(output.isIntact && publicKey.isIntact)
    return isOpened ? (output.bytes, Derived(hpke)) : nil
  }
}

@Suite struct HPKETests {
  @Test func publicKeysAreTheVectors() throws {
    for (line, vector) in try Vector.all().enumerated() {
      // X-Wing's enc is not a public key.
      let ephemeral = vector.suite == .xwingAES256GCM ? [] : [(vector.ephemeral, vector.enc)]
      for (privateKey, publicKey) in ephemeral + [(vector.privateKey, vector.publicKey)] {
        let output = GuardedMemory(publicKey.count)
        let way: SealingWay =
          switch vector.suite {
          case .x25519ChaCha20Poly1305: .x25519
          case .p256AES256GCM: .p256
          case .xwingAES256GCM: .xwing
          }
        try privateKey.withUnsafeBytes { key in
          _ = try makePublicKey(
            of: key, way: way, into: UnsafeMutableRawBufferPointer(start: output.start, count: publicKey.count))
        }
        try #require(output.isIntact && output.bytes == publicKey, "line \(line)")
      }
    }
  }

  @Test func sealGivesTheVectors() throws {
    for (line, vector) in try Vector.all().enumerated() {
      let result = try #require(sealed(vector), "line \(line)")
      try #require(result.derived == Derived(vector), "line \(line)")
      try #require(result.text == vector.enc + vector.ciphertext, "line \(line)")
    }
  }

  @Test func openGivesTheVectors() throws {
    for (line, vector) in try Vector.all().enumerated() {
      let result = try #require(opened(vector.enc + vector.ciphertext, vector), "line \(line)")
      try #require(result.derived == Derived(vector), "line \(line)")
      try #require(result.text == vector.text, "line \(line)")
    }
  }

  /// A point of low order gives X25519 a shared secret that everyone knows. The text is refused although its tag is
  /// right.
  @Test func openRefusesAPointOfLowOrderInXWing() throws {
    let vector = try #require(try Vector.all().first { $0.suite == .xwingAES256GCM })
    let zeros = Bytes(repeating: 0, count: 32)
    let enc = vector.enc.dropLast(32) + zeros
    var text = Bytes(enc + vector.ciphertext)
    // Its own key schedule first: what decapsulation makes of this enc is what the forger knows.
    let derived = try #require(
      withHPKE(vector.suite) { hpke -> Derived? in
        let (output, publicKey) = (GuardedMemory(144), GuardedMemory(65))
        _ = vector.info.withUnsafeBytes {
          hpke.open(
            text, byteCount: 144, with: vector.privateKey, info: $0, into: output.start, publicKey: publicKey.start)
        }
        return Derived(hpke)
      })
    let (forged, tag, scratch) = (GuardedMemory(144), GuardedMemory(16), GuardedMemory(AESGCM.byteCount))
    var pieces = Pieces(scratch.start, byteCount: AESGCM.byteCount)
    let (gcm, none) = (AESGCM(in: &pieces), UnsafeRawBufferPointer(start: nil, count: 0))
    gcm.setKey(derived.key)
    vector.text.withUnsafeBytes {
      gcm.seal($0, nonce: derived.nonce, additionalData: none, into: forged.start, tag: tag.start)
    }
    text = Bytes(enc + forged.bytes + tag.bytes)
    #expect(opened(text, vector) == nil)
    // The forgery is right but for its point: without the refusal it would open.
    let clear = GuardedMemory(144)
    let isRight = forged.bytes.withUnsafeBytes {
      gcm.open($0, tag: tag.bytes, nonce: derived.nonce, additionalData: none, into: clear.start)
    }
    #expect(isRight && clear.bytes == vector.text)
  }

  @Test func sealRefusesWhatIsNoPublicKey() throws {
    for suite in [HPKE.Suite.x25519ChaCha20Poly1305, .p256AES256GCM] {
      let output = GuardedMemory(suite.encSize + 16 + HPKE.tagSize)
      let none = Bytes(repeating: 0, count: suite.encSize)
      let isSealed = withHPKE(suite) { hpke in
        hpke.seal(
          Bytes(repeating: 1, count: 16), byteCount: 16, for: none, info: UnsafeRawBufferPointer(start: nil, count: 0),
          ephemeral: Bytes(repeating: 7, count: 32), into: output.start)
      }
      #expect(!isSealed && output.isIntact)
    }
  }
}
