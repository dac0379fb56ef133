// OAEP with SHA-256 in another way, only as far as a public key needs it. It makes texts that no keyboard makes: with
// another message, or with none.
// SPDX-License-Identifier: Apache-2.0

/// - Source: RFC 8017 §7.1.1.
enum OAEPReference {
  /// lHash ‖ PS ‖ 01 ‖ M, for an empty label.
  static func dataBlock(_ message: [UInt8], length: Int) -> [UInt8] {
    let filler = [UInt8](repeating: 0, count: length - 2 * 32 - 2 - message.count)
    return SHA256Reference.digest([]) + filler + [1] + message
  }

  /// maskedSeed ‖ maskedDB
  static func masked(_ dataBlock: [UInt8], seed: [UInt8]) -> [UInt8] {
    let masked = zip(dataBlock, mask(seed, count: dataBlock.count)).map { $0 ^ $1 }
    return zip(seed, mask(masked, count: seed.count)).map { $0 ^ $1 } + masked
  }

  /// MGF1. (§B.2.1)
  private static func mask(_ seed: [UInt8], count: Int) -> [UInt8] {
    let blocks = (0..<(count + 31) / 32).flatMap { SHA256Reference.digest(seed + [0, 0, 0, UInt8($0)]) }
    return Array(blocks.prefix(count))
  }
}

/// - Source: FIPS 180-4 §6.2.
enum SHA256Reference {
  static func digest(_ message: [UInt8]) -> [UInt8] {
    let length = (0..<8).map { UInt8(truncatingIfNeeded: (8 * message.count) >> (56 - 8 * $0)) }
    let padded = message + [0x80] + [UInt8](repeating: 0, count: (119 - message.count % 64) % 64) + length
    var state = start
    for block in stride(from: 0, to: padded.count, by: 64) {
      var words = (0..<16).map { word in
        padded[(block + 4 * word)..<(block + 4 * word + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      }
      for t in 16..<64 {
        let (old, new) = (words[t - 15], words[t - 2])
        let first = turned(old, 7) ^ turned(old, 18) ^ old >> 3
        let second = turned(new, 17) ^ turned(new, 19) ^ new >> 10
        words.append(first &+ words[t - 16] &+ second &+ words[t - 7])
      }
      state = zip(state, rounds(state, words)).map { $0 &+ $1 }
    }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  private static func rounds(_ state: [UInt32], _ words: [UInt32]) -> [UInt32] {
    var s = state
    for t in 0..<64 {
      let choice = s[4] & s[5] ^ ~s[4] & s[6]
      let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
      let one = s[7] &+ (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) &+ choice &+ constants[t] &+ words[t]
      let two = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) &+ majority
      s = [one &+ two, s[0], s[1], s[2], s[3] &+ one, s[4], s[5], s[6]]
    }
    return s
  }

  private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

  private static let primes = (2..<312).filter { number in !(2..<number).contains { number % $0 == 0 } }
  /// The first 32 bits behind the point of the square roots of eight primes, and of the cube roots of 64.
  private static let start = primes.prefix(8).map { root(UInt128($0) << 64) { $0 * $0 } }
  private static let constants = primes.map { root(UInt128($0) << 96) { $0 * $0 * $0 } }

  /// The lowest 32 bits of the largest number whose power is not larger than this.
  private static func root(_ number: UInt128, _ power: (UInt128) -> UInt128) -> UInt32 {
    let root = (0..<38).reversed().reduce(UInt128(0)) { root, bit in
      power(root | 1 << UInt128(bit)) <= number ? root | 1 << UInt128(bit) : root
    }
    return UInt32(truncatingIfNeeded: root)
  }
}
