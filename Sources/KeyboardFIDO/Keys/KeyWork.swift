// What a key is made and used with.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardMemory
import KeyboardSHA2
import KeyboardSigning

/// Locked memory for one signature, handed out in pieces.
struct KeyWork: ~Copyable {
  let workspace: Workspace
  var pieces: Pieces
  let passcodeKey: UnsafeMutableRawPointer
  let privateKey: UnsafeMutableRawPointer
  let publicKey: UnsafeMutableRawPointer
  let keyID: UnsafeMutableRawPointer
  let sealedKey: UnsafeMutableRawPointer
  let digest: UnsafeMutableRawPointer
  let signature: UnsafeMutableRawPointer
  let nonce: UnsafeMutableRawPointer
  let finalChallengeHash: UnsafeMutableRawPointer
  let transactionHash: UnsafeMutableRawPointer
  let hashScratch: UnsafeMutableRawPointer
  let seal: KeySeal
  /// How many bytes the record of the key has, and the answer.
  var recordCount = 0
  var answerCount = 0

  init() throws(KeyboardError) {
    workspace = try Workspace(.sealedText)
    pieces = Pieces(workspace.memory, byteCount: Workspace.Size.sealedText.byteCount)
    passcodeKey = pieces.take(KeySeal.keySize)
    privateKey = pieces.take(KeySeal.privateKeySize)
    publicKey = pieces.take(Assertion.publicKeySize)
    keyID = pieces.take(Assertion.keyIDSize)
    sealedKey = pieces.take(KeySeal.sealedSize)
    digest = pieces.take(Assertion.digestSize)
    signature = pieces.take(Assertion.signatureSize)
    nonce = pieces.take(Assertion.nonceSize)
    finalChallengeHash = pieces.take(Assertion.digestSize)
    transactionHash = pieces.take(Assertion.digestSize)
    hashScratch = pieces.take(SHA256.byteCount + KeyRecord.capacity)
    seal = KeySeal(in: &pieces)
  }

  /// SHA-256 of what is public.
  func hash(_ bytes: UnsafeRawBufferPointer, into digest: UnsafeMutableRawPointer) {
    let sha256 = SHA256(at: hashScratch)
    if let start = bytes.baseAddress { sha256.absorb(start, count: bytes.count) }
    sha256.finish(into: digest)
  }

  var keyIDBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: keyID, count: Assertion.keyIDSize) }

  /// Draws a key pair; its ID is the hash of the public key.
  func draw() throws(KeyboardError) {
    try DigestSignature.drawKey(into: privateKey, publicKey: publicKey, using: workspace)
    hash(UnsafeRawBufferPointer(start: publicKey, count: Assertion.publicKeySize), into: keyID)
  }

  /// Signs `digest` with `privateKey`.
  mutating func sign() throws(KeyboardError) {
    try DigestSignature.sign(digest, key: privateKey, into: signature, using: workspace, in: &pieces)
  }
}
