// The standard's decapsulation key, which vectors have. The library makes its keys of seeds only.
// SPDX-License-Identifier: Apache-2.0

@testable import KeyboardLattice

extension MLKEM768 {
  static var decapsulationKeySize: Int { 3 * 384 + encapsulationKeySize + 64 }

  /// Makes a decapsulation key as the standard has it: dk_PKE ‖ ek ‖ H(ek) ‖ z.
  ///
  /// - Parameters:
  ///   - seed: d ‖ z, 64 random bytes.
  ///   - decapsulationKey: gets 2400 bytes; outside this memory.
  /// - Source: FIPS 203, algorithm 16.
  func makeDecapsulationKey(of seed: UnsafeRawPointer, into decapsulationKey: UnsafeMutableRawPointer) {
    let coding = Coding.key
    let encapsulationKey = decapsulationKey + Self.count &* coding.byteCount
    makeEncapsulationKey(of: seed, into: encapsulationKey)
    for index in 0..<Self.count {
      ring.ungroup(polynomial(index))
      coding.pack(polynomial(index), into: decapsulationKey + index &* coding.byteCount)
    }
    let digest = encapsulationKey + Self.encapsulationKeySize
    hash(encapsulationKey, Self.encapsulationKeySize, into: digest)
    (digest + 32).copyMemory(from: seed + 32, byteCount: 32)
  }

  /// Whether the encapsulation key in a decapsulation key is the one that its digest was made from: the standard's hash
  /// check.
  ///
  /// - Parameter decapsulationKey: 2400 bytes, outside this memory.
  /// - Timing: constant up to the answer.
  /// - Source: FIPS 203 §7.3.
  func isDecapsulationKey(_ decapsulationKey: UnsafeRawPointer) -> Bool {
    let encapsulationKey = decapsulationKey + Self.count &* Coding.key.byteCount
    hash(encapsulationKey, Self.encapsulationKeySize, into: output)
    return difference(output, encapsulationKey + Self.encapsulationKeySize, byteCount: 32) == 0
  }

  /// `decapsulate` with the standard's decapsulation key.
  ///
  /// - Parameter decapsulationKey: 2400 bytes that `isDecapsulationKey` accepts.
  func decapsulate(
    _ ciphertext: UnsafeRawPointer, decapsulationKey: UnsafeRawPointer, into sharedKey: UnsafeMutableRawPointer
  ) {
    let coding = Coding.key
    let encapsulationKey = decapsulationKey + Self.count &* coding.byteCount
    let digest = encapsulationKey + Self.encapsulationKeySize
    sampleMatrix(digest - 32)
    for index in 0..<Self.count {
      coding.unpack(decapsulationKey + index &* coding.byteCount, into: polynomial(index))
      ring.group(polynomial(index))
    }
    (input + 32).copyMemory(from: digest, byteCount: 32)
    open(ciphertext, encapsulationKey, rejecting: digest + 32, into: sharedKey)
  }
}
