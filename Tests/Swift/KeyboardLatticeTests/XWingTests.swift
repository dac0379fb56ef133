// X-Wing, compared with its draft's vectors.
// SPDX-License-Identifier: Apache-2.0

import KeyboardHashes
import KeyboardTestSupport
import Testing

@testable import KeyboardLattice

@Suite struct XWingTests {
  @Test func hasTheDraftsSizes() {
    #expect(XWing.publicKeySize == 1216)
    #expect(XWing.ciphertextSize == 1120)
    #expect(XWing.randomnessSize == 64)
    #expect(XWing.byteCount == 12016)
  }

  @Test(arguments: paths) func givesTheDraftsVectors(path: VectorPath) throws {
    let computation = Computation(path)
    for fields in try vectors("xwing.txt", count: 3, fields: 5) {
      let (seed, randomness, key) = (bytes(fields[0]), bytes(fields[1]), bytes(fields[2]))
      #expect(computation.publicKey(seed) == key)
      #expect(XWing.isAcceptablePublicKey(key))
      let sealed = computation.seal(key, randomness)
      #expect(sealed.ciphertext == bytes(fields[3]))
      #expect(sealed.secret == bytes(fields[4]))
      #expect(sealed.isZero == 0)
      #expect(computation.open(sealed.ciphertext, seed) == (sealed.secret, 0))
    }
  }

  /// A point of low order gives an all-zero value: the draft goes on with it, and the caller is told.
  @Test(arguments: paths) func tellsOfPointsOfLowOrder(path: VectorPath) throws {
    let computation = Computation(path)
    var generator = TestNumbers(seed: 20)
    let (seed, randomness) = (generator.bytes(32), generator.bytes(64))
    let key = computation.publicKey(seed)
    let text = computation.seal(key, randomness).ciphertext
    let order8 = bytes("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")
    for point in [Bytes(repeating: 0, count: 32), [1] + Bytes(repeating: 0, count: 31), order8] {
      let bad = Bytes(key.prefix(1184)) + point
      #expect(!XWing.isAcceptablePublicKey(bad))
      #expect(computation.seal(bad, randomness).isZero == ~0)
      #expect(computation.open(Bytes(text.prefix(1088)) + point, seed).isZero == ~0)
    }
    // A number that is not below q, in ML-KEM's part.
    #expect(!XWing.isAcceptablePublicKey([0xff, key[1] | 0x0f] + key[2...]))
  }

  @Test(arguments: paths) func givesAnotherSecretForEveryChangedText(path: VectorPath) throws {
    let computation = Computation(path)
    var generator = TestNumbers(seed: 21)
    let (seed, randomness) = (generator.bytes(32), generator.bytes(64))
    let sealed = computation.seal(computation.publicKey(seed), randomness)
    for bit in stride(from: 0, to: 8 * sealed.ciphertext.count - 1, by: 11) {
      try #require(computation.open(sealed.ciphertext.flipped(bit), seed).secret != sealed.secret, "bit \(bit)")
    }
    try #require(computation.open(sealed.ciphertext, seed).secret == sealed.secret)
    #expect(computation.open(sealed.ciphertext, seed.flipped(0)).secret != sealed.secret)
  }
}
