// Eight numbers to the power of one private exponent, as PrivatePower.swift has it for one.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import KeyboardMemory
  import KeyboardRSAIFMA

  /// A computation on eight texts with a private key that was checked, in the caller's memory.
  ///
  ///     ├ eight powers ┼ lanes (8): c, m₂, m (2 each), m₁ ┼ prime, exponent, R², root, factor ┼ product, n (4, 2) ┤
  ///
  /// - Timing: depends on the key's length, and on the public exponent.
  struct PrivatePowers {
    private let key: RSAKey
    private let count: Int
    private let memory: UnsafeMutableRawPointer
    private let lanes: Words
    private let prime, exponent, square, root, factor, product, n: Words

    private let laneCount: Int
    private static var wordsOfLane: Int { 7 }

    /// Bytes of memory that it takes, at most.
    static var byteCount: Int {
      EightPowers.byteCount + (8 * wordsOfLane + 11) * RSA.primeSize
    }

    /// - Parameter memory: `byteCount` bytes, aligned to 64.
    init(_ key: RSAKey, at memory: UnsafeMutableRawPointer) {
      self.key = key
      self.memory = memory
      laneCount = EightPowers.laneCount
      count = Numbers.wordCount(bits: key.primeBits)
      var pieces = Pieces(memory + EightPowers.byteCount, byteCount: Self.byteCount - EightPowers.byteCount)
      lanes = pieces.takeWords(laneCount &* Self.wordsOfLane &* count)
      prime = pieces.takeWords(count)
      exponent = pieces.takeWords(count)
      square = pieces.takeWords(count)
      root = pieces.takeWords(count)
      factor = pieces.takeWords(count)
      product = pieces.takeWords(4 &* count)
      n = pieces.takeWords(2 &* count)
    }

    private func lane(_ index: Int) -> Words { lanes + index &* Self.wordsOfLane &* count }
    private func c(_ index: Int) -> Words { lane(index) }
    private func m2(_ index: Int) -> Words { lane(index) + 2 &* count }
    private func m(_ index: Int) -> Words { lane(index) + 4 &* count }
    private func m1(_ index: Int) -> Words { lane(index) + 6 &* count }

    /// Reads texts, and writes their powers.
    ///
    /// - Parameters:
    ///   - texts: the first of `count` texts, as long as the modulus, each `stride` bytes after the one before.
    ///   - output: gets the powers, at the same distance.
    ///   - textCount: 1 … 8.
    /// - Returns: a bit for each text, the first one's lowest. `isBelow`: it is below the modulus. `isRight`: its power
    ///   to the public exponent is the text; if it is not, the machine has erred, or the primes are not primes.
    @_optimize(size) @inline(never)
    func run(
      _ texts: UnsafeRawPointer, into output: UnsafeMutableRawPointer, stride: Int, count textCount: Int
    ) -> (isBelow: UInt64, isRight: UInt64) {
      var (isBelow, isRight) = (UInt64(0), UInt64(0))
      let double = 2 &* count
      key.modulus.load(into: n, double)
      for index in 0..<laneCount {
        // Lanes that are not needed compute what the first one does.
        let text = texts + (index < textCount ? index &* stride : 0)
        Numbers.load(text, byteCount: key.length, into: c(index), double)
        isBelow |= Numbers.isLess(c(index), n, double) &<< UInt64(truncatingIfNeeded: index)
      }
      _ = raise(modulo: key.q, to: key.exponentQ, into: m2(0))
      let modulus = raise(modulo: key.p, to: key.exponentP, into: m1(0))
      for index in 0..<laneCount {
        Numbers.clear(m2(index) + count, count)
        modulus.multiply(m1(index), square, into: m1(index), product)
        key.join(m1(index), m2(index), modulus, square: square, into: m(index), factor: factor, product)
      }
      raiseToPublic()
      let (one, modulusOfKey) = (opaqueOne(), Modulus(n, double))
      for index in 0..<laneCount {
        powersOfModulus.end(index, into: product, count: double)
        modulusOfKey.reduceOnce(product)
        let isEqual = maskIfZero(Numbers.difference(product, c(index), double), one)
        isRight |= (isEqual & 1) &<< UInt64(truncatingIfNeeded: index)
      }
      for index in 0..<textCount {
        Numbers.store(m(index), into: output + index &* stride, byteCount: key.length)
      }
      return (isBelow, isRight)
    }

    /// The powers of all c modulo one of the primes, below it. The prime stays in `prime`, and R² in `square`.
    ///
    /// - Parameter result: the first lane's.
    @_optimize(size) @inline(never)
    private func raise(modulo number: DERNumber, to power: DERNumber, into result: Words) -> Modulus {
      number.load(into: prime, count)
      power.load(into: exponent, count)
      let modulus = Modulus(prime, count)
      let bits = key.bits &>> 1
      modulus.makeR(square, squared: true, bits: bits, product)
      let powers = EightPowers(bits: key.primeBits, at: memory)
      let start = Modulus.root(ofWidth: powers.width)
      modulus.makePower(factor, of: powers.width, bits: bits)
      modulus.makePower(root, of: powers.width &+ start.small, bits: bits)
      powers.begin(modulus: prime, one: factor, root: root, count: count)
      for index in 0..<laneCount {
        Numbers.copy(c(index), to: product, 2 &* count)
        modulus.reduce(product, into: factor)
        modulus.multiply(factor, square, into: factor, product)
        powers.load(factor, count: count, lane: index)
      }
      powers.raise(to: exponent, bits: key.primeBits, squarings: start.squarings)
      for index in 0..<laneCount {
        let place = result + index &* Self.wordsOfLane &* count
        powers.end(index, into: place, count: count)
        modulus.reduceOnce(place)
      }
      return modulus
    }

    private var powersOfModulus: EightPowers { EightPowers(bits: key.bits, at: memory) }

    /// Raises all m to the power of the public exponent.
    @_optimize(size) @inline(never)
    private func raiseToPublic() {
      let double = 2 &* count
      let (modulus, powers) = (Modulus(n, double), powersOfModulus)
      let start = Modulus.root(ofWidth: powers.width)
      modulus.makePower(product, of: powers.width &+ start.small, bits: key.bits)
      powers.begin(modulus: n, one: product, root: product, count: double)
      for index in 0..<laneCount { powers.load(m(index), count: double, lane: index) }
      powers.raise(toPublic: key.exponent, squarings: start.squarings)
    }
  }
#endif
