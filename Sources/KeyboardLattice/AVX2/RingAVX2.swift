// Polynomials for processors with AVX2: sixteen coefficients at a time.
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import KeyboardLatticeRing

  public enum RingAVX2 {
    @_optimize(size) @inline(never) @export(interface)
    public static func transform(_ polynomial: UnsafeMutableRawPointer) {
      Transform.forward(polynomial, in: SixteenCoefficients.self)
    }

    @_optimize(size) @inline(never) @export(interface)
    public static func transformBack(_ polynomial: UnsafeMutableRawPointer) {
      Transform.inverse(polynomial, in: SixteenCoefficients.self)
    }

    @_optimize(size) @inline(never) @export(interface)
    public static func group(_ polynomial: UnsafeMutableRawPointer) {
      Transform.group(polynomial, in: SixteenCoefficients.self)
    }

    @_optimize(size) @inline(never) @export(interface)
    public static func ungroup(_ polynomial: UnsafeMutableRawPointer) {
      Transform.ungroup(polynomial, in: SixteenCoefficients.self)
    }

    @_optimize(size) @inline(never) @export(interface)
    public static func innerProduct(
      _ row: UnsafeRawPointer, step: Int, _ column: UnsafeRawPointer, into output: UnsafeMutableRawPointer
    ) {
      Polynomials.innerProduct(row, step: step, column, into: output, in: SixteenCoefficients.self)
    }

    @_optimize(size) @inline(never) @export(interface)
    public static func add(_ other: UnsafeRawPointer, to polynomial: UnsafeMutableRawPointer, times factor: Int16) {
      Polynomials.add(other, to: polynomial, times: factor, in: SixteenCoefficients.self)
    }

    @_optimize(size) @inline(never) @export(interface)
    public static func sampleNoise(_ bytes: UnsafeRawPointer, into output: UnsafeMutableRawPointer) {
      Polynomials.sampleNoise(bytes, into: output, in: SixteenCoefficients.self)
    }
  }
#endif
