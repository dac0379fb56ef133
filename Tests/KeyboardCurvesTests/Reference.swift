// Arithmetic modulo a number of 256 bits, bit by bit: slow, short, and nothing like the code under test.
//
// SPDX-License-Identifier: Apache-2.0

@testable import KeyboardCurves

/// A number below 2²⁵⁶; the least significant word first.
struct Number: Equatable, CustomStringConvertible {
  var words: [UInt64]

  init(_ words: [UInt64]) { self.words = words }
  init(_ limbs: Limbs) { words = [limbs.w0, limbs.w1, limbs.w2, limbs.w3] }
  init(bigEndian bytes: Bytes) {
    words = (0..<4).map { word in bytes[(24 - 8 * word)..<(32 - 8 * word)].reduce(0) { $0 << 8 | UInt64($1) } }
  }

  var limbs: Limbs { Limbs(words[0], words[1], words[2], words[3]) }
  var bytes: Bytes { words.reversed().flatMap { word in (0..<8).map { UInt8(word >> (56 - 8 * UInt64($0)) & 255) } } }
  var description: String { String(bytes) }

  func isLess(than other: Number) -> Bool { words.reversed().lexicographicallyPrecedes(other.words.reversed()) }

  /// The sum and its carry.
  func adding(_ other: Number) -> (Number, Bool) {
    var carry = UInt64(0)
    let sum = zip(words, other.words).map { x, y in
      let (first, firstOverflow) = x.addingReportingOverflow(y)
      let (second, secondOverflow) = first.addingReportingOverflow(carry)
      carry = firstOverflow || secondOverflow ? 1 : 0
      return second
    }
    return (Number(sum), carry == 1)
  }

  func subtracting(_ other: Number) -> Number {
    let (difference, _) = adding(Number(other.words.map { ~$0 }))
    return difference.adding(Number([1, 0, 0, 0])).0
  }

  func modulo(_ modulus: Number) -> Number {
    var result = self
    while !result.isLess(than: modulus) { result = result.subtracting(modulus) }
    return result
  }

  /// Of numbers below the modulus.
  static func sum(_ x: Number, _ y: Number, _ modulus: Number) -> Number {
    let (sum, carry) = x.adding(y)
    return carry || !sum.isLess(than: modulus) ? sum.subtracting(modulus) : sum
  }

  static func difference(_ x: Number, _ y: Number, _ modulus: Number) -> Number {
    sum(x, modulus.subtracting(y).modulo(modulus), modulus)
  }

  static func product(_ x: Number, _ y: Number, _ modulus: Number) -> Number {
    var result = Number([0, 0, 0, 0])
    for bit in (0..<256).reversed() {
      result = sum(result, result, modulus)
      if y.words[bit / 64] >> UInt64(bit % 64) & 1 == 1 { result = sum(result, x, modulus) }
    }
    return result
  }
}
