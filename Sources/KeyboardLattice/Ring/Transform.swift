// The number-theoretic transform of FIPS 203 §4.3, on polynomials in memory: 256 coefficients of 16 bits.
//
// Seven layers combine coefficients that are 128, 64, … 2 places apart. As long as that is at least a register, whole
// registers are combined. The last layers work on two registers at a time. `interleaved` moves their coefficients so
// that those which the next layer combines are in the same place of both. After the last layer it leaves the even
// coefficients in one register and the odd ones in the other, in their order. Transformed polynomials stay like that in
// memory: in groups of two registers, the even coefficients first.
//
// SPDX-License-Identifier: Apache-2.0

public enum Transform {
  /// Coefficients of a polynomial.
  @inline(always) public static var degree: Int { 256 }
  /// Bytes of a polynomial in memory.
  @inline(always) public static var byteCount: Int { 512 }

  /// Passes every `step`th place to `body`. (Swift's own strides are compiled to much more.)
  @inline(always)
  public static func forEach(from start: Int, to end: Int, by step: Int, _ body: (Int) -> Void) {
    var place = start
    repeat {
      body(place)
      place &+= step
    } while place < end
  }

  /// NTT.
  ///
  /// - Parameter polynomial: coefficients between -q and q. They become those of the transform, in groups, between 0
  ///   and q - 1.
  /// - Timing: constant.
  /// - Source: FIPS 203, algorithm 9.
  @inline(always)
  public static func forward<R: Coefficients>(_ polynomial: UnsafeMutableRawPointer, in _: R.Type) {
    @inline(always) func combine(_ a: inout R, _ b: inout R, _ zeta: R) {
      let product = b.times(Multiplier(zeta))
      b = a &- product
      a = a &+ product
    }

    // A layer adds less than q to a number, so after seven of them all numbers are below 8 · q < 2¹⁵.
    var (index, distance) = (1, degree / 2)
    while distance >= R.count {
      var start = 0
      while start < degree {
        let zeta = R(repeating: Int16(truncatingIfNeeded: Zetas.one(index)))
        forEach(from: start, to: start &+ distance, by: R.count) { place in
          var (a, b) = (R(polynomial, place), R(polynomial, place &+ distance))
          combine(&a, &b, zeta)
          a.store(polynomial, place)
          b.store(polynomial, place &+ distance)
        }
        index &+= 1
        start &+= 2 &* distance
      }
      distance &>>= 1
    }

    forEach(from: 0, to: degree, by: 2 &* R.count) { place in
      let half = place &>> 4
      var (a, b) = (R(polynomial, place), R(polynomial, place &+ R.count))
      if R.count == 16 {
        (a, b) = R.paired(a, b)
        combine(&a, &b, R { Zetas.one(16 &+ half &+ $0) &* 0x0001_0001_0001_0001 })
      }
      (a, b) = R.interleaved(a, b)
      combine(&a, &b, R { Zetas.two(32 &+ 2 &* (half &+ $0)) &* 0x0000_0001_0000_0001 })
      (a, b) = R.interleaved(a, b)
      combine(&a, &b, R { Zetas.word(16 &+ half &+ $0) })
      (a, b) = R.interleaved(a, b)
      a.canonical.store(polynomial, place)
      b.canonical.store(polynomial, place &+ R.count)
    }
  }

  /// The inverse of the transform, times R.
  ///
  /// - Parameter polynomial: coefficients in groups, between 0 and q. They become those of the polynomial, in their
  ///   order, between -q and q.
  /// - Timing: constant.
  /// - Source: FIPS 203, algorithm 10.
  @inline(always)
  public static func inverse<R: Coefficients>(_ polynomial: UnsafeMutableRawPointer, in _: R.Type) {
    @inline(always) func combine(_ a: inout R, _ b: inout R, _ zeta: R) {
      let difference = b &- a
      a = (a &+ b).reduced
      b = difference.times(Multiplier(zeta))
    }

    // 1 / zeta is minus the zeta at the other end of a layer.
    forEach(from: 0, to: degree, by: 2 &* R.count) { place in
      let half = place &>> 4
      var (a, b) = R.deinterleaved(R(polynomial, place), R(polynomial, place &+ R.count))
      combine(&a, &b, R { reversed(Zetas.word(31 &- half &- $0)) })
      (a, b) = R.deinterleaved(a, b)
      combine(&a, &b, R { reversed(Zetas.two(62 &- 2 &* (half &+ $0)) &* 0x0000_0001_0000_0001) })
      (a, b) = R.deinterleaved(a, b)
      if R.count == 16 {
        combine(&a, &b, R { Zetas.one(31 &- half &- $0) &* 0x0001_0001_0001_0001 })
        (a, b) = R.paired(a, b)
      }
      a.store(polynomial, place)
      b.store(polynomial, place &+ R.count)
    }

    var (index, distance) = (2 &* degree / (2 &* R.count) &- 1, R.count)
    while distance < degree {
      var start = 0
      while start < degree {
        let zeta = R(repeating: Int16(truncatingIfNeeded: Zetas.one(index)))
        forEach(from: start, to: start &+ distance, by: R.count) { place in
          var (a, b) = (R(polynomial, place), R(polynomial, place &+ distance))
          combine(&a, &b, zeta)
          a.store(polynomial, place)
          b.store(polynomial, place &+ distance)
        }
        index &-= 1
        start &+= 2 &* distance
      }
      distance &<<= 1
    }

    let scale = Multiplier(R(repeating: Modulus.restoringOver128))
    forEach(from: 0, to: degree, by: R.count) { place in
      R(polynomial, place).times(scale).store(polynomial, place)
    }
  }

  /// The four zetas of a word, the last first.
  @inline(always)
  public static func reversed(_ word: UInt64) -> UInt64 {
    let swapped = word &>> 32 | word &<< 32
    return swapped &>> 16 & 0x0000_ffff_0000_ffff | (swapped & 0x0000_ffff_0000_ffff) &<< 16
  }

  /// Puts the coefficients of a transform into groups.
  @inline(always)
  public static func group<R: Coefficients>(_ polynomial: UnsafeMutableRawPointer, in _: R.Type) {
    forEach(from: 0, to: degree, by: 2 &* R.count) { place in
      let (first, second) = R.paired(R(polynomial, place), R(polynomial, place &+ R.count))
      let (even, odd) = R.deinterleaved(first, second)
      even.store(polynomial, place)
      odd.store(polynomial, place &+ R.count)
    }
  }

  /// Undoes `group`.
  @inline(always)
  public static func ungroup<R: Coefficients>(_ polynomial: UnsafeMutableRawPointer, in _: R.Type) {
    forEach(from: 0, to: degree, by: 2 &* R.count) { place in
      let (first, second) = R.interleaved(R(polynomial, place), R(polynomial, place &+ R.count))
      let (a, b) = R.paired(first, second)
      a.store(polynomial, place)
      b.store(polynomial, place &+ R.count)
    }
  }
}
