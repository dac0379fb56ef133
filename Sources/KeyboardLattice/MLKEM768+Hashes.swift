// What ML-KEM-768 makes with hashes: digests, the matrix and the small polynomials. (FIPS 203 §4.1, §4.2.2)
// SPDX-License-Identifier: Apache-2.0

import KeyboardHashes
import KeyboardLatticeRing

extension MLKEM768 {
  /// H. (FIPS 203 §4.1)
  func hash(_ bytes: UnsafeRawPointer, _ byteCount: Int, into output: UnsafeMutableRawPointer) {
    digest(.sha3_256, bytes, byteCount, into: output, 32)
  }

  @_optimize(size) @inline(never)
  package func digest(
    _ function: SHA3.Function, _ bytes: UnsafeRawPointer, _ byteCount: Int, into output: UnsafeMutableRawPointer,
    _ outputSize: Int
  ) {
    hash.begin(function)
    hash.absorb(UnsafeRawBufferPointer(start: bytes, count: byteCount))
    hash.finish(into: output, byteCount: outputSize)
  }

  /// Makes Â of ρ, in groups. (FIPS 203, algorithm 13, lines 3…7)
  @_optimize(size) @inline(never)
  func sampleMatrix(_ seed: UnsafeRawPointer) {
    let shakes = fourSHAKEs
    let rate = SHA3.Function.shake128.rate
    var (row, column, first) = (UInt64(0), UInt64(0), 0)
    let total = Self.count &* Self.count
    while first < total {
      let used = min(FourSHAKEs.count, total &- first)
      var tails = SIMD4<UInt64>()
      for index in 0..<used {
        tails[index] = column | row &<< 8
        column &+= 1
        if column == Self.count { (row, column) = (row &+ 1, 0) }
      }
      shakes.begin(.shake128, seed, tails: tails, tailSize: 2)
      var (counts, unfinished) = (SIMD4<Int>(), used)
      while unfinished > 0 {
        shakes.permute(used)
        for index in 0..<used where counts[index] < Transform.degree {
          shakes.copyBlock(index, into: block, byteCount: rate)
          let polynomial = matrix(0, first &+ index)
          counts[index] = Coding.sampleUniform(block, byteCount: rate, after: counts[index], into: polynomial)
          if counts[index] == Transform.degree {
            ring.group(polynomial)
            unfinished &-= 1
          }
        }
      }
      first &+= used
    }
  }

  /// Makes polynomials with small coefficients of a seed, one after another. (FIPS 203, algorithms 13 and 14)
  @_optimize(size) @inline(never)
  func sampleNoise(_ seed: UnsafeRawPointer, count: Int) {
    let shakes = fourSHAKEs
    for first in stride(from: 0, to: count, by: FourSHAKEs.count) {
      let used = min(FourSHAKEs.count, count &- first)
      let tails = SIMD4<UInt64>(repeating: UInt64(truncatingIfNeeded: first)) &+ SIMD4(0, 1, 2, 3)
      shakes.begin(.shake256, seed, tails: tails, tailSize: 1)
      shakes.permute(used)
      for index in 0..<used {
        shakes.copyBlock(index, into: block, byteCount: 128)
        ring.sampleNoise(block, into: polynomial(first &+ index))
      }
    }
  }

  /// 0 only if the bytes, a multiple of 8, are the same.
  @_optimize(size) @inline(never)
  func difference(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, byteCount: Int) -> UInt64 {
    var difference: UInt64 = 0
    for offset in stride(from: 0, to: byteCount, by: 8) {
      difference |=
        a.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        ^ b.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    return difference
  }
}
