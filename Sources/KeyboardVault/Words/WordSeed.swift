// The seed that a wallet makes of recovery words: PBKDF2 with HMAC-SHA-512 and 2,048 rounds.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory
import KeyboardSHA2

/// A computation of a seed, in `byteCount` bytes of locked memory.
///
///     ├ HMAC ┼ round (64) ┼ seed (64) ┤
///
/// - Timing: depends on the lengths only.
/// - Source: BIP-39; RFC 8018 §5.2.
struct WordSeed {
  private var hmac: HMAC512
  private let round: UnsafeMutablePointer<UInt64>

  static var byteCount: Int { HMAC512.byteCount + 2 * size }
  /// Bytes of a seed.
  static var size: Int { SHA512.digestSize }
  private static var rounds: Int { 2048 }

  var seed: UnsafeMutablePointer<UInt64> { round + Self.size / 8 }

  /// Takes the words' text as the key, and the salt's constant beginning.
  init(of text: UnsafeRawBufferPointer, at memory: UnsafeMutableRawPointer) {
    hmac = HMAC512(key: text, at: memory)
    round = (memory + HMAC512.byteCount).assumingMemoryBound(to: UInt64.self)
    hmac.absorb("mnemonic")
  }

  /// Takes a byte of the passphrase.
  func absorb(_ byte: UInt8) { hmac.absorb(byte) }

  /// Leaves the seed in `seed`.
  mutating func finish() {
    hmac.absorb(UInt16(0))
    hmac.absorb(UInt16(1))  // the number of the block, in four bytes
    hmac.finish(into: round)
    seed.update(from: round, count: Self.size / 8)
    for _ in 1..<Self.rounds {
      hmac.absorb(round, count: Self.size)
      hmac.finish(into: round)
      for i in 0..<Self.size / 8 { seed[i] ^= round[i] }
    }
  }
}
