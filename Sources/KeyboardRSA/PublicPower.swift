// x to the power of the public exponent, modulo n.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory

/// A computation with a public key, in the caller's memory.
///
/// - Timing: depends on the key's length, and on the exponent.
/// - Source: RFC 8017 §5.1.1, §5.2.2.
struct PublicPower {
  private let key: RSAKey
  private let count: Int
  private let n, x, y, form, product: Words

  /// Bytes of `pieces` that it takes, at most.
  static var byteCount: Int { 12 * RSA.primeSize }

  init(_ key: RSAKey, in pieces: inout Pieces) {
    self.key = key
    count = Numbers.wordCount(bits: key.bits)
    n = pieces.takeWords(count)
    x = pieces.takeWords(count)
    y = pieces.takeWords(count)
    form = pieces.takeWords(count)
    product = pieces.takeWords(2 &* count)
  }

  /// - Parameters:
  ///   - bytes: as many as the modulus has.
  ///   - output: gets as many.
  /// - Returns: false if the number is not below the modulus.
  func run(_ bytes: UnsafeRawPointer, into output: UnsafeMutableRawPointer) -> Bool {
    key.modulus.load(into: n, count)
    Numbers.load(bytes, byteCount: key.length, into: x, count)
    guard Numbers.isLess(x, n, count) == 1 else { return false }
    Modulus(n, count).raise(x, toPublic: key.exponent, into: y, bits: key.bits, form: form, product)
    Numbers.store(y, into: output, byteCount: key.length)
    return true
  }
}
