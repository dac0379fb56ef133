// Products of long numbers, four rows at a time.
//
// SPDX-License-Identifier: Apache-2.0

extension Numbers {
  /// t = x·y, twice `count` words. They overlap in nothing. R is 2 to the bits of `count` words.
  ///
  /// - Range: x < R, y < R; result < R²
  @_optimize(speed) @inline(never)
  static func multiply(_ x: Words, _ y: Words, into t: Words, _ count: Int) {
    clear(t, count)
    var i = 0
    while i < count {
      var rows = Rows()
      rows.add(x, count, times: y + i, to: t + i)
      rows.store(t + (i &+ count))
      i &+= 4
    }
  }

  /// t = x²: the products of different words once, doubled, and the squares of the words.
  ///
  /// - Range: x < R; result < R²
  @_optimize(speed) @inline(never)
  static func square(_ x: Words, into t: Words, _ count: Int) {
    clear(t, count)
    var i = 0
    while i < count {
      var rows = Rows(triangle: x + i, to: t + 2 &* i)
      rows.add(x + (i &+ 4), count &- i &- 4, times: x + i, to: t + (2 &* i &+ 4))
      rows.store(t + (i &+ count))
      i &+= 4
    }
    var (carry, below): (Carry, Word) = (0, 0)
    let highest = Word(truncatingIfNeeded: Word.bitWidth - 1)
    for i in 0..<count {
      let square = wide(x[i]) &* wide(x[i])
      let (a, b) = (t[2 &* i], t[2 &* i &+ 1])
      t[2 &* i] = adc(a &<< 1 | below, low(square), &carry)
      t[2 &* i &+ 1] = adc(b &<< 1 | a &>> highest, high(square), &carry)
      below = b &>> highest
    }
  }
}

/// Four rows of a product, which are summed up together, from the lowest word on: what they carry to the next four
/// words. The products of a word with four others wait in registers, and each of the four words of the carry is read
/// and written there. A word of the result is read and written once in four rows.
struct Rows {
  private var a, b, c, d: Word

  init() { (a, b, c, d) = (0, 0, 0, 0) }

  /// Begins with the four words at `z`.
  init(_ z: Words) { (a, b, c, d) = (z[0], z[1], z[2], z[3]) }

  /// Begins with the products of different ones of the four words at `x`: adds the lowest four words to those at `z`,
  /// of which the first stays as it is.
  init(triangle x: Words, to z: Words) {
    let (x0, x1, x2, x3) = (wide(x[0]), wide(x[1]), wide(x[2]), wide(x[3]))
    let (p01, p02, p03) = (x0 &* x1, x0 &* x2, x0 &* x3)
    let (p12, p13, p23) = (x1 &* x2, x1 &* x3, x2 &* x3)
    var carry: Carry = 0
    z[1] = adc(z[1], low(p01), &carry)
    z[2] = adc(z[2], low(p02), &carry)
    z[3] = adc(z[3], low(p03), &carry)
    a = adc(high(p03), low(p13), &carry)
    b = adc(high(p13), 0, &carry)
    carry = 0
    z[2] = adc(z[2], high(p01), &carry)
    z[3] = adc(z[3], high(p02), &carry)
    a = adc(a, high(p12), &carry)
    b = adc(b, low(p23), &carry)
    c = adc(high(p23), 0, &carry)
    carry = 0
    z[3] = adc(z[3], low(p12), &carry)
    a = adc(a, 0, &carry)
    b = adc(b, 0, &carry)
    c = adc(c, 0, &carry)
    d = 0
  }

  /// Adds x·(y[0], …, y[3]) to as many words at `z` as x has, and keeps the four words above.
  @inline(always)
  mutating func add(_ x: Words, _ count: Int, times y: Words, to z: Words) {
    var i = 0
    while i < count {
      z[i] = next(x[i], times: y, z[i])
      z[i &+ 1] = next(x[i &+ 1], times: y, z[i &+ 1])
      z[i &+ 2] = next(x[i &+ 2], times: y, z[i &+ 2])
      z[i &+ 3] = next(x[i &+ 3], times: y, z[i &+ 3])
      i &+= 4
    }
  }

  /// Goes on to the next four words: adds x·(y[0], …, y[3]) and z, and returns the lowest word. No carry is lost: the
  /// sum is below 2²⁵⁶ + (2⁶⁴ - 1)·(2²⁵⁶ - 1) + 2⁶⁴, five words of 64 bits.
  @inline(always)
  private mutating func next(_ x: Word, times y: Words, _ z: Word) -> Word {
    let (p0, p1, p2, p3) = (wide(x) &* wide(y[0]), wide(x) &* wide(y[1]), wide(x) &* wide(y[2]), wide(x) &* wide(y[3]))
    var carry: Carry = 0
    a = adc(a, low(p0), &carry)
    b = adc(b, low(p1), &carry)
    c = adc(c, low(p2), &carry)
    d = adc(d, low(p3), &carry)
    let above = word(carry)
    carry = 0
    let lowest = adc(a, z, &carry)
    a = adc(b, high(p0), &carry)
    b = adc(c, high(p1), &carry)
    c = adc(d, high(p2), &carry)
    d = adc(above, high(p3), &carry)
    return lowest
  }

  /// Adds the multiple of n[0], …, n[3] that makes the lowest word 0, and goes on to the next four words.
  ///
  /// - Parameter inverse: -1/n modulo a word.
  /// - Returns: the factor.
  @inline(always)
  mutating func cancel(_ n: Words, _ inverse: Word) -> Word {
    let factor = a &* inverse
    _ = next(factor, times: n, 0)
    return factor
  }

  func store(_ z: Words) { (z[0], z[1], z[2], z[3]) = (a, b, c, d) }

  /// z += these four words.
  func add(to z: Words, _ carry: inout Carry) {
    z[0] = adc(z[0], a, &carry)
    z[1] = adc(z[1], b, &carry)
    z[2] = adc(z[2], c, &carry)
    z[3] = adc(z[3], d, &carry)
  }
}
