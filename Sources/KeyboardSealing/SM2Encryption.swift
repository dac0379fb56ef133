// SM2 encryption of a key for SM4: GM/T 0003.4 (GB/T 32918.4-2016).
// SPDX-License-Identifier: Apache-2.0

import KeyboardCurves
import KeyboardHashes
import KeyboardMemory

/// SM2 encryption of 16 bytes: C1 ‖ C3 ‖ C2, that is a point (65 bytes), a digest (32) and the masked bytes (16).
///
/// Secrets are in the given memory, in registers and on the stack; the caller wipes all of it.
///
/// - Timing: constant, but for a point that is not on the curve.
/// - Source: GB/T 32918.4-2016 §6.1, §7.1.
struct SM2Encryption {
  private let scratch: UnsafeMutableRawPointer
  /// x2 ‖ y2
  private let shared: UnsafeMutableRawPointer
  private let digest: UnsafeMutableRawPointer

  static var messageSize: Int { 16 }
  static var ciphertextSize: Int { SM2.pointSize + SM3.digestSize + messageSize }

  private static var scratchSize: Int { max(SM2.scratchSize, SM3.byteCount) }

  /// Bytes of memory that it takes.
  static var byteCount: Int {
    Pieces.size(scratchSize) + Pieces.size(2 * SM2.scalarSize) + Pieces.size(SM3.digestSize)
  }

  init(in pieces: inout Pieces) {
    scratch = pieces.take(Self.scratchSize)
    shared = pieces.take(2 * SM2.scalarSize)
    digest = pieces.take(SM3.digestSize)
  }

  /// - Parameters:
  ///   - message: 16 bytes.
  ///   - recipient: a public key that was checked.
  ///   - ephemeral: a fresh scalar, 1…n − 1, used for nothing else.
  ///   - output: gets `ciphertextSize` bytes.
  /// - Returns: false if the mask is zero, which practically never happens: take another scalar.
  func encrypt(
    _ message: UnsafeRawPointer, for recipient: UnsafeRawPointer, ephemeral: UnsafeRawPointer,
    into output: UnsafeMutableRawPointer
  ) -> Bool {
    SM2.publicKey(of: ephemeral, into: output)
    guard SM2.multiply(ephemeral, recipient, into: shared, scratch: scratch) else { return false }
    let (check, masked) = (output + SM2.pointSize, output + SM2.pointSize + SM3.digestSize)
    makeCheck(of: message, into: check)
    return addMask(to: message, into: masked)
  }

  /// - Parameters:
  ///   - ciphertext: `ciphertextSize` bytes.
  ///   - privateKey: 1…n − 2.
  ///   - output: gets 16 bytes; they mean nothing if the answer is false.
  func decrypt(
    _ ciphertext: UnsafeRawPointer, with privateKey: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) -> Bool {
    guard SM2.multiply(privateKey, ciphertext, into: shared, scratch: scratch) else { return false }
    return unmask(ciphertext, into: output)
  }

  /// The same where (x2, y2) was computed elsewhere.
  ///
  /// - Parameter agreed: x2 ‖ y2, 64 bytes.
  func decrypt(
    _ ciphertext: UnsafeRawPointer, agreed: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) -> Bool {
    shared.copyMemory(from: agreed, byteCount: 2 * SM2.scalarSize)
    return unmask(ciphertext, into: output)
  }

  private func unmask(_ ciphertext: UnsafeRawPointer, into output: UnsafeMutableRawPointer) -> Bool {
    let (check, masked) = (ciphertext + SM2.pointSize, ciphertext + SM2.pointSize + SM3.digestSize)
    let isMasked = addMask(to: masked, into: output)
    makeCheck(of: output, into: digest)
    let isRight = ConstantTime.isEqual(digest, check, count: SM3.digestSize)
    return isRight && isMasked
  }

  /// C3 = SM3(x2 ‖ message ‖ y2)
  private func makeCheck(of message: UnsafeRawPointer, into check: UnsafeMutableRawPointer) {
    let sm3 = SM3(at: scratch)
    sm3.begin()
    sm3.absorb(UnsafeRawBufferPointer(start: shared, count: SM2.scalarSize))
    sm3.absorb(UnsafeRawBufferPointer(start: message, count: Self.messageSize))
    sm3.absorb(UnsafeRawBufferPointer(start: shared + SM2.scalarSize, count: SM2.scalarSize))
    sm3.finish(into: check)
  }

  /// Adds KDF(x2 ‖ y2, 128 bits), which is the first half of SM3(x2 ‖ y2 ‖ 1). (GB/T 32918.4-2016 §5.4.3)
  ///
  /// - Returns: false if the mask is zero.
  private func addMask(to input: UnsafeRawPointer, into output: UnsafeMutableRawPointer) -> Bool {
    let sm3 = SM3(at: scratch)
    sm3.begin()
    sm3.absorb(UnsafeRawBufferPointer(start: shared, count: 2 * SM2.scalarSize))
    withUnsafeBytes(of: UInt32(1).bigEndian) { sm3.absorb($0) }
    sm3.finish(into: digest)
    var some: UInt64 = 0
    for offset in stride(from: 0, to: Self.messageSize, by: 8) {
      let mask = digest.load(fromByteOffset: offset, as: UInt64.self)
      some |= mask
      let word = input.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      output.storeBytes(of: word ^ mask, toByteOffset: offset, as: UInt64.self)
    }
    return some != 0
  }
}
