// Project Wycheproof's vectors, where CUSTOM_KEYBOARD_WYCHEPROOF names their folder: `testvectors_v1` of
// https://github.com/C2SP/wycheproof (Apache-2.0). They are not part of this package.
//
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardTestSupport
import Testing

@testable import KeyboardCurves

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

  /// FIPS 180-4 §6.2.2. The constants are the fractions of roots of primes.
  func sha256(_ message: Bytes) -> Bytes {
    let primes = (2...311).filter { n in !(2..<n).contains { n % $0 == 0 } }
    func fraction(_ x: Double) -> UInt32 { UInt32((x - x.rounded(.down)) * 4_294_967_296) }
    let constants = primes.prefix(64).map { fraction(cbrt(Double($0))) }
    var state = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
    func rotated(_ x: UInt32, _ count: UInt32) -> UInt32 { x >> count | x << (32 - count) }
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    padded += (0..<8).map { UInt8(UInt64(8 * message.count) >> (56 - 8 * UInt64($0)) & 255) }
    for start in stride(from: 0, to: padded.count, by: 64) {
      var w = (0..<16).map { i in padded[start + 4 * i..<start + 4 * i + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
      for i in 16..<64 {
        let s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3
        let s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10
        w.append(w[i - 16] &+ s0 &+ w[i - 7] &+ s1)
      }
      var v = state
      for i in 0..<64 {
        let s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)
        let choice = v[4] & v[5] ^ ~v[4] & v[6]
        let t1 = v[7] &+ s1 &+ choice &+ constants[i] &+ w[i]
        let s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)
        let t2 = s0 &+ (v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2])
        v = [t1 &+ t2, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
      }
      for i in 0..<8 { state[i] &+= v[i] }
    }
    return state.flatMap { word in (0..<4).map { UInt8(word >> (24 - 8 * UInt32($0)) & 255) } }
  }

  @Test func theHashOfTheseTestsIsSHA256() {
    #expect(
      String(sha256(Array("abc".utf8))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
