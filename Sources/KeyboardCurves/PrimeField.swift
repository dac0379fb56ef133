// Arithmetic modulo a prime of 256 bits, in Montgomery form with R = 2²⁵⁶: x is held as x·R. Values are always below
// the prime. Generic over the prime's constants; the compiler makes one copy of the code for each prime.
//
// SPDX-License-Identifier: Apache-2.0

/// A prime between 2²⁵⁵ and 2²⁵⁶, and what Montgomery arithmetic needs to know of it.
protocol Modulus {
  static var prime: Limbs { get }
  /// R modulo the prime: 1 in Montgomery form.
  static var r: Limbs { get }
  /// R² modulo the prime.
  static var rSquared: Limbs { get }
  /// One step of a reduction: what is left of word + m·prime without its lowest word, which is 0, for
  /// m = word · (-1/prime) modulo 2⁶⁴.
  static func step(_ word: UInt64) -> Limbs
  /// 1/x, and 0 for 0.
  static func inverse(of x: FieldElement<Self>) -> FieldElement<Self>
}

extension Modulus {
  /// `step` for any prime. `inverse` is -1/prime modulo 2⁶⁴.
  @inline(always) static func step(_ word: UInt64, inverse: UInt64) -> Limbs {
    let m = word &* inverse
    var c: UInt64 = 0
    _ = mac(word, m, prime.w0, &c)
    let w0 = mul(m, prime.w1, &c)
    let w1 = mul(m, prime.w2, &c)
    let w2 = mul(m, prime.w3, &c)
    return Limbs(w0, w1, w2, c)
  }
}

/// An element of the field, in Montgomery form.
struct FieldElement<M: Modulus> {
  var limbs: Limbs

  @inline(always) init(montgomery limbs: Limbs) { self.limbs = limbs }

  @inline(always) static var zero: FieldElement { FieldElement(montgomery: .zero) }
  @inline(always) static var one: FieldElement { FieldElement(montgomery: M.r) }

  /// Into Montgomery form. `number` may be any below 2²⁵⁶.
  @inline(always) init(_ number: Limbs) {
    self = FieldElement(montgomery: number) * FieldElement(montgomery: M.rSquared)
  }

  /// Out of Montgomery form.
  @inline(always) var number: Limbs { Self.reduced(DoubleLimbs(low: limbs, high: .zero)).limbs }

  // MARK: - Reduction

  /// `number` + 2²⁵⁶·`top`, below twice the prime, less the prime if that is possible. It subtracts the prime and adds
  /// it again under a mask, which is faster than to choose between two values.
  @inline(always) static func reducedOnce(_ number: Limbs, top: UInt64) -> FieldElement {
    var borrow: Carry = 0
    let difference = Limbs.difference(number, M.prime, &borrow)
    var carry: Carry = 0
    return FieldElement(montgomery: Limbs.sum(difference, M.prime & (top &- word(borrow)), &carry))
  }

  /// t/R. Four steps, each of which shifts out a word.
  @inline(always) private static func reduced(_ t: DoubleLimbs) -> FieldElement {
    var s = t.low
    s = stepped(s)
    s = stepped(s)
    s = stepped(s)
    s = stepped(s)
    var carry: Carry = 0
    let sum = Limbs.sum(s, t.high, &carry)
    return reducedOnce(sum, top: word(carry))
  }

  @inline(always) private static func stepped(_ s: Limbs) -> Limbs {
    var carry: Carry = 0
    return Limbs.sum(Limbs(s.w1, s.w2, s.w3, 0), M.step(s.w0), &carry)
  }

  // MARK: - Operations

  @inline(never) static func * (x: FieldElement, y: FieldElement) -> FieldElement {
    reduced(Limbs.product(x.limbs, y.limbs))
  }

  var squared: FieldElement { @inline(never) get { Self.reduced(limbs.square) } }

  /// self^(2^count)
  @inline(never) func squared(_ count: Int) -> FieldElement {
    var r = self
    for _ in 0..<count { r = r.squared }
    return r
  }

  /// self + y and self - y, compiled where they are used: in the doubling of a point, which most of the time of a
  /// multiplication goes to. `+` and `-` are the same in one place, which saves 4 KB.
  @inline(always) func plus(_ y: FieldElement) -> FieldElement {
    var carry: Carry = 0
    let sum = Limbs.sum(limbs, y.limbs, &carry)
    return Self.reducedOnce(sum, top: word(carry))
  }

  @inline(always) func minus(_ y: FieldElement) -> FieldElement {
    var borrow: Carry = 0
    let difference = Limbs.difference(limbs, y.limbs, &borrow)
    var carry: Carry = 0
    return FieldElement(montgomery: Limbs.sum(difference, M.prime & mask(borrow), &carry))
  }

  @inline(never) static func + (x: FieldElement, y: FieldElement) -> FieldElement { x.plus(y) }
  @inline(never) static func - (x: FieldElement, y: FieldElement) -> FieldElement { x.minus(y) }

  @inline(always) var tripled: FieldElement { self + self + self }

  /// self/2: of the number and the number + prime one is even.
  @inline(always) var halved: FieldElement {
    var carry: Carry = 0
    let even = Limbs.sum(limbs, M.prime & (0 &- (limbs.w0 & 1)), &carry)
    return FieldElement(montgomery: even.halved(top: word(carry)))
  }

  /// -self where the mask is all ones.
  @inline(always) func negated(where mask: UInt64) -> FieldElement {
    FieldElement(montgomery: Limbs.choose(mask, (Self.zero - self).limbs, limbs))
  }

  /// self^exponent for a public exponent, by windows of four bits.
  @inline(never) func power(_ exponent: Limbs) -> FieldElement {
    // 512 bytes: beyond 1 KB this function would allocate on the heap.
    withUnsafeTemporaryAllocation(of: FieldElement.self, capacity: 16) { powers in
      powers.initializeElement(at: 0, to: .one)
      for i in 1..<16 { powers.initializeElement(at: i, to: powers[i &- 1] * self) }
      var r = FieldElement.one
      for i in 0..<64 {
        let position = 63 &- i
        let digit = (exponent[position &>> 4] &>> UInt64(truncatingIfNeeded: (position & 15) &* 4)) & 15
        r = r.squared.squared.squared.squared
        if digit != 0 { r = r * powers[Int(truncatingIfNeeded: digit)] }
      }
      return r
    }
  }

  /// 1/self by Fermat, for a prime without a shorter way.
  @inline(always) var invertedByFermat: FieldElement {
    var exponent = M.prime
    exponent.w0 &-= 2
    return power(exponent)
  }
}
