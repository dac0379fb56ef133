// Montgomery's multiplication of numbers in digits of 52 bits, without the subtraction at its end: numbers stay below
// twice the modulus.
//
// - Source: C. D. Walter, "Montgomery exponentiation needs no final subtractions", 1999; S. Gueron, V. Krasnov,
//   "Software implementation of modular exponentiation, using advanced vector instructions architectures", 2012.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  typealias Digits20 = Joined<Lanes, Joined<Lanes, HalfLanes>>
  typealias Digits32 = Joined<Lanes, Joined<Lanes, Joined<Lanes, Lanes>>>
  typealias Digits40 = Joined<Lanes, Digits32>

  /// One product that is being computed: x·y/R for an R of 52 bits a step. Each step takes a digit of y, adds a
  /// multiple of the modulus that makes the lowest digit 0, and drops that digit.
  ///
  /// What the next step waits for is computed in few dependent instructions: the lowest register's products are summed
  /// beside it; the multiples are added one lane lower, after the lowest digit was dropped; and what that digit would
  /// carry is told without it. Its sum with the multiple ends with 52 bits that are 0, so it carries one more if it
  /// was not 0.
  struct Product<Upper: Digits> {
    typealias Number = Joined<Lanes, Upper>

    private let x, modulus, dropped: Number
    private let factor: Lanes
    private var sum = Number.zero
    private var last = Lanes.zero

    /// - Parameters:
    ///   - x: below twice the modulus. R is at least four times the modulus.
    ///   - factor: -1/modulus modulo 2⁵².
    @inline(always) init(_ x: UnsafeRawPointer, modulus place: UnsafeRawPointer, factor: UnsafeRawPointer) {
      self.x = Number(x)
      modulus = Number(place)
      dropped = modulus.down(.zero)
      self.factor = Lanes(wordAt: factor)
    }

    /// - Parameter place: the next digit of y, from the lowest on.
    @inline(always) mutating func step(_ place: UnsafeRawPointer) {
      let digit = Lanes(wordAt: place)
      let t = Number(
        sum.a + Lanes.zero.high(x.a, last).low(x.a, digit), sum.b.high(x.b, last).low(x.b, digit))
      last = digit
      let multiple = Lanes.zero.low(t.a, factor).spread
      let carry = ((t.a + .digitMask) >> 52).first
      let rest = t.down(.zero)
      sum = Number(
        (rest.a + carry).low(dropped.a, multiple) + Lanes.zero.high(modulus.a, multiple),
        rest.b.high(modulus.b, multiple).low(dropped.b, multiple))
    }

    /// The product, below twice the modulus.
    @inline(always) func store(_ place: UnsafeMutableRawPointer) {
      var carry = Carry()
      sum.high(x, last).carried(&carry).store(place)
    }
  }
#endif
