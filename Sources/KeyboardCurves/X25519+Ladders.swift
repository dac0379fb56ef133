// Two ladders at once, on processors with AVX-512 IFMA: numbers of four words become limbs of 51 bits, and come back.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import KeyboardCurvesIFMA

  extension X25519 {
    /// Multiplies two points by one scalar.
    ///
    /// - Timing: constant.
    @inline(never)
    static func ladders(_ scalar: UnsafeRawPointer, _ u: Field25519, _ v: Field25519) -> (Fraction, Fraction) {
      // With more alignment it would be on the heap.
      withUnsafeTemporaryAllocation(byteCount: CurvesIFMA.ladderSize, alignment: 16) { memory in
        let numbers = memory.baseAddress!
        _ = memory.initializeMemory(as: UInt64.self, repeating: 0)
        numbers.storeBytes(of: 243331, toByteOffset: 8, as: UInt64.self)
        numbers.storeBytes(of: 243331, toByteOffset: 40, as: UInt64.self)
        store(u.limbs, to: numbers + 24)
        store(v.limbs, to: numbers + 56)
        CurvesIFMA.ladders(scalar, numbers, one: opaqueOne())
        return (
          Fraction(x: number(numbers), z: number(numbers + 8)),
          Fraction(x: number(numbers + 32), z: number(numbers + 40))
        )
      }
    }

    /// Multiplies two points by one scalar.
    ///
    /// - Parameters:
    ///   - scalar, u, v: as for `multiply`.
    ///   - output, other: 32 bytes each. May be the scalar or a u-coordinate.
    /// - Returns: for each, what `multiply` returns.
    /// - Timing: constant.
    static func multiplyPair(
      _ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer, _ v: UnsafeRawPointer, into output: UnsafeMutableRawPointer,
      _ other: UnsafeMutableRawPointer
    ) -> (UInt64, UInt64) {
      let (first, second) = ladders(scalar, Field25519(bytes: u), Field25519(bytes: v))
      let (x, y) = quotients(first, second)
      x.store(littleEndian: output)
      y.store(littleEndian: other)
      let one = opaqueOne()
      return (maskIfZero(x.joined, one), maskIfZero(y.joined, one))
    }

    /// Writes the five limbs of a number below 2²⁵⁵, 64 bytes apart.
    @inline(never) private static func store(_ x: Limbs, to place: UnsafeMutableRawPointer) {
      let mask: UInt64 = 1 &<< 51 &- 1
      place.storeBytes(of: x.w0 & mask, as: UInt64.self)
      place.storeBytes(of: (x.w0 &>> 51 | x.w1 &<< 13) & mask, toByteOffset: 64, as: UInt64.self)
      place.storeBytes(of: (x.w1 &>> 38 | x.w2 &<< 26) & mask, toByteOffset: 128, as: UInt64.self)
      place.storeBytes(of: (x.w2 &>> 25 | x.w3 &<< 39) & mask, toByteOffset: 192, as: UInt64.self)
      place.storeBytes(of: x.w3 &>> 12, toByteOffset: 256, as: UInt64.self)
    }

    /// Reads them, when they are a little above 2⁵¹. The number is below 2²⁵⁶.
    @inline(never) static func number(_ place: UnsafeRawPointer) -> Field25519 {
      let mask: UInt64 = 1 &<< 51 &- 1
      let a = place.load(as: UInt64.self)
      let b = place.load(fromByteOffset: 64, as: UInt64.self) &+ a &>> 51
      let c = place.load(fromByteOffset: 128, as: UInt64.self) &+ b &>> 51
      let d = place.load(fromByteOffset: 192, as: UInt64.self) &+ c &>> 51
      let e = place.load(fromByteOffset: 256, as: UInt64.self) &+ d &>> 51
      return Field25519(
        Limbs(
          a & mask | b &<< 51, (b & mask) &>> 13 | c &<< 38, (c & mask) &>> 26 | d &<< 25, (d & mask) &>> 39 | e &<< 12)
      )
    }
  }
#endif
