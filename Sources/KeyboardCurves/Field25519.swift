// The field of 2²⁵⁵ - 19 elements, in four words. An element is any number below 2²⁵⁶ that is congruent to it, so that
// most operations end with a fold: 2²⁵⁶ is 38.
//
// SPDX-License-Identifier: Apache-2.0

struct Field25519 {
  var limbs: Limbs

  @inline(always) init(_ limbs: Limbs) { self.limbs = limbs }

  @inline(always) static var zero: Field25519 { Field25519(.zero) }
  @inline(always) static var one: Field25519 { Field25519(Limbs(1, 0, 0, 0)) }

  /// 2²⁵⁵ - 19
  @inline(always) static var prime: Limbs {
    Limbs(0xffff_ffff_ffff_ffed, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff, 0x7fff_ffff_ffff_ffff)
  }

  /// Reads 32 bytes, the least significant first, without bit 255. (RFC 7748 §5)
  @inline(always) init(bytes: UnsafeRawPointer) {
    limbs = Limbs(littleEndian: bytes)
    limbs.w3 &= 0x7fff_ffff_ffff_ffff
  }

  /// The number below 2²⁵⁵ - 19. `make prove` shows it.
  ///
  /// - Range: x < 2²⁵⁶; result < prime
  var canonical: Limbs {
    @inline(never) get {
      let top: UInt64 = 0x7fff_ffff_ffff_ffff
      var r = limbs
      // Folds bit 255: at most 2²⁵⁵ + 18 is left.
      var carry: Carry = 0
      let fold = (r.w3 &>> 63) &* 19
      r.w3 &= top
      r = Limbs.sum(r, Limbs(fold, 0, 0, 0), &carry)
      // r + 19 has bit 255 where r is not below the prime, and is then r - prime without that bit.
      let s = Limbs.sum(r, Limbs(19, 0, 0, 0), &carry)
      r = Limbs.choose(0 &- (s.w3 &>> 63), s, r)
      r.w3 &= top
      return r
    }
  }

  /// `r` + 38·`overflow`, where `overflow` is at most 2³².
  @inline(always) private static func folded(_ r: Limbs, _ overflow: UInt64) -> Field25519 {
    var carry: Carry = 0
    var s = Limbs.sum(r, Limbs(overflow &* 38, 0, 0, 0), &carry)
    // After a carry the sum is small, so that another 38 fits into the lowest word.
    s.w0 &+= 38 & mask(carry)
    return Field25519(s)
  }

  /// self + y and self - y, compiled where they are used: in the ladder and in sums of points, whose time
  /// counts. `+` and `-` are the same in one place.
  @inline(always) func plus(_ y: Field25519) -> Field25519 {
    var carry: Carry = 0
    let sum = Limbs.sum(limbs, y.limbs, &carry)
    var fold: Carry = 0
    var s = Limbs.sum(sum, Limbs(38 & mask(carry), 0, 0, 0), &fold)
    s.w0 &+= 38 & mask(fold)
    return Field25519(s)
  }

  @inline(always) func minus(_ y: Field25519) -> Field25519 {
    var borrow: Carry = 0
    let difference = Limbs.difference(limbs, y.limbs, &borrow)
    var fold: Carry = 0
    var d = Limbs.difference(difference, Limbs(38 & mask(borrow), 0, 0, 0), &fold)
    d.w0 &-= 38 & mask(fold)
    return Field25519(d)
  }

  // `make prove` shows what the two functions compute.

  /// - Range: x < 2²⁵⁶, y < 2²⁵⁶; result < 2²⁵⁶
  @inline(never) static func + (x: Field25519, y: Field25519) -> Field25519 { x.plus(y) }
  /// - Range: x < 2²⁵⁶, y < 2²⁵⁶; result < 2²⁵⁶
  @inline(never) static func - (x: Field25519, y: Field25519) -> Field25519 { x.minus(y) }

  /// A product of 512 bits, reduced.
  @inline(always) private static func reduced(_ t: DoubleLimbs) -> Field25519 {
    var c: UInt64 = 0
    let w0 = mac(t.low.w0, t.high.w0, 38, &c)
    let w1 = mac(t.low.w1, t.high.w1, 38, &c)
    let w2 = mac(t.low.w2, t.high.w2, 38, &c)
    let w3 = mac(t.low.w3, t.high.w3, 38, &c)
    return folded(Limbs(w0, w1, w2, w3), c)
  }

  /// x·y. `make prove` shows it of the compiled function.
  ///
  /// - Range: x < 2²⁵⁶, y < 2²⁵⁶; result < 2²⁵⁶
  @inline(never) static func * (x: Field25519, y: Field25519) -> Field25519 {
    reduced(Limbs.product(x.limbs, y.limbs))
  }

  #if arch(wasm32)
    /// As a product: see Limbs+Halves.swift.
    @inline(always) private var squaredHere: Field25519 { self * self }
  #else
    @inline(always) private var squaredHere: Field25519 { Self.reduced(limbs.square) }
  #endif

  /// - Range: x < 2²⁵⁶; result < 2²⁵⁶
  var squared: Field25519 { @inline(never) get { squaredHere } }

  /// 121665·self + y, in one reduction. `make prove` shows it.
  ///
  /// - Range: x < 2²⁵⁶, y < 2²⁵⁶; result < 2²⁵⁶
  @inline(never) func times121665(plus y: Field25519) -> Field25519 {
    var c: UInt64 = 0
    let w0 = mac(y.limbs.w0, limbs.w0, 121665, &c)
    let w1 = mac(y.limbs.w1, limbs.w1, 121665, &c)
    let w2 = mac(y.limbs.w2, limbs.w2, 121665, &c)
    let w3 = mac(y.limbs.w3, limbs.w3, 121665, &c)
    return Self.folded(Limbs(w0, w1, w2, w3), c)
  }

  /// Exchanges `x` and `y` where the mask is all ones.
  @inline(always) static func exchange(_ mask: UInt64, _ x: inout Field25519, _ y: inout Field25519) {
    Limbs.exchange(mask, &x.limbs, &y.limbs)
  }

  /// self^(2^count)
  ///
  /// - Range: x < 2²⁵⁶; result < 2²⁵⁶
  @inline(never) func squared(_ count: Int) -> Field25519 {
    var r = self
    for _ in 0..<count { r = r.squaredHere }
    return r
  }

  /// 1/self by Fermat: self^(p - 2), 254 squarings and 11 multiplications. 0 gives 0.
  @_optimize(size) @inline(never) func inverted() -> Field25519 {
    let (ones250, x11) = power250()
    return ones250.squared(5) * x11
  }

  /// self^(2²⁵⁰ - 1), and self¹¹.
  @_optimize(size) @inline(never) func power250() -> (ones: Field25519, eleventh: Field25519) {
    let x2 = squared
    let x9 = x2.squared(2) * self
    let x11 = x9 * x2
    // ones5 is self^(2⁵ - 1), and so on.
    let ones5 = x11.squared * x9
    let ones10 = ones5.squared(5) * ones5
    let ones20 = ones10.squared(10) * ones10
    let ones40 = ones20.squared(20) * ones20
    let ones50 = ones40.squared(10) * ones10
    let ones100 = ones50.squared(50) * ones50
    let ones200 = ones100.squared(100) * ones100
    return (ones200.squared(50) * ones50, x11)
  }
}
