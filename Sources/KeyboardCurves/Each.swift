// Up to eight points and one scalar: what opening many texts under one private key needs.
//
// Where the processor can, points are computed side by side: of X25519 two at a time or eight.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import KeyboardCurvesIFMA
#endif

extension X25519 {
  /// Multiplies up to eight points by one scalar.
  ///
  /// - Parameters:
  ///   - scalar: as for `multiply`, outside the outputs.
  ///   - u: the first of `count` u-coordinates.
  ///   - output: the first of as many outputs. None overlaps a u-coordinate.
  ///   - stride: bytes from one u-coordinate to the next, and from one output to the next.
  ///   - count: 1…8.
  /// - Returns: a bit for each point, the first one's lowest: 1 where `multiply` would return all ones.
  /// - Timing: depends on `count`.
  @inline(never) @export(interface)
  package static func multiplyEach(
    _ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer, into output: UnsafeMutableRawPointer, stride: Int, count: Int
  ) -> UInt64 {
    multiplyEach(scalar, u, into: output, stride: stride, count: count, on: .current)
  }

  @inline(never)
  static func multiplyEach(
    _ scalar: UnsafeRawPointer, _ u: UnsafeRawPointer, into output: UnsafeMutableRawPointer, stride: Int, count: Int,
    on path: CurvePath
  ) -> UInt64 {
    #if arch(x86_64)
      // Two, and two after two, are 2.2 and 1.1 times as fast as all eight lanes.
      if path == .ifma && count > 4 {
        return CurvesIFMA.x25519(scalar, u, into: output, stride: stride, count: count, one: opaqueOne())
      }
    #endif
    var zeros: UInt64 = 0
    var done = 0
    #if arch(x86_64)
      while path == .ifma && done < count &- 1 {
        let (first, second) = (done &* stride, (done &+ 1) &* stride)
        let isZero = multiplyPair(scalar, u + first, u + second, into: output + first, output + second)
        zeros |= ((isZero.0 & 1) | (isZero.1 & 2)) &<< UInt64(truncatingIfNeeded: done)
        done &+= 2
      }
    #endif
    for lane in done..<count {
      let isZero = multiply(scalar, u + lane &* stride, into: output + lane &* stride, on: path)
      zeros |= (isZero & 1) &<< UInt64(truncatingIfNeeded: lane)
    }
    return zeros
  }
}

extension Curve {
  /// Bytes of memory that `multiplyEach` uses: its own, and the scalar in five words.
  static var eachScratchSize: Int {
    #if arch(x86_64)
      CurvesIFMA.scratchSize &+ 64
    #else
      scratchSize
    #endif
  }

  /// See `P256.sharedXEach`.
  @_optimize(size) @inline(never) func multiplyEach(
    _ scalar: UnsafeRawPointer, _ point: UnsafeRawPointer, into coordinates: UnsafeMutableRawPointer, size: Int,
    stride: Int, count: Int, scratch: UnsafeMutableRawPointer, on path: CurvePath = .current
  ) -> UInt64 {
    var onCurve: UInt64 = 0
    #if arch(x86_64)
      if path == .ifma && count > 1 {
        let one = opaqueOne()
        let words = (scratch + CurvesIFMA.scratchSize).assumingMemoryBound(to: UInt64.self)
        let (k, isNegative) = odd(Limbs(bigEndian: scalar), one)
        words[0] = k.w0
        words[1] = k.w1
        words[2] = k.w2
        words[3] = k.w3
        words[4] = 0
        // Of all numbers k and both curves, only SM2's k = 6 and n - 6 end with the sum of two equal points.
        var exception = order.prime
        exception.w0 &-= 6
        let endsEqual = self == .sm2 ? maskIfZero((k ^ exception).joined, one) : 0
        CurvesIFMA.multiply(
          by: words, isNegative: isNegative, endsEqual: endsEqual, point + 1, into: coordinates, stride: stride,
          count: count,
          isSM2: self == .sm2, hasY: size == 64, scratch: scratch, one: one)
        for lane in 0..<count {
          let offset = lane &* stride
          if AffinePoint(point + offset, on: self) != nil {
            onCurve |= 1 &<< UInt64(truncatingIfNeeded: lane)
          } else {
            Limbs.zero.store(bigEndian: coordinates + offset)
            if size == 64 { Limbs.zero.store(bigEndian: coordinates + offset + 32) }
          }
        }
        return onCurve
      }
    #endif
    for lane in 0..<count {
      let offset = lane &* stride
      if multiply(scalar, point + offset, into: coordinates + offset, size: size, scratch: scratch) {
        onCurve |= 1 &<< UInt64(truncatingIfNeeded: lane)
      }
    }
    return onCurve
  }
}
