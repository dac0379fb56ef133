// AES as FIPS 197 has it, byte by byte: for PIN blocks of format 4. The library has no bare AES to compare with.
// SPDX-License-Identifier: Apache-2.0

enum AESReference {
  private static func double(_ byte: UInt8) -> UInt8 { byte << 1 ^ (byte & 0x80 == 0 ? 0 : 0x1b) }

  private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
    var (result, factor) = (UInt8(0), one)
    for bit in 0..<8 {
      if other >> bit & 1 == 1 { result ^= factor }
      factor = double(factor)
    }
    return result
  }

  /// The S-box: the inverse, or 0, and an affine map. (§5.1.1)
  private static let box: [UInt8] = (0..<256).map { number in
    let byte = UInt8(number)
    let inverse = (0..<256).lazy.map { UInt8($0) }.first { product(byte, $0) == 1 } ?? 0
    return (0..<5).reduce(UInt8(0x63)) { $0 ^ (inverse << $1 | (inverse >> (7 - $1)) >> 1) }
  }

  private static let inverseBox: [UInt8] = (0..<256).map { number in UInt8(box.firstIndex(of: UInt8(number))!) }

  /// The round keys, 16 bytes each. (§5.2)
  private static func expand(_ key: [UInt8]) -> [UInt8] {
    let (count, total) = (key.count / 4, 4 * (key.count / 4 + 7))
    var (words, constant) = (stride(from: 0, to: key.count, by: 4).map { Array(key[$0..<$0 + 4]) }, UInt8(1))
    for i in count..<total {
      var word = words[i - 1]
      if i % count == 0 {
        word = [word[1], word[2], word[3], word[0]].map { box[Int($0)] }
        word[0] ^= constant
        constant = double(constant)
      } else if count > 6, i % count == 4 {
        word = word.map { box[Int($0)] }
      }
      words.append(zip(words[i - count], word).map { $0 ^ $1 })
    }
    return words.flatMap { $0 }
  }

  /// One block.
  ///
  /// - Parameter key: 16, 24 or 32 bytes.
  static func crypt(_ key: [UInt8], _ block: [UInt8], decrypting: Bool) -> [UInt8] {
    let keys = expand(key)
    let last = keys.count / 16 - 1
    func add(_ state: [UInt8], _ round: Int) -> [UInt8] {
      zip(state, keys[16 * round..<16 * round + 16]).map { $0 ^ $1 }
    }
    /// Row r goes r columns to the left, or to the right.
    func shifted(_ state: [UInt8], by direction: Int) -> [UInt8] {
      (0..<16).map { place in state[(place + direction * 4 * (place % 4) + 64) % 16] }
    }
    func mixed(_ state: [UInt8], _ factors: [UInt8]) -> [UInt8] {
      (0..<16).map { place in
        (0..<4).reduce(UInt8(0)) { sum, row in
          sum ^ product(factors[(row - place % 4 + 4) % 4], state[place / 4 * 4 + row])
        }
      }
    }
    guard decrypting else {
      var state = add(block, 0)
      for round in 1...last {
        state = shifted(state.map { box[Int($0)] }, by: 1)
        state = add(round == last ? state : mixed(state, [2, 3, 1, 1]), round)
      }
      return state
    }
    var state = add(block, last)
    for round in (0..<last).reversed() {
      state = add(shifted(state, by: -1).map { inverseBox[Int($0)] }, round)
      if round > 0 { state = mixed(state, [14, 11, 13, 9]) }
    }
    return state
  }
}
