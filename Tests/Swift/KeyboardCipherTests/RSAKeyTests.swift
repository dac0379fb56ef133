// Which keys of RSA are taken: exactly the DER of X.509, PKCS#8 and PKCS#1, of 2048 to 4096 bits.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardTestSupport
import Testing

@testable import KeyboardRSA
@testable import KeyboardSealing

/// An odd number of so many bits.
private func modulus(_ bits: Int) -> Bytes {
  var bytes = Bytes(repeating: 0xb5, count: (bits + 7) / 8)
  bytes[0] = UInt8(1) << ((bits - 1) % 8)
  return bytes
}

private let exponent: Bytes = [1, 0, 1]

private func isTaken(_ publicKey: Bytes) -> Bool { error(ofPublicKey: publicKey) == nil }
private func isRefused(_ publicKey: Bytes) -> Bool { error(ofPublicKey: publicKey) == .key }

@Suite struct RSAKeyTests {
  @Test func theKeysOfTheVectorsAreTaken() throws {
    for key in try TestKey.all() {
      #expect(isTaken(key.publicKey), "\(key.bits)")
      #expect(error(ofPrivateKey: key.privateKey) == nil, "\(key.bits)")
      #expect(error(ofPrivateKey: key.pkcs1) == nil, "\(key.bits)")
      #expect(DER.pkcs8(DER.pkcs1(key.numbers)) == key.privateKey, "the tests' own DER")
      #expect(DER.publicKey(key.numbers[0], key.numbers[1]) == key.publicKey)
      #expect(SealingWay.rsa.publicKeyLengths.contains(key.publicKey.count))
      #expect(SealingWay.rsa.secretKeyLengths.contains(key.privateKey.count))
    }
  }

  @Test func theModulusIsOddAndHas2048To4096Bits() throws {
    for bits in [2048, 2049, 2050, 2055, 2056, 2057, 3071, 3072, 4095, 4096] {
      let key = DER.publicKey(modulus(bits), exponent)
      try #require(isTaken(key), "\(bits)")
      #expect(try key.withUnsafeBytes { try RSA.length(ofPublicKey: $0) } == (bits + 7) / 8)
      var even = modulus(bits)
      even[even.count - 1] ^= 1
      try #require(isRefused(DER.publicKey(even, exponent)), "\(bits), even")
    }
    for bits in [8, 512, 1024, 1536, 2040, 2046, 2047, 4097, 4104, 8192, 16384, 65536 * 7] {
      try #require(isRefused(DER.publicKey(modulus(bits), exponent)), "\(bits)")
    }
  }

