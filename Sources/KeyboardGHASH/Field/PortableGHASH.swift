// GHASH for every processor: multiplication without carries from multiplication with carries.
//
// If only every fourth bit of two numbers is set, each column of their product of 64 bits sums at most 16 ones, and the
// carries of a column end before the next. (The sixteenth, in the last column, leaves the number.) The lowest bit of a
// column is then the sum without carries. Four parts of each factor make sixteen products. The upper half of a product
// of 128 bits is the lower half of the product of the reversed factors, reversed. The method is described in BearSSL's
// documentation ("GHASH", ctmul64); it needs no table and no branch, and is constant-time where multiplication is.
//
// SPDX-License-Identifier: Apache-2.0

import Builtin

/// GHASH in multiplications of integers.
///
/// - Timing: constant where the processor's multiplication of 64 bits is.
public enum PortableGHASH {
  /// Writes GHASH of a text.
  ///
  /// - Parameters:
  ///   - key: H, 16 bytes at any address.
  ///   - sum: 16 bytes at any address, written last.
  /// - Timing: depends on the number of blocks only.
  /// - Source: NIST SP 800-38D §6.4.
  @inline(never)
  public static func digest(_ text: GHASHText, key: UnsafeRawPointer, into sum: UnsafeMutableRawPointer) {
    let key = Factor(GHASHKey(key))
    var (low, high): (UInt64, UInt64) = (0, 0)
    for index in 0..<text.blockCount {
      let block = text.block(index)
      high ^= UInt64(bigEndian: block.loadUnaligned(as: UInt64.self))
      low ^= UInt64(bigEndian: block.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      (low, high) = key.dot(low, high)
    }
    sum.storeBytes(of: high.bigEndian, as: UInt64.self)
    sum.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
  }

  /// The key, and what Karatsuba's multiplication needs of it. (Three products of 64 bits in place of four.)
  private struct Factor {
    let low, high, both: Halves

    @inline(always) init(_ key: GHASHKey) {
      low = Halves(key.low)
      high = Halves(key.high)
      both = Halves(key.low ^ key.high)
    }

    /// POLYVAL's product.
    @inline(always) func dot(_ low: UInt64, _ high: UInt64) -> (low: UInt64, high: UInt64) {
      let bottom = self.low.product(low)
      let top = self.high.product(high)
      let middle = self.both.product(low ^ high)

      let x0 = bottom.low
      var x1 = bottom.high ^ middle.low ^ bottom.low ^ top.low
      var x2 = top.low ^ middle.high ^ bottom.high ^ top.high
      var x3 = top.high
      // P without its last term is x¹²⁸ + x¹²⁷ + x¹²⁶ + x¹²¹. Each product lies in the two words above.
      x1 ^= x0 &<< 63 ^ x0 &<< 62 ^ x0 &<< 57
      x2 ^= x0 ^ x0 &>> 1 ^ x0 &>> 2 ^ x0 &>> 7
      x2 ^= x1 &<< 63 ^ x1 &<< 62 ^ x1 &<< 57
      x3 ^= x1 ^ x1 &>> 1 ^ x1 &>> 2 ^ x1 &>> 7
      return (x2, x3)
    }
  }

  /// A factor of 64 bits for both halves of a product.
  private struct Halves {
    let forward, backward: Quarters

    @inline(always) init(_ factor: UInt64) {
      forward = Quarters(factor)
      backward = Quarters(factor.bitsReversed)
    }

    /// A product without carries, of 127 bits.
    @inline(always) func product(_ other: UInt64) -> (low: UInt64, high: UInt64) {
      let reversed = backward.lowProduct(other.bitsReversed)
      return (forward.lowProduct(other), reversed.bitsReversed &>> 1)
    }
  }

  /// Every fourth bit of a number, from the bits 0, 1, 2 and 3 on.
  private struct Quarters {
    let q0, q1, q2, q3: UInt64

    @inline(always) init(_ number: UInt64) {
      q0 = number & 0x1111_1111_1111_1111
      q1 = number & 0x2222_2222_2222_2222
      q2 = number & 0x4444_4444_4444_4444
      q3 = number & 0x8888_8888_8888_8888
    }

    /// The lower 64 bits of the product without carries. (Six calls a block, of a function of 400 bytes.)
    @inline(never) func lowProduct(_ number: UInt64) -> UInt64 {
      let y = Quarters(number)
      let r0 = q0 &* y.q0 ^ q1 &* y.q3 ^ q2 &* y.q2 ^ q3 &* y.q1
      let r1 = q0 &* y.q1 ^ q1 &* y.q0 ^ q2 &* y.q3 ^ q3 &* y.q2
      let r2 = q0 &* y.q2 ^ q1 &* y.q1 ^ q2 &* y.q0 ^ q3 &* y.q3
      let r3 = q0 &* y.q3 ^ q1 &* y.q2 ^ q2 &* y.q1 ^ q3 &* y.q0
      return Quarters(r0).q0 | Quarters(r1).q1 | Quarters(r2).q2 | Quarters(r3).q3
    }
  }
}

extension UInt64 {
  /// Bit i becomes bit 63 - i.
  @inline(always) fileprivate var bitsReversed: UInt64 { UInt64(Builtin.int_bitreverse_Int64(_value)) }
}
