// ML-KEM-768, compared with NIST's vectors, Wycheproof's, and the accumulated ones of C2SP's CCTV.
// SPDX-License-Identifier: Apache-2.0

import KeyboardHashes
import KeyboardTestSupport
import Testing

@testable import KeyboardLattice

@Suite struct MLKEMTests {
  @Test func hasTheStandardsSizes() {
    #expect(MLKEM768.encapsulationKeySize == 1184)
    #expect(MLKEM768.decapsulationKeySize == 2400)
    #expect(MLKEM768.ciphertextSize == 1088)
    #expect(MLKEM768.byteCount == 11824)
  }

  @Test(arguments: paths) func givesNISTsVectors(path: VectorPath) throws {
    let computation = Computation(path)
    var counts: [Substring: Int] = [:]
    for fields in try vectors("mlkem768-acvp.txt", count: 90, fields: 5) {
      let (key, given, third, expected) = (bytes(fields[1]), bytes(fields[2]), fields[3], fields[4])
      counts[fields[0], default: 0] += 1
      switch fields[0] {
      case "key":
        try #require(computation.digest(computation.encapsulationKey(key)) == bytes(third))
        try #require(computation.digest(computation.decapsulationKey(key)) == bytes(expected))
      case "encapsulate":
        try #require(MLKEM768.isEncapsulationKey(key))
        let (ciphertext, sharedKey) = computation.encapsulate(key, given)
        try #require(computation.digest(ciphertext) == bytes(third))
        try #require(sharedKey == bytes(expected))
      case "decapsulate":
        try #require(computation.decapsulate(given, key) == bytes(expected), "\(third)")
      case "check":
        let isEncapsulationKey = key.count == MLKEM768.encapsulationKeySize
        let isValid =
          isEncapsulationKey ? MLKEM768.isEncapsulationKey(key) : computation.kem.isDecapsulationKey(key)
        try #require(isValid == (expected == "valid"), "\(fields[1].prefix(32))")
      default: Issue.record("\(fields[0])")
      }
    }
    #expect(counts == ["key": 25, "encapsulate": 25, "decapsulate": 20, "check": 20])
  }

