// What ML-KEM does with polynomials, besides transforming them.
// SPDX-License-Identifier: Apache-2.0

public enum Polynomials {
  /// Polynomials in a vector: k of ML-KEM-768.
  @inline(always) public static var vectorCount: Int { 3 }

  /// The product of a row and a column of transforms, over R.
  ///
  /// - Parameters:
  ///   - row: the first of three transforms in groups, `step` bytes apart.
  ///   - column: three transforms in groups, one behind the other.
  ///   - output: gets the product: coefficients in groups, between 0 and q - 1.
  /// - Timing: constant.
  /// - Source: FIPS 203, algorithms 11 and 12; §2.4.7.
  @inline(always)
  public static func innerProduct<R: Coefficients>(
    _ row: UnsafeRawPointer, step: Int, _ column: UnsafeRawPointer, into output: UnsafeMutableRawPointer, in _: R.Type
  ) {
    Transform.forEach(from: 0, to: Transform.degree, by: 2 &* R.count) { place in
      // ζ^(2 · BitRev7(i) + 1) of the pairs i = 0, 1, 2, …: each zeta and its negative.
      let half = place &>> 4
      let zetas = R { Zetas.word(16 &+ half &+ $0) }
      let doubled = R.interleaved(zetas, R(repeating: 0) &- zetas).0
      let gamma = Multiplier(doubled)
      var (even, odd) = (R(repeating: 0), R(repeating: 0))
      // A sum of six products is below 6 · q < 2¹⁵.
      for index in 0..<vectorCount {
        let (first, second) = (row + index &* step, column + index &* Transform.byteCount)
        let (a0, a1) = (R(first, place), R(first, place &+ R.count))
        let (b0, b1) = (Multiplier(R(second, place)), Multiplier(R(second, place &+ R.count)))
        even = even &+ a0.times(b0) &+ a1.times(b1).times(gamma)
        odd = odd &+ a0.times(b1) &+ a1.times(b0)
      }
      even.canonical.store(output, place)
      odd.canonical.store(output, place &+ R.count)
    }
  }

  /// Makes `polynomial` · `factor` / R + `other` of `polynomial`, between 0 and q - 1.
  ///
  /// - Parameter other: coefficients between -q and q.
  /// - Timing: constant.
  @inline(always)
  public static func add<R: Coefficients>(
    _ other: UnsafeRawPointer, to polynomial: UnsafeMutableRawPointer, times factor: Int16, in _: R.Type
  ) {
    let factor = Multiplier(R(repeating: factor))
    Transform.forEach(from: 0, to: Transform.degree, by: R.count) { place in
      let sum = R(polynomial, place).times(factor) &+ R(other, place)
      sum.canonical.store(polynomial, place)
    }
  }

  /// Makes coefficients between -2 and 2 of random bits, four of each.
  ///
  /// - Parameters:
  ///   - bytes: 128 random bytes.
  ///   - output: gets a polynomial.
  /// - Timing: constant.
  /// - Source: FIPS 203, algorithm 8, with η = 2.
  @inline(always)
  public static func sampleNoise<R: Coefficients>(
    _ bytes: UnsafeRawPointer, into output: UnsafeMutableRawPointer, in _: R.Type
  ) {
    let (ones, low) = (R(repeating: 0x5555), R(repeating: 3))
    Transform.forEach(from: 0, to: Transform.degree, by: 4 &* R.count) { place in
      let bits = R(bytes, place / 4)
      // The number of ones in each pair of bits.
      let sums = (bits & ones) &+ ((bits &>> 1) & ones)
      /// Every fourth coefficient, from number `index` on.
      @inline(always) func coefficients(_ index: Int16) -> R {
        ((sums &>> (4 &* index)) & low) &- ((sums &>> (4 &* index &+ 2)) & low)
      }
      let (even0, even1) = R.interleaved(coefficients(0), coefficients(2))
      let (odd0, odd1) = R.interleaved(coefficients(1), coefficients(3))
      let (a, b) = R.interleaved(even0, odd0)
      let (c, d) = R.interleaved(even1, odd1)
      // What came of the first half of `bits` comes first.
      let (ab0, ab1) = R.paired(a, b)
      let (cd0, cd1) = R.paired(c, d)
      ab0.store(output, place)
      (R.count == 16 ? cd0 : ab1).store(output, place &+ R.count)
      (R.count == 16 ? ab1 : cd0).store(output, place &+ 2 &* R.count)
      cd1.store(output, place &+ 3 &* R.count)
    }
  }
}
