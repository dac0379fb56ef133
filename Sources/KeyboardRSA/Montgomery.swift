// Numbers modulo an odd number, by Montgomery's reduction with R = 2 to the bits of its words.
//
// SPDX-License-Identifier: Apache-2.0

/// An odd number of `count` words that other numbers are reduced by.
///
/// - Timing: depends on the counts only.
/// - Source: P. L. Montgomery, "Modular multiplication without trial division", 1985.
struct Modulus {
  let words: Words
  let count: Int
  /// -1/modulus modulo a word.
  private let inverse: Word

  /// - Precondition: the number is odd.
  init(_ words: Words, _ count: Int) {
    self.words = words
    self.count = count
    // Each step doubles the bits that are right, from three on.
    var inverse = words[0]
    for _ in 0..<5 { inverse = inverse &* (2 &- words[0] &* inverse) }
    self.inverse = 0 &- inverse
  }

  /// x = t/R for a t of twice as many words, which is changed. For t < modulus·R it is below the modulus, otherwise
  /// below R.
  ///
  /// - Range: t < n·R; result < n
  @_optimize(speed) @inline(never)
  func reduce(_ t: Words, into x: Words) {
    // Four words of t that become 0 give their places to the factors that make them so.
    var carry: Carry = 0
    var i = 0
    while i < count {
      var rows = Rows(t + i)
      for j in i..<i &+ 4 { t[j] = rows.cancel(words, inverse) }
      rows.add(words + 4, count &- 4, times: t + i, to: t + (i &+ 4))
      rows.add(to: t + (i &+ count), &carry)
      i &+= 4
    }
    subtractOnce(t + count, above: word(carry), into: x)
  }

  /// x = above·R + y, which is below R + modulus, less the modulus if that is possible. It subtracts the modulus and
  /// adds it again under a mask.
  @inline(always)
  private func subtractOnce(_ y: Words, above: Word, into x: Words) {
    var borrow: Carry = 0
    for i in 0..<count { x[i] = sbb(y[i], words[i], &borrow) }
    let mask = above &- word(borrow)  // all ones: it was not possible
    _ = Numbers.add(x, words, mask & (0 &- opaqueOne()), count)
  }

  /// z = x·y/R
  ///
  /// - Parameters:
  ///   - x: any number of `count` words.
  ///   - y: below the modulus.
  ///   - t: twice as many words.
  /// - Range: x < R, y < n; result < n
  @_optimize(speed) @inline(never)
  func multiply(_ x: Words, _ y: Words, into z: Words, _ t: Words) {
    Numbers.multiply(x, y, into: t, count)
    reduce(t, into: z)
  }

  /// z = x²/R for an x below the modulus.
  ///
  /// - Range: x < n; result < n
  @_optimize(speed) @inline(never)
  func square(_ x: Words, into z: Words, _ t: Words) {
    Numbers.square(x, into: t, count)
    reduce(t, into: z)
  }

  /// x = x/R: out of Montgomery's form.
  @inline(never)
  func leave(_ x: Words, _ t: Words) {
    Numbers.copy(x, to: t, count)
    Numbers.clear(t + count, count)
    reduce(t, into: x)
  }

  /// x = 2x for an x below the modulus.
  @_optimize(speed) @inline(never)
  private func double(_ x: Words) {
    var carry: Carry = 0
    for i in 0..<count { x[i] = adc(x[i], x[i], &carry) }
    subtractOnce(x, above: word(carry), into: x)
  }

  /// x = R, or with `squared` R².
  ///
  /// - Parameter bits: public; the modulus has at least so many.
  @inline(never)
  func makeR(_ x: Words, squared isSquared: Bool, bits: Int, _ t: Words) {
    let width = count &* Word.bitWidth
    let (small, squarings) = isSquared ? Self.root(ofWidth: width) : (0, 0)
    makePower(x, of: width &+ small, bits: bits)
    for _ in 0..<squarings { square(x, into: x, t) }
  }

  /// R is 2 to the power of `width`, a small number times 2 to the power of `squarings`. From R·2 to the power of that
  /// small number, so many squarings lead to R². A squaring takes as long as twenty doublings or more.
  static func root(ofWidth width: Int) -> (small: Int, squarings: Int) {
    var (small, squarings) = (width, 0)
    while small > 32 && small & 1 == 0 { (small, squarings) = (small &>> 1, squarings &+ 1) }
    return (small, squarings)
  }

  /// x = 2 to the power of `power`, by doublings.
  ///
  /// - Parameter bits: public, at most power + 1; the modulus has at least so many.
  @inline(never)
  func makePower(_ x: Words, of power: Int, bits: Int) {
    Numbers.clear(x, count)
    let (word, bit) = place(ofBit: bits &- 1)
    x[word] = 1 &<< bit
    for _ in bits &- 1..<power { double(x) }
  }

  /// x modulo the modulus, for an x below twice the modulus.
  @inline(never)
  func reduceOnce(_ x: Words) { subtractOnce(x, above: 0, into: x) }
}