  @Test(arguments: paths) func givesWycheproofsVectors(path: VectorPath) throws {
    let computation = Computation(path)
    var counts: [Substring: Int] = [:]
    for fields in try vectors("mlkem768-wycheproof.txt", count: 303, fields: 7) {
      let (key, given, expected) = (bytes(fields[1]), bytes(fields[2]), fields[6])
      counts[expected == "invalid" ? "invalid" : fields[0], default: 0] += 1

      func expect(_ output: Bytes, _ field: Substring) throws {
        if field != "-" { try #require(computation.digest(output) == bytes(field), "\(fields[1].prefix(64))") }
      }
      switch fields[0] {
      case "all":
        let encapsulationKey = computation.encapsulationKey(key)
        let (ciphertext, sharedKey) = computation.encapsulate(encapsulationKey, given)
        try expect(encapsulationKey, fields[3])
        try expect(computation.decapsulationKey(key), fields[4])
        try expect(ciphertext, fields[5])
        try #require(sharedKey == bytes(expected))
        try #require(computation.decapsulate(ciphertext, key) == sharedKey)
      case "encapsulate" where expected == "invalid":
        try #require(!MLKEM768.isEncapsulationKey(key))
      case "encapsulate":
        try #require(MLKEM768.isEncapsulationKey(key))
        let (ciphertext, sharedKey) = computation.encapsulate(key, given)
        try expect(ciphertext, fields[5])
        try #require(sharedKey == bytes(expected))
      case "decapsulate" where expected == "invalid":
        try #require(!computation.kem.isDecapsulationKey(key))
      case "decapsulate":
        try #require(computation.decapsulate(given, key) == bytes(expected))
        if key.count == MLKEM768.seedSize {
          try expect(computation.encapsulationKey(key), fields[3])
          try #require(computation.decapsulate(given, computation.decapsulationKey(key)) == bytes(expected))
        }
      default: Issue.record("\(fields[0])")
      }
    }
    #expect(counts == ["all": 100, "encapsulate": 33, "decapsulate": 56, "invalid": 114])
  }

  /// 10,000 keys, messages and random ciphertexts, drawn from SHAKE128 of nothing, as https://c2sp.org/CCTV/ML-KEM has
  /// them. Its digest is of the draft of FIPS 203; this is the one of the standard, that others give too.
  @Test(arguments: paths) func givesTheAccumulatedVectors(path: VectorPath) throws {
    let count = 10_000
    let size = 96 + MLKEM768.ciphertextSize
    let drawn = GuardedMemory(count * size)
    let (source, results) = (GuardedMemory(SHA3.byteCount), GuardedMemory(SHA3.byteCount))
    SHA3(at: source.start).begin(.shake128)
    SHA3(at: source.start).finish(into: drawn.start, byteCount: count * size)
    let sum = SHA3(at: results.start)
    sum.begin(.shake128)
    func add(_ memory: GuardedMemory, _ byteCount: Int) {
      sum.absorb(UnsafeRawBufferPointer(start: memory.start, count: byteCount))
    }

    let memory = GuardedMemory(MLKEM768.byteCount)
    let kem = MLKEM768(at: memory.start, on: path)
    let key = GuardedMemory(MLKEM768.decapsulationKeySize)
    let encapsulationKey = key.start + 1152
    let (ciphertext, sharedKey, opened) = (GuardedMemory(MLKEM768.ciphertextSize), GuardedMemory(32), GuardedMemory(32))
    for index in 0..<count {
      let seed = drawn.start + index * size
      kem.makeDecapsulationKey(of: seed, into: key.start)
      kem.encapsulate(encapsulationKey, message: seed + 64, into: ciphertext.start, sharedKey: sharedKey.start)
      kem.decapsulate(ciphertext.start, seed: seed, into: opened.start)
      try #require(sharedKey.bytes == opened.bytes, "number \(index)")
      kem.decapsulate(seed + 96, decapsulationKey: key.start, into: opened.start)
      sum.absorb(UnsafeRawBufferPointer(start: encapsulationKey, count: MLKEM768.encapsulationKeySize))
      add(key, MLKEM768.decapsulationKeySize)
      add(ciphertext, MLKEM768.ciphertextSize)
      add(sharedKey, 32)
      add(opened, 32)
    }
    sum.finish(into: opened.start, byteCount: 32)
    #expect(opened.bytes == bytes("f959d18d3d1180121433bf0e05f11e7908cf9d03edc150b2b07cb90bef5bc1c1"))
    #expect(memory.isIntact && key.isIntact && ciphertext.isIntact && sharedKey.isIntact && opened.isIntact)
  }

  /// Every number from q to 4095, and every coefficient.
  @Test func refusesEveryNumberThatIsNotBelowTheModulus() throws {
    let key = Computation(.portable).encapsulationKey(TestNumbers(seed: 1).first(64))
    #expect(MLKEM768.isEncapsulationKey(key))
    for index in 0..<768 {
      func with(_ number: Int) -> Bytes {
        var other = key
        let place = index / 2 * 3
        if index % 2 == 0 {
          other[place] = UInt8(number & 255)
          other[place + 1] = other[place + 1] & 0xf0 | UInt8(number >> 8)
        } else {
          other[place + 1] = other[place + 1] & 0x0f | UInt8(number & 15) << 4
          other[place + 2] = UInt8(number >> 4)
        }
        return other
      }
      let number = 3329 + index % (4096 - 3329)
      try #require(!MLKEM768.isEncapsulationKey(with(number)), "number \(number) at \(index)")
      for number in [3329, 4095] { try #require(!MLKEM768.isEncapsulationKey(with(number)), "\(number) at \(index)") }
      for number in [0, 3328] { try #require(MLKEM768.isEncapsulationKey(with(number)), "\(number) at \(index)") }
    }
  }

  /// A text with any bit changed gives another key, which does not depend on the message; and the same for each time.
  @Test(arguments: paths) func rejectsEveryChangedText(path: VectorPath) throws {
    let computation = Computation(path)
    var generator = TestNumbers(seed: 2)
    let (seed, message) = (generator.bytes(64), generator.bytes(32))
    let (ciphertext, sharedKey) = computation.encapsulate(computation.encapsulationKey(seed), message)
    for bit in stride(from: 0, to: 8 * ciphertext.count, by: 7) {
      let changed = ciphertext.flipped(bit)
      let rejected = computation.decapsulate(changed, seed)
      try #require(rejected != sharedKey, "bit \(bit)")
      // J(z ‖ c)
      let expected = GuardedMemory(32)
      let input = Bytes(seed[32...]) + changed
      computation.kem.digest(.shake256, input, input.count, into: expected.start, 32)
      try #require(rejected == expected.bytes, "bit \(bit)")
    }
    #expect(computation.decapsulate(ciphertext, seed) == sharedKey)
  }

  @Test func pathsAgree() throws {
    var generator = TestNumbers(seed: 3)
    let computations = paths.map { Computation($0) }
    for round in 0..<1000 {
      let (seed, message, other) = (generator.bytes(64), generator.bytes(32), generator.bytes(1088))
      let results = computations.map { computation in
        let key = computation.decapsulationKey(seed)
        let (ciphertext, sharedKey) = computation.encapsulate(Bytes(key[1152..<2336]), message)
        return key + ciphertext + sharedKey + computation.decapsulate(ciphertext, seed)
          + computation.decapsulate(other, seed)
      }
      try #require(results.allSatisfy { $0 == results[0] }, "round \(round)")
    }
  }
}

extension TestNumbers {
  func first(_ count: Int) -> Bytes {
    var copy = self
    return copy.bytes(count)
  }
}
