// Whether the numbers of a private key belong together. Nothing is divided: Montgomery's reduction modulo the odd part
// of p - 1, and the bits below, tell that a number is a multiple of p - 1.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardMemory

extension RSAKey {
  /// Bytes of `pieces` that a check takes, at most.
  static var checkSize: Int { 13 * RSA.primeSize }

  /// Checks that n = p·q; that p and q have half of n's bits, rounded up (or one of them one bit less, where n has an
  /// odd number of bits); that d < n, dP < p - 1 and dQ < q - 1 are the same exponent modulo p - 1 and q - 1, and undo
  /// e; that qInv < p undoes q. Whether the primes are prime is not asked: what is computed with them tells.
  ///
  /// - Throws: `.key(.value)`.
  /// - Timing: depends on the lengths of the numbers in bytes, and on the verdict.
  /// - Source: RFC 8017 §3.2.
  func check(in pieces: Pieces) throws(KeyboardError) {
    let count = Numbers.wordCount(bits: primeBits)
    let most = count &* Numbers.wordSize
    guard modulus.count <= 2 * most, privateExponent.count <= 2 * most, p.count <= most, q.count <= most,
      exponentP.count <= most, exponentQ.count <= most, coefficient.count <= most
    else { throw .key(.value) }
    var pieces = pieces
    let check = Check(key: self, count: count, in: &pieces)
    guard ConstantTime.isZero(UInt64(check.fault())) else { throw .key(.value) }
  }
}

/// The numbers of a check, each of `count` words or twice as many. A fault is a word that is not 0.
private struct Check {
  let key: RSAKey
  let count: Int
  let n, d, product: Words
  let p, q, small, order, rest, scratch: Words

  init(key: RSAKey, count: Int, in pieces: inout Pieces) {
    self.key = key
    self.count = count
    n = pieces.takeWords(2 &* count)
    d = pieces.takeWords(2 &* count)
    product = pieces.takeWords(2 &* count)
    p = pieces.takeWords(count)
    q = pieces.takeWords(count)
    small = pieces.takeWords(count)
    order = pieces.takeWords(count)
    rest = pieces.takeWords(count)
    scratch = pieces.takeWords(count)
  }

  func fault() -> Word {
    key.modulus.load(into: n, 2 &* count)
    key.privateExponent.load(into: d, 2 &* count)
    key.p.load(into: p, count)
    key.q.load(into: q, count)
    Numbers.multiply(p, q, into: product, count)
    var fault = Numbers.difference(product, n, 2 &* count)
    fault |= Numbers.excess(p, count, bits: key.primeBits) | Numbers.excess(q, count, bits: key.primeBits)
    fault |= 1 ^ Numbers.isLess(d, n, 2 &* count)
    return fault | faultOfExponent(key.exponentP, p) | faultOfExponent(key.exponentQ, q) | faultOfCoefficient()
  }

  /// Whether q·qInv/R is 1/R modulo p.
  private func faultOfCoefficient() -> Word {
    let modulus = Modulus(p, count)
    key.coefficient.load(into: small, count)
    let fault = 1 ^ Numbers.isLess(small, p, count)
    modulus.multiply(q, small, into: order, product)
    Numbers.clear(rest, count)
    rest[0] = 1
    modulus.leave(rest, product)
    return fault | Numbers.difference(order, rest, count)
  }

  /// Whether an exponent is below prime - 1, and d less it, and e times it less 1, are multiples of that.
  private func faultOfExponent(_ exponent: DERNumber, _ prime: Words) -> Word {
    exponent.load(into: small, count)
    Numbers.copy(prime, to: order, count)
    var fault = Numbers.subtract(order, word: 1, count)
    fault |= 1 ^ Numbers.isLess(small, order, count)

    Numbers.copy(d, to: product, 2 &* count)
    let borrow = Numbers.subtract(product, small, count)
    fault |= Numbers.subtract(product + count, word: borrow, count)
    fault |= faultOfMultiple()

    Numbers.copy(prime, to: order, count)
    fault |= Numbers.subtract(order, word: 1, count)
    Numbers.clear(rest, count)
    rest[0] = Word(truncatingIfNeeded: key.exponent)
    if Word.bitWidth < 64 { rest[1] = Word(truncatingIfNeeded: key.exponent &>> 32) }
    Numbers.multiply(small, rest, into: product, count)
    fault |= Numbers.subtract(product, word: 1, 2 &* count)
    return fault | faultOfMultiple()
  }

  /// Whether `product` is a multiple of `order`, of which the odd part is left.
  private func faultOfMultiple() -> Word {
    // The bits below the lowest one of the order.
    Numbers.copy(order, to: rest, count)
    _ = Numbers.subtract(rest, word: 1, count)
    var fault: Word = 0
    for i in 0..<count { fault |= product[i] & rest[i] & ~order[i] }
    // Once is not enough: the product may be larger than order·R. What twice leaves is below the odd part.
    makeOrderOdd()
    let modulus = Modulus(order, count)
    modulus.reduce(product, into: rest)
    modulus.leave(rest, product)
    return fault | Numbers.sum(rest, count)
  }

  /// Shifts the order to the right until it is odd. How far is a secret: it shifts by each power of two, or not.
  private func makeOrderOdd() {
    let one = opaqueOne()
    var shift = count &* Word.bitWidth
    while shift > 1 {
      shift = (shift &+ 1) &>> 1
      let (words, bits) = place(ofBit: shift)
      let lowest = words < count ? order[words] & ((1 &<< bits) &- 1) : 0
      let mask = maskIfZero(Numbers.sum(order, words) | lowest, one)
      // Twice by a half, so that no shift is by as many bits as a word has.
      let (left, half) = (Word(truncatingIfNeeded: Word.bitWidth &- 1) &- bits, Word(1))
      for i in 0..<count {
        let here = i &+ words < count ? order[i &+ words] : 0
        let above = i &+ words &+ 1 < count ? order[i &+ words &+ 1] : 0
        scratch[i] = here &>> bits | (above &<< left) &<< half
      }
      for i in 0..<count { order[i] ^= (order[i] ^ scratch[i]) & mask }
    }
  }
}

extension DERNumber {
  func load(into words: Words, _ wordCount: Int) {
    Numbers.load(start, byteCount: self.count, into: words, wordCount)
  }
}

extension Pieces {
  mutating func takeWords(_ count: Int) -> Words {
    take(count &* Numbers.wordSize).assumingMemoryBound(to: Word.self)
  }
}
