// c to the power of a private exponent: modulo each prime, by the Chinese remainder theorem.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardMemory

#if arch(x86_64)
  import KeyboardRSAIFMA
#endif

/// A computation with a private key that was checked, in the caller's memory.
///
///     ├ c, m₂, m (2 each) ┼ m₁, prime, exponent, R², R, factor ┼ product (2) ┼ table (16) ┤      in words of a prime
///
/// The table is used again, when it is over, to look at the result: a fault in the machine, in one of the two halves,
/// would tell the primes. With AVX-512 IFMA, both halves are computed side by side, in more memory in the table's
/// place.
///
/// - Timing: depends on the key's length, and on the public exponent.
/// - Source: RFC 8017 §5.1.2; the fault: D. Boneh, R. DeMillo, R. Lipton, "On the importance of checking cryptographic
///   protocols for faults", 1997.
struct PrivatePower {
  private let key: RSAKey
  private let path: RSAPath
  private let count: Int
  /// What is computed with: a number below the modulus, of twice `count` words. And the result.
  let c, m: Words
  private let m1, m2, prime, exponent, square, one, factor, product, table: Words

  /// Bytes of `pieces` that it takes, at most.
  static var byteCount: Int {
    #if arch(x86_64)
      14 * RSA.primeSize + max(Modulus.tableCount(1) * RSA.primeSize, alignment + TwoPowers.byteCount)
    #else
      (14 + Modulus.tableCount(1)) * RSA.primeSize
    #endif
  }

  /// Two powers begin at a multiple of this.
  private static var alignment: Int { 64 }

  init(_ key: RSAKey, in pieces: inout Pieces, on path: RSAPath = .current) {
    self.key = key
    self.path = path
    count = Numbers.wordCount(bits: key.primeBits)
    c = pieces.takeWords(2 &* count)
    m2 = pieces.takeWords(2 &* count)
    m = pieces.takeWords(2 &* count)
    m1 = pieces.takeWords(count)
    prime = pieces.takeWords(count)
    exponent = pieces.takeWords(count)
    square = pieces.takeWords(count)
    one = pieces.takeWords(count)
    factor = pieces.takeWords(count)
    product = pieces.takeWords(2 &* count)
    table = pieces.takeWords((Self.byteCount - 14 * RSA.primeSize) / Numbers.wordSize)
  }

  /// Reads c.
  ///
  /// - Parameter bytes: as many as the modulus has.
  /// - Returns: whether it is below the modulus.
  func load(_ bytes: UnsafeRawPointer) -> Bool {
    Numbers.load(bytes, byteCount: key.length, into: c, 2 &* count)
    key.modulus.load(into: m, 2 &* count)
    return Numbers.isLess(c, m, 2 &* count) == 1
  }

  /// Leaves the power in `m`, and looks at it with the public exponent. If it is not right, the machine has erred, or
  /// the primes are not primes: a second try shows which.
  ///
  /// - Throws: `.key(.value)` if the primes are not primes.
  @inline(never)
  func run() throws(KeyboardError) {
    // How often is not known when it is compiled, so that this verdict is one branch.
    for _ in 0...opaqueOne() {
      compute()
      if isRight() { return }
    }
    throw .key(.value)
  }

  @inline(never)
  private func compute() {
    let modulus = path == .portable ? raiseInTurn() : raiseTogether()
    Numbers.clear(m2 + count, count)
    key.join(m1, m2, modulus, square: square, into: m, factor: factor, product)
  }

  /// m₂, and m₁ in Montgomery's form. p stays in `prime`, and R² modulo it in `square`.
  private func raiseInTurn() -> Modulus {
    raise(modulo: key.q, to: key.exponentQ, into: m2).leave(m2, product)
    return raise(modulo: key.p, to: key.exponentP, into: m1)
  }