  @Test func theExponentIsOddAndFrom3To64Bits() throws {
    let taken: [Bytes] = [
      [3], [5], [17], [127], [129], [255], [1, 1], [1, 0, 1], [0x7f] + Bytes(repeating: 255, count: 7),
      Bytes(repeating: 255, count: 8),
    ]
    for exponent in taken { try #require(isTaken(DER.publicKey(modulus(2048), exponent)), "\(exponent)") }
    let refused: [Bytes] = [
      [1], [2], [4], [128], [1, 0], [1, 0, 0], [1] + Bytes(repeating: 0, count: 7) + [1],
      Bytes(repeating: 255, count: 9), Bytes(repeating: 255, count: 256),
    ]
    for exponent in refused { try #require(isRefused(DER.publicKey(modulus(2048), exponent)), "\(exponent)") }
    try #require(isRefused(DER.element(0x30, DER.algorithm, publicPart(number: [0x02, 1, 0]))), "zero")
  }

  /// With an exponent of which each byte is given.
  private func publicPart(number: Bytes) -> Bytes {
    DER.element(0x03, [0], DER.element(0x30, DER.number(modulus(2048)), number))
  }

  @Test func numbersHaveTheirShortestForm() throws {
    for number: Bytes in [
      [0x02, 2, 0, 3], [0x02, 4, 0, 1, 0, 1], [0x02, 3, 0, 0, 0x81], [0x02, 1, 0x81], [0x02, 1, 0xfd], [0x02, 0],
      [0x02, 0x81, 1, 3], [0x02, 0x82, 0, 1, 3], [0x02, 0x80, 3, 0, 0], [0x03, 1, 3], [0x02, 2, 3],
    ] {
      try #require(isRefused(DER.element(0x30, DER.algorithm, publicPart(number: number))), "\(number)")
    }
    try #require(isTaken(DER.element(0x30, DER.algorithm, publicPart(number: [0x02, 2, 0, 0x81]))))
    // A modulus with a zero too many, and one that is negative.
    let bytes = modulus(2056)
    for contents in [[0, 0] + bytes, bytes] {
      let key = DER.element(0x30, DER.element(0x02, contents), DER.number(exponent))
      try #require(isRefused(DER.element(0x30, DER.algorithm, DER.element(0x03, [0], key))))
    }
  }

  @Test func theAlgorithmIsRSAEncryptionWithNULL() throws {
    let oid: Bytes = [0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1]
    let others = [
      DER.element(0x30, oid, [1]),  // no parameters
      DER.element(0x30, oid, [1], [5, 0x81, 0]), DER.element(0x30, oid, [1], [5, 0], [5, 0]),
      DER.element(0x30, oid, [1], [0x30, 0]),
      DER.element(0x30, oid, [7], [5, 0]),  // OAEP
      DER.element(0x30, oid, [10], [5, 0]),  // PSS
      DER.element(0x30, oid, [11], [5, 0]),  // sha256WithRSAEncryption
      DER.element(0x30, [0x06, 3, 0x2b, 0x65, 0x6e]),  // X25519
      [], [0x30, 0],
    ]
    for other in others {
      try #require(isRefused(DER.publicKey(modulus(2048), exponent, algorithm: other)), "\(other)")
    }
    for bit in 0..<8 * DER.algorithm.count {
      let other = DER.algorithm.flipped(bit)
      try #require(isRefused(DER.publicKey(modulus(2048), exponent, algorithm: other)), "bit \(bit)")
    }
  }

  /// Cut, longer, or with other lengths: BER has many ways to write the same.
  @Test func nothingIsMissingAndNothingFollows() throws {
    let key = try #require(try TestKey.all().first)
    for (whole, error) in [
      (key.publicKey, error(ofPublicKey:)), (key.privateKey, error(ofPrivateKey:)), (key.pkcs1, error(ofPrivateKey:)),
    ] {
      #expect(error(whole) == nil)
      for count in 1..<whole.count { try #require(error(Bytes(whole.prefix(count))) == .key, "\(count) bytes") }
      for extra: Bytes in [[0], [5, 0], [0xff], Bytes(repeating: 0, count: 100)] {
        try #require(error(whole + extra) == .key)
      }
      let body = Bytes(whole.dropFirst(4))
      for header: Bytes in [
        [0x30, 0x80], [0x30, 0x83, 0] + whole[2..<4], [0x30, 0x84, 0, 0] + whole[2..<4], [0x31, 0x82] + whole[2..<4],
        [0x10, 0x82] + whole[2..<4], [0x30, 0x82, whole[2], whole[3] &+ 1], [0x30, 0x82, whole[2], whole[3] &- 1],
        [0x30, 0xff], [],
      ] {
        try #require(error(header + body) == .key, "\(header)")
        try #require(error(header + body + [0, 0]) == .key, "\(header)")
      }
    }
    // Inside: after each element that has elements.
    let numbers = DER.element(0x30, DER.number(modulus(2048)), DER.number(exponent))
    for bad in [
      DER.element(0x30, DER.algorithm, DER.element(0x03, [0], numbers, [0])),
      DER.element(0x30, DER.algorithm, DER.element(0x03, [0], numbers), [5, 0]),
      DER.element(0x30, DER.algorithm, DER.element(0x03, [1], numbers)), DER.element(0x30, DER.algorithm, numbers),
      DER.element(0x30, DER.algorithm, DER.element(0x03, numbers)), numbers, key.privateKey,
      DER.element(
        0x30, DER.algorithm,
        DER.element(0x03, [0], DER.element(0x30, DER.number(modulus(2048)), DER.number(exponent), DER.number([3])))),
    ] {
      try #require(isRefused(bad))
    }
    for bad in [
      DER.element(0x30, DER.version, DER.algorithm, DER.element(0x04, key.pkcs1), [0xa0, 0]),
      DER.element(0x30, DER.version, DER.algorithm, DER.element(0x04, key.pkcs1, [0])),
      DER.element(0x30, [0x02, 1, 1], DER.algorithm, DER.element(0x04, key.pkcs1)),
      DER.element(0x30, DER.version, DER.algorithm, DER.element(0x24, key.pkcs1)),
      DER.element(0x30, DER.version, DER.algorithm, DER.element(0x04, DER.element(0x04, key.pkcs1))),
      DER.element(0x30, [0x02, 1, 1], key.numbers.flatMap(DER.number)),  // two primes and more
      DER.pkcs1(key.numbers + [[3]]), DER.pkcs1(key.numbers.dropLast()), DER.pkcs1(Array(key.numbers.prefix(2))),
      key.publicKey, DER.pkcs8(key.privateKey), DER.pkcs8(key.publicKey),
    ] {
      try #require(error(ofPrivateKey: bad) == .key)
    }
  }

  /// Not one bit may be another: the numbers must belong together.
  @Test func everyFlippedBitOfAPrivateKeyIsRefused() throws {
    for key in try TestKey.all().prefix(2) {
      for bit in 0..<8 * key.pkcs1.count {
        try #require(error(ofPrivateKey: key.pkcs1.flipped(bit)) == .key, "\(key.bits), bit \(bit)")
      }
    }
  }

  @Test func theNumbersOfAPrivateKeyBelongTogether() throws {
    let keys = try TestKey.all()
    for number in 0..<8 where number != 1 {
      var numbers = keys[0].numbers
      numbers[number] = keys[1].numbers[number]
      try #require(error(ofPrivateKey: DER.pkcs1(numbers)) == .key, "number \(number)")
      numbers[number] = [1]
      try #require(error(ofPrivateKey: DER.pkcs1(numbers)) == .key, "number \(number) is 1")
    }
    var numbers = keys[0].numbers
    numbers[1] = [3]
    #expect(error(ofPrivateKey: DER.pkcs1(numbers)) == .key)
    // The primes exchanged, with what belongs to them but the last number.
    numbers = keys[0].numbers
    numbers.swapAt(3, 4)
    #expect(error(ofPrivateKey: DER.pkcs1(numbers)) == .key)
    numbers.swapAt(5, 6)
    #expect(error(ofPrivateKey: DER.pkcs1(numbers)) == .key)
    // One times the modulus.
    numbers = keys[0].numbers
    (numbers[3], numbers[4]) = (numbers[0], [1])
    #expect(error(ofPrivateKey: DER.pkcs1(numbers)) == .key)
  }
}
