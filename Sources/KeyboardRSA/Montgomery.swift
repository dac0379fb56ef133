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
  @inline(never)
  func reduce(_ t: Words, into x: Words) {
    var sum = Column()
    // Each word of t that becomes 0 gives its place to the factor that makes it so.
    var i = 0
    while i < count {
      // What does not need the two newest factors does not wait for them.
      var (products, above) = (Column(), Column())
      Column.addProducts(t, words + i, i, to: &products, &above)
      sum.add(products)
      sum.add(t[i])
      t[i] = sum.word &* inverse
      sum.addProduct(t[i], words[0])
      _ = sum.next()
      sum.add(above)
      sum.addProduct(t[i], words[1])
      sum.add(t[i &+ 1])
      t[i &+ 1] = sum.word &* inverse
      sum.addProduct(t[i &+ 1], words[0])
      _ = sum.next()
      i &+= 2
    }
    while i < 2 &* count {
      let first = i &- count &+ 1
      var above = Column()
      sum.addProduct(t[first], words[count &- 1])
      Column.addProducts(t + (first &+ 1), words + (count &- 2), 2 &* count &- i &- 2, to: &sum, &above)
      sum.add(t[i])
      t[i] = sum.next()
      sum.add(above)
      sum.add(t[i &+ 1])
      t[i &+ 1] = sum.next()
      i &+= 2
    }
    subtractOnce(t + count, above: sum.word, into: x)
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
  @inline(never)
  func multiply(_ x: Words, _ y: Words, into z: Words, _ t: Words) {
    Numbers.multiply(x, y, into: t, count)
    reduce(t, into: z)
  }

  /// z = x²/R for an x below the modulus.
  @inline(never)
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
  @inline(never)
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
    Numbers.clear(x, count)
    x[(bits &- 1) / Word.bitWidth] = 1 &<< Word(truncatingIfNeeded: (bits &- 1) % Word.bitWidth)
    // R is 2 to the power of `width`, an odd number times 2 to the power of `squarings`. From R·2 to the power of that
    // odd number, so many squarings lead to R².
    let width = count &* Word.bitWidth
    let squarings = isSquared ? width.trailingZeroBitCount : 0
    let odd = isSquared ? width &>> squarings : 0
    for _ in bits &- 1..<width &+ odd { double(x) }
    for _ in 0..<squarings { square(x, into: x, t) }
  }
}
