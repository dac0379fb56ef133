// The words of numbers in WebAssembly, which has no carries, and no product of more than 64 bits: a word is multiplied
// in halves of 32 bits, and a carry follows from the signs of what was added. Nothing here branches.
//
// A module that a page loads should be small. So numbers are added and multiplied in one place each, and squares are
// products. With all of that compiled where it is used, the module would have 60 KB more.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(wasm32)
  /// 0 or 1.
  typealias Carry = UInt64

  /// x + y + carry. There is a carry where both numbers have bit 63, or one has it and the sum has not.
  @inline(always) func adc(_ x: UInt64, _ y: UInt64, _ carry: inout Carry) -> UInt64 {
    let sum = x &+ y &+ carry
    carry = ((x & y) | ((x | y) & ~sum)) &>> 63
    return sum
  }

  /// x - y - borrow
  @inline(always) func sbb(_ x: UInt64, _ y: UInt64, _ borrow: inout Carry) -> UInt64 {
    let difference = x &- y &- borrow
    borrow = ((~x & y) | ((~x | y) & difference)) &>> 63
    return difference
  }

  /// The low half of `sum` + `x`·`y` + `carry`; the high half becomes the new carry. Never overflows, and neither do
  /// the sums on the way: (2³² - 1)² + 2·(2³² - 1) is 2⁶⁴ - 1.
  @inline(always) func mac(_ sum: UInt64, _ x: UInt64, _ y: UInt64, _ carry: inout UInt64) -> UInt64 {
    let half: UInt64 = 0xffff_ffff
    let (x0, x1, y0, y1) = (x & half, x &>> 32, y & half, y &>> 32)
    let lowest = x0 &* y0 &+ (sum & half) &+ (carry & half)
    let one = x1 &* y0 &+ (sum &>> 32) &+ (lowest &>> 32)
    let other = x0 &* y1 &+ (carry &>> 32) &+ (one & half)
    carry = x1 &* y1 &+ (one &>> 32) &+ (other &>> 32)
    return (other &<< 32) | (lowest & half)
  }

  /// The low half of `x`·`y` + `carry`; the high half becomes the new carry.
  @inline(always) func mul(_ x: UInt64, _ y: UInt64, _ carry: inout UInt64) -> UInt64 { mac(0, x, y, &carry) }

  extension Limbs {
    /// The product, row by row.
    @inline(never) static func product(_ x: Limbs, _ y: Limbs) -> DoubleLimbs {
      var (t0, t1, t2, t3): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
      var t4 = addRow(x, y.w0, &t0, &t1, &t2, &t3)
      var t5 = addRow(x, y.w1, &t1, &t2, &t3, &t4)
      var t6 = addRow(x, y.w2, &t2, &t3, &t4, &t5)
      let t7 = addRow(x, y.w3, &t3, &t4, &t5, &t6)
      return DoubleLimbs(low: Limbs(t0, t1, t2, t3), high: Limbs(t4, t5, t6, t7))
    }

    /// Adds x·y to the words t0 … t3 and returns the word above them.
    @inline(always) private static func addRow(
      _ x: Limbs, _ y: UInt64, _ t0: inout UInt64, _ t1: inout UInt64, _ t2: inout UInt64, _ t3: inout UInt64
    ) -> UInt64 {
      var carry: UInt64 = 0
      t0 = mac(t0, x.w0, y, &carry)
      t1 = mac(t1, x.w1, y, &carry)
      t2 = mac(t2, x.w2, y, &carry)
      t3 = mac(t3, x.w3, y, &carry)
      return carry
    }

    @inline(always) var square: DoubleLimbs { Limbs.product(self, self) }
  }
#endif
