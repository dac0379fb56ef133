// Project Wycheproof's vectors, where CUSTOM_KEYBOARD_WYCHEPROOF names their folder: `testvectors_v1` of
// https://github.com/C2SP/wycheproof (Apache-2.0). They are not part of this package.
//
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardTestSupport
import Testing

@testable import KeyboardCurves
@testable import KeyboardSHA2

let wycheproof = ProcessInfo.processInfo.environment["CUSTOM_KEYBOARD_WYCHEPROOF"]

@Suite(.enabled(if: wycheproof != nil)) struct Wycheproof {
  struct File: Decodable {
    var numberOfTests: Int
    var testGroups: [Group]
  }
  struct Group: Decodable {
    var publicKey: Key?
    var tests: [Case]
  }
  struct Key: Decodable {
    var uncompressed: String?
  }
  struct Case: Decodable {
    var tcId: Int
    var result: String
    var flags: [String]
    var shared: String?
    var `public`: String?
    var `private`: String?
    var msg: String?
    var sig: String?
  }

  static func read(_ name: String, atLeast count: Int) throws -> File {
    let data = try Data(contentsOf: URL(fileURLWithPath: wycheproof!).appendingPathComponent(name))
    let file = try JSONDecoder().decode(File.self, from: data)
    try #require(file.numberOfTests >= count)
    try #require(file.testGroups.reduce(0) { $0 + $1.tests.count } == file.numberOfTests)
    return file
  }

  @Test(arguments: curvePaths) func x25519(path: CurvePath) throws {
    for test in try Self.read("x25519_test.json", atLeast: 518).testGroups.flatMap(\.tests) {
      let (scalar, u) = (Bytes(hexadecimal: test.private!), Bytes(hexadecimal: test.public!))
      let (isZero, output) = X25519Functions.multiply(scalar, u, on: path)
      try #require(output == Bytes(hexadecimal: test.shared!), "\(test.tcId)")
      try #require((isZero == .max) == output.allSatisfy { $0 == 0 }, "\(test.tcId)")
    }
  }

  @Test func ecdh() throws {
    var valid = 0
    for test in try Self.read("ecdh_secp256r1_ecpoint_test.json", atLeast: 300).testGroups.flatMap(\.tests) {
      let point = Bytes(hexadecimal: test.public!)
      // Some private keys have a zero byte in front; compressed points are for a parser.
      let key = Bytes((Bytes(repeating: 0, count: 32) + Bytes(hexadecimal: test.private!)).suffix(32))
      if point.count != 65 {
        try #require(test.result != "valid" || test.flags.contains("CompressedPoint"), "\(test.tcId)")
        continue
      }
      let (isPoint, x) = TestedCurve.p256.agree(key, point)
      try #require(isPoint == (test.result == "valid"), "\(test.tcId)")
      if isPoint { try #require(x == Bytes(hexadecimal: test.shared!), "\(test.tcId)") }
      valid += isPoint ? 1 : 0
    }
    #expect(valid >= 200)
  }

  @Test func ecdsa() throws {
    var valid = 0
    for group in try Self.read("ecdsa_secp256r1_sha256_p1363_test.json", atLeast: 250).testGroups {
      let key = Bytes(hexadecimal: group.publicKey!.uncompressed!)
      for test in group.tests {
        let signature = Bytes(hexadecimal: test.sig!)
        if signature.count != 64 {
          try #require(test.result == "invalid", "\(test.tcId)")
          continue
        }
        let isRight = TestedCurve.p256.verify(signature, sha256(Bytes(hexadecimal: test.msg!)), key)
        try #require(isRight == (test.result == "valid"), "\(test.tcId)")
        valid += isRight ? 1 : 0
      }
    }
    #expect(valid >= 100)
  }

  func sha256(_ message: Bytes) -> Bytes {
    let (memory, digest) = (GuardedMemory(SHA256.byteCount), GuardedMemory(32))
    let computation = SHA256(at: memory.start)
    if !message.isEmpty { computation.absorb(message, count: message.count) }
    computation.finish(into: digest.start)
    return digest.bytes
  }
}
