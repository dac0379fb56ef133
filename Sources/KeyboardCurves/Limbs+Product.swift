// Products of two numbers of four words, before any reduction. For WebAssembly they are in Limbs+Halves.swift.
//
// SPDX-License-Identifier: Apache-2.0

/// A number below 2⁵¹².
struct DoubleLimbs {
  var low, high: Limbs

  @inline(always) init(low: Limbs, high: Limbs) {
    self.low = low
    self.high = high
  }
}

#if !arch(wasm32)
  extension Limbs {
    /// The product, row by row. A row is four products and two chains of carries: the low halves, then the high halves.
    @inline(always) static func product(_ x: Limbs, _ y: Limbs) -> DoubleLimbs {
      let (p0, p1, p2, p3) = (
        wide(x.w0) &* wide(y.w0), wide(x.w1) &* wide(y.w0), wide(x.w2) &* wide(y.w0), wide(x.w3) &* wide(y.w0)
      )
      var carry: Carry = 0
      var t1 = adc(high(p0), low(p1), &carry)
      var t2 = adc(high(p1), low(p2), &carry)
      var t3 = adc(high(p2), low(p3), &carry)
      var t4 = adc(high(p3), 0, &carry)
      var t5 = addRow(x, y.w1, &t1, &t2, &t3, &t4)
      var t6 = addRow(x, y.w2, &t2, &t3, &t4, &t5)
      let t7 = addRow(x, y.w3, &t3, &t4, &t5, &t6)
      return DoubleLimbs(low: Limbs(low(p0), t1, t2, t3), high: Limbs(t4, t5, t6, t7))
    }

    /// Adds x·y to the words t0 … t3 and returns the word above them.
    @inline(always) private static func addRow(
      _ x: Limbs, _ y: UInt64, _ t0: inout UInt64, _ t1: inout UInt64, _ t2: inout UInt64, _ t3: inout UInt64
    ) -> UInt64 {
      let (p0, p1, p2, p3) = (
        wide(x.w0) &* wide(y), wide(x.w1) &* wide(y), wide(x.w2) &* wide(y), wide(x.w3) &* wide(y)
      )
      var carry: Carry = 0
      t0 = adc(t0, low(p0), &carry)
      t1 = adc(t1, low(p1), &carry)
      t2 = adc(t2, low(p2), &carry)
      t3 = adc(t3, low(p3), &carry)
      let top = word(carry)
      carry = 0
      t1 = adc(t1, high(p0), &carry)
      t2 = adc(t2, high(p1), &carry)
      t3 = adc(t3, high(p2), &carry)
      return adc(top, high(p3), &carry)
    }

    /// The square: the products of different words once, doubled, and the squares of the words.
    @inline(always) var square: DoubleLimbs {
      var c: UInt64 = 0
      var t1 = mul(w0, w1, &c)
      var t2 = mul(w0, w2, &c)
      var t3 = mul(w0, w3, &c)
      var t4 = c
      c = 0
      t3 = mac(t3, w1, w2, &c)
      t4 = mac(t4, w1, w3, &c)
      var t5 = c
      c = 0
      t5 = mac(t5, w2, w3, &c)
      var t6 = c
      let t7 = t6 &>> 63
      t6 = (t6 &<< 1) | (t5 &>> 63)
      t5 = (t5 &<< 1) | (t4 &>> 63)
      t4 = (t4 &<< 1) | (t3 &>> 63)
      t3 = (t3 &<< 1) | (t2 &>> 63)
      t2 = (t2 &<< 1) | (t1 &>> 63)
      t1 = t1 &<< 1
      let (s0, s1, s2, s3) = (wide(w0) &* wide(w0), wide(w1) &* wide(w1), wide(w2) &* wide(w2), wide(w3) &* wide(w3))
      var carry: Carry = 0
      t1 = adc(t1, high(s0), &carry)
      t2 = adc(t2, low(s1), &carry)
      t3 = adc(t3, high(s1), &carry)
      t4 = adc(t4, low(s2), &carry)
      t5 = adc(t5, high(s2), &carry)
      t6 = adc(t6, low(s3), &carry)
      return DoubleLimbs(low: Limbs(low(s0), t1, t2, t3), high: Limbs(t4, t5, t6, t7 &+ high(s3) &+ word(carry)))
    }
  }
#endif
