// Polynomials as bytes: FIPS 203 §4.2.1, and SampleNTT of §4.2.2.
//
// A coefficient is compressed by a multiplication: dividing by q would take a time that depends on the coefficient, as
// "KyberSlash" showed. And where the compiler knows that a number is 0 or 1, it makes a jump of what depends on it; so
// every mask is made with a 1 that it cannot see (`keyboard_one`).
//
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import KeyboardLatticeRing

@inline(always) func opaqueOne() -> UInt64 { UInt64(bitPattern: Int64(keyboard_one())) }

/// How coefficients are compressed, and how many bits then code one. (FIPS 203 §4.2.1)
struct Coding {
  let bits: UInt64
  /// 2^36 / q, rounded up: exact enough for 2^10 · q. 1 for coefficients that are not compressed.
  private let reciprocal, rounding, shift, compressionShift: UInt64

  private init(compressedTo bits: UInt64) {
    (self.bits, reciprocal, rounding, shift, compressionShift) = (bits, 20_642_679, 1664, 36, bits)
  }

  private init(bits: UInt64) { (self.bits, reciprocal, rounding, shift, compressionShift) = (bits, 1, 0, 0, 0) }

  /// Of keys: no compression.
  static var key: Self { Self(bits: 12) }
  /// d_u, of the first part of a ciphertext.
  static var u: Self { Self(compressedTo: 10) }
  /// d_v, of its second part.
  static var v: Self { Self(compressedTo: 4) }
  static var message: Self { Self(compressedTo: 1) }

  /// Bytes of a polynomial.
  var byteCount: Int { Int(truncatingIfNeeded: bits) &* Transform.degree / 8 }

  /// Compresses and codes.
  ///
  /// - Parameters:
  ///   - polynomial: coefficients between 0 and q - 1.
  ///   - output: `byteCount` bytes.
  /// - Timing: constant.
  /// - Source: FIPS 203, equation 4.7 and algorithm 5.
  @_optimize(size) @inline(never)
  func pack(_ polynomial: UnsafeRawPointer, into output: UnsafeMutableRawPointer) {
    let one = opaqueOne()
    let mask = (one &<< bits) &- one
    var (place, word, bitCount) = (output, UInt64(0), UInt64(0))
    for index in 0..<Transform.degree {
      let coefficient = UInt64(polynomial.load(fromByteOffset: 2 &* index, as: UInt16.self))
      let compressed = (((coefficient &<< compressionShift) &+ rounding) &* reciprocal) &>> shift
      word |= (compressed & mask) &<< bitCount
      bitCount &+= bits
      if bitCount >= 32 {
        place.storeBytes(of: UInt32(truncatingIfNeeded: word), as: UInt32.self)
        place += 4
        word &>>= 32
        bitCount &-= 32
      }
    }
  }

  /// Decodes and decompresses.
  ///
  /// - Parameters:
  ///   - bytes: `byteCount` bytes.
  ///   - polynomial: gets coefficients between 0 and q - 1; of keys, what the bytes say.
  /// - Timing: constant.
  /// - Source: FIPS 203, algorithm 6 and equation 4.8.
  @_optimize(size) @inline(never)
  func unpack(_ bytes: UnsafeRawPointer, into polynomial: UnsafeMutableRawPointer) {
    let one = opaqueOne()
    let mask = (one &<< bits) &- one
    let isCompressed = compressionShift != 0
    let (factor, half) = isCompressed ? (UInt64(Modulus.q), one &<< (bits &- 1)) : (1, 0)
    var (place, word, bitCount) = (bytes, UInt64(0), UInt64(0))
    for index in 0..<Transform.degree {
      if bitCount < bits {
        word |= UInt64(place.loadUnaligned(as: UInt32.self)) &<< bitCount
        place += 4
        bitCount &+= 32
      }
      let coefficient = ((word & mask) &* factor &+ half) &>> compressionShift
      polynomial.storeBytes(
        of: UInt16(truncatingIfNeeded: coefficient), toByteOffset: 2 &* index, as: UInt16.self)
      word &>>= bits
      bitCount &-= bits
    }
  }

  /// Whether all coefficients of coded polynomials are below q. (FIPS 203 §7.2)
  ///
  /// - Parameter bytes: `byteCount` bytes, a multiple of 3. They are not secret.
  @_optimize(size) @inline(never)
  static func isReduced(_ bytes: UnsafeRawPointer, byteCount: Int) -> Bool {
    var excess: Int32 = 0
    for offset in stride(from: 0, to: byteCount, by: 3) {
      let (first, second) = pair(bytes + offset)
      excess |= (Int32(Modulus.q) &- 1 &- first) | (Int32(Modulus.q) &- 1 &- second)
    }
    return excess >= 0
  }

  /// Draws coefficients of a transform from a block of SHAKE128's output: those of 12 bits that are below q.
  ///
  /// - Parameters:
  ///   - block: `byteCount` bytes, a multiple of 3.
  ///   - count: how many coefficients there are already.
  ///   - polynomial: gets those behind them.
  /// - Returns: how many there are now, at most 256.
  /// - Timing: depends on the block, which is made from the public seed ρ.
  /// - Source: FIPS 203, algorithm 7.
  @_optimize(size) @inline(never)
  static func sampleUniform(
    _ block: UnsafeRawPointer, byteCount: Int, after count: Int, into polynomial: UnsafeMutableRawPointer
  ) -> Int {
    let coefficients = polynomial.assumingMemoryBound(to: Int16.self)
    var (count, offset) = (count, 0)
    /// Where the number is not below q, the next one takes its place.
    @inline(always) func take(_ number: Int32) {
      guard count < Transform.degree else { return }
      coefficients[count] = Int16(truncatingIfNeeded: number)
      count &+= Int(truncatingIfNeeded: UInt32(bitPattern: number &- Int32(Modulus.q)) &>> 31)
    }
    while offset < byteCount {
      let (first, second) = pair(block + offset)
      take(first)
      take(second)
      offset &+= 3
    }
    return count
  }

  /// Two numbers of 12 bits in three bytes.
  @inline(always)
  private static func pair(_ bytes: UnsafeRawPointer) -> (Int32, Int32) {
    let low = Int32(bytes.loadUnaligned(as: UInt16.self))
    let high = Int32(bytes.load(fromByteOffset: 2, as: UInt8.self))
    return (low & 0xfff, low &>> 12 | high &<< 4)
  }
}
