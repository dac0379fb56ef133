// Multiples of any point of the twisted Edwards curve of Curve25519, for ristretto255.
//
// SPDX-License-Identifier: Apache-2.0

/// A point that is added to others: y + x, y - x, 2·d·t and 2·z. In memory it is two halves of 64 bytes, as `scan64`
/// reads them.
struct EdwardsAddend {
  var sum, difference, product, doubledZ: Field25519

  @inline(never) init(_ point: EdwardsPoint) {
    let twiceD = Field25519(
      Limbs(0xebd6_9b94_26b2_f159, 0x00e0_149a_8283_b156, 0x198e_80f2_eef3_d130, 0x2406_d9dc_56df_fce7))
    sum = point.y + point.x
    difference = point.y - point.x
    product = point.t * twiceD
    doubledZ = point.z + point.z
  }

  static var halfSize: Int { 64 }
}

extension EdwardsPoint {
  @inline(never) mutating func add(_ addend: borrowing EdwardsAddend) {
    let a = y.minus(x) * addend.difference
    let b = y.plus(x) * addend.sum
    let c = t * addend.product
    let d = z * addend.doubledZ
    let e = b.minus(a)
    let f = d.minus(c)
    let g = d.plus(c)
    let h = b.plus(a)
    x = e * f
    y = g * h
    t = e * h
    z = f * g
  }

  /// Multiplies the point by a scalar below 2²⁵⁵: windows of four signs, whose sum is one of ±1, ±3, … ±15. Adds the
  /// order to an even scalar, which changes nothing for a point of ristretto255: the order times the point is a point
  /// of small order, and those are all one element.
  ///
  /// - Timing: constant; every entry of the table is read for each window.
  @_optimize(size) @inline(never) func multiplied(by scalar: Limbs) -> EdwardsPoint {
    // Two tables of 512 bytes: beyond 1 KB an allocation would be on the heap.
    withUnsafeTemporaryAllocation(byteCount: 8 * EdwardsAddend.halfSize, alignment: 16) { first in
      withUnsafeTemporaryAllocation(byteCount: 8 * EdwardsAddend.halfSize, alignment: 16) { second in
        multiplied(by: scalar, tables: (first.baseAddress!, second.baseAddress!))
      }
    }
  }

  @_optimize(size) @inline(never) private func multiplied(
    by scalar: Limbs, tables: (UnsafeMutableRawPointer, UnsafeMutableRawPointer)
  ) -> EdwardsPoint {
    let one = opaqueOne()
    fill(tables)
    let signs = Self.signs(of: scalar, one)
    let (first, second) = (TableInMemory(start: tables.0), TableInMemory(start: tables.1))
    var result = Self.neutral
    var addend = EdwardsAddend(result)
    for window in 0..<64 {
      let position = 63 &- window
      if window > 0 { for _ in 0..<4 { result.double() } }
      let bits = signs[position &>> 4] &>> UInt64(truncatingIfNeeded: (position & 15) &* 4)
      let isNegative = maskIfEven(bits &>> 3, one)
      let index = (bits ^ isNegative) & 7
      withUnsafeMutablePointer(to: &addend) {
        let place = UnsafeMutableRawPointer($0)
        scan64(first, first: 0, count: 8, index, into: place, one)
        scan64(second, first: 0, count: 8, index, into: place + EdwardsAddend.halfSize, one)
      }
      // The opposite point: exchange y + x and y - x, negate the product.
      Field25519.exchange(isNegative, &addend.sum, &addend.difference)
      addend.product = addend.product.negated(where: isNegative)
      result.add(addend)
    }
    return result
  }

  /// The point times 1, 3, … 15.
  @_optimize(size) @inline(never) private func fill(_ tables: (UnsafeMutableRawPointer, UnsafeMutableRawPointer)) {
    var twice = self
    twice.double()
    let step = EdwardsAddend(twice)
    var multiple = self
    for entry in 0..<8 {
      if entry > 0 { multiple.add(step) }
      let addend = EdwardsAddend(multiple)
      withUnsafeBytes(of: addend) {
        let (start, offset) = ($0.baseAddress!, entry &* EdwardsAddend.halfSize)
        (tables.0 + offset).copyMemory(from: start, byteCount: EdwardsAddend.halfSize)
        (tables.1 + offset).copyMemory(from: start + EdwardsAddend.halfSize, byteCount: EdwardsAddend.halfSize)
      }
    }
  }
}
