// The seed that a wallet makes of recovery words: PBKDF2 with HMAC-SHA-512 and 2,048 rounds.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardMbedTLS
import KeyboardMemory

/// A computation of a seed: a view of `byteCount` bytes of locked memory.
///
///     ├ inner ┼ outer ┼ working (256 each) ┼ block (128) ┼ round (64) ┼ seed (64) ┤
///
/// - Timing: depends on the lengths only.
/// - Source: BIP-39; RFC 8018 §5.2, RFC 2104.
struct WordSeed {
  private let memory: UnsafeMutableRawPointer

  static var byteCount: Int { 3 * 256 + blockSize + 2 * size }
  /// Bytes of a seed.
  static var size: Int { 64 }
  private static var rounds: Int { 2048 }
  private static var blockSize: Int { 128 }

  init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  private func context(_ index: Int) -> UnsafeMutablePointer<mbedtls_sha512_context> {
    (memory + 256 * index).assumingMemoryBound(to: mbedtls_sha512_context.self)
  }
  private var inner: UnsafeMutablePointer<mbedtls_sha512_context> { context(0) }
  private var outer: UnsafeMutablePointer<mbedtls_sha512_context> { context(1) }
  private var working: UnsafeMutablePointer<mbedtls_sha512_context> { context(2) }
  private var block: UnsafeMutablePointer<UInt8> { (memory + 768).assumingMemoryBound(to: UInt8.self) }
  private var round: UnsafeMutablePointer<UInt8> { block + Self.blockSize }
  var seed: UnsafeMutablePointer<UInt8> { round + Self.size }

  /// Takes the words' text as the key, and the salt's constant beginning.
  func begin(_ text: UnsafePointer<UInt8>, count: Int) {
    block.update(repeating: 0, count: Self.blockSize)
    if count > Self.blockSize {
      keyboard_sha512_begin(working)
      keyboard_sha512_absorb(working, text, count)
      keyboard_sha512_finish(working, block)
    } else {
      block.update(from: text, count: count)
    }
    pad(inner, with: 0x36)
    pad(outer, with: 0x36 ^ 0x5c)
    working.update(from: inner, count: 1)
    let beginning: StaticString = "mnemonic"
    keyboard_sha512_absorb(working, beginning.utf8Start, beginning.utf8CodeUnitCount)
  }

  private func pad(_ context: UnsafeMutablePointer<mbedtls_sha512_context>, with byte: UInt8) {
    for i in 0..<Self.blockSize { block[i] ^= byte }
    keyboard_sha512_begin(context)
    keyboard_sha512_absorb(context, block, Self.blockSize)
  }

  /// Takes a byte of the passphrase.
  func absorb(_ byte: UInt8) {
    round[0] = byte
    keyboard_sha512_absorb(working, round, 1)
  }

  /// Leaves the seed in `seed`.
  func finish() {
    round[0] = 0
    round[1] = 0
    round[2] = 0
    round[3] = 1  // the number of the block, big-endian
    keyboard_sha512_absorb(working, round, 4)
    finishRound()
    seed.update(from: round, count: Self.size)
    for _ in 1..<Self.rounds {
      working.update(from: inner, count: 1)
      keyboard_sha512_absorb(working, round, Self.size)
      finishRound()
      for i in 0..<Self.size { seed[i] ^= round[i] }
    }
  }

  private func finishRound() {
    keyboard_sha512_finish(working, round)
    working.update(from: outer, count: 1)
    keyboard_sha512_absorb(working, round, Self.size)
    keyboard_sha512_finish(working, round)
  }
}
