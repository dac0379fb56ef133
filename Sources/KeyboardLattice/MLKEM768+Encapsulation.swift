// How ML-KEM-768 makes a ciphertext of a shared key, and finds the key again. (FIPS 203 §5.2, §5.3, §6.2, §6.3)
// SPDX-License-Identifier: Apache-2.0

import KeyboardHashes
import KeyboardLatticeRing

extension MLKEM768 {
  /// Makes a shared key, and the ciphertext that tells it to the owner of a key.
  ///
  /// - Parameters:
  ///   - encapsulationKey: 1184 bytes that `isEncapsulationKey` accepts.
  ///   - message: m, 32 fresh random bytes, used for nothing else.
  ///   - ciphertext: gets 1088 bytes.
  ///   - sharedKey: gets 32 bytes. All four are outside this memory.
  /// - Source: FIPS 203, algorithm 17.
  @inline(never)
  package func encapsulate(
    _ encapsulationKey: UnsafeRawPointer, message: UnsafeRawPointer, into ciphertext: UnsafeMutableRawPointer,
    sharedKey: UnsafeMutableRawPointer
  ) {
    // (K, r) = G(m ‖ H(ek))
    input.copyMemory(from: message, byteCount: 32)
    hash(encapsulationKey, Self.encapsulationKeySize, into: input + 32)
    digest(.sha3_512, input, 64, into: output, 64)
    sampleMatrix(encapsulationKey + Self.count &* Coding.key.byteCount)
    encrypt(encapsulationKey, into: ciphertext)
    sharedKey.copyMemory(from: output, byteCount: 32)
  }

  /// K-PKE.Encrypt: of the message in `input`, with the randomness in the second half of `output` and Â in `matrix`.
  /// (FIPS 203, algorithm 14)
  @_optimize(size) @inline(never)
  private func encrypt(_ encapsulationKey: UnsafeRawPointer, into ciphertext: UnsafeMutableRawPointer) {
    // y, e1 and e2. The eighth polynomial is free.
    sampleNoise(output + 32, count: 2 &* Self.count &+ 1)
    let (y, e1, e2, sum) = (polynomial(0), polynomial(3), polynomial(6), polynomial(7))
    for index in 0..<Self.count { ring.transform(polynomial(index)) }
    for index in 0..<Self.count {
      // A column of Â is a row of its transpose.
      ring.innerProduct(matrix(0, index), step: Self.count &* Self.polynomialSize, y, into: sum)
      ring.transformBack(sum)
      ring.add(e1 + index &* Self.polynomialSize, to: sum)
      Coding.u.pack(sum, into: ciphertext + index &* Coding.u.byteCount)
    }
    let t = e1
    for index in 0..<Self.count {
      let place = t + index &* Self.polynomialSize
      Coding.key.unpack(encapsulationKey + index &* Coding.key.byteCount, into: place)
      ring.group(place)
    }
    ring.innerProduct(t, step: Self.polynomialSize, y, into: sum)
    ring.transformBack(sum)
    ring.add(e2, to: sum)
    let message = y
    Coding.message.unpack(input, into: message)
    ring.add(message, to: sum)
    Coding.v.pack(sum, into: ciphertext + Self.count &* Coding.u.byteCount)
  }
}

// MARK: - Decapsulation

extension MLKEM768 {
  /// Finds the shared key of a ciphertext. For a ciphertext that was changed, or made for another key, the result is a
  /// key that nobody else can know.
  ///
  /// - Parameters:
  ///   - ciphertext: 1088 bytes.
  ///   - seed: d ‖ z, 64 bytes that the key was made from.
  ///   - sharedKey: gets 32 bytes. All three are outside this memory.
  /// - Source: FIPS 203, algorithms 16 and 18.
  @inline(never)
  package func decapsulate(
    _ ciphertext: UnsafeRawPointer, seed: UnsafeRawPointer, into sharedKey: UnsafeMutableRawPointer
  ) {
    // The matrix that the key is made with serves again.
    makeEncapsulationKey(of: seed, into: key)
    hash(key, Self.encapsulationKeySize, into: input + 32)
    open(ciphertext, key, rejecting: seed + 32, into: sharedKey)
  }

  /// Makes what of `decapsulate` depends on the key only.
  ///
  /// - Parameters:
  ///   - seed: as for `decapsulate`.
  ///   - vector: gets ŝ, `vectorSize` bytes; outside this memory, and aligned as it is. The rest stays in this memory.
  @inline(never)
  func expandKey(_ seed: UnsafeRawPointer, keeping vector: UnsafeMutableRawPointer) {
    makeEncapsulationKey(of: seed, into: key)
    hash(key, Self.encapsulationKeySize, into: input + 32)
    vector.copyMemory(from: polynomial(0), byteCount: Self.vectorSize)
  }

  /// `decapsulate`, as often as wanted after `expandKey`, and with nothing else between them.
  @inline(never)
  func decapsulate(
    _ ciphertext: UnsafeRawPointer, seed: UnsafeRawPointer, expanded vector: UnsafeRawPointer,
    into sharedKey: UnsafeMutableRawPointer
  ) {
    polynomial(0).copyMemory(from: vector, byteCount: Self.vectorSize)
    open(ciphertext, key, rejecting: seed + 32, into: sharedKey)
  }

  /// Bytes of ŝ.
  static var vectorSize: Int { count * polynomialSize }

  /// With Â in `matrix`, ŝ in the first three polynomials, and H(ek) in the second half of `input`.
  @_optimize(size) @inline(never)
  func open(
    _ ciphertext: UnsafeRawPointer, _ encapsulationKey: UnsafeRawPointer, rejecting z: UnsafeRawPointer,
    into sharedKey: UnsafeMutableRawPointer
  ) {
    decrypt(ciphertext)
    // J(z ‖ c)
    hash.begin(.shake256)
    hash.absorb(UnsafeRawBufferPointer(start: z, count: 32))
    hash.absorb(UnsafeRawBufferPointer(start: ciphertext, count: Self.ciphertextSize))
    hash.finish(into: rejection, byteCount: 32)
    // (K', r') = G(m' ‖ H(ek))
    digest(.sha3_512, input, 64, into: output, 64)
    encrypt(encapsulationKey, into: otherCiphertext)
    let difference = difference(ciphertext, otherCiphertext, byteCount: Self.ciphertextSize)
    let isSame = ((difference | (0 &- difference)) &>> 63) &- opaqueOne()
    for offset in stride(from: 0, to: 32, by: 8) {
      let right = output.load(fromByteOffset: offset, as: UInt64.self)
      let wrong = rejection.load(fromByteOffset: offset, as: UInt64.self)
      sharedKey.storeBytes(of: wrong ^ (isSame & (right ^ wrong)), toByteOffset: offset, as: UInt64.self)
    }
  }

  /// K-PKE.Decrypt: leaves the message in `input`. (FIPS 203, algorithm 15)
  @_optimize(size) @inline(never)
  private func decrypt(_ ciphertext: UnsafeRawPointer) {
    let (s, u, v, product) = (polynomial(0), polynomial(3), polynomial(6), polynomial(7))
    for index in 0..<Self.count {
      let place = u + index &* Self.polynomialSize
      Coding.u.unpack(ciphertext + index &* Coding.u.byteCount, into: place)
      ring.transform(place)
    }
    Coding.v.unpack(ciphertext + Self.count &* Coding.u.byteCount, into: v)
    ring.innerProduct(s, step: Self.polynomialSize, u, into: product)
    ring.transformBack(product)
    ring.add(v, to: product, times: 0 &- Modulus.one)
    Coding.message.pack(product, into: input)
  }
}
