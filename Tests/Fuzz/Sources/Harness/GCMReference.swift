// SM4-GCM in another way: the bare block cipher, and GHASH bit by bit. It makes texts that no keyboard makes: with
// wrong padding, or with a password that is not UTF-8.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// Sealed texts of the way SM4_GCM: nonce(12) ‖ block(144) ‖ tag(16).
///
/// - Source: NIST SP 800-38D; RFC 8998.
enum GCMReference {
  static let blockSize = 144

  static func seal(_ block: [UInt8], key: [UInt8], nonce: [UInt8], context: [UInt8]) -> [UInt8] {
    let body = mask(block, key, nonce)
    return nonce + body + tag(body, key, nonce, context)
  }

  /// nil if the text is not of this key and context.
  static func open(_ text: [UInt8], key: [UInt8], context: [UInt8]) -> [UInt8]? {
    guard text.count == 12 + blockSize + 16 else { return nil }
    let (nonce, body) = (Array(text[..<12]), Array(text[12..<12 + blockSize]))
    return tag(body, key, nonce, context) == Array(text[(12 + blockSize)...]) ? mask(body, key, nonce) : nil
  }

  static func pad(_ password: [UInt8]) -> [UInt8] {
    let count = blockSize - password.count
    return password + [UInt8](repeating: UInt8(count), count: count)
  }

  /// nil if the padding is wrong: it has 16 … 144 bytes.
  static func unpad(_ block: [UInt8]) -> [UInt8]? {
    let count = Int(block[blockSize - 1])
    guard 16...blockSize ~= count, block.suffix(count).allSatisfy({ $0 == UInt8(count) }) else { return nil }
    return block.dropLast(count)
  }

  private static func mask(_ bytes: [UInt8], _ key: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
    let counters = (0..<bytes.count / 16).flatMap { nonce + [0, 0, 0, UInt8($0 + 2)] as [UInt8] }
    return zip(bytes, Reference.crypt(CUSTOM_ENCWAY_SM4, key, counters, decrypting: false)).map { $0 ^ $1 }
  }

  private static func tag(_ body: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ context: [UInt8]) -> [UInt8] {
    let blocks = [UInt8](repeating: 0, count: 16) + nonce + [0, 0, 0, 1]
    let crypted = Reference.crypt(CUSTOM_ENCWAY_SM4, key, blocks, decrypting: false)
    let filler = [UInt8](repeating: 0, count: (16 - context.count % 16) % 16)
    let hashKey = number(crypted[..<16])
    let whole = context + filler + body
    let hash = stride(from: 0, to: whole.count, by: 16).reduce(UInt128(0)) { hash, start in
      product(hash ^ number(whole[start..<start + 16]), hashKey)
    }
    let lengths = UInt128(8 * context.count) << 64 | UInt128(8 * body.count)
    let tag = product(hash ^ lengths, hashKey) ^ number(crypted[16...])
    return (0..<16).map { UInt8(truncatingIfNeeded: tag >> (120 - 8 * UInt128($0))) }
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }

  /// In GF(2¹²⁸), the lowest power first. (SP 800-38D §6.3)
  private static func product(_ x: UInt128, _ y: UInt128) -> UInt128 {
    var (sum, shifted) = (UInt128(0), y)
    for place in 0..<128 {
      if x >> UInt128(127 - place) & 1 == 1 { sum ^= shifted }
      shifted = shifted >> 1 ^ (shifted & 1 == 1 ? 0xe1 << 120 : 0)
    }
    return sum
  }
}
