// Arithmetic modulo a number of 256 bits, bit by bit: slow, short, and nothing like the code under test.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardTestSupport

@testable import KeyboardCurves

/// A number below 2²⁵⁶. Four variables, not an array: an array takes twenty times as long in debug builds.
struct Number: Equatable, CustomStringConvertible {
  private var w0, w1, w2, w3: UInt64

  init(_ w0: UInt64, _ w1: UInt64 = 0, _ w2: UInt64 = 0, _ w3: UInt64 = 0) {
    (self.w0, self.w1, self.w2, self.w3) = (w0, w1, w2, w3)
  }
  init(_ words: [UInt64]) { self.init(words[0], words[1], words[2], words[3]) }
  init(_ limbs: Limbs) { self.init(limbs.w0, limbs.w1, limbs.w2, limbs.w3) }
  init(bigEndian bytes: Bytes) {
    self.init(
      (0..<4).map { word in bytes[(24 - 8 * word)..<(32 - 8 * word)].reduce(0) { $0 << 8 | UInt64($1) } })
  }

  static let zero = Number(0)
  static let one = Number(1)

  /// The least significant word first.
  var words: [UInt64] { [w0, w1, w2, w3] }
  var limbs: Limbs { Limbs(w0, w1, w2, w3) }
  var bytes: Bytes { words.reversed().flatMap { word in (0..<8).map { UInt8(word >> (56 - 8 * UInt64($0)) & 255) } } }
  var description: String { String(bytes) }

  func isLess(than other: Number) -> Bool {
    if w3 != other.w3 { return w3 < other.w3 }
    if w2 != other.w2 { return w2 < other.w2 }
    if w1 != other.w1 { return w1 < other.w1 }
    return w0 < other.w0
  }

  /// The sum and its carry.
  func adding(_ other: Number) -> (Number, Bool) {
    func add(_ x: UInt64, _ y: UInt64, _ carry: inout Bool) -> UInt64 {
      let (first, firstOverflow) = x.addingReportingOverflow(y)
      let (second, secondOverflow) = first.addingReportingOverflow(carry ? 1 : 0)
      carry = firstOverflow || secondOverflow
      return second
    }
    var carry = false
    let w0 = add(w0, other.w0, &carry)
    let w1 = add(w1, other.w1, &carry)
    let w2 = add(w2, other.w2, &carry)
    let w3 = add(w3, other.w3, &carry)
    return (Number(w0, w1, w2, w3), carry)
  }

  func subtracting(_ other: Number) -> Number {
    let (difference, _) = adding(Number(~other.w0, ~other.w1, ~other.w2, ~other.w3))
    return difference.adding(.one).0
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
    var result = zero
    for word in y.words.reversed() {
      for bit in (0..<64).reversed() {
        result = sum(result, result, modulus)
        if word &>> UInt64(bit) & 1 == 1 { result = sum(result, x, modulus) }
      }
    }
    return result
  }
}
