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

  // Limbs come back in registers; with a modulus they would in memory. `make prove` shows what the functions compute.

  /// - Range: x < prime, y < prime; result < prime
  @inline(never) private func sum(_ y: Limbs) -> Limbs { plus(with(y)).limbs }
  /// - Range: x < prime, y < prime; result < prime
  @inline(never) private func difference(_ y: Limbs) -> Limbs { minus(with(y)).limbs }

  @inline(always) static func + (x: Element, y: Element) -> Element { x.with(x.sum(y.limbs)) }
  @inline(always) static func - (x: Element, y: Element) -> Element { x.with(x.difference(y.limbs)) }
  @inline(always) var tripled: Element { with(sumOfThree) }
  /// - Range: x < prime; result < prime
  private var sumOfThree: Limbs { @inline(never) get { plus(self).plus(self).limbs } }

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
  @inline(always) func negated(where mask: UInt64) -> Self { Self(montgomery: opposite(where: mask), modulus) }

  /// - Range: x < prime; result < prime
  @inline(never) private func opposite(where mask: UInt64) -> Limbs {
    Limbs.choose(mask, Self(montgomery: .zero, modulus).minus(self).limbs, limbs)
  }

  // MARK: - Inversion

  /// 1/self, and 0 for 0. By Fermat: self^(prime - 2), by windows of four bits. The exponent is public.
  ///
  /// - Range: x < prime; result < prime
  @_optimize(size) @inline(never) func inverted() -> Self {
    // 512 bytes: beyond 1 KB this function would allocate on the heap.
    withUnsafeTemporaryAllocation(of: Limbs.self, capacity: 16) { inverted(powers: $0.baseAddress!) }
  }

  @_optimize(size) @inline(never) private func inverted(powers: UnsafeMutablePointer<Limbs>) -> Self {
    powers[0] = modulus.r
    for i in 1..<16 { powers[i] = modulus.product(powers[i &- 1], limbs) }
    var exponent = modulus.prime
    exponent.w0 &-= 2
    var r = modulus.r
    for i in 0..<64 {
      let position = 63 &- i
      let digit = (exponent[position &>> 4] &>> UInt64(truncatingIfNeeded: (position & 15) &* 4)) & 15
      r = modulus.square(r, times: 4)
      if digit != 0 { r = modulus.product(r, powers[Int(truncatingIfNeeded: digit)]) }
    }
    return Self(montgomery: r, modulus)
  }
}
