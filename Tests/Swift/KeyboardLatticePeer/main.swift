// X-Wing for a program at the other end of a pipe: Tests/Evidence/Peers/lattice.py.
//
//     command  gets                         answers
//     p        private key                  public key
//     s        public key, randomness       ciphertext, shared secret, 0 or 1
//     o        ciphertext, private key      shared secret, 0 or 1
//     d        ciphertext of ML-KEM's, seed                  shared key
//
// The last byte of `s` and `o` is 1 if X25519's output is zero. All fields have one length each, so nothing is between
// them.
//
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardLattice

let memory = UnsafeMutableRawPointer.allocate(byteCount: XWing.byteCount, alignment: 64)
let xwing = XWing(at: memory)
let kem = MLKEM768(at: memory)

/// The next bytes. Without them, the program ends.
func take(_ count: Int) -> [UInt8] {
  let bytes = FileHandle.standardInput.readData(ofLength: count)
  guard bytes.count == count else { exit(0) }
  return [UInt8](bytes)
}

/// Answers `count` bytes, and what `body` returns in one more, if it is asked for.
func answer(_ count: Int, withVerdict: Bool = false, _ body: (UnsafeMutableRawPointer) -> UInt64) {
  var bytes = [UInt8](repeating: 0, count: count)
  let isZero = bytes.withUnsafeMutableBytes { body($0.baseAddress!) }
  if withVerdict { bytes.append(isZero == 0 ? 0 : 1) }
  FileHandle.standardOutput.write(Data(bytes))
}

while true {
  switch UnicodeScalar(take(1)[0]) {
  case "p":
    let privateKey = take(XWing.privateKeySize)
    answer(XWing.publicKeySize) {
      xwing.makePublicKey(of: privateKey, into: $0)
      return 0
    }
  case "s":
    let (publicKey, randomness) = (take(XWing.publicKeySize), take(XWing.randomnessSize))
    guard XWing.isAcceptablePublicKey(publicKey) else { exit(1) }
    answer(XWing.ciphertextSize + XWing.sharedSecretSize, withVerdict: true) {
      xwing.encapsulate(publicKey, randomness: randomness, into: $0, sharedSecret: $0 + XWing.ciphertextSize)
    }
  case "o":
    let (ciphertext, privateKey) = (take(XWing.ciphertextSize), take(XWing.privateKeySize))
    answer(XWing.sharedSecretSize, withVerdict: true) {
      xwing.decapsulate(ciphertext, privateKey: privateKey, into: $0)
    }
  case "d":
    let (ciphertext, seed) = (take(MLKEM768.ciphertextSize), take(MLKEM768.seedSize))
    answer(MLKEM768.sharedKeySize) {
      kem.decapsulate(ciphertext, seed: seed, into: $0)
      return 0
    }
  default: exit(2)
  }
}
