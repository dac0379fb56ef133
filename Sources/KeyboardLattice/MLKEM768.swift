// ML-KEM-768: keys that a quantum computer does not give away. (FIPS 203)
//
// Everything works on the caller's memory. Matrices and vectors have three polynomials in each direction.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardHashes
import KeyboardLatticeRing

/// The key encapsulation of ML-KEM-768: a view of memory that belongs to the caller, who wipes it.
///
///     0        4608          8704      10304   10480   11664     11824
///     ├ matrix ┼ polynomials ┼ hashing ┼ block ┼  key  ┼ secrets ┤
///
/// The functions leave secrets in that memory, in registers and up to 1 KB deep on the stack (measured: 0.9 KB).
///
/// - Timing: constant, but for the matrix, whose time depends on a part of the public key: on how many numbers of 12
///   bits are not below q.
/// - Source: FIPS 203.
package struct MLKEM768 {
  /// Bytes of d ‖ z, which a key is made from.
  package static var seedSize: Int { 64 }
  package static var encapsulationKeySize: Int { 3 * 384 + 32 }
  package static var ciphertextSize: Int { 3 * 320 + 128 }
  /// Bytes of K, and of the message m that it is made from.
  package static var sharedKeySize: Int { 32 }

  /// Bytes of memory that the functions take.
  package static var byteCount: Int { secretsOffset + 5 * 32 }

  static var count: Int { Polynomials.vectorCount }
  static var polynomialSize: Int { Transform.byteCount }
  private static var polynomialsOffset: Int { count * count * polynomialSize }
  private static var hashingOffset: Int { polynomialsOffset + 8 * polynomialSize }
  private static var blockOffset: Int { hashingOffset + FourSHAKEs.byteCount }
  private static var keyOffset: Int { blockOffset + 176 }
  private static var secretsOffset: Int { keyOffset + encapsulationKeySize }

  private let memory: UnsafeMutableRawPointer
  let ring: Ring

  /// Views memory. Neither reads nor writes it.
  ///
  /// - Parameter memory: `byteCount` bytes aligned to 8, or better to 64. They must exist for as long as this is used.
  package init(at memory: UnsafeMutableRawPointer) { self.init(at: memory, on: .current) }

  init(at memory: UnsafeMutableRawPointer, on path: VectorPath) {
    self.memory = memory
    ring = Ring(path: path)
  }

  /// The matrix Â, row by row.
  func matrix(_ row: Int, _ column: Int) -> UnsafeMutableRawPointer {
    memory + (row &* Self.count &+ column) &* Self.polynomialSize
  }

  /// Eight polynomials: two vectors and two more.
  func polynomial(_ index: Int) -> UnsafeMutableRawPointer {
    memory + Self.polynomialsOffset + index &* Self.polynomialSize
  }

  /// For hashes: the memory that four SHAKEs take, or one hash, or a ciphertext to compare.
  package var hash: SHA3 { SHA3(at: memory + Self.hashingOffset) }
  var fourSHAKEs: FourSHAKEs { FourSHAKEs(at: memory + Self.hashingOffset, on: ring.path) }
  var otherCiphertext: UnsafeMutableRawPointer { memory + Self.hashingOffset }

  var block: UnsafeMutableRawPointer { memory + Self.blockOffset }
  var key: UnsafeMutableRawPointer { memory + Self.keyOffset }
  /// What G takes, 64 bytes; what it gives, 64 bytes; and the key of a ciphertext that is wrong.
  var input: UnsafeMutableRawPointer { memory + Self.secretsOffset }
  var output: UnsafeMutableRawPointer { input + 64 }
  var rejection: UnsafeMutableRawPointer { input + 128 }
}

// MARK: - Keys

extension MLKEM768 {
  /// Makes an encapsulation key. Leaves Â in `matrix` and ŝ in the first three polynomials, for `decapsulate`.
  ///
  /// - Parameters:
  ///   - seed: d, 32 random bytes. (The 32 bytes of z behind it are not part of this key.)
  ///   - encapsulationKey: gets 1184 bytes; outside this memory.
  /// - Source: FIPS 203, algorithms 13 and 16.
  @_optimize(size) @inline(never)
  package func makeEncapsulationKey(of seed: UnsafeRawPointer, into encapsulationKey: UnsafeMutableRawPointer) {
    // (ρ, σ) = G(d ‖ k)
    input.copyMemory(from: seed, byteCount: 32)
    input.storeBytes(of: UInt8(truncatingIfNeeded: Self.count), toByteOffset: 32, as: UInt8.self)
    digest(.sha3_512, input, 33, into: output, 64)
    sampleMatrix(output)
    sampleNoise(output + 32, count: 2 &* Self.count)
    for index in 0..<2 &* Self.count { ring.transform(polynomial(index)) }
    let coding = Coding.key
    let sum = polynomial(7)
    for index in 0..<Self.count {
      ring.innerProduct(matrix(index, 0), step: Self.polynomialSize, polynomial(0), into: sum)
      ring.add(polynomial(Self.count &+ index), to: sum, times: Modulus.restoring)
      ring.ungroup(sum)
      coding.pack(sum, into: encapsulationKey + index &* coding.byteCount)
    }
    (encapsulationKey + Self.count &* coding.byteCount).copyMemory(from: output, byteCount: 32)
  }

  /// Whether all numbers of an encapsulation key are below q: the standard's modulus check.
  ///
  /// - Parameter encapsulationKey: 1184 bytes.
  /// - Timing: constant up to the answer.
  /// - Source: FIPS 203 §7.2.
  @inline(never)
  package static func isEncapsulationKey(_ encapsulationKey: UnsafeRawPointer) -> Bool {
    Coding.isReduced(encapsulationKey, byteCount: count &* Coding.key.byteCount)
  }
}
