// ML-KEM and X-Wing as functions of bytes, on memory between guards; and random numbers.
// SPDX-License-Identifier: Apache-2.0

import KeyboardHashes
import KeyboardTestSupport
import Testing

@testable import KeyboardLattice

let paths = VectorPath.allCases.filter { $0 <= .best }

/// The memory of a computation, on one path.
final class Computation {
  private let memory = GuardedMemory(XWing.byteCount)
  let kem: MLKEM768
  let xwing: XWing

  init(_ path: VectorPath) {
    kem = MLKEM768(at: memory.start, on: path)
    xwing = XWing(at: memory.start, on: path)
  }

  /// Nothing was written outside of what a function was given.
  var isConfined: Bool { memory.isIntact }

  /// What `body` writes, of which it must write every byte.
  private func written(_ byteCount: Int, _ body: (UnsafeMutableRawPointer) -> Void) -> Bytes {
    let output = GuardedMemory(byteCount)
    body(output.start)
    #expect(output.isIntact && memory.isIntact)
    return output.bytes
  }

  private func written(_ first: Int, _ second: Int, _ body: (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void)
    -> (Bytes, Bytes)
  {
    let other = GuardedMemory(second)
    let bytes = written(first) { body($0, other.start) }
    #expect(other.isIntact)
    return (bytes, other.bytes)
  }

  func encapsulationKey(_ seed: Bytes) -> Bytes {
    written(MLKEM768.encapsulationKeySize) { kem.makeEncapsulationKey(of: seed, into: $0) }
  }

  func decapsulationKey(_ seed: Bytes) -> Bytes {
    written(MLKEM768.decapsulationKeySize) { kem.makeDecapsulationKey(of: seed, into: $0) }
  }

  func encapsulate(_ key: Bytes, _ message: Bytes) -> (ciphertext: Bytes, sharedKey: Bytes) {
    written(MLKEM768.ciphertextSize, MLKEM768.sharedKeySize) {
      kem.encapsulate(key, message: message, into: $0, sharedKey: $1)
    }
  }

  /// - Parameter key: a seed or a decapsulation key.
  func decapsulate(_ ciphertext: Bytes, _ key: Bytes) -> Bytes {
    written(MLKEM768.sharedKeySize) {
      if key.count == MLKEM768.seedSize {
        kem.decapsulate(ciphertext, seed: key, into: $0)
      } else {
        kem.decapsulate(ciphertext, decapsulationKey: key, into: $0)
      }
    }
  }

  /// SHA3-256.
  func digest(_ bytes: Bytes) -> Bytes {
    written(32) { kem.digest(.sha3_256, bytes, bytes.count, into: $0, 32) }
  }

  func publicKey(_ privateKey: Bytes) -> Bytes {
    written(XWing.publicKeySize) { xwing.makePublicKey(of: privateKey, into: $0) }
  }

  func seal(_ publicKey: Bytes, _ randomness: Bytes) -> (ciphertext: Bytes, secret: Bytes, isZero: UInt64) {
    var isZero: UInt64 = 1
    let (ciphertext, secret) = written(XWing.ciphertextSize, XWing.sharedSecretSize) {
      isZero = xwing.encapsulate(publicKey, randomness: randomness, into: $0, sharedSecret: $1)
    }
    return (ciphertext, secret, isZero)
  }

  func open(_ ciphertext: Bytes, _ privateKey: Bytes) -> (secret: Bytes, isZero: UInt64) {
    var isZero: UInt64 = 1
    let secret = written(XWing.sharedSecretSize) {
      isZero = xwing.decapsulate(ciphertext, privateKey: privateKey, into: $0)
    }
    return (secret, isZero)
  }
}
