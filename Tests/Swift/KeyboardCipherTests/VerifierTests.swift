// Verifiers: what is accepted and what is not, at every bound; both ways beside libargon2.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardArgon2
import Foundation
import KeyboardCodes
import KeyboardMemory
import KeyboardTestSupport
import Testing

@testable import KeyboardVerifiers
@testable import KeyboardHashes

private func made(_ password: String, pepper: Bytes = []) throws -> String {
  let text = GuardedMemory(Verifier.length)
  var reads = 0
  let isMade = try pepper.withUnsafeBytes { pepper in
    try Verifier.make(
      of: { read in
        Bytes(password.utf8).withUnsafeBytes(read)
        reads += 1
      }, pepper: pepper, into: text.start)
  }
  try #require(isMade && text.isIntact && reads == 1)
  return String(decoding: text.bytes, as: UTF8.self)
}

private func checked(_ text: String, _ password: String, pepper: Bytes = []) throws -> Bool {
  let verdict = try Bytes(text.utf8).withUnsafeBytes { text in
    try pepper.withUnsafeBytes { pepper in
      try Verifier.check(text, password: { Bytes(password.utf8).withUnsafeBytes($0) }, pepper: pepper)
    }
  }
  return try #require(verdict as Bool?)
}

private func form(_ text: String) -> VerifierForm? {
  let (salt, hash) = (GuardedMemory(64), GuardedMemory(64))
  defer { #expect(salt.isIntact && hash.isIntact) }
  return Bytes(text.utf8).withUnsafeBytes { try? VerifierForm($0, salt: salt.start, hash: hash.start) }
}

private func base64(_ count: Int) -> String {
  Data(repeating: 0xa7, count: count).base64EncodedString().replacingOccurrences(of: "=", with: "")
}

private func phc(_ costs: String, salt: Int = 16, hash: Int = 32) -> String {
  "$argon2id$v=19$\(costs)$\(base64(salt))$\(base64(hash))"
}

private let digits = String(repeating: "0123456789abcdef", count: 4)

@Suite struct VerifierTests {
  // MARK: Making and checking

  @Test func takesAnyPassword() throws {
    for password in ["", "é", String(repeating: "x", count: 128)] {
      let text = try made(password)
      #expect(try checked(text, password))
      #expect(argon2_verify(text, password, password.utf8.count, Argon2_id) == ARGON2_OK.rawValue)
    }
  }

  /// Each bit of the hash decides.
  @Test func refusesEveryFlippedBitOfTheHash() throws {
    let costs = "m=8,t=1,p=1"
    let password = Bytes("135790".utf8)
    for count in [16, 17, 32, 64] {
      var tag = Bytes(repeating: 0, count: count)
      let salt = Bytes(repeating: 0xa7, count: 8)
      #expect(argon2id_hash_raw(1, 8, 1, password, 6, salt, 8, &tag, count) == ARGON2_OK.rawValue)
      func text(_ tag: Bytes) -> String {
        "$argon2id$v=19$\(costs)$\(base64(8))$"
          + Data(tag).base64EncodedString().replacingOccurrences(of: "=", with: "")
      }
      #expect(try checked(text(tag), "135790"))
      for bit in 0..<8 * count { try #require(try !checked(text(tag.flipped(bit)), "135790"), "bit \(bit)") }
      for shorter in 16..<max(count, 16) {
        try #require(try !checked(text(Bytes(tag[..<shorter])), "135790"), "the first \(shorter) bytes")
      }
    }
  }

  // MARK: Beside libargon2

  @Test func libargon2WithTheSecretMakesTheSameHash() throws {
    let pepper = Bytes("a pepper".utf8)
    let text = try made("135790", pepper: pepper)
    let fields = text.split(separator: "$").map(String.init)
    var (password, secret) = (Bytes("135790".utf8), pepper)
    var salt = Bytes(try #require(Data(base64Encoded: fields[3] + "==")))
    var tag = Bytes(repeating: 0, count: 32)
    let code = tag.withUnsafeMutableBufferPointer { tag in
      password.withUnsafeMutableBufferPointer { password in
        salt.withUnsafeMutableBufferPointer { salt in
          secret.withUnsafeMutableBufferPointer { secret in
            var context = argon2_context()
            (context.out, context.outlen) = (tag.baseAddress, 32)
            (context.pwd, context.pwdlen) = (password.baseAddress, UInt32(password.count))
            (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
            (context.secret, context.secretlen) = (secret.baseAddress, UInt32(secret.count))
            (context.m_cost, context.t_cost, context.lanes, context.threads) = (19_456, 2, 1, 1)
            context.version = UInt32(ARGON2_VERSION_13.rawValue)
            return argon2_ctx(&context, Argon2_id)
          }
        }
      }
    }
    #expect(code == ARGON2_OK.rawValue)
    #expect(Data(tag).base64EncodedString() == fields[4] + "=")
  }

  @Test func acceptsWhatLibargon2Makes() throws {
    for (m, t, p, saltCount, hashCount) in [
      (8, 1, 1, 8, 16), (9, 3, 1, 16, 32), (64, 2, 3, 9, 17), (128, 1, 16, 64, 64), (1000, 2, 4, 33, 48),
    ] as [(UInt32, UInt32, UInt32, Int, Int)] {
      let salt = (0..<saltCount).map { _ in UInt8.random(in: 0...255) }
      var text = [CChar](repeating: 0, count: 300)
      let code = argon2id_hash_encoded(t, m, p, "135790", 6, salt, saltCount, hashCount, &text, 300)
      #expect(code == ARGON2_OK.rawValue)
      let string = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      #expect(try checked(string, "135790"), "\(string)")
      #expect(try !checked(string, "135791"), "\(string)")
    }
  }

  // MARK: The import forms

  /// Digests by OpenSSL: `printf %s 135790 | sha256sum`, of its 32 bytes, and of its digits.
  @Test func acceptsTheImportForms() throws {
    let twice = "$sha256d$42dc096a76797455b918584a8be87304d694294f8ff6893bec5bef3a78695e54"
    let ofDigits = "$sha256x2$23455a3959bbc3b95633c547a335b47f25ae8b4addee79d1794109a74543554f"
    for text in [twice, ofDigits] {
      #expect(try checked(text, "135790"))
      #expect(try !checked(text, "135791"))
      let digits = text.split(separator: "$")[1]
      let upper = text.dropLast(64) + digits.uppercased()
      #expect(try checked(String(upper), "135790"))
      #expect(throws: KeyboardError.argument) { try checked(text, "135790", pepper: [1]) }
      #expect(throws: KeyboardError.argument) { try checked(text, "135790", pepper: Bytes(repeating: 1, count: 65)) }
    }
    #expect(try !checked("$sha256x2$" + twice.dropFirst(9), "135790"))
    #expect(try !checked("$sha256d$" + ofDigits.dropFirst(10), "135790"))
  }

  // MARK: Bounds

  @Test func costsHaveBounds() throws {
    for (costs, isAccepted) in [
      ("m=8,t=1,p=1", true), ("m=7,t=1,p=1", false), ("m=16,t=1,p=2", true), ("m=15,t=1,p=2", false),
      ("m=128,t=1,p=16", true), ("m=127,t=1,p=16", false), ("m=136,t=1,p=17", false), ("m=8,t=1,p=0", false),
      ("m=8,t=0,p=1", false), ("m=0,t=1,p=1", false), ("m=8,t=262144,p=1", true), ("m=8,t=262145,p=1", false),
      ("m=1048576,t=2,p=16", true), ("m=1048576,t=3,p=1", false), ("m=1048577,t=1,p=1", false),
      ("m=1048575,t=2,p=1", true), ("m=699050,t=3,p=1", true), ("m=699051,t=3,p=1", false),
      ("m=8,t=2097152,p=1", false), ("m=8,t=2097153,p=1", false),
    ] {
      try #require((form(phc(costs)) != nil) == isAccepted, "\(costs)")
    }
  }

  @Test func saltsAndHashesHaveBounds() throws {
    for count in 0...80 {
      try #require((form(phc("m=8,t=1,p=1", salt: count)) != nil) == (8...64 ~= count), "salt of \(count)")
      try #require((form(phc("m=8,t=1,p=1", hash: count)) != nil) == (16...64 ~= count), "hash of \(count)")
    }
  }

  @Test func theLongestVerifierIsAccepted() throws {
    let longest = phc("m=1048576,t=2,p=16", salt: 64, hash: 64)
    #expect(longest.utf8.count == 207 && Verifier.longestLength == 207)
    #expect(form(longest) != nil)
    // No other costs are longer: those with the most digits of m for each number of digits of t.
    for t in [1, 10, 100, 1000, 10_000, 100_000] {
      let m = min(1 << 20, (2 << 20) / t)
      try #require("\(m)\(t)".count <= 8, "m=\(m), t=\(t)")
    }
    let tooLong = Bytes(repeating: 65, count: 208)
    #expect(throws: KeyboardError.argument) { try checked(String(decoding: tooLong, as: UTF8.self), "135790") }
  }

  // MARK: Malformed strings

  @Test func malformedStringsAreRefused() throws {
    let (salt, hash) = (base64(16), base64(32))
    let end = "$\(salt)$\(hash)"
    let whole = "$argon2id$v=19$m=19456,t=2,p=1" + end
    try #require(form(whole) != nil)
    let malformed = [
      // Another function, another version, something missing, something more.
      "$argon2i$v=19$m=19456,t=2,p=1" + end, "$argon2d$v=19$m=19456,t=2,p=1" + end,
      "$Argon2id$v=19$m=19456,t=2,p=1" + end, "$argon2$v=19$m=19456,t=2,p=1" + end,
      "$argon2id$v=16$m=19456,t=2,p=1" + end, "$argon2id$v=019$m=19456,t=2,p=1" + end,
      "$argon2id$v=1$m=19456,t=2,p=1" + end, "$argon2id$v=190$m=19456,t=2,p=1" + end,
      "$argon2id$V=19$m=19456,t=2,p=1" + end, "$argon2id$m=19456,t=2,p=1" + end,
      "$argon2id$m=19456,t=2,p=1$v=19" + end, "$argon2id$v=19$m=19456,t=2" + end,
      "$argon2id$v=19$m=19456,p=1" + end, "$argon2id$v=19$t=2,p=1" + end, "$argon2id$v=19" + end,
      "$argon2id$v=19$m=19456,t=2,p=1,keyid=AA" + end, "$argon2id$v=19$m=19456,t=2,p=1,data=AA" + end,
      "$argon2id$v=19$m=19456,t=2,p=1,t=2" + end, "$argon2id$v=19$m=19456,t=2,p=1," + end,
      "$argon2id$v=19,m=19456,t=2,p=1" + end, "$argon2id$v=19$m=19456;t=2;p=1" + end,
      // Numbers that are wrong, or are written in another way.
      "$argon2id$v=19$m=019456,t=2,p=1" + end, "$argon2id$v=19$m=19456,t=02,p=1" + end,
      "$argon2id$v=19$m=19456,t=2,p=01" + end, "$argon2id$v=19$m=+19456,t=2,p=1" + end,
      "$argon2id$v=19$m=-19456,t=2,p=1" + end, "$argon2id$v=19$m= 19456,t=2,p=1" + end,
      "$argon2id$v=19$m=19456 ,t=2,p=1" + end, "$argon2id$v=19$m=19456.0,t=2,p=1" + end,
      "$argon2id$v=19$m=0x4c00,t=2,p=1" + end, "$argon2id$v=19$m=1e4,t=2,p=1" + end,
      "$argon2id$v=19$m=,t=2,p=1" + end, "$argon2id$v=19$m=19456,t=,p=1" + end,
      "$argon2id$v=19$m=19456,t=2,p=" + end, "$argon2id$v=19$m=٣٢,t=2,p=1" + end,
      "$argon2id$v=19$m=18446744073709571072,t=2,p=1" + end,
      "$argon2id$v=19$m=19456,t=18446744073709551618,p=1" + end,
      "$argon2id$v=19$m=4294986752,t=2,p=1" + end, "$argon2id$v=19$m=19456,t=2,p=4294967297" + end,
      "$argon2id$v=19$m=99999999999999999999999999999999,t=2,p=1" + end,
      // Base64: padding, the other alphabet, spaces, a character too many, bits that belong to no byte.
      "$argon2id$v=19$m=19456,t=2,p=1$\(salt)==$\(hash)", whole + "=",
      "$argon2id$v=19$m=19456,t=2,p=1$-\(salt.dropFirst())$\(hash)",
      "$argon2id$v=19$m=19456,t=2,p=1$_\(salt.dropFirst())$\(hash)",
      "$argon2id$v=19$m=19456,t=2,p=1$\(salt) $\(hash)", "$argon2id$v=19$m=19456,t=2,p=1$ \(salt)$\(hash)",
      "$argon2id$v=19$m=19456,t=2,p=1$\(salt)\n$\(hash)", "$argon2id$v=19$m=19456,t=2,p=1$\(base64(15))A$\(hash)",
      "$argon2id$v=19$m=19456,t=2,p=1$\(salt.dropLast())x$\(hash)",
      "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(hash.dropLast())9",
      // The whole string.
      "", "$", "$$$$$", "$argon2id$", "argon2id$v=19$m=19456,t=2,p=1" + end, " " + whole, whole + " ", whole + "\n",
      whole + "\0", whole + "$", whole + "$AAAA", "$" + whole, "$argon2id$v=19$m=19456,t=2,p=1$\(salt)\(hash)",
      "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$$\(hash)", "$argon2id$v=19$m=19456,t=2,p=1$$\(hash)",
      "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$", "$argon2id$v=19$m=19456,t=2,p=1$\(salt)",
      "$argon2id$v=19$m=19456,t=2,p=1$\(hash)",
      // The import forms.
      "$sha256d$", "$sha256d$\(digits.dropLast())", "$sha256d$\(digits)0", "$sha256d$\(digits)$",
      "$sha256d$\(digits)\n", "$sha256d$\(digits.dropLast())g", "$sha256d$ \(digits.dropLast())",
      "$sha256d\(digits)", "sha256d$\(digits)", "$SHA256D$\(digits)", "$sha256$\(digits)", "$sha256x2$",
      "$sha256x2$\(digits.dropLast())", "$sha256x2$\(digits)0", "$sha256x2$\(digits.dropLast())G",
      "$sha256x3$\(digits)", "$sha256x2\(digits)",
    ]
    for text in malformed {
      try #require(form(text) == nil, "\(text)")
      #expect(throws: KeyboardError.argument, "\(text)") { try checked(text, "135790") }
    }
    try #require(form("$sha256d$\(digits)") == .sha256Twice)
    try #require(form("$sha256x2$\(digits)") == .sha256OfDigits)
  }

  /// A verifier that was cut is refused. So is one with a byte that cannot be there.
  @Test func partsAndDamagedStringsAreRefused() throws {
    for whole in [phc("m=8,t=1,p=1", salt: 8, hash: 16), "$sha256d$\(digits)", "$sha256x2$\(digits)"] {
      let bytes = Bytes(whole.utf8)
      try #require(form(whole) != nil)
      for count in 0..<bytes.count where !(whole.hasPrefix("$argon") && form(String(whole.prefix(count))) != nil) {
        #expect(throws: KeyboardError.argument) { try checked(String(whole.prefix(count)), "135790") }
      }
      for place in bytes.indices {
        for byte in [0, 0x20, 0x3d, 0x5f, 0x7f, 0x80, 0xff] as Bytes {
          var damaged = bytes
          damaged[place] = byte
          if damaged == bytes { continue }
          let error = #expect(throws: KeyboardError.self) {
            try damaged.withUnsafeBytes { damaged in
              let none = UnsafeRawBufferPointer(start: nil, count: 0)
              _ = try Verifier.check(damaged, password: { $0(none) }, pepper: none)
            }
          }
          try #require(error == .argument, "\(byte) at \(place) of \(whole)")
        }
      }
    }
  }
}