  /// The power modulo one of the primes, in Montgomery's form. The prime stays in `prime`, and R² in `square`.
  private func raise(modulo number: DERNumber, to power: DERNumber, into result: Words) -> Modulus {
    let modulus = reduce(modulo: number, into: result)
    power.load(into: exponent, count)
    modulus.makeR(one, squared: false, bits: key.bits &>> 1, product)
    modulus.multiply(result, square, into: result, product)
    modulus.raise(
      result, to: exponent, bits: key.primeBits, one: one, table: table, factor: factor, product)
    return modulus
  }

  /// c modulo one of the primes. The prime stays in `prime`, and R² in `square`.
  private func reduce(modulo number: DERNumber, into result: Words) -> Modulus {
    number.load(into: prime, count)
    let modulus = Modulus(prime, count)
    modulus.makeR(square, squared: true, bits: key.bits &>> 1, product)
    Numbers.copy(c, to: product, 2 &* count)
    modulus.reduce(product, into: result)
    modulus.multiply(result, square, into: result, product)
    return modulus
  }

  #if arch(x86_64)
    /// The same as `raiseInTurn`.
    @_optimize(size) @inline(never)
    private func raiseTogether() -> Modulus {
      let gap = -Int(bitPattern: table) & (Self.alignment - 1)
      let powers = TwoPowers(bits: key.primeBits, at: UnsafeMutableRawPointer(table) + gap)
      begin(powers, 0, modulo: key.q, into: m2)
      let modulus = begin(powers, 1, modulo: key.p, into: m1)
      key.exponentQ.load(into: factor, count)
      key.exponentP.load(into: exponent, count)
      powers.run(
        (UnsafePointer(factor), UnsafePointer(exponent)), bits: key.primeBits,
        squarings: Modulus.root(ofWidth: powers.width).squarings)
      powers.end(0, into: m2, count: count)
      powers.end(1, into: m1, count: count)
      key.q.load(into: factor, count)
      Modulus(factor, count).reduceOnce(m2)
      modulus.multiply(m1, square, into: m1, product)
      return modulus
    }

    @discardableResult @_optimize(size) @inline(never)
    private func begin(_ powers: TwoPowers, _ side: Int, modulo number: DERNumber, into base: Words) -> Modulus {
      let modulus = reduce(modulo: number, into: base)
      modulus.makePower(one, of: powers.width, bits: key.bits &>> 1)
      modulus.makePower(
        exponent, of: powers.width &+ Modulus.root(ofWidth: powers.width).small, bits: key.bits &>> 1)
      powers.begin(side, modulus: prime, base: base, one: one, root: exponent, count: count)
      return modulus
    }
  #else
    private func raiseTogether() -> Modulus { raiseInTurn() }
  #endif

  /// Whether the result to the power of the public exponent is c.
  @inline(never)
  private func isRight() -> Bool {
    let double = 2 &* count
    let (n, form, power, product) = (table, table + double, table + 2 &* double, table + 3 &* double)
    key.modulus.load(into: n, double)
    let modulus = Modulus(n, double)
    modulus.raise(m, toPublic: key.exponent, into: power, bits: key.bits, form: form, product)
    return Numbers.difference(power, c, double) == 0
  }
}

extension RSAKey {
  /// m = m₂ + q·((m₁ - m₂)·qInv modulo p), by the Chinese remainder theorem.
  ///
  /// - Parameters:
  ///   - m1: in Montgomery's form; changed.
  ///   - m2: below q, in twice as many words.
  ///   - modulus: p.
  ///   - square: R² modulo p.
  ///   - m: gets twice as many words.
  @inline(never)
  func join(
    _ m1: Words, _ m2: Words, _ modulus: Modulus, square: Words, into m: Words, factor: Words, _ t: Words
  ) {
    let count = modulus.count
    // m₂ may be larger than p.
    modulus.multiply(m2, square, into: factor, t)
    let borrow = Numbers.subtract(m1, factor, count)
    _ = Numbers.add(m1, modulus.words, (0 &- borrow) & (0 &- opaqueOne()), count)
    coefficient.load(into: factor, count)
    modulus.multiply(factor, m1, into: m1, t)
    q.load(into: factor, count)
    Numbers.multiply(m1, factor, into: m, count)
    _ = Numbers.add(m, m2, ~0, 2 &* count)
  }
}
