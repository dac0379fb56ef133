// Polynomials, on the path that the processor has.
// SPDX-License-Identifier: Apache-2.0

import KeyboardHashes
import KeyboardLatticeRing

#if arch(x86_64)
  import KeyboardLatticeAVX2
#endif

/// What ML-KEM does with polynomials. Timing: constant.
struct Ring {
  let path: VectorPath

  /// NTT. See `Transform.forward`.
  func transform(_ polynomial: UnsafeMutableRawPointer) {
    switch path {
    #if arch(x86_64)
      case .avx2: RingAVX2.transform(polynomial)
    #endif
    default: Portable.transform(polynomial)
    }
  }

  /// The inverse of NTT, times R. See `Transform.inverse`.
  func transformBack(_ polynomial: UnsafeMutableRawPointer) {
    switch path {
    #if arch(x86_64)
      case .avx2: RingAVX2.transformBack(polynomial)
    #endif
    default: Portable.transformBack(polynomial)
    }
  }

  /// Puts the coefficients of a transform into groups, as the other functions want them.
  func group(_ polynomial: UnsafeMutableRawPointer) {
    switch path {
    #if arch(x86_64)
      case .avx2: RingAVX2.group(polynomial)
    #endif
    default: Portable.group(polynomial)
    }
  }

  /// Puts them into the standard's order.
  func ungroup(_ polynomial: UnsafeMutableRawPointer) {
    switch path {
    #if arch(x86_64)
      case .avx2: RingAVX2.ungroup(polynomial)
    #endif
    default: Portable.ungroup(polynomial)
    }
  }

  /// The product of a row and a column of transforms, over R. See `Polynomials.innerProduct`.
  func innerProduct(
    _ row: UnsafeRawPointer, step: Int, _ column: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) {
    switch path {
    #if arch(x86_64)
      case .avx2: RingAVX2.innerProduct(row, step: step, column, into: output)
    #endif
    default: Portable.innerProduct(row, step: step, column, into: output)
    }
  }

  /// Makes `polynomial` · `factor` / R + `other` of `polynomial`. See `Polynomials.add`.
  func add(_ other: UnsafeRawPointer, to polynomial: UnsafeMutableRawPointer, times factor: Int16 = Modulus.one) {
    switch path {
    #if arch(x86_64)
      case .avx2: RingAVX2.add(other, to: polynomial, times: factor)
    #endif
    default: Portable.add(other, to: polynomial, times: factor)
    }
  }

  /// Makes coefficients between -2 and 2 of 128 random bytes. See `Polynomials.sampleNoise`.
  func sampleNoise(_ bytes: UnsafeRawPointer, into output: UnsafeMutableRawPointer) {
    switch path {
    #if arch(x86_64)
      case .avx2: RingAVX2.sampleNoise(bytes, into: output)
    #endif
    default: Portable.sampleNoise(bytes, into: output)
    }
  }
}

/// Eight coefficients at a time: every processor that Swift knows has registers of 128 bits.
private enum Portable {
  @_optimize(size) @inline(never)
  static func transform(_ polynomial: UnsafeMutableRawPointer) {
    Transform.forward(polynomial, in: EightCoefficients.self)
  }

  @_optimize(size) @inline(never)
  static func transformBack(_ polynomial: UnsafeMutableRawPointer) {
    Transform.inverse(polynomial, in: EightCoefficients.self)
  }

  @_optimize(size) @inline(never)
  static func group(_ polynomial: UnsafeMutableRawPointer) { Transform.group(polynomial, in: EightCoefficients.self) }

  @_optimize(size) @inline(never)
  static func ungroup(_ polynomial: UnsafeMutableRawPointer) {
    Transform.ungroup(polynomial, in: EightCoefficients.self)
  }

  @_optimize(size) @inline(never)
  static func innerProduct(
    _ row: UnsafeRawPointer, step: Int, _ column: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) {
    Polynomials.innerProduct(row, step: step, column, into: output, in: EightCoefficients.self)
  }

  @_optimize(size) @inline(never)
  static func add(_ other: UnsafeRawPointer, to polynomial: UnsafeMutableRawPointer, times factor: Int16) {
    Polynomials.add(other, to: polynomial, times: factor, in: EightCoefficients.self)
  }

  @_optimize(size) @inline(never)
  static func sampleNoise(_ bytes: UnsafeRawPointer, into output: UnsafeMutableRawPointer) {
    Polynomials.sampleNoise(bytes, into: output, in: EightCoefficients.self)
  }
}
