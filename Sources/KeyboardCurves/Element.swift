// Arithmetic modulo a prime of 256 bits, in Montgomery form with R = 2²⁵⁶: x is held as x·R. Values are always below
// the prime.
//
// SPDX-License-Identifier: Apache-2.0

/// A number modulo a prime, in Montgomery form. Points in memory are limbs only; an element has its modulus with it, so
/// that formulas read as they are published.
struct Element<M: Modulus> {
  var limbs: Limbs
  let modulus: M

  @inline(always) init(montgomery limbs: Limbs, _ modulus: M) {
    self.limbs = limbs
    self.modulus = modulus
  }

  @inline(always) private func with(_ limbs: Limbs) -> Element { Element(montgomery: limbs, modulus) }

  @inline(always) static func * (x: Element, y: Element) -> Element { x.with(x.modulus.product(x.limbs, y.limbs)) }
  @inline(always) var squared: Element { with(modulus.square(limbs)) }

  /// self^(2^count)
  @inline(always) func squared(_ count: Int) -> Element { with(modulus.square(limbs, times: count)) }

  /// self + y and self - y, compiled where they are used: in the doubling of a point, which most of the time of a
  /// multiplication goes to. `+` and `-` are the same in one place, which saves 4 KB.
  @inline(always) func plus(_ y: Element) -> Element {
    var carry: Carry = 0
    let sum = Limbs.sum(limbs, y.limbs, &carry)
    return with(modulus.reducedOnce(sum, top: word(carry)))
  }

  @inline(always) func minus(_ y: Element) -> Element {
    var borrow: Carry = 0
    let difference = Limbs.difference(limbs, y.limbs, &borrow)
    var carry: Carry = 0
    return with(Limbs.sum(difference, modulus.prime & mask(borrow), &carry))
  }

  // Limbs come back in registers; with a modulus they would in memory.
  @inline(never) private func sum(_ y: Limbs) -> Limbs { plus(with(y)).limbs }
  @inline(never) private func difference(_ y: Limbs) -> Limbs { minus(with(y)).limbs }

  @inline(always) static func + (x: Element, y: Element) -> Element { x.with(x.sum(y.limbs)) }
  @inline(always) static func - (x: Element, y: Element) -> Element { x.with(x.difference(y.limbs)) }
  @inline(always) var tripled: Element { self + self + self }

  /// self/2: of the number and the number + prime one is even.
  @inline(always) var halved: Element {
    var carry: Carry = 0
    let even = Limbs.sum(limbs, modulus.prime & (0 &- (limbs.w0 & 1)), &carry)
    return with(even.halved(top: word(carry)))
  }
}

typealias AnyElement = Element<AnyModulus>

extension AnyElement {
  @inline(always) static func one(_ modulus: AnyModulus) -> Self { Self(montgomery: modulus.r, modulus) }

  /// Into Montgomery form. `number` may be any below 2²⁵⁶.
  @inline(always) init(_ number: Limbs, _ modulus: AnyModulus) {
    self.init(montgomery: modulus.product(number, modulus.rSquared), modulus)
  }

  /// Out of Montgomery form.
  @inline(always) var number: Limbs { modulus.product(limbs, Limbs(1, 0, 0, 0)) }

  /// -self where the mask is all ones.
  @inline(always) func negated(where mask: UInt64) -> Self {
    let opposite = Self(montgomery: .zero, modulus).minus(self)
    return Self(montgomery: Limbs.choose(mask, opposite.limbs, limbs), modulus)
  }

  // MARK: - Inversion

  /// 1/self, and 0 for 0. By Fermat: self^(prime - 2).
  @inline(never) func inverted() -> Self {
    switch modulus {
    case .fieldP256, .fieldSM2: invertedInField
    case .orderP256, .orderSM2: power(modulus.prime.w0 &- 2)
    }
  }

  /// 255 squarings, and 14 or 16 multiplications.
  @inline(always) private var invertedInField: Self {
    let x = self
    // ones2 is x^(2² - 1), and so on: blocks of ones in the exponent.
    let ones2 = x.squared * x
    let ones4 = ones2.squared(2) * ones2
    let ones8 = ones4.squared(4) * ones4
    let ones16 = ones8.squared(8) * ones8
    let ones24 = ones16.squared(8) * ones8
    let ones28 = ones24.squared(4) * ones4
    let ones30 = ones28.squared(2) * ones2
    let ones31 = ones30.squared * x
    let ones32 = ones31.squared * x
    let isP256 = modulus == .fieldP256
    var r =
      isP256
      ? (ones32.squared(32) * x).squared(96)
      : ((ones31.squared(33) * ones32).squared(32) * ones32)
    r = r.squared(32) * ones32
    r = r.squared(32) * ones32
    if !isP256 { r = r.squared(64) * ones32 }
    return (r.squared(30) * ones30).squared(2) * x
  }

  /// self^(prime with another lowest word), by windows of four bits. The exponent is public.
  @inline(never) private func power(_ lowest: UInt64) -> Self {
    var exponent = modulus.prime
    exponent.w0 = lowest
    // 512 bytes: beyond 1 KB this function would allocate on the heap.
    return withUnsafeTemporaryAllocation(of: Limbs.self, capacity: 16) { powers in
      powers.initializeElement(at: 0, to: modulus.r)
      for i in 1..<16 { powers.initializeElement(at: i, to: modulus.product(powers[i &- 1], limbs)) }
      var r = Self.one(modulus)
      for i in 0..<64 {
        let position = 63 &- i
        let digit = (exponent[position &>> 4] &>> UInt64(truncatingIfNeeded: (position & 15) &* 4)) & 15
        r = r.squared(4)
        if digit != 0 { r = r * Self(montgomery: powers[Int(truncatingIfNeeded: digit)], modulus) }
      }
      return r
    }
  }
}
